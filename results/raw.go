package results

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gogi/kifu"
	"gogi/match"
)

// rawRow is a row of a table as SQLite gives it.
type rawRow struct {
	layout *layout
	values []any // by column
}

func (r *rawRow) value(column string) any { return r.values[r.layout.index(column)] }

func (r *rawRow) int(column string) int64 {
	n, _ := r.value(column).(int64) // NULL is 0
	return n
}

// verdict of a row's checksum.
type verdict int

const (
	sound verdict = iota
	unchecked
	damaged
)

// verdict looks at the row's checksum. That of a game covers more than its row.
func (r *rawRow) verdict() verdict { return r.verdictOf(r.sum()) }

func (r *rawRow) verdictOf(sum int64, err error) verdict {
	stored := r.value("checksum")
	switch {
	case stored == nil:
		return unchecked
	case err != nil || stored != sum:
		return damaged
	}
	return sound
}

func (r *rawRow) sum() (int64, error) {
	columns, always := r.layout.summed()
	values := make([]any, len(columns))
	for i, c := range columns {
		values[i] = r.values[c]
	}
	return sumOf(r.layout.name, shortened(values, always)...)
}

// clone is a copy for keeps.
func (r *rawRow) clone() *rawRow { return &rawRow{r.layout, slices.Clone(r.values)} }

// with is a copy with other values of some columns, by name and value in turn.
func (r *rawRow) with(changes ...any) *rawRow {
	c := r.clone()
	for i := 0; i < len(changes); i += 2 {
		name, _ := changes[i].(string)
		c.values[r.layout.index(name)] = changes[i+1]
	}
	return c
}

// rawRun is a run apart from its pairs.
type rawRun struct {
	run      *rawRow
	engines  []*rawRow // in plan order
	settings []*rawRow // in the order of the log
}

func (r *rawRun) name() string {
	name, _ := r.run.value("name").(string)
	return name
}

// imported reports whether the games were played elsewhere, by the plan's text, in which
// the design stands right behind the version.
func (r *rawRun) imported() bool {
	plan, _ := r.run.value("plan").(string)
	_, design, _ := strings.Cut(plan, `"design":"`)
	return strings.HasPrefix(design, string(match.DesignImported)+`"`)
}

func (r *rawRun) id() int64 { return r.run.int("id") }

// rawPair is a pair with everything that belongs to it.
type rawPair struct {
	pair    *rawRow
	opening *rawRow           // nil: it is not there
	worker  *rawRow           // nil: the pair has none, or it is not there
	games   []*rawRow         // by leg
	records map[int64]*rawRow // by the game's number
}

// errMissing is of a pair that is not whole.
var errMissing = errors.New("it is not whole")

// verify says what is wrong with a pair of a run, and whether nothing vouches for a
// part of it. It looks at the checksums and, because what an older gogi stored has
// none, at whether the parts fit each other.
func (p *rawPair) verify(run *rawRun) (doubtful bool, err error) {
	if p.opening == nil {
		return true, fmt.Errorf("%w: its opening is missing", errMissing)
	}
	for _, r := range []*rawRow{p.pair, p.opening} {
		switch r.verdict() {
		case damaged:
			return true, r.damage()
		case unchecked:
			doubtful = true
		case sound:
		}
	}
	if legs := run.run.int("legs"); int64(len(p.games)) != legs {
		return true, fmt.Errorf("%w: it has %d games of %d", errMissing, len(p.games), legs)
	}
	for leg, g := range p.games {
		doubt, err := p.verifyGame(run, leg, g)
		if err != nil {
			return true, err
		}
		doubtful = doubtful || doubt
	}
	return doubtful, nil
}

// verifyWorker says what is wrong with what is known of who played the pair.
func (p *rawPair) verifyWorker() error {
	switch {
	case p.pair.value("worker") == nil:
		return nil
	case p.worker == nil:
		return fmt.Errorf("%w: who played it is missing", errMissing)
	case p.worker.verdict() == damaged:
		return p.worker.damage()
	}
	return nil
}

func (p *rawPair) verifyGame(run *rawRun, leg int, g *rawRow) (doubtful bool, err error) {
	record := p.records[g.int("id")]
	if record == nil {
		return true, fmt.Errorf("%w: leg %d has no record", errMissing, leg)
	}
	for _, v := range []struct {
		table   string
		verdict verdict
	}{{"games", g.verdictOf(p.sumOfGame(g))}, {"records", record.verdict()}} {
		switch v.verdict {
		case damaged:
			return true, &Damaged{Table: v.table, Run: run.name(), Pair: int(p.pair.int("pair")), Leg: leg}
		case unchecked:
			doubtful = true
		case sound:
		}
	}
	if err := p.fits(run, leg, g, record); err != nil {
		return true, fmt.Errorf("leg %d: %w", leg, err)
	}
	return doubtful, nil
}

// sumOfGame is the checksum of a game of the pair, as columns.go reckons it.
func (p *rawPair) sumOfGame(g *rawRow) (int64, error) {
	var values []any
	for _, c := range new(storedGame).columns() {
		table, name, _ := strings.Cut(c.name, ".")
		row := map[string]*rawRow{"g": g, "p": p.pair, "o": p.opening}[table]
		values = append(values, row.value(name))
	}
	return sumOf("games", shortened(values, len(values)-lateColumns)...)
}

// fits compares a game with its record and its players.
func (p *rawPair) fits(run *rawRun, leg int, g, record *rawRow) error {
	seats := [2]int64{p.pair.int("a"), p.pair.int("b")}
	if leg == 1 {
		seats[0], seats[1] = seats[1], seats[0]
	}
	if run.imported() && g.int("black") == seats[1] { // whoever had Black
		seats[0], seats[1] = seats[1], seats[0]
	}
	packed, _ := record.value("plies").([]byte)
	moves, err := kifu.Unpack(packed)
	if err != nil {
		return err
	}
	start, _ := record.value("start").(string)
	hash, err := (&match.Result{Record: kifu.Record{Start: start, Moves: moves}}).MovesHash()
	switch {
	case err != nil:
		return err
	case g.int("leg") != int64(leg) || [2]int64{g.int("black"), g.int("white")} != seats || max(seats[0], seats[1]) >= int64(len(run.engines)) || min(seats[0], seats[1]) < 0:
		return errors.New("its players are not those of the pair")
	case g.int("plies") != int64(len(moves)):
		return fmt.Errorf("it has %d plies, and its record %d", g.int("plies"), len(moves))
	case g.value("moves_hash") != int64(hash): //nolint:gosec // the same 64 bits
		return errors.New("its moves are not those of its record")
	}
	return nil
}
