package tables

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gogi/internal/lists"
	"gogi/match"
	"gogi/shogi/kifu"
)

// Row is a row of a table with the values that SQLite returns.
type Row struct {
	Layout *Layout
	Values []any // by column
}

// Value returns the value in a column. The table must have the column.
func (r *Row) Value(column string) any { return r.Values[r.Layout.index(column)] }

// Int returns the number in a column, and 0 for NULL.
func (r *Row) Int(column string) int64 {
	n, _ := r.Value(column).(int64) // NULL is 0
	return n
}

// Text returns the text in a column, and "" for NULL.
func (r *Row) Text(column string) string {
	text, _ := r.Value(column).(string) // NULL is ""
	return text
}

// Verdict is the result of comparing a row with its checksum.
type Verdict int

// These are the verdicts.
const (
	Sound     Verdict = iota // the row equals the stored row
	Unchecked                // the row has no checksum
	Broken                   // the row differs from the stored row
)

// Verdict compares the row with its checksum. Do not use it for a row of games, whose checksum also covers
// other rows: see Pair.SumOfGame.
func (r *Row) Verdict() Verdict { return r.VerdictOf(r.Sum()) }

// VerdictOf compares the row's stored checksum with sum, the checksum that the caller has calculated. err is the
// error of this calculation.
func (r *Row) VerdictOf(sum int64, err error) Verdict {
	stored := r.Value("checksum")
	switch {
	case stored == nil && r.wanting():
		return Broken
	case stored == nil:
		return Unchecked
	case err != nil || stored != sum:
		return Broken
	}
	return Sound
}

// wanting reports whether a column that cannot be NULL has no value. This happens if the length of a row's header is
// damaged: then such values are missing together with the checksum.
func (r *Row) wanting() bool {
	for i, c := range r.Layout.Columns {
		if c.must && r.Values[i] == nil {
			return true
		}
	}
	return false
}

// Sum returns the checksum that the row should have.
func (r *Row) Sum() (int64, error) {
	var room [64]any // so that the list is no allocation
	values := room[:0]
	for _, c := range r.Layout.summed {
		values = append(values, r.Values[c])
	}
	return SumOf(r.Layout.Name, Shortened(values, r.Layout.always, Null)...)
}

// Clone returns a copy that stays valid when the next row is read.
func (r *Row) Clone() *Row { return &Row{r.Layout, slices.Clone(r.Values)} }

// With returns a copy of the row with other values in some columns. changes has column names and values
// alternately.
func (r *Row) With(changes ...any) *Row {
	c := r.Clone()
	for i := 0; i < len(changes); i += 2 {
		name, _ := changes[i].(string)
		c.Values[r.Layout.index(name)] = changes[i+1]
	}
	return c
}

// Run has the rows of a run, except those of its pairs.
type Run struct {
	Row      *Row
	Engines  []*Row // in the order of the plan
	Settings []*Row // in the order of the log
}

// Name returns the name of the run.
func (r *Run) Name() string { return r.Row.Text("name") }

// imported reports whether the games were played elsewhere and imported. It searches the plan's text, in
// which the design comes directly after the version.
func (r *Run) imported() bool {
	_, design, _ := strings.Cut(r.Row.Text("plan"), `"design":"`)
	return strings.HasPrefix(design, string(match.DesignImported)+`"`)
}

// ID returns the number of the run.
func (r *Run) ID() int64 { return r.Row.Int("id") }

// Pair has the rows of a pair and all rows that belong to it.
type Pair struct {
	Row     *Row
	Opening *Row           // nil: not found
	Worker  *Row           // nil: the pair has no worker, or it was not found
	Games   []*Row         // by leg
	Records map[int64]*Row // by the game's number; may also have those of other pairs
}

// errMissing is the error for a pair with missing rows.
var errMissing = errors.New("it is not whole")

// Verify returns the first error in a pair of a run: a wrong checksum, a missing row, or rows that contradict
// each other. It compares rows with each other because rows of an older gogi have no checksums. doubtful
// means that Verify cannot check a part of the pair.
func (p *Pair) Verify(run *Run) (doubtful bool, err error) {
	if p.Opening == nil {
		return true, fmt.Errorf("%w: its opening is missing", errMissing)
	}
	for _, r := range []*Row{p.Row, p.Opening} {
		switch r.Verdict() {
		case Broken:
			return true, r.Damage()
		case Unchecked:
			doubtful = true
		case Sound:
		}
	}
	if legs := run.Row.Int("legs"); int64(len(p.Games)) != legs {
		return true, fmt.Errorf("%w: it has %d games of %d", errMissing, len(p.Games), legs)
	}
	for leg, g := range p.Games {
		doubt, err := p.verifyGame(run, leg, g)
		if err != nil {
			return true, err
		}
		doubtful = doubtful || doubt
	}
	return doubtful, nil
}

// VerifyWorker returns an error if the stored facts about the pair's worker are damaged or missing.
func (p *Pair) VerifyWorker() error {
	switch {
	case p.Row.Value("worker") == nil:
		return nil
	case p.Worker == nil:
		return fmt.Errorf("%w: who played it is missing", errMissing)
	case p.Worker.Verdict() == Broken:
		return p.Worker.Damage()
	}
	return nil
}

func (p *Pair) verifyGame(run *Run, leg int, g *Row) (doubtful bool, err error) {
	record := p.Records[g.Int("id")]
	if record == nil {
		return true, fmt.Errorf("%w: leg %d has no record", errMissing, leg)
	}
	for _, v := range []struct {
		table   string
		verdict Verdict
	}{{"games", g.VerdictOf(p.SumOfGame(g))}, {"records", record.Verdict()}} {
		switch v.verdict {
		case Broken:
			return true, &Damaged{Table: v.table, Run: run.Name(), Pair: int(p.Row.Int("pair")), Leg: leg}
		case Unchecked:
			doubtful = true
		case Sound:
		}
	}
	if err := p.fits(run, leg, g, record); err != nil {
		return true, fmt.Errorf("leg %d: %w", leg, err)
	}
	return doubtful, nil
}

// SumOfGame returns the checksum that the game g of the pair should have. It covers the columns that Game.Columns
// lists.
func (p *Pair) SumOfGame(g *Row) (int64, error) {
	var room [64]any // so that the list is no allocation
	values := p.AppendGame(room[:0], g)
	return SumOf("games", Shortened(values, len(values)-LateColumns, Null)...)
}

// AppendGame appends the values of the columns that Game.Columns lists for the game g of the pair.
func (p *Pair) AppendGame(values []any, g *Row) []any {
	for i, c := range joinedColumns {
		row := g
		switch c.table {
		case "pairs":
			row = p.Row
		case "openings":
			row = p.Opening
		}
		values = append(values, row.Values[row.Layout.joined[i]])
	}
	return values
}

type joinedColumn struct{ table, name string }

// joinedColumns are the columns of Game.Columns with their tables.
var joinedColumns = lists.Map(new(Game).Columns(), func(c Column) (of joinedColumn) {
	of.table, of.name, _ = strings.Cut(c.Name, ".")
	of.table = map[string]string{"g": "games", "p": "pairs", "o": "openings"}[of.table]
	return of
})

// fits returns an error if a game contradicts its record or the players of its run.
func (p *Pair) fits(run *Run, leg int, g, record *Row) error {
	seats := [2]int64{p.Row.Int("a"), p.Row.Int("b")}
	if leg == 1 {
		seats[0], seats[1] = seats[1], seats[0]
	}
	if run.imported() && g.Int("black") == seats[1] { // an imported game may have either colour
		seats[0], seats[1] = seats[1], seats[0]
	}
	packed, _ := record.Value("plies").([]byte)
	moves, err := kifu.Unpack(packed)
	if err != nil {
		return err
	}
	hash, err := (&match.Result{Record: kifu.Record{Start: Start(record.Text("start")), Moves: moves}}).MovesHash()
	switch {
	case err != nil:
		return err
	case g.Int("leg") != int64(leg) || [2]int64{g.Int("black"), g.Int("white")} != seats ||
		max(seats[0], seats[1]) >= int64(len(run.Engines)) || min(seats[0], seats[1]) < 0:
		return errors.New("its players are not those of the pair")
	case g.Int("plies") != int64(len(moves)):
		return fmt.Errorf("it has %d plies, and its record %d", g.Int("plies"), len(moves))
	case g.Value("moves_hash") != int64(hash):
		return errors.New("its moves are not those of its record")
	}
	return nil
}

// Identity returns a text for comparing rows. Two rows of a table have equal texts if and only if their values,
// apart from the checksum, and the given rowids are equal.
func (r *Row) Identity(rowid int64) (string, error) {
	var c Checksum
	c.Reset(r.Layout.Name)
	c.int(rowid)
	for _, v := range r.Values {
		if v == r.Value("checksum") {
			continue
		}
		if err := c.Add(v); err != nil {
			return "", err
		}
	}
	return string(c.text), nil
}

// Complete reports whether the rows of all players of the plan were found.
func (r *Run) Complete() bool {
	if r.Row == nil {
		return false
	}
	plan, err := match.ParseCanonical([]byte(r.Row.Text("plan")))
	return err == nil && len(plan.Players) == len(r.Engines)
}

// Sound reports whether no row of the run itself, without its pairs, is known to be damaged. Rows without a
// checksum count as undamaged.
func (r *Run) Sound() bool {
	for _, row := range slices.Concat([]*Row{r.Row}, r.Engines, r.Settings) {
		if row.Verdict() == Broken {
			return false
		}
	}
	return r.Complete()
}

// SamePlay reports whether two pairs have the same games: equal moves with equal times. Two separate games
// never have the same times.
func (p *Pair) SamePlay(q *Pair) bool {
	if len(p.Games) != len(q.Games) {
		return false
	}
	for leg, g := range p.Games {
		h := q.Games[leg]
		for i, c := range g.Layout.Columns {
			if c.Name != "id" && c.Name != "run_id" && c.Name != "checksum" && g.Values[i] != h.Values[i] {
				return false
			}
		}
		a, b := p.Records[g.Int("id")], q.Records[h.Int("id")]
		for i, c := range a.Layout.Columns {
			if c.Name != "game_id" && c.Name != "checksum" && !sameValue(c.Name, a.Values[i], b.Values[i]) {
				return false
			}
		}
	}
	return true
}

// sameValue reports whether two values in a column of records say the same, also if gogis of different versions wrote
// them.
func sameValue(column string, a, b any) bool {
	x, isBytes := a.([]byte)
	y, _ := b.([]byte)
	switch {
	case column == "start":
		x, _ := a.(string) // the schema has a text
		y, _ := b.(string)
		return Start(x) == Start(y)
	case !isBytes:
		return a == b
	case column != "plies" || bytes.Equal(x, y):
		return bytes.Equal(x, y)
	}
	moves, err := kifu.Unpack(x)
	others, wrong := kifu.Unpack(y)
	return err == nil && wrong == nil && reflect.DeepEqual(moves, others)
}
