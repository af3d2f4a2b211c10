// Package repair finds damage in a database ([Check]), saves the undamaged rows of a database ([Repair]), and joins
// several databases ([Merge]). It writes each result to a new file and never changes an input. It reads a damaged file
// page by page and uses only rows with correct checksums.
package repair

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/match/tune"
	"gogi/results"
	"gogi/results/file"
	"gogi/results/segments"
	"gogi/results/tables"
)

// Problem describes a damaged or inconsistent part of a database.
type Problem struct {
	Run  string // "" if the problem concerns no run or an unknown run
	Pair int    // -1: the problem concerns no pair
	What string
}

// Error returns the text "place: problem".
func (p Problem) Error() string {
	text := p.What
	if p.Pair >= 0 {
		text = fmt.Sprintf("pair %d: %s", p.Pair, text)
	}
	if p.Run != "" {
		text = fmt.Sprintf("run %q: %s", p.Run, text)
	}
	return text
}

// Checkup is the result of Check: the counts of pairs in each run, and the problems.
type Checkup struct {
	Runs     []CheckedRun
	Problems []Problem // the first maxProblems
	More     int       // problems beyond those
}

// Sound reports whether Check found no problem.
func (c *Checkup) Sound() bool { return len(c.Problems) == 0 }

const maxProblems = 1000

// CheckedRun counts the pairs of one run by the result of Check.
type CheckedRun struct {
	Name      string `json:"name"`
	Pairs     int    `json:"pairs"`     // stored pairs
	Sound     int    `json:"sound"`     // pairs without any damage
	Unchecked int    `json:"unchecked"` // pairs of Sound from an older gogi without checksums: only consistency is checked
	Replayed  int    `json:"replayed"`  // pairs whose moves were all replayed
}

// CheckOptions selects what Check verifies.
type CheckOptions struct {
	Run      string // "": every run
	Replay   bool   // replay every move and check it with arbiter.VerifyGames
	Progress func(done, of int)
	// Pair, if not nil, is called for every readable pair of Run, in order, with the pair and its rows. Check
	// reports the errors that Pair returns as Problems of that pair. All calls see one snapshot of the
	// database.
	Pair func(match.PairResult, []match.Row) []error
}

// Check reads all stored data and reports the damaged parts: the file's structure, the schema, the checksum
// of every row, incomplete pairs, and pairs that do not match their records. Check is safe to run while the
// database is in use. It returns an error if it cannot read the database.
func Check(ctx context.Context, s *results.Store, o CheckOptions) (*Checkup, error) {
	c := checker{options: o}
	err := s.Moment(ctx, "checking", func(m results.Moment) error {
		c.source, c.q, c.moment = tables.Stored{Q: m.Q}, m.Q, m
		return c.all(ctx)
	})
	if err != nil {
		return nil, err
	}
	return &c.found, nil
}

type checker struct {
	options CheckOptions
	source  tables.Stored
	q       tables.Querier
	moment  results.Moment
	blocks  [2]*block // that of the pair to be checked, and the next one
	packing packing
	found   Checkup
	done    int
	of      int
}

func (c *checker) problem(run string, pair int, what string) {
	if len(c.found.Problems) == maxProblems {
		c.found.More++
		return
	}
	c.found.Problems = append(c.found.Problems, Problem{run, pair, what})
}

func (c *checker) all(ctx context.Context) error {
	if err := c.structure(ctx); err != nil {
		return err
	}
	runs, err := c.source.Runs(ctx)
	if err := c.reading("", "the runs", err); err != nil {
		return err
	}
	if c.options.Run != "" && !slices.ContainsFunc(runs, func(r *tables.Run) bool { return r.Name() == c.options.Run }) {
		names := lists.Map(runs, (*tables.Run).Name)
		return &results.NoRun{Run: c.options.Run, Names: names}
	}
	if err := c.orphans(ctx); err != nil {
		return err
	}
	// only for the progress
	_ = c.q.QueryRowContext(ctx, "SELECT count(*) FROM pairs WHERE ? IN ('', (SELECT name FROM runs WHERE id = run_id))",
		c.options.Run).Scan(&c.of)
	for _, run := range runs {
		if c.options.Run == "" || run.Name() == c.options.Run {
			if err := c.run(ctx, run); err != nil {
				return err
			}
		}
	}
	return nil
}

// reading adds an error of a read to the problems, because it means damaged data. what names the data that was read.
// If the check was cancelled, reading returns the error instead.
func (c *checker) reading(run, what string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	c.problem(run, -1, fmt.Sprintf("reading %s: %v", what, file.Explain(err)))
	return nil
}

// structure runs SQLite's own check of the file, and compares the file's schema with gogi's.
func (c *checker) structure(ctx context.Context) error {
	for _, of := range [...]struct{ query, what string }{
		{"PRAGMA main.integrity_check(100)", "the file"},
		{"SELECT 'table ' || \"table\" || ': row ' || coalesce(rowid, '?') || ' points to a row of ' || parent || ' that is not there' FROM pragma_foreign_key_check LIMIT 100", "what belongs together"},
	} {
		texts, err := tables.List(ctx, c.q, func(rows *sql.Rows, text *string) error { return rows.Scan(text) }, of.query)
		for _, text := range texts {
			if text != "ok" && text != "" { // a row with an error has the text ""
				c.problem("", -1, text)
			}
		}
		if err := c.reading("", of.what, err); err != nil {
			return err
		}
	}
	return c.reading("", "the schema", c.schema(ctx))
}

func (c *checker) schema(ctx context.Context) error {
	version, err := tables.Readable(ctx, c.q)
	if err != nil {
		return err
	}
	want, err := tables.SchemaOf(version)
	if err != nil {
		return err
	}
	got, err := tables.ReadSchema(ctx, c.q, "main")
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(want.Texts)) {
		if got.Texts[name] != want.Texts[name] {
			c.problem("", -1, fmt.Sprintf("the schema of %s is not the one that gogi makes", name))
		}
	}
	return nil
}

// orphans reports rows of games and records that belong to no pair. It also verifies the checksums of the rows
// that are not checked pair by pair.
func (c *checker) orphans(ctx context.Context) error {
	for _, table := range []string{"runs", "engines", "settings_log", "openings", "workers", "attempts", "voided",
		"tune_states", "tune_candidates"} {
		err := tables.EachRow(ctx, c.q, table, func(r *tables.Row) error {
			if r.Verdict() == tables.Broken {
				e := r.Damage()
				c.problem(e.Run, e.Pair, fmt.Sprintf("table %s: a row is not what was stored", table))
			}
			return nil
		}, "")
		if err := c.reading("", "table "+table, err); err != nil {
			return err
		}
	}
	for _, of := range [...]struct{ table, query string }{
		{"games", "SELECT count(*) FROM games g NOT INDEXED WHERE NOT EXISTS (SELECT 1 FROM pairs p WHERE p.run_id = g.run_id AND p.pair = g.pair)"},
		{"records", "SELECT count(*) FROM records r WHERE NOT EXISTS (SELECT 1 FROM games g WHERE g.id = r.game_id)"},
	} {
		n := 0
		err := c.q.QueryRowContext(ctx, of.query).Scan(&n)
		if n > 0 {
			c.problem("", -1, fmt.Sprintf("table %s: %d rows belong to no pair", of.table, n))
		}
		if err := c.reading("", "table "+of.table, err); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) run(ctx context.Context, run *tables.Run) error {
	checked := CheckedRun{Name: run.Name()}
	plan, err := c.plan(ctx, run)
	if err != nil {
		return err
	}
	c.packing = packing{same: map[int]bool{}}
	err = c.source.Pairs(ctx, run.ID(), func(id int64) error {
		checked.Pairs++
		c.progress()
		return c.pair(ctx, run, plan, id, &checked)
	})
	c.packing.end(ctx, c.moment, run.ID())
	c.found.Runs = append(c.found.Runs, checked)
	if err == nil {
		err = c.tune(ctx, run)
	}
	if err == nil {
		err = c.moment.Segments(ctx, run.ID(), func(pair int) bool { return c.packing.same[pair] },
			func(pair int, wrong error) { c.problem(run.Name(), pair, wrong.Error()) })
	}
	return c.reading(run.Name(), "the pairs", err)
}

func (c *checker) progress() {
	if c.done++; c.options.Progress != nil {
		c.options.Progress(c.done, max(c.of, c.done))
	}
}

func (c *checker) pair(ctx context.Context, run *tables.Run, plan *match.Plan, id int64, checked *CheckedRun) error {
	doubtful, err := c.verify(ctx, run, id)
	var wrong []error
	if err == nil {
		wrong = c.look(ctx, run, plan, int(id), checked)
	} else {
		wrong = []error{err}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, err := range wrong {
		c.problem(run.Name(), int(id), file.Explain(err).Error())
	}
	if len(wrong) > 0 {
		return nil
	}
	if doubtful {
		checked.Unchecked++
	}
	checked.Sound++
	return nil
}

// blockPairs is the number of pair numbers that a check reads with one query of each table.
const blockPairs = 128

// block has the pairs of a run with first ≤ number < first + blockPairs. A goroutine verifies them while the check
// reads the next block.
type block struct {
	run   *tables.Run
	first int64
	pairs map[int64]*checkedPair
	done  chan struct{} // closed when all pairs are verified
}

// checkedPair is a pair of a block, with the result of the function verified.
type checkedPair struct {
	*tables.Pair
	doubtful bool
	err      error
}

// load reads a block and begins to verify it.
func (c *checker) load(ctx context.Context, run *tables.Run, first int64) *block {
	b := &block{run: run, first: first, pairs: map[int64]*checkedPair{}, done: make(chan struct{})}
	pairs, err := c.source.Block(ctx, run.ID(), first, first+blockPairs)
	if err != nil { // the pairs are read one by one
		close(b.done)
		return b
	}
	for id, p := range pairs {
		b.pairs[id] = &checkedPair{Pair: p}
	}
	go func() {
		defer close(b.done)
		for _, p := range b.pairs {
			p.doubtful, p.err = verified(p.Pair, run)
		}
	}()
	return b
}

// blockOf returns the verified block that begins with the pair number first.
func (c *checker) blockOf(ctx context.Context, run *tables.Run, first int64) *block {
	wanted := func(b *block) bool { return b != nil && b.run == run && b.first == first }
	if !wanted(c.blocks[0]) {
		b := c.blocks[1]
		if !wanted(b) {
			b = c.load(ctx, run, first)
		}
		c.blocks = [2]*block{b, c.load(ctx, run, first+blockPairs)}
	}
	<-c.blocks[0].done
	return c.blocks[0]
}

// verify verifies the rows of a pair. It uses the rows of the pair's block. If it finds a fault there, it reads the
// rows of this pair alone, because only these show whether the fault concerns this pair.
func (c *checker) verify(ctx context.Context, run *tables.Run, id int64) (doubtful bool, err error) {
	if p := c.blockOf(ctx, run, id-id%blockPairs).pairs[id]; p != nil && p.err == nil {
		c.packing.add(ctx, c.moment, p.Pair)
		return p.doubtful, nil
	}
	p, err := c.source.Pair(ctx, run.ID(), id)
	if err != nil {
		return false, err
	}
	return verified(p, run)
}

// packing compares the segments of a run with the verified rows of their pairs, so that gogi does not read these rows
// again.
type packing struct {
	first int          // number of the first pair of the segment
	rows  [][]any      // of the verified pairs of the segment so far
	same  map[int]bool // first pairs of the segments that have exactly the rows of their pairs
}

// add adds the rows of the next verified pair.
func (k *packing) add(ctx context.Context, m results.Moment, p *tables.Pair) {
	pair := int(p.Row.Int("pair"))
	if first := pair - pair%segments.Pairs; first != k.first {
		k.end(ctx, m, p.Row.Int("run_id"))
		k.first = first
	}
	for _, g := range p.Games {
		n := len(k.rows)
		k.rows = slices.Grow(k.rows, 1)[:n+1]
		k.rows[n] = p.AppendGame(k.rows[n][:0], g) // the memory of a row of an earlier segment, or none
	}
}

// end compares the segment after its last pair.
func (k *packing) end(ctx context.Context, m results.Moment, run int64) {
	if len(k.rows) > 0 && m.SameSegment(ctx, run, k.first, k.rows) {
		k.same[k.first] = true
	}
	k.rows = k.rows[:0]
}

// verified verifies the rows of a pair. doubtful means that it cannot check a part of the pair.
func verified(p *tables.Pair, run *tables.Run) (doubtful bool, err error) {
	doubtful, err = p.Verify(run)
	if err == nil {
		err = p.VerifyWorker()
	}
	return doubtful, err
}

// plan parses the plan of a run for the replay of its moves. It returns nil if moves are not replayed.
func (c *checker) plan(ctx context.Context, run *tables.Run) (*match.Plan, error) {
	if !c.options.Replay {
		return nil, nil // no replay
	}
	canonical, err := match.ParseCanonical([]byte(run.Row.Text("plan")))
	var plan *match.Plan
	if err == nil {
		plan, err = canonical.Replayable()
	}
	return plan, c.reading(run.Name(), "the plan", err)
}

// look checks one complete pair. It replays the moves if requested, calls options.Pair, and returns all
// errors.
func (c *checker) look(ctx context.Context, run *tables.Run, plan *match.Plan, id int,
	checked *CheckedRun) (wrong []error) {
	if plan == nil && c.options.Pair == nil {
		return nil
	}
	pair, err := c.moment.Pair(ctx, run.ID(), id)
	if err != nil {
		return []error{err}
	}
	if plan != nil {
		if err := arbiter.VerifyGames(plan, &pair); err != nil {
			wrong = append(wrong, cmp.Or(errors.Unwrap(err), err)) // the problem already names the pair
		} else {
			checked.Replayed++
		}
	}
	return append(wrong, c.show(ctx, run, pair)...)
}

func (c *checker) show(ctx context.Context, run *tables.Run, pair match.PairResult) []error {
	if c.options.Pair == nil {
		return nil
	}
	var rows []match.Row
	err := c.moment.Games(ctx, run.ID(), results.Filter{FromPair: pair.Pair.ID, Pairs: 1}, func(r match.Row) error {
		rows = append(rows, r)
		return nil
	})
	if err != nil {
		return []error{err}
	}
	return c.options.Pair(pair, rows)
}

// tuneOf returns the tune in the plan of a stored run, or nil if the run is not a tune.
func tuneOf(run *tables.Run) (*tune.Plan, error) {
	plan, err := match.ParseCanonical([]byte(run.Row.Text("plan")))
	if err != nil || len(plan.Tune) == 0 {
		return nil, err
	}
	return tune.ParsePlan(string(plan.Tune))
}

// tune calculates the options and states of a tune from its results, and compares them with the stored ones.
func (c *checker) tune(ctx context.Context, run *tables.Run) error {
	plan, err := tuneOf(run)
	if err != nil || plan == nil {
		return c.reading(run.Name(), "the tune", err)
	}
	states, err := c.moment.TuneStates(ctx, run.ID())
	var w *tune.Walk
	if err == nil {
		w, err = tune.NewWalk(plan.Settings, states, -1)
	}
	if err == nil {
		err = c.walk(ctx, run.ID(), w)
	}
	if err != nil {
		return c.reading(run.Name(), "the tune", err)
	}
	w.End()
	for _, what := range w.Differences {
		c.problem(run.Name(), -1, what)
	}
	return nil
}

func (c *checker) walk(ctx context.Context, run int64, w *tune.Walk) error {
	points := map[int]any{}
	err := tables.EachRow(ctx, c.q, "pairs", func(r *tables.Row) error {
		points[int(r.Int("pair"))] = r.Value("options")
		return nil
	}, "WHERE run_id = ?", run)
	if err != nil {
		return err
	}
	var rows []match.Row
	pair := func() error {
		if len(rows) == 0 {
			return nil
		}
		options, err := tables.Options(points[rows[0].Pair])
		if err == nil {
			w.Pair(rows, options)
		}
		rows = rows[:0]
		return err
	}
	err = c.moment.Games(ctx, run, results.Filter{}, func(r match.Row) error {
		if len(rows) > 0 && rows[0].Pair != r.Pair {
			if err := pair(); err != nil {
				return err
			}
		}
		rows = append(rows, r)
		return nil
	})
	return errors.Join(err, pair())
}
