package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"gogi/match"
	"gogi/match/tournament"
	"gogi/results"
	"gogi/results/repair"
)

// Found is the result of replaying a run.
type Found struct {
	Run      string
	Digest   string
	Pairs    int // that are stored
	Games    int // number of these that could be read
	Replayed int // pairs of which every move was played again, and nothing was wrong
	Openings int // openings of the book that were played
	Book     int // openings in the book; all of them played prove that it is the plan's
	Plies    int // plies of the games
	// Differences are the errors, in the order in which Run found them: first in the database, then pair by
	// pair, then in the run. More counts the differences beyond the list's limit.
	Differences []repair.Problem
	More        int
}

// Same reports whether nothing differs.
func (f *Found) Same() bool { return len(f.Differences)+f.More == 0 }

// Run replays a stored run, in one pass over it as of one moment. Memory grows with players and openings. It
// returns an error if the run cannot be read.
func Run(ctx context.Context, store *results.Store, info *results.RunInfo, progress func(done, of int)) (*Found, error) {
	c, err := newReplayer(info)
	if err != nil {
		return nil, err
	}
	checked, err := repair.Check(ctx, store, repair.CheckOptions{Run: info.Name, Replay: true, Progress: progress, Pair: c.pair})
	if err != nil {
		return nil, err
	}
	f := &Found{Run: info.Name, Digest: info.Digest, Games: c.games, Plies: c.plies, Differences: checked.Problems, More: checked.More}
	for _, r := range checked.Runs {
		f.Pairs, f.Replayed = r.Pairs, r.Replayed
	}
	note := func(what string) {
		f.Differences = append(f.Differences, repair.Problem{Run: info.Name, Pair: -1, What: what})
	}
	if sum := sha256.Sum256(info.Plan); hex.EncodeToString(sum[:]) != info.Digest {
		note("the digest is not that of the plan")
	}
	var wrong error
	if f.Openings, f.Book, wrong = c.roll.Book(); wrong != nil {
		note(wrong.Error())
	}
	return f, nil
}

// replayer takes pairs in order.
type replayer struct {
	plan     *match.Plan // without openings
	roll     *match.PairIndex
	schedule *tournament.Schedule // nil: results do not decide the pairings
	games    int
	plies    int
}

func newReplayer(info *results.RunInfo) (*replayer, error) {
	canonical, err := info.ParsePlan()
	if err != nil {
		return nil, err
	}
	c := &replayer{}
	if c.plan, err = canonical.Replayable(); err != nil {
		return nil, err
	}
	if c.roll, err = canonical.NewRoll(); err != nil {
		return nil, err
	}
	if canonical.Design.ByResults() {
		if c.schedule, err = tournament.New(tournament.OfCanonical(canonical, info.Pairs)); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// pair compares one pair and its rows with the plan and the moves.
func (c *replayer) pair(p match.PairResult, rows []match.Row) (wrong []error) {
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
	for i := range p.Games {
		c.plies += len(p.Games[i].Record.Moves)
	}
	return wrong
}

// place asks whether the pair is the one of its number.
func (c *replayer) place(p *match.PairResult) error {
	if c.schedule == nil {
		return c.roll.Take(p.Pair)
	}
	o := tournament.Outcome{Pair: p.Pair.ID, Players: p.Pair.Players}
	for i := range p.Games {
		points := c.plan.Rules.Points(p.Games[i].Verdict)
		o.Points[i%2] += points[0] // A has Black in leg 0
		o.Points[1-i%2] += points[1]
	}
	if err := c.schedule.Learn(o); err != nil {
		return err
	}
	slot, drawn := c.schedule.Slot(p.Pair.ID)
	if !drawn {
		return nil // the pairs before it are still to be played; Learn reports it then
	}
	return c.roll.TakeDrawn(p.Pair, slot.Players, slot.Opening)
}
