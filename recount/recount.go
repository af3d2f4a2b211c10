package recount

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"gogi/archive"
	"gogi/match"
	"gogi/report"
	"gogi/results"
	"gogi/results/mending"
	"gogi/tournament"
)

// Found is what a recount came to.
type Found struct {
	Run      string
	Digest   string
	Pairs    int // that are stored
	Games    int // of these, that could be read
	Replayed int // pairs of which every move was played again, and nothing was wrong
	Openings int // of the book, that were played
	Book     int // openings in the book; all of them played prove that it is the plan's
	Sums     Sums
	// Differences are what is not as it should be, in the order in which it was found:
	// first of the database, then pair by pair, then of the sums. More are not listed.
	Differences []mending.Problem
	More        int
}

// Same reports whether nothing differs.
func (f *Found) Same() bool { return len(f.Differences)+f.More == 0 }

// Run recounts a stored run, in one pass over it as of one moment. Memory grows with
// players and openings, and as that of a report. The error is one of not being able to
// look.
func Run(ctx context.Context, store *results.Store, info *results.RunInfo, progress func(done, of int)) (*Found, error) {
	c, err := newCounter(ctx, store, info)
	if err != nil {
		return nil, err
	}
	checked, err := mending.Check(ctx, store, mending.CheckOptions{Run: info.Name, Replay: true, Progress: progress, Pair: c.pair})
	if err != nil {
		return nil, err
	}
	f := &Found{Run: info.Name, Digest: info.Digest, Sums: c.sums.sorted(), Games: c.games, Differences: checked.Problems, More: checked.More}
	for _, r := range checked.Runs {
		f.Pairs, f.Replayed = r.Pairs, r.Replayed
	}
	note := func(what string) {
		f.Differences = append(f.Differences, mending.Problem{Run: info.Name, Pair: -1, What: what})
	}
	if sum := sha256.Sum256(info.Plan); hex.EncodeToString(sum[:]) != info.Digest {
		note("the digest is not that of the plan")
	}
	var wrong error
	if f.Openings, f.Book, wrong = c.roll.Book(); wrong != nil {
		note(wrong.Error())
	}
	for _, what := range compare(f, c.report.Report()) {
		note(what)
	}
	return f, nil
}

// counter takes pairs in order.
type counter struct {
	plan     *match.Plan // without openings
	roll     *match.Roll
	schedule *tournament.Schedule // nil: results do not decide who plays whom
	report   *report.Gatherer
	names    map[string]int // players
	sums     Sums
	games    int
}

func newCounter(ctx context.Context, store *results.Store, info *results.RunInfo) (*counter, error) {
	canonical, err := match.ParseCanonical(info.Plan)
	if err != nil {
		return nil, err
	}
	c := &counter{names: map[string]int{}}
	if c.plan, err = canonical.Replayable(); err != nil {
		return nil, err
	}
	for i := range c.plan.Players {
		c.names[c.plan.Players[i].Name] = i
		c.sums.Players = append(c.sums.Players, Player{Name: c.plan.Players[i].Name})
	}
	if c.roll, err = canonical.NewRoll(); err != nil {
		return nil, err
	}
	if canonical.Design.ByResults() {
		if c.schedule, err = tournament.New(tournament.OfCanonical(canonical, info.Pairs)); err != nil {
			return nil, err
		}
	}
	run, err := archive.ReportRun(ctx, store, info)
	if err != nil {
		return nil, err
	}
	c.report, err = report.New(run)
	return c, err
}

// pair looks at one pair and its rows, and counts both.
func (c *counter) pair(p match.PairResult, rows []match.Row) (wrong []error) {
	if err := c.place(&p); err != nil {
		wrong = append(wrong, err)
	}
	if len(rows) != len(p.Games) {
		wrong = append(wrong, fmt.Errorf("%d games are counted, and it has %d", len(rows), len(p.Games)))
	}
	for leg := range min(len(rows), len(p.Games)) {
		if err := c.row(&p, leg, &rows[leg]); err != nil {
			wrong = append(wrong, fmt.Errorf("leg %d: %w", leg, err))
		}
	}
	c.games += len(p.Games)
	if err := c.add(&p); err != nil {
		return append(wrong, err)
	}
	if err := c.report.Add(rows); err != nil {
		wrong = append(wrong, err)
	}
	return wrong
}

// place asks whether the pair is the one of its number.
func (c *counter) place(p *match.PairResult) error {
	if c.schedule == nil {
		return c.roll.Take(p.Pair)
	}
	o := tournament.Outcome{Pair: p.Pair.ID, Players: p.Pair.Players}
	for i := range p.Games {
		points := worth(&p.Games[i], c.plan.Rules)
		o.Points[i%2] += points[0] // A has Black in leg 0
		o.Points[1-i%2] += points[1]
	}
	if err := c.schedule.Learn(o); err != nil {
		return err
	}
	slot, drawn := c.schedule.Slot(p.Pair.ID)
	if !drawn {
		return nil // what leads to it is still to be played; Learn tells of it then
	}
	return c.roll.TakeDrawn(p.Pair, slot.Players, slot.Opening)
}
