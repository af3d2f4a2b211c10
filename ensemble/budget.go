package ensemble

import (
	"math"
	"slices"
	"time"

	"gogi/ensemble/voting"
	"gogi/usi"
)

// budgets returns the limits of each member's search, from the request's limits.
func (c *Council) budgets(r *usi.Request) []usi.Go {
	gos := slices.Repeat([]usi.Go{reserve(r.Go, c.config.Veto.Time)}, len(c.runners))
	if c.config.Split {
		for i := range gos {
			gos[i] = split(r.Go, i, len(gos))
		}
	}
	if c.config.Jitter > 0 && r.Go.Nodes > 0 {
		c.jitter(gos, len(r.Position.Moves))
	}
	for i := range gos {
		gos[i] = c.config.Examine.reserve(gos[i])
	}
	for i, s := range c.runners {
		if s.Own != nil {
			own := *s.Own
			own.Ponder, own.Early, own.SearchMoves = r.Go.Ponder, r.Go.Early, r.Go.SearchMoves
			gos[i] = own
		}
	}
	return gos
}

// reserve subtracts the veto's time from the byoyomi and the move time. It subtracts at most half of each. If the
// request uses increments, it does not change the byoyomi.
func reserve(g usi.Go, veto time.Duration) usi.Go {
	if !g.UseInc {
		g.Byoyomi = max(g.Byoyomi-veto, g.Byoyomi/2)
	}
	g.MoveTime = max(g.MoveTime-veto, g.MoveTime/2)
	return g
}

// split divides nodes and times by the number of members and returns the part of one member, counted from 0. If the
// nodes do not divide evenly, the first members get one node more.
func split(g usi.Go, member, members int) usi.Go {
	if total, n := g.Nodes, uint64(members); total > 0 {
		g.Nodes = total / n
		if uint64(member) < total%n {
			g.Nodes++
		}
		g.Nodes = max(1, g.Nodes)
	}
	part := time.Duration(members)
	g.BTime, g.WTime, g.Byoyomi = g.BTime/part, g.WTime/part, g.Byoyomi/part
	g.BInc, g.WInc, g.MoveTime = g.BInc/part, g.WInc/part, g.MoveTime/part
	return g
}

// jitter varies the members' nodes at random by up to the share config.Jitter, and keeps their sum. The
// random numbers depend on the game's seed and on ply.
func (c *Council) jitter(gos []usi.Go, ply int) {
	factors, sum := make([]float64, len(gos)), 0.0
	for i := range factors {
		factors[i] = c.config.Jitter * (2*unit(voting.Mix(voting.Mix(c.seed, uint64(ply)), uint64(i))) - 1)
		sum += factors[i]
	}
	mean := sum / float64(len(gos))
	for i := range gos {
		gos[i].Nodes = max(1, uint64(math.Round(float64(gos[i].Nodes)*(1+factors[i]-mean))))
	}
}

// unit maps a hash to [0, 1).
func unit(h uint64) float64 { return float64(h>>11) / (1 << 53) }

// gauss maps a hash to a standard normal deviate (Box and Muller).
func gauss(h uint64) float64 {
	u, v := unit(h), unit(voting.Mix(h, 1))
	return math.Sqrt(-2*math.Log(1-u)) * math.Cos(2*math.Pi*v)
}

// perturb adds random noise to the scores of the lines that a member sent. It sets the ballot's move to the line with
// the best new score. The noise depends on the game's seed, the member, the position and the move, so a repeated
// search gives the same move. The scores of mates do not change.
func (c *Council) perturb(b *voting.Ballot, r *usi.Reply) {
	if c.config.Noise == 0 || b.Kind != voting.KindMove || len(b.Ranked) < 2 {
		return
	}
	key := voting.Mix(voting.Mix(c.seed, uint64(b.Member)), c.line.Position.Key())
	best, most := b.Move, math.Inf(-1)
	for _, line := range b.Ranked {
		score := voting.Points(line.Score, line.HasScore)
		if line.Score.Mate == 0 {
			score += c.config.Noise * gauss(voting.Mix(key, uint64(line.Move)))
		}
		if score > most {
			best, most = line.Move, score
		}
	}
	if best == b.Move {
		return
	}
	b.Move, b.Ponder, b.Source = best, 0, voting.SourceNoise
	for _, i := range r.Lines {
		if len(i.PV) > 0 && i.PV[0] == best {
			b.Take(i)
			if len(i.PV) > 1 {
				b.Ponder = i.PV[1]
			}
		}
	}
}
