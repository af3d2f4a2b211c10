package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gogi/internal/lists"
	"gogi/results"
	"gogi/results/file"
	"gogi/results/tables"
)

// Merged is the result of Merge: the runs of the new database and the conflicts.
type Merged struct {
	Runs      []MergedRun
	Conflicts []Problem // conflicts that Merge solved with the pair of the first database
}

// MergedRun is a run of a merged database.
type MergedRun struct {
	Name  string `json:"name"`
	Pairs int    `json:"pairs"`
	Taken []int  `json:"taken"` // number of pairs from each database, in the order of the databases
	Same  int    `json:"same"`  // pairs found in more than one database; each counts once
}

// Conflicting is the error if databases have different games of the same pairs. A merge would lose some of
// these games.
type Conflicting struct{ Conflicts []Problem }

// Error describes the first conflict.
func (e *Conflicting) Error() string {
	const most = 10
	lines := lists.Map(e.Conflicts[:min(most, len(e.Conflicts))], func(c Problem) string { return "\n  " + c.Error() })
	if n := len(e.Conflicts) - len(lines); n > 0 {
		lines = append(lines, fmt.Sprintf("\n  and %d more", n))
	}
	return "the databases have other games of the same pairs:" + strings.Join(lines, "")
}

// Merge makes a new database from other databases, which it only reads. The parameter to is the path of the new
// database, and from has the paths of the others. If several have a run with the same name and plan, the new run has
// the pairs of all of them, each pair once. If two databases have different games for one pair, Merge returns a
// *Conflicting. If keepFirst is true, it takes the pair of the first database instead. It returns a
// *results.DifferentPlan if two runs have one name but different plans. It rejects a damaged database.
func Merge(ctx context.Context, to string, from []string, keepFirst bool, progress func(done, of int)) (*Merged,
	error) {
	m := merge{keepFirst: keepFirst, progress: progress, paths: from}
	err := m.open(ctx)
	if err == nil {
		err = file.Build(ctx, to, func(part string) error {
			return fill(ctx, part, func(g *graft) error { return m.all(ctx, g) })
		})
	}
	for _, s := range m.stores {
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("results: merging into %s: %w", to, err)
	}
	return &m.done, nil
}

type merge struct {
	keepFirst bool
	progress  func(done, of int)
	paths     []string
	stores    []*results.Store // the open databases
	seen, of  int
	conflicts []Problem
	done      Merged
}

func (m *merge) open(ctx context.Context) error {
	for _, path := range m.paths {
		s, err := results.OpenExisting(ctx, path)
		if err != nil {
			return err
		}
		m.stores = append(m.stores, s)
		err = s.Moment(ctx, "merging", func(at results.Moment) error {
			n := 0
			err := at.Q.QueryRowContext(ctx, "SELECT count(*) FROM pairs").Scan(&n)
			m.of += n
			return err
		})
		if err != nil {
			return err
		}
	}
	for i, s := range m.stores {
		if slices.ContainsFunc(m.stores[:i], s.SameFile) {
			return fmt.Errorf("results: %s: merging: it was named twice", m.paths[i])
		}
	}
	return nil
}

func (m *merge) all(ctx context.Context, g *graft) error {
	for i, s := range m.stores {
		err := s.Moment(ctx, "merging", func(at results.Moment) error { return m.take(ctx, g, i, tables.Stored{Q: at.Q}) })
		if err != nil {
			return err
		}
	}
	if len(m.conflicts) > 0 && !m.keepFirst {
		return &Conflicting{m.conflicts}
	}
	m.done.Conflicts = m.conflicts
	return nil
}

// take adds all runs of one source database, read from one snapshot. number is the index of the database in the
// list of sources.
func (m *merge) take(ctx context.Context, g *graft, number int, from tables.Stored) error {
	runs, err := from.Runs(ctx)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if !run.Sound() {
			return fmt.Errorf("run %q is damaged: repair the database first (see gogi db repair)", run.Name())
		}
		b, err := g.branch(ctx, run)
		if err == nil {
			err = m.run(ctx, b, from, number)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// run adds the pairs and the other rows of one run. number is the index of the source database.
func (m *merge) run(ctx context.Context, b *branch, from tables.Stored, number int) error {
	i := slices.IndexFunc(m.done.Runs, func(r MergedRun) bool { return r.Name == b.from.Name() })
	if i < 0 {
		i = len(m.done.Runs)
		m.done.Runs = append(m.done.Runs, MergedRun{Name: b.from.Name(), Taken: make([]int, len(m.paths))})
	}
	done := &m.done.Runs[i]
	for table, add := range map[string]func(context.Context,
		*tables.Row) error{"attempts": b.attempt, "voided": m.voided(b), "tune_states": b.state,
		"tune_candidates": b.candidate} {
		if err := tables.VerifyRows(ctx, from.Q, table, "WHERE run_id = ?", b.from.ID()); err != nil {
			return err
		}
		err := from.Rows(ctx, table, b.from.ID(), func(r *tables.Row) error {
			if r.Verdict() == tables.Broken {
				return r.Damage()
			}
			return add(ctx, r.Clone())
		})
		if err != nil {
			return err
		}
	}
	return from.Pairs(ctx, b.from.ID(), func(id int64) error {
		if m.seen++; m.progress != nil {
			m.progress(m.seen, max(m.of, m.seen))
		}
		p, err := from.Pair(ctx, b.from.ID(), id)
		if err == nil {
			_, err = p.Verify(b.from)
		}
		if err == nil {
			err = p.VerifyWorker()
		}
		if err != nil {
			return fmt.Errorf("run %q, pair %d: %w: repair the database first (see gogi db repair)", b.from.Name(), id, err)
		}
		return m.pair(ctx, b, p, number, done)
	})
}

func (m *merge) conflict(b *branch, pair int64, what string) error {
	m.conflicts = append(m.conflicts, Problem{b.from.Name(), int(pair), what})
	return nil
}

// pair adds a pair unless the new database has it already.
func (m *merge) pair(ctx context.Context, b *branch, p *tables.Pair, number int, done *MergedRun) error {
	id := p.Row.Int("pair")
	have, err := tables.Stored{Q: b.tx}.Pair(ctx, b.id, id)
	switch {
	case err == nil && have.SamePlay(p):
		done.Same++
		return nil
	case err == nil:
		return m.conflict(b, id, fmt.Sprintf("%s has other games of it than a database that was named before",
			m.paths[number]))
	case !errors.Is(err, tables.ErrNoPair):
		return err
	}
	n := 0
	err = b.tx.QueryRowContext(ctx, "SELECT count(*) FROM voided WHERE run_id = ? AND pair = ? AND started = ?", b.id, id,
		p.Games[0].Value("started")).Scan(&n)
	if err != nil {
		return err
	}
	if n > 0 {
		return m.conflict(b, id, fmt.Sprintf("%s counts games of it that were voided in another", m.paths[number]))
	}
	done.Pairs++
	done.Taken[number]++
	return b.pair(ctx, p)
}

// voided returns a function that adds a voided pair of a source. If the new database has the games of this pair as a
// pair that counts, the function reports a conflict instead.
func (m *merge) voided(b *branch) func(context.Context, *tables.Row) error {
	return func(ctx context.Context, v *tables.Row) error {
		have, err := tables.Stored{Q: b.tx}.Pair(ctx, b.id, v.Int("pair"))
		switch {
		case errors.Is(err, tables.ErrNoPair):
			return b.voided(ctx, v)
		case err != nil:
			return err
		case have.Games[0].Value("started") == v.Value("started"):
			return m.conflict(b, v.Int("pair"), "one database counts games of it that were voided in another")
		}
		return b.voided(ctx, v)
	}
}
