package repair

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"gogi/internal/format"
	"gogi/results"
	"gogi/results/file"
	"gogi/results/sqlitefile"
	"gogi/results/tables"
)

// Repaired is the result of Repair: what was saved and what was lost.
type Repaired struct {
	Runs []RepairedRun
	Lost []Problem // pairs and other rows that were not saved, and why
	// LostRuns names runs with pairs that could be saved, but whose plan or players are lost.
	LostRuns []string
}

// Whole reports whether Repair saved everything that it found.
func (r *Repaired) Whole() bool { return len(r.Lost) == 0 && len(r.LostRuns) == 0 }

// RepairedRun counts the saved and the lost pairs of one run.
type RepairedRun struct {
	Name      string `json:"name"`
	Saved     int    `json:"saved_pairs"` // number of saved pairs
	Unchecked int    `json:"unchecked"`   // saved pairs without checksums: see CheckedRun
	Lost      int    `json:"lost_pairs"`  // pairs of which only a part was found
}

// connections is the number of connections to a damaged database. While one of them lists rows, the others read
// more about each row.
const connections = 4

// Repair saves the undamaged parts of the damaged database at path in a new database. The parameter to is the path of
// the new database. Repair only reads the damaged database, which must not be in use. It saves only complete and
// undamaged pairs. The other pairs are missing from their run; to play them again, the user repeats the command that
// played the run. Repair searches the file page by page for rows that SQLite cannot reach. It saves such a row only
// if the row has a checksum. A row without a checksum cannot be distinguished from a deleted row.
func Repair(ctx context.Context, path, to string, progress func(done, of int)) (*Repaired, error) {
	r := repair{progress: progress}
	err := r.open(ctx, path)
	if err == nil {
		err = file.Build(ctx, to, func(part string) error { return r.into(ctx, part) })
	}
	if err := errors.Join(err, r.close()); err != nil {
		return nil, fmt.Errorf("results: %s: repairing: %w", path, file.Explain(err))
	}
	return &r.done, nil
}

type repair struct {
	db       *sql.DB // nil if SQLite cannot open the file
	file     *sqlitefile.File
	found    *Found
	progress func(done, of int)
	seen     int
	of       int
	done     Repaired
}

// open opens the file twice: with SQLite, if possible, and as raw pages for the search.
func (r *repair) open(ctx context.Context, path string) error {
	path, err := file.Resolve(path)
	if err == nil {
		err = checkNotPlayed(path)
	}
	if err != nil {
		return err
	}
	if db, err := file.ReaderAsItStands(ctx, path, connections); err == nil {
		r.db = db // otherwise the file is only searched page by page
	}
	if r.file, err = sqlitefile.Open(path, tables.PageSize); err == nil {
		r.found, err = Read(r.file)
	}
	return err
}

func (r *repair) close() error {
	var errs []error
	if r.db != nil {
		errs = append(errs, r.db.Close())
	}
	if r.file != nil {
		errs = append(errs, r.file.Close())
	}
	return errors.Join(errs...)
}

// checkNotPlayed returns results.ErrRunLocked if another process is playing a run of the file.
func checkNotPlayed(path string) error {
	f, err := os.Open(path + "-lock")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = file.NoLocks(f)
	if errors.Is(err, file.ErrTaken) {
		err = results.ErrRunLocked
	}
	return errors.Join(err, f.Close())
}

// into saves everything that can be saved to a new database at path part.
func (r *repair) into(ctx context.Context, part string) error {
	runs, err := r.runs(ctx)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return errors.New("nothing of a run could be found in it")
	}
	r.of = len(r.found.Paired)
	return fill(ctx, part, func(g *graft) error {
		for _, run := range runs {
			if err := r.run(ctx, g, run); err != nil {
				return err
			}
		}
		return r.lostRuns(runs)
	})
}

// runs returns the runs whose own rows are complete. It uses the rows that SQLite reads if they are
// undamaged, else the rows that the search found.
func (r *repair) runs(ctx context.Context) ([]*tables.Run, error) {
	var runs []*tables.Run
	if r.db != nil {
		// the error is ignored because the search finds rows that SQLite cannot read
		list, err := tables.Stored{Q: r.db}.Runs(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, run := range list {
			if err == nil && run.Sound() {
				runs = append(runs, run)
			}
		}
	}
	found, err := r.found.Runs(ctx)
	if err != nil {
		return nil, err
	}
	for _, run := range found {
		if run.Complete() && !slices.ContainsFunc(runs, func(have *tables.Run) bool { return have.ID() == run.ID() }) {
			runs = append(runs, run)
		}
	}
	slices.SortFunc(runs, func(a, b *tables.Run) int { return int(a.ID() - b.ID()) })
	return runs, nil
}

// run saves a run with its pairs and its other rows.
func (r *repair) run(ctx context.Context, g *graft, run *tables.Run) error {
	b, err := g.branch(ctx, run)
	if err != nil {
		return err
	}
	done := RepairedRun{Name: run.Name()}
	gone := map[[2]int64]bool{} // the voided pairs, by number and start time
	for _, table := range []string{"voided", "attempts", "tune_states", "tune_candidates"} {
		if err := r.others(ctx, b, table, run, gone); err != nil {
			return err
		}
	}
	ids, err := r.pairIDs(ctx, run)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := r.pair(ctx, b, id, gone, &done); err != nil {
			return err
		}
	}
	r.done.Runs = append(r.done.Runs, done)
	return nil
}

// pairIDs returns the numbers of all pairs for which SQLite or the search finds at least one row.
func (r *repair) pairIDs(ctx context.Context, run *tables.Run) ([]int64, error) {
	ids := map[int64]bool{}
	note := func(id int64) error { ids[id] = true; return ctx.Err() }
	if r.db != nil {
		// The error is ignored because the search finds rows that SQLite cannot read. The search also finds
		// games, whose index may have pairs that no longer exist.
		_ = tables.Stored{Q: r.db}.Pairs(ctx, run.ID(), note)
		_ = tables.Each(ctx, r.db, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			return errors.Join(err, note(id))
		}, "SELECT DISTINCT pair FROM games WHERE run_id = ?", run.ID())
	}
	_ = r.found.Pairs(ctx, run.ID(), note)
	return slices.Sorted(maps.Keys(ids)), ctx.Err()
}

// pair saves a pair if SQLite or the search finds it complete and undamaged. It leaves out pairs in gone, which are
// rows of voided pairs; the keys are the pair and the start time of its first game.
func (r *repair) pair(ctx context.Context, b *branch, id int64, gone map[[2]int64]bool, done *RepairedRun) error {
	if r.seen++; r.progress != nil {
		r.progress(r.seen, max(r.of, r.seen))
	}
	var why error
	for _, from := range r.sources() {
		p, err := from.Pair(ctx, b.from.ID(), id)
		doubtful := false
		if err == nil {
			doubtful, err = p.Verify(b.from)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if why == nil || errors.Is(why, tables.ErrNoPair) {
				why = err
			}
			continue
		case gone[[2]int64{id, p.Games[0].Int("started")}]:
			return nil // these rows belong to a voided pair
		case doubtful:
			done.Unchecked++
		}
		r.worker(b, p)
		done.Saved++
		return b.pair(ctx, p)
	}
	done.Lost++
	r.done.Lost = append(r.done.Lost, Problem{b.from.Name(), int(id), file.Explain(why).Error()})
	return nil
}

// worker adds the row of the worker to a pair if it is missing. A pair without this row is still saved.
func (r *repair) worker(b *branch, p *tables.Pair) {
	if p.VerifyWorker() == nil {
		return
	}
	if p.Worker = r.found.Workers[p.Row.Int("worker")]; p.Worker == nil {
		r.done.Lost = append(r.done.Lost,
			Problem{b.from.Name(), int(p.Row.Int("pair")), "the games are saved; which worker played them is lost"})
	}
}

func (r *repair) sources() []tables.Source {
	if r.db == nil {
		return []tables.Source{r.found}
	}
	return []tables.Source{tables.Stored{Q: r.db}, r.found}
}

// others saves the rows of a run in one table: attempts, voided, tune_states or tune_candidates.
func (r *repair) others(ctx context.Context, b *branch, table string, run *tables.Run, gone map[[2]int64]bool) error {
	add := map[string]func(context.Context, *tables.Row) error{
		"attempts": b.attempt, "voided": b.voided, "tune_states": b.state, "tune_candidates": b.candidate,
	}[table]
	var failed error // errors of the new database
	for _, from := range r.sources() {
		// The error is ignored because the search finds rows that SQLite cannot read.
		_ = from.Rows(ctx, table, run.ID(), func(row *tables.Row) error {
			if row.Verdict() == tables.Broken {
				return nil
			}
			if table == "voided" {
				gone[[2]int64{row.Int("pair"), row.Int("started")}] = true
			}
			failed = add(ctx, row)
			return failed
		})
		if failed != nil {
			return failed
		}
	}
	return ctx.Err()
}

// lostRuns adds to LostRuns the names of the runs that have pairs but cannot be saved.
func (r *repair) lostRuns(saved []*tables.Run) error {
	lost := map[int64]int{}
	for key := range r.found.Paired {
		if !slices.ContainsFunc(saved, func(run *tables.Run) bool { return run.ID() == key[0] }) {
			lost[key[0]]++
		}
	}
	for id, pairs := range lost {
		name := fmt.Sprintf("number %d", id)
		if run := r.found.RunOf(id); run.Row != nil {
			name = run.Name()
		}
		r.done.LostRuns = append(r.done.LostRuns, fmt.Sprintf("%s with %s", name, format.NumberOf(pairs, "pair")))
	}
	slices.Sort(r.done.LostRuns)
	return nil
}
