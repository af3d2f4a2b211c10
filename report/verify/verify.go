// Package verify replays every move of a stored run and compares the stored data of its games with the moves,
// the rules and the plan. [Run] returns a [Found]; [Text] and [JSON] print it.
//
// It checks that each pair has the players, the seed and the opening that the plan has for the pair's number.
// It checks that the pair's games are possible under the plan (arbiter.Verify), and that each stored row
// agrees with the moves and the rules. It cannot detect a legal game that was never played; only package
// farm/replay, which plays games again, can detect it.
package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"gogi/match"
	"gogi/match/tournament"
	"gogi/results"
	"gogi/results/repair"
)

// Found is the result of a verification: the numbers of pairs and games that gogi replayed, and the
// differences.
type Found struct {
	Run      string `json:"run"`             // name of the run
	Digest   string `json:"digest"`          // SHA-256 of the plan
	Pairs    int    `json:"pairs"`           // stored pairs
	Games    int    `json:"games"`           // games that gogi could read
	Replayed int    `json:"replayed_pairs"`  // pairs whose moves gogi replayed without finding a fault
	Openings int    `json:"openings_played"` // different openings of the plan that were played
	Book     int    `json:"openings"`        // openings of the plan; 0 if the plan does not list them
	Plies    int    `json:"plies"`           // plies of all games
	// Differences are the errors, in the order in which Run found them: first in the database, then pair by
	// pair, then in the run. More counts the differences beyond the list's limit.
	Differences []repair.Problem `json:"-"`
	More        int              `json:"more_differences"` // number of differences that are not in differences
}

// Same reports whether the verification found no difference.
func (f *Found) Same() bool { return len(f.Differences)+f.More == 0 }

// Run replays a stored run in one pass, in its state at one moment. It calls progress with the number of
// pairs so far and the number of all pairs. Its memory use grows with the number of players and openings. Run
// returns an error if it cannot read the run.
func Run(ctx context.Context, store *results.Store, info *results.RunInfo, progress func(done, of int)) (*Found,
	error) {
	c, err := newReplayer(info)
	if err != nil {
		return nil, err
	}
	checked, err := repair.Check(ctx, store,
		repair.CheckOptions{Run: info.Name, Replay: true, Progress: progress, Pair: c.pair})
	if err != nil {
		return nil, err
	}
	f := &Found{Run: info.Name, Digest: info.Digest, Games: c.games, Plies: c.plies, Differences: checked.Problems,
		More: checked.More}
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

// replayer replays the pairs of a run in order.
type replayer struct {
	plan     *match.Plan // the plan without its openings
	roll     *match.PairIndex
	schedule *tournament.Schedule // nil if results do not decide the pairings
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

// place returns an error if the pair differs from the plan's pair with the same number.
func (c *replayer) place(p *match.PairResult) error {
	if c.schedule == nil {
		return c.roll.Take(p.Pair)
	}
	o := tournament.Outcome{Pair: p.Pair.ID, Players: p.Pair.Players}
	for i := range p.Games {
		points := c.plan.Rules.Points(p.Games[i].Verdict)
		o.Points[i%2] += points[0] // player A has Black in leg 0, the pair's first game
		o.Points[1-i%2] += points[1]
	}
	if err := c.schedule.Learn(o); err != nil {
		return err
	}
	slot, drawn := c.schedule.Slot(p.Pair.ID)
	if !drawn {
		return nil // pairs before it are still to be played, so Learn reports the difference later
	}
	return c.roll.TakeDrawn(p.Pair, slot.Players, slot.Opening)
}

// row compares a game's stored row with its moves and the rules.
func (c *replayer) row(p *match.PairResult, leg int, r *match.Row) error {
	g := &p.Games[leg]
	hash, err := g.MovesHash()
	if err != nil {
		return err
	}
	last, err := lastSFEN(g)
	if err != nil {
		return err
	}
	players, opening := c.plan.Players, p.Pair.Opening
	if seats := slices.Concat(g.Players[:], p.Pair.Players[:]); slices.Min(seats) < 0 ||
		slices.Max(seats) >= len(players) {
		return fmt.Errorf("it is of players %v, of %d", seats, len(players))
	}
	for _, v := range []struct {
		what     string
		is, want any
	}{
		{"its number", [2]int{r.Pair, r.Leg}, [2]int{p.Pair.ID, leg}},
		{"the names of Black and White", [2]string{r.Black, r.White},
			[2]string{players[g.Players[0]].Name, players[g.Players[1]].Name}},
		{"the names of the pair", [2]string{r.PairA, r.PairB},
			[2]string{players[p.Pair.Players[0]].Name, players[p.Pair.Players[1]].Name}},
		{"who won", r.Outcome, g.Outcome},
		{"how it ended", r.Termination, g.Termination},
		{"the points", r.Points, c.plan.Rules.Points(g.Verdict)},
		{"the plies", r.Plies, len(g.Record.Moves)},
		{"the hash of its moves", r.MovesHash, hash},
		{"the last position", r.LastSFEN, last},
		{"the opening", r.OpeningID, opening.ID},
		{"the start", r.Start, opening.Start},
		{"the plies of the opening", r.OpeningPlies, len(opening.Moves)},
		{"the hash of the opening", r.OpeningHash, opening.Hash()},
		{"the sums of its sides", r.Sides, g.Sides},
	} {
		if v.is != v.want {
			return fmt.Errorf("%s: counted as %v, and it is %v", v.what, v.is, v.want)
		}
	}
	return nil
}

func lastSFEN(g *match.Result) (string, error) {
	p, err := match.Opening{ID: "of the record", Start: g.Record.Start}.Position()
	if err != nil {
		return "", err
	}
	for i := range g.Record.Moves {
		if err := p.CheckLegal(g.Record.Moves[i].Move); err != nil {
			return "", fmt.Errorf("move %d: %w", i+1, err)
		}
		p.Apply(g.Record.Moves[i].Move)
	}
	return p.SFEN(), nil
}
