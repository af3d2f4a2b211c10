package verify

import (
	"fmt"
	"slices"

	"gogi/match"
)

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
	if seats := slices.Concat(g.Players[:], p.Pair.Players[:]); slices.Min(seats) < 0 || slices.Max(seats) >= len(players) {
		return fmt.Errorf("it is of players %v, of %d", seats, len(players))
	}
	for _, v := range []struct {
		what     string
		is, want any
	}{
		{"its number", [2]int{r.Pair, r.Leg}, [2]int{p.Pair.ID, leg}},
		{"the names of Black and White", [2]string{r.Black, r.White}, [2]string{players[g.Players[0]].Name, players[g.Players[1]].Name}},
		{"the names of the pair", [2]string{r.PairA, r.PairB}, [2]string{players[p.Pair.Players[0]].Name, players[p.Pair.Players[1]].Name}},
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

// lastSFEN is the position after the last move.
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
