package results

import (
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gogi/match"
)

// storedGame is a row of games, and what of its pair belongs to a match.Row.
type storedGame struct {
	match.Row
	run    int64
	seats  [4]int // the players' numbers: Black, White, A, B
	worker int64  // the number of who played it; 0: this process
}

// column is a column of a query of games: what it is called, and where its value
// stands. Columns of games itself are inserted, those of other tables only read.
type column struct {
	name  string
	value any // a pointer, which is both what Scan fills and what is inserted
}

// columns are everything that is stored of a game but its record. This is the one
// place that knows them: the query, the insertion and both directions of each
// value come from here.
func (g *storedGame) columns() []column {
	list := []column{
		{"g.run_id", &g.run},
		{"g.pair", &g.Pair},
		{"g.leg", &g.Leg},
		{"g.black", &g.seats[0]},
		{"g.white", &g.seats[1]},
		{"p.a", &g.seats[2]},
		{"p.b", &g.seats[3]},
		{"g.outcome", word{&g.Outcome}},
		{"g.termination", word{&g.Termination}}, // a newer gogi's is kept as it is
		{"g.note", &g.Note},
		{"g.black_points", &g.Points[0]},
		{"g.white_points", &g.Points[1]},
		{"g.plies", &g.Plies},
		{"o.name", &g.OpeningID},
		{"o.plies", &g.OpeningPlies},
		{"o.hash", bits{&g.OpeningHash}},
		{"o.start", &g.Start},
		{"g.marked", &g.Marked},
		{"g.moves_hash", bits{&g.MovesHash}},
		{"g.last_sfen", &g.LastSFEN},
		{"g.slot", &g.Slot},
		{"g.started", moment{&g.Started}},
		{"g.ended", moment{&g.Ended}},
	}
	for c, colour := range []string{"g.black_", "g.white_"} {
		s := &g.Sides[c]
		list = append(list, []column{
			{colour + "plies", &s.Plies},
			{colour + "nodes", bits{&s.Nodes}},
			{colour + "us", span{&s.Time}},
			{colour + "depth_sum", &s.DepthSum},
			{colour + "depth_plies", &s.DepthPlies},
			{colour + "overrun_us", span{&s.WorstOverrun}},
			{colour + "ponder_hits", &s.PonderHits},
			{colour + "ponder_misses", &s.PonderMisses},
			{colour + "incomplete", &s.Incomplete},
		}...)
	}
	return append(list, column{"p.worker", number{&g.worker}}, column{"g.questions", questions{&g.Questions}})
}

// lateColumns is how many of a game's columns, the last ones, came later than checksums:
// see shortened.
const lateColumns = 2

// absent reports whether a late column's value is kept as NULL.
func absent(value any) bool {
	switch v := value.(type) {
	case number:
		return *v.value == 0
	case questions:
		return *v.value == match.Questions{}
	}
	return value == nil
}

// gameColumns are the names of all columns, as a query asks for them, and the game's
// checksum behind them.
func gameColumns() string {
	var names []string
	for _, c := range new(storedGame).columns() {
		names = append(names, c.name)
	}
	return strings.Join(append(names, "g.checksum"), ", ")
}

// sumOfGame is the checksum of a game: of all columns, those of its pair and its
// opening included, because reports read them together.
func sumOfGame(c *checksum, columns []column) (int64, error) {
	c.reset("games")
	for always := len(columns) - lateColumns; len(columns) > always && absent(columns[len(columns)-1].value); {
		columns = columns[:len(columns)-1]
	}
	for _, column := range columns {
		if err := c.add(column.value); err != nil {
			return 0, err
		}
	}
	return c.sum(), nil
}

// insertGame is the statement that stores what inserted gives.
func insertGame() string {
	var names []string
	for _, c := range new(storedGame).columns() {
		if name, own := strings.CutPrefix(c.name, "g."); own {
			names = append(names, name)
		}
	}
	names = append(names, "checksum")
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
	return "INSERT INTO games (" + strings.Join(names, ", ") + ") VALUES (" + marks + ")"
}

// inserted are the values of the columns of games.
func (g *storedGame) inserted() ([]any, error) {
	var values []any
	columns := g.columns()
	for _, c := range columns {
		if strings.HasPrefix(c.name, "g.") {
			values = append(values, c.value)
		}
	}
	sum, err := sumOfGame(new(checksum), columns)
	return append(values, sum), err
}

// gameReader reads rows of gameColumns, and whatever else the query asks for.
type gameReader struct {
	cast
	game    storedGame
	targets []any
	own     int // how many of the targets are columns of games

	values   []driver.Value // of the row at hand, by target
	pointers []any          // to scanned, as Scan takes them
	scanned  []any

	stored sql.NullInt64 // the checksum in the row
	sum    checksum
}

func newGameReader(c cast, more ...any) *gameReader {
	r := &gameReader{cast: c}
	for _, c := range r.game.columns() {
		r.targets = append(r.targets, c.value)
	}
	r.own = len(r.targets)
	r.targets = append(append(r.targets, &r.stored), more...)
	r.values, r.scanned = make([]driver.Value, len(r.targets)), make([]any, len(r.targets))
	for i := range r.scanned {
		r.pointers = append(r.pointers, &r.scanned[i])
	}
	return r
}

// read gives the row at hand; one whose checksum is wrong is a *Damaged.
func (r *gameReader) read(rows *sql.Rows) (match.Row, error) {
	if err := rows.Scan(r.pointers...); err != nil {
		return r.game.Row, err
	}
	for i, v := range r.scanned {
		r.values[i] = v
	}
	return r.take()
}

// take gives the row of which values are what SQLite gave.
func (r *gameReader) take() (match.Row, error) {
	g := &r.game
	for i, target := range r.targets {
		if err := assign(target, r.values[i]); err != nil {
			return g.Row, err
		}
	}
	if err := r.verify(); err != nil {
		return g.Row, err
	}
	for i, name := range []*string{&g.Black, &g.White, &g.PairA, &g.PairB} {
		if g.seats[i] < 0 || g.seats[i] >= len(r.players) {
			return g.Row, fmt.Errorf("pair %d has player number %d of %d", g.Pair, g.seats[i], len(r.players))
		}
		*name = r.players[g.seats[i]].Name
	}
	known := false
	if g.Worker, known = r.workers[g.worker]; !known && g.worker != 0 {
		return g.Row, fmt.Errorf("pair %d was played by worker number %d, of which nothing is known", g.Pair, g.worker)
	}
	return g.Row, nil
}

// verify compares the row with its checksum, where it has one.
func (r *gameReader) verify() error {
	if !r.stored.Valid {
		return nil
	}
	r.sum.reset("games")
	own := r.values[:r.own]
	for len(own) > r.own-lateColumns && own[len(own)-1] == nil {
		own = own[:len(own)-1]
	}
	for _, v := range own {
		if err := r.sum.add(v); err != nil {
			return err
		}
	}
	if r.sum.sum() != r.stored.Int64 {
		return &Damaged{Table: "games", Pair: r.game.Pair, Leg: r.game.Leg}
	}
	return nil
}

// assign puts a value, as SQLite gives it, where a column's target points: what
// Scan does, without asking for each value how it can be converted.
func assign(target any, value driver.Value) error {
	switch t := target.(type) {
	case *int:
		n, err := integer(value)
		*t = int(n)
		return err
	case bits:
		return t.Scan(value)
	case span:
		return t.Scan(value)
	case moment:
		return t.Scan(value)
	case word:
		return t.Scan(value)
	case number:
		return t.Scan(value)
	case *sql.NullInt64:
		if t.Valid = value != nil; !t.Valid {
			return nil
		}
		n, err := integer(value)
		t.Int64 = n
		return err
	case *int64:
		n, err := integer(value)
		*t = n
		return err
	case *bool:
		n, err := integer(value)
		*t = n != 0
		return err
	}
	return assignBytes(target, value)
}

// assignBytes is assign for the targets that are no integers.
func assignBytes(target any, value driver.Value) error {
	switch t := target.(type) {
	case sql.Scanner:
		return t.Scan(value)
	case *string:
		if v, ok := value.(string); ok {
			*t = v
			return nil
		}
	case *float64:
		if v, ok := value.(float64); ok {
			*t = v
			return nil
		}
	case *[]byte:
		v, ok := value.([]byte)
		*t = v
		if ok || value == nil {
			return nil
		}
	}
	return fmt.Errorf("%v (%T) is no value for a %T", value, value, target)
}

// word keeps an enumeration as its text.
type word struct {
	value interface {
		encoding.TextMarshaler
		encoding.TextUnmarshaler
	}
}

// Value gives the text.
func (w word) Value() (driver.Value, error) {
	text, err := w.value.MarshalText()
	return string(text), err
}

// Scan reads the text.
func (w word) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("%v (%T) is no text", src, src)
	}
	return w.value.UnmarshalText([]byte(text))
}

// bits keeps an unsigned number as the signed one of the same 64 bits: SQLite has
// no others.
type bits struct{ value *uint64 }

// Value gives the signed number.
func (b bits) Value() (driver.Value, error) { return int64(*b.value), nil }

// Scan reads the signed number.
func (b bits) Scan(src any) error {
	n, err := integer(src)
	*b.value = uint64(n)
	return err
}

// number keeps 0 as NULL.
type number struct{ value *int64 }

// Value gives the number, nil for 0.
func (n number) Value() (driver.Value, error) {
	if *n.value == 0 {
		return nil, nil
	}
	return *n.value, nil
}

// Scan reads the number.
func (n number) Scan(src any) (err error) {
	if *n.value = 0; src != nil {
		*n.value, err = integer(src)
	}
	return err
}

// questions keeps what came of questions to a mate solver as JSON, none as NULL.
type questions struct{ value *match.Questions }

// Value gives the text, nil where none was asked.
func (q questions) Value() (driver.Value, error) {
	if *q.value == (match.Questions{}) {
		return nil, nil
	}
	text, err := json.Marshal(q.value)
	return string(text), err
}

// Scan reads the text.
func (q questions) Scan(src any) error {
	*q.value = match.Questions{}
	switch text := src.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(text), q.value)
	}
	return fmt.Errorf("%v (%T) is no text", src, src)
}

// span keeps a duration as whole microseconds.
type span struct{ value *time.Duration }

// Value gives the microseconds.
func (s span) Value() (driver.Value, error) { return s.value.Microseconds(), nil }

// Scan reads the microseconds.
func (s span) Scan(src any) error {
	n, err := integer(src)
	*s.value = time.Duration(n) * time.Microsecond
	return err
}

// moment keeps a time as micros writes it.
type moment struct{ value *time.Time }

// Value gives the microseconds since 1970.
func (m moment) Value() (driver.Value, error) { return micros(*m.value), nil }

// Scan reads the microseconds since 1970.
func (m moment) Scan(src any) error {
	n, err := integer(src)
	*m.value = fromMicros(n)
	return err
}

func integer(src any) (int64, error) {
	n, ok := src.(int64)
	if !ok {
		return 0, fmt.Errorf("%v (%T) is no integer", src, src)
	}
	return n, nil
}
