package tune

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gogi/match"
	"gogi/stats/binomial"
)

// drawChoice sets the value of parameter i, whose kind is Choice, for both players of a duel. The values of a choice
// are called levels. In each round, every ordered pair of two levels occurs once, in a random order for each
// parameter. Both players get the start level if the parameter is not tuned now (on is false), or if the duel is a
// probe (KindProbe).
func (s *Settings) drawChoice(d *Duel, st *State, i int, on bool) {
	p := &s.Params[i]
	d.Plus[i], d.Minus[i] = st.Theta[i], st.Theta[i]
	if !on || d.Kind == KindProbe {
		return
	}
	n := len(p.Levels)
	deals := n * (n - 1)
	round := uint64(d.Pair / deals)
	shuffled := rand.New(rand.NewPCG(s.Seed^match.SplitMix(uint64(i)), round)).Perm(deals)
	deal := shuffled[d.Pair%deals]
	a, b := deal/(n-1), deal%(n-1)
	if b >= a {
		b++
	}
	d.Plus[i], d.Minus[i] = float64(a), float64(b)
}

func met(a, b float64) string { return fmt.Sprintf("%d>%d", int(a), int(b)) }

// countLevels adds the outcome of a duel to the sums of all choice parameters.
func (st *State) countLevels(s *Settings, o *Outcome) {
	for i := range s.Params {
		if s.Params[i].Kind != Choice || o.Kind != KindDuel || o.Plus[i] == o.Minus[i] {
			continue
		}
		e := &st.Each[i]
		if e.Won == nil {
			e.Won, e.Met = map[string]float64{}, map[string]float64{}
		}
		e.Won[met(o.Plus[i], o.Minus[i])] += o.Score
		e.Met[met(o.Plus[i], o.Minus[i])]++
		e.N++
		e.YY += o.Score * o.Score
	}
}

// Level has the estimate for one level (value) of a choice parameter, compared with the start level.
type Level struct {
	Name string `json:"name"`
	// Elo is the difference to the start level, shrunk towards 0. Lo and Hi are the ends of the interval of the
	// difference before shrinking, at 95 % for all levels of the parameter together (Bonferroni).
	Elo float64 `json:"elo"`
	Lo  float64 `json:"lo"`
	Hi  float64 `json:"hi"`
}

// Levels returns an estimate for each level (value) of choice parameter i except the start level. It compares the
// mean score of the level with the mean score of the start level. Both means cover all pairs in which the level
// played another level.
func Levels(s *Settings, st *State, i int) []Level {
	p, e := &s.Params[i], &st.Each[i]
	n, start := len(p.Levels), int(p.Start)
	sum, of := make([]float64, n), make([]float64, n)
	for a := range n {
		for b := range n {
			key := met(float64(a), float64(b))
			sum[a] += e.Won[key]
			sum[b] -= e.Won[key]
			of[a] += e.Met[key]
			of[b] += e.Met[key]
		}
	}
	var levels []Level
	for a := range n {
		if a == start || of[a] == 0 || of[start] == 0 {
			continue
		}
		levels = append(levels, s.against(e, p.Levels[a], sum[a]/of[a], sum[start]/of[start], of[a], of[start], n))
	}
	return levels
}

// against estimates the difference in strength between one level of a choice and the start level. name is the name of
// the level. a and start are the mean scores of the two levels, ofA and ofStart the numbers of their duels, and n is
// the number of levels. Each level met all n − 1 others equally often. A level's mean score is therefore n/(n−1)
// times its advantage over the mean of all levels. The difference of two mean scores is n/(n−1) times the difference
// of the levels.
func (s *Settings) against(e *ParamSums, name string, a, start, ofA, ofStart float64, n int) Level {
	toElo := EloPerPair * float64(n-1) / float64(n)
	variance := e.YY / e.N
	// Shared duels count in both means, with opposite signs.
	se := toElo * math.Sqrt(variance*(1/ofA+1/ofStart)*float64(n)/float64(n-1))
	diff := toElo * (a - start)
	z := binomial.ZAbove(0.025 / float64(n-1))
	shrink := max(0, 1-float64(se*se)/max(diff*diff, 1e-300))
	return Level{Name: name, Elo: shrink * diff, Lo: diff - z*se, Hi: diff + z*se}
}

// level returns the final level of a choice: the best level whose whole interval is above the start level. If there is
// none, it returns the start level.
func (s *Settings) level(st *State, i int) float64 {
	p := &s.Params[i]
	best, at := 0.0, p.Start
	for _, l := range Levels(s, st, i) {
		if l.Lo > 0 && l.Elo > best {
			best = l.Elo
			at, _ = p.Value(l.Name)
		}
	}
	return at
}
