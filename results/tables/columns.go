package tables

import (
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"gogi/internal/lists"
	"gogi/match"
)

// Game is a row of the table games, with the columns of its pair that belong to a match.Row.
type Game struct {
	match.Row
	Run   int64
	Seats [4]int // numbers of the players: Black, White, A, B
	By    int64  // number of the worker; 0: this process
}

// Column is a column of a query for games, with its name and a pointer to its value. gogi reads and inserts
// the columns of the table games; it only reads the columns of other tables.
type Column struct {
	Name  string
	Value any // a pointer, which Scan fills and an insert reads
}

// Columns returns all columns of a game except its record. gogi uses this list to query games, to insert them, and
// to convert values to and from the form of SQLite.
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
		{"g.termination", word{&g.Termination}}, // an unknown word of a newer gogi stays unchanged
		{"g.note", &g.Note},
		{"g.black_points", &g.Points[0]},
		{"g.white_points", &g.Points[1]},
		{"g.plies", &g.Plies},
		{"o.name", &g.OpeningID},
		{"o.plies", &g.OpeningPlies},
		{"o.hash", unsigned{&g.OpeningHash}},
		{"o.start", &g.Start},
		{"g.marked", &g.Marked},
		{"g.moves_hash", unsigned{&g.MovesHash}},
		{"g.last_sfen", &g.LastSFEN},
		{"g.slot", &g.Slot},
		{"g.started", Moment{&g.Started}},
		{"g.ended", Moment{&g.Ended}},
	}
	for c, colour := range []string{"g.black_", "g.white_"} {
		s := &g.Sides[c]
		list = append(list, []Column{
			{colour + "plies", &s.Plies},
			{colour + "nodes", unsigned{&s.Nodes}},
			{colour + "us", span{&s.Time}},
			{colour + "depth_sum", &s.DepthSum},
			{colour + "depth_plies", &s.DepthPlies},
			{colour + "overrun_us", span{&s.WorstOverrun}},
			{colour + "ponder_hits", &s.PonderHits},
			{colour + "ponder_misses", &s.PonderMisses},
			{colour + "incomplete", &s.Incomplete},
		}...)
	}
	return append(list, Column{"p.worker", number{&g.By}}, Column{"g.questions", questions{&g.Questions}})
}

// LateColumns is the number of columns, at the end of Game.Columns, that were added after the first rows with
// checksums were stored. Shortened may remove their values.
const LateColumns = 2

// GameColumns returns the names of all columns for a query, followed by the column of the game's checksum.
func GameColumns() string {
	return strings.Join(append(lists.Map(new(Game).Columns(), func(c Column) string { return c.Name }), "g.checksum"),
		", ")
}

// InsertGame returns the SQL statement that inserts a game. Its parameters are the values that Inserted returns.
func InsertGame() string {
	var names []string
	columns := new(Game).Columns()
	for _, i := range gameColumns().own {
		names = append(names, strings.TrimPrefix(columns[i].Name, "g."))
	}
	names = append(names, "checksum")
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
	return "INSERT INTO games (" + strings.Join(names, ", ") + ") VALUES (" + marks + ")"
}

// Values returns the values of all columns of a game, in the order of Columns, as the database stores them.
func (g *Game) Values() ([]any, error) {
	columns := g.Columns()
	values := make([]any, len(columns))
	for i, c := range columns {
		var err error
		if values[i], err = plain(c.Value); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Inserted returns the values for the statement of InsertGame, in its order. values is the result of Values. worker
// is the number of the worker, or nil for this process; it replaces the value in values, because the database
// assigns it later. The last value is the game's checksum. The checksum also covers the columns of the pair and the
// opening, because reports read them together with the game.
func Inserted(values []any, worker any) ([]any, error) {
	columns := gameColumns()
	values[columns.worker] = worker
	sum, err := SumOf("games", Shortened(values, len(values)-LateColumns, Null)...)
	if err != nil {
		return nil, err
	}

	own := make([]any, 0, len(columns.own)+1)
	for _, i := range columns.own {
		own = append(own, values[i])
	}
	return append(own, sum), nil
}

// gameColumns returns the places in the result of Values: own has those of the columns of the table games, and
// worker has that of the number of the worker.
var gameColumns = sync.OnceValue(func() (places struct {
	own    []int
	worker int
}) {
	for i, c := range new(Game).Columns() {
		switch {
		case strings.HasPrefix(c.Name, "g."):
			places.own = append(places.own, i)
		case c.Name == "p.worker":
			places.worker = i
		}
	}
	return places
})

// plain returns the value of a Column as the database stores it.
func plain(pointer any) (any, error) {
	switch v := pointer.(type) {
	case *int:
		return int64(*v), nil
	case *int64:
		return *v, nil
	case *bool:
		if *v {
			return int64(1), nil
		}
		return int64(0), nil
	case *float64:
		return *v, nil
	case *string:
		return *v, nil
	case unsigned:
		return int64(*v.To), nil
	case span:
		return v.To.Microseconds(), nil
	case Moment:
		return Micros(*v.To), nil
	case number:
		if *v.To == 0 {
			return nil, nil
		}
		return *v.To, nil
	case word:
		text, err := v.To.MarshalText()
		return string(text), err
	case questions:
		if *v.To == (match.Questions{}) {
			return nil, nil
		}
		text, err := json.Marshal(v.To)
		return string(text), err
	}
	return nil, fmt.Errorf("a value of type %T has no column", pointer)
}

// Assign stores a value from SQLite in target, the pointer of a Column. It does the same as Scan of
// database/sql, but does not search for the conversion each time.
func Assign(target any, value driver.Value) error {
	if n, ok := value.(int64); ok {
		return AssignInt(target, n)
	}
	text, isText := value.(string)
	ok := true
	switch t := target.(type) {
	case *string:
		*t, ok = text, isText
	case *float64:
		*t, ok = value.(float64)
	case *[]byte:
		*t, ok = value.([]byte)
		ok = ok || value == nil
	case *sql.NullInt64:
		t.Valid, ok = false, value == nil
	case *any:
		*t = value
	case number:
		*t.To, ok = 0, value == nil
	case word:
		if ok = isText; ok {
			return t.To.UnmarshalText([]byte(text))
		}
	case questions:
		if *t.To = (match.Questions{}); isText {
			return json.Unmarshal([]byte(text), t.To)
		}
		ok = value == nil
	default:
		ok = false
	}
	if !ok {
		return fmt.Errorf("%v (%T) is no value for a %T", value, value, target)
	}
	return nil
}

// AssignInt does the work of Assign for an integer. It avoids allocating an interface value.
func AssignInt(target any, n int64) error {
	switch t := target.(type) {
	case *int:
		*t = int(n)
	case *int64:
		*t = n
	case *bool:
		*t = n != 0
	case unsigned:
		*t.To = uint64(n)
	case span:
		*t.To = time.Duration(n) * time.Microsecond
	case Moment:
		*t.To = FromMicros(n)
	case number:
		*t.To = n
	case *sql.NullInt64:
		*t = sql.NullInt64{Int64: n, Valid: true}
	case *any:
		*t = n
	default:
		return fmt.Errorf("the integer %d is no value for a %T", n, target)
	}
	return nil
}

// These types convert a value to and from its form in the database. To points to the value.
type (
	// word stores an enumeration as its text.
	word struct {
		To interface {
			encoding.TextMarshaler
			encoding.TextUnmarshaler
		}
	}
	// unsigned stores the signed integer with the same 64 bits, because SQLite has only signed integers.
	unsigned struct{ To *uint64 }
	// number stores an integer, and 0 as NULL.
	number struct{ To *int64 }
	// questions stores the statistics of queries to a mate solver as JSON, and NULL without queries.
	questions struct{ To *match.Questions }
	// span stores a duration in whole microseconds.
	span struct{ To *time.Duration }
)

// Moment is a Column value for a time. In the database the time is the number of microseconds since 1970 (see
// Micros).
type Moment struct{ To *time.Time }

// Scan sets the time from the number of microseconds since 1970.
func (m Moment) Scan(src any) error { return Assign(m, src) }

// Micros returns a time in microseconds since 1970, as the database stores it. It returns 0 for the zero
// time.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// FromMicros returns the time of a number that Micros returned, in UTC.
func FromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
