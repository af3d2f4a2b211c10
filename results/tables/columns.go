package tables

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

// Game is a row of the table games, together with the columns of its pair that belong to a match.Row.
type Game struct {
	match.Row
	Run   int64
	Seats [4]int // numbers of the players: Black, White, A, B
	By    int64  // the worker's number; 0: this process
}

// Column is a column of a query of games, with its name and a pointer to its value. Columns of the table
// games are read and inserted; columns of other tables are only read.
type Column struct {
	Name  string
	Value any // a pointer, which Scan fills and an insert reads
}

// Columns returns all columns of a game except its record. The query, the insertion and the conversion of
// each value in both directions use this one list.
func (g *Game) Columns() []Column {
	list := []Column{
		{"g.run_id", &g.Run},
		{"g.pair", &g.Pair},
		{"g.leg", &g.Leg},
		{"g.black", &g.Seats[0]},
		{"g.white", &g.Seats[1]},
		{"p.a", &g.Seats[2]},
		{"p.b", &g.Seats[3]},
		{"g.outcome", word{&g.Outcome}},
		{"g.termination", word{&g.Termination}}, // a newer gogi's is kept as it is
		{"g.note", &g.Note},
		{"g.black_points", &g.Points[0]},
		{"g.white_points", &g.Points[1]},
		{"g.plies", &g.Plies},
		{"o.name", &g.OpeningID},
		{"o.plies", &g.OpeningPlies},
		{"o.hash", Bits{&g.OpeningHash}},
		{"o.start", &g.Start},
		{"g.marked", &g.Marked},
		{"g.moves_hash", Bits{&g.MovesHash}},
		{"g.last_sfen", &g.LastSFEN},
		{"g.slot", &g.Slot},
		{"g.started", Moment{&g.Started}},
		{"g.ended", Moment{&g.Ended}},
	}
	for c, colour := range []string{"g.black_", "g.white_"} {
		s := &g.Sides[c]
		list = append(list, []Column{
			{colour + "plies", &s.Plies},
			{colour + "nodes", Bits{&s.Nodes}},
			{colour + "us", Span{&s.Time}},
			{colour + "depth_sum", &s.DepthSum},
			{colour + "depth_plies", &s.DepthPlies},
			{colour + "overrun_us", Span{&s.WorstOverrun}},
			{colour + "ponder_hits", &s.PonderHits},
			{colour + "ponder_misses", &s.PonderMisses},
			{colour + "incomplete", &s.Incomplete},
		}...)
	}
	return append(list, Column{"p.worker", number{&g.By}}, Column{"g.questions", questions{&g.Questions}})
}

// LateColumns is the number of columns, at the end of the list, that are newer than the checksums: see
// Shortened.
const LateColumns = 2

// absent reports whether the value of a late column is stored as NULL.
func (c Column) absent() bool {
	switch v := c.Value.(type) {
	case number:
		return *v.To == 0
	case questions:
		return *v.To == match.Questions{}
	}
	return c.Value == nil
}

// GameColumns returns the names of all columns for a query, followed by the column of the game's checksum.
func GameColumns() string {
	var names []string
	for _, c := range new(Game).Columns() {
		names = append(names, c.Name)
	}
	return strings.Join(append(names, "g.checksum"), ", ")
}

// gameSum returns the checksum of a game. It covers all columns, including those of the pair and the opening,
// because reports read them together.
func gameSum(c *Checksum, columns []Column) (int64, error) {
	c.Reset("games")
	for _, column := range Shortened(columns, len(columns)-LateColumns, Column.absent) {
		if err := c.Add(column.Value); err != nil {
			return 0, err
		}
	}
	return c.Sum(), nil
}

// InsertGame returns the statement that stores the values of Inserted.
func InsertGame() string {
	var names []string
	for _, c := range new(Game).Columns() {
		if name, own := strings.CutPrefix(c.Name, "g."); own {
			names = append(names, name)
		}
	}
	names = append(names, "checksum")
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
	return "INSERT INTO games (" + strings.Join(names, ", ") + ") VALUES (" + marks + ")"
}

// Inserted returns the values to insert into the table games, in the order of InsertGame.
func (g *Game) Inserted() ([]any, error) {
	var values []any
	columns := g.Columns()
	for _, c := range columns {
		if strings.HasPrefix(c.Name, "g.") {
			values = append(values, c.Value)
		}
	}
	sum, err := gameSum(new(Checksum), columns)
	return append(values, sum), err
}

// Assign stores a value from SQLite in target, the pointer of a Column. It does the same as Scan of
// database/sql, but without searching for a conversion for each value.
func Assign(target any, value driver.Value) error {
	switch t := target.(type) {
	case *int:
		n, err := integer(value)
		*t = int(n)
		return err
	case Bits:
		return t.Scan(value)
	case Span:
		return t.Scan(value)
	case Moment:
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

// AssignInt does what Assign does for an integer. It avoids the allocation of an interface value.
func AssignInt(target any, n int64) error {
	switch t := target.(type) {
	case *int:
		*t = int(n)
	case *int64:
		*t = n
	case *bool:
		*t = n != 0
	case Bits:
		*t.To = uint64(n) //nolint:gosec // the same 64 bits
	case Span:
		*t.To = time.Duration(n) * time.Microsecond
	case Moment:
		*t.To = FromMicros(n)
	case number:
		*t.To = n
	default:
		return Assign(target, n)
	}
	return nil
}

// assignBytes does what Assign does for targets that are not integers.
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

// word stores an enumeration as its text.
type word struct {
	To interface {
		encoding.TextMarshaler
		encoding.TextUnmarshaler
	}
}

// Value returns the text to store.
func (w word) Value() (driver.Value, error) {
	text, err := w.To.MarshalText()
	return string(text), err
}

// Scan reads the text.
func (w word) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("%v (%T) is no text", src, src)
	}
	return w.To.UnmarshalText([]byte(text))
}

// Bits stores an unsigned integer as the signed integer with the same 64 bits, because SQLite has only signed
// integers.
type Bits struct{ To *uint64 }

// Value returns the signed number to store.
func (b Bits) Value() (driver.Value, error) { return int64(*b.To), nil }

// Scan reads the signed number.
func (b Bits) Scan(src any) error {
	n, err := integer(src)
	*b.To = uint64(n)
	return err
}

// number stores an integer, and stores 0 as NULL.
type number struct{ To *int64 }

// Value returns the number, or nil for 0.
func (n number) Value() (driver.Value, error) {
	if *n.To == 0 {
		return nil, nil
	}
	return *n.To, nil
}

// Scan reads the number.
func (n number) Scan(src any) (err error) {
	if *n.To = 0; src != nil {
		*n.To, err = integer(src)
	}
	return err
}

// questions stores the statistics of queries to a mate solver as JSON. It stores NULL if there were no
// queries.
type questions struct{ To *match.Questions }

// Value returns the text, nil without questions.
func (q questions) Value() (driver.Value, error) {
	if *q.To == (match.Questions{}) {
		return nil, nil
	}
	text, err := json.Marshal(q.To)
	return string(text), err
}

// Scan reads the text.
func (q questions) Scan(src any) error {
	*q.To = match.Questions{}
	switch text := src.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(text), q.To)
	}
	return fmt.Errorf("%v (%T) is no text", src, src)
}

// Span stores a duration in whole microseconds.
type Span struct{ To *time.Duration }

// Value returns the duration in microseconds.
func (s Span) Value() (driver.Value, error) { return s.To.Microseconds(), nil }

// Scan reads the microseconds.
func (s Span) Scan(src any) error {
	n, err := integer(src)
	*s.To = time.Duration(n) * time.Microsecond
	return err
}

// Moment stores a time as Micros returns it.
type Moment struct{ To *time.Time }

// Value returns the time in microseconds since 1970.
func (m Moment) Value() (driver.Value, error) { return Micros(*m.To), nil }

// Scan reads the microseconds since 1970.
func (m Moment) Scan(src any) error {
	n, err := integer(src)
	*m.To = FromMicros(n)
	return err
}

func integer(src any) (int64, error) {
	n, ok := src.(int64)
	if !ok {
		return 0, fmt.Errorf("%v (%T) is no integer", src, src)
	}
	return n, nil
}

// Micros returns a time in microseconds since 1970, as the database stores it. It returns 0 for the zero
// time.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// FromMicros is the inverse of Micros. It returns a time in UTC.
func FromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
