package selfplay

import (
	"encoding/json"

	"gogi/match"
	"gogi/match/arbiter"
)

// StoredDigest returns the Digest of the blocks that the pairs of a plan of DesignSelfplay are.
func StoredDigest(plan *match.Plan) (string, error) {
	own := *plan
	own.Design = match.Design{}
	return Digest(&own, plan.Design.Selfplay)
}

// BlockOf returns a stored pair of DesignSelfplay as a block. The plan has its openings.
func BlockOf(plan *match.Plan, r *match.PairResult) (*Block, error) {
	b := &Block{Number: r.Pair.ID, Discarded: map[string]int{}}
	for i := range r.Games {
		g := &r.Games[i]
		facts, err := arbiter.Facts(plan, g)
		if err != nil {
			return nil, err
		}
		b.Redrawn.Ended += facts.Redrawn.Ended
		b.Redrawn.Unequal += facts.Redrawn.Unequal
		if g.Termination.IsFault() {
			b.Discarded[g.Termination.String()]++
			continue
		}
		game := Game{Start: g.Record.Start, Result: g.Record.Result, Winner: g.Record.Winner, Audited: facts.Audited, At: facts.At}
		if facts.By != match.Unfinished {
			game.Adjudged = facts.By.String()
		}
		for _, m := range g.Record.Moves {
			list := VoteCounts(m.Detail)
			m.Time, m.Depth, m.SelDepth, m.Nodes, m.PV, m.Detail = 0, 0, 0, 0, nil, nil
			if len(list) > 0 {
				if m.Detail, err = json.Marshal(list); err != nil {
					return nil, err
				}
			}
			game.Moves = append(game.Moves, m)
		}
		b.Games = append(b.Games, game)
	}
	return b, nil
}
