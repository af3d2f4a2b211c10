package review

import "fmt"

// Rules say which moves of a game count, and by which scale. A move that an opening gave,
// and one without a reading before and after it, never counts.
type Rules struct {
	Scale  Scale   `json:"scale"`
	From   int     `json:"from_move"` // moves before this number, counted from 1, are left out as theory
	Lo     float64 `json:"lo"`        // percent: a move counts while the win rate before it is in [Lo, Hi],
	Hi     float64 `json:"hi"`        // by the engine that reads
	Stops  bool    `json:"stops"`     // from the first position outside on nothing counts, instead of that one move
	Parted int     `json:"opening"`   // the last move of the opening part
	Point  float64 `json:"point"`     // percent: changes of at least so much are counted apart
}

// GoRules are those of the thesis: a review stops for good once the win rate leaves
// [20%, 80%], and the opening is up to move 64.
func GoRules(s Scale) Rules {
	return Rules{Scale: s, From: 1, Lo: 20, Hi: 80, Stops: true, Parted: 64, Point: 1}
}

// ShogiRules are in Yamashita's manner: moves before the 40th are left out, and so are
// those of positions that are decided. His threshold in centipawns is taken as the same
// [20%, 80%], ±832 by the customary scale.
func ShogiRules(s Scale) Rules {
	return Rules{Scale: s, From: 40, Lo: 20, Hi: 80, Parted: 64, Point: 1}
}

// Check refuses rules by which nothing can count.
func (r Rules) Check() error {
	if err := r.Scale.check(); err != nil {
		return err
	}
	if r.From < 1 || r.Parted < 0 || !(r.Lo >= 0 && r.Lo < r.Hi && r.Hi <= 100) || !(r.Point >= 0) {
		return fmt.Errorf("from move %d, opening to move %d, win rates from %v%% to %v%%, a point of %v%%: expected a move from 1, and win rates within 0 and 100", r.From, r.Parted, r.Lo, r.Hi, r.Point)
	}
	return nil
}

// Sums are the moves of one side that counted, added up: of a part of a game, a game, or
// many. Changes are in points of win rate.
type Sums struct {
	Moves          int
	Match          int // equal to the engine's
	Good, Bad      int // that differ from it and raise, lower the value; a change of 0 is neither
	Good1, Bad1    int // of those the ones that change it by a point at least
	Rises, Falls   float64
	Drift          float64 // what the moves that equal the engine's changed; about 0 where its values favour no side
	LeftTheory     int     // left out: before Rules.From
	LeftDecided    int     // left out: the position was decided
	LeftUnreadable int     // left out: no reading
}

// Add adds other sums.
func (s *Sums) Add(o Sums) {
	s.Moves += o.Moves
	s.Match += o.Match
	s.Good += o.Good
	s.Bad += o.Bad
	s.Good1 += o.Good1
	s.Bad1 += o.Bad1
	s.Rises += o.Rises
	s.Falls += o.Falls
	s.Drift += o.Drift
	s.LeftTheory += o.LeftTheory
	s.LeftDecided += o.LeftDecided
	s.LeftUnreadable += o.LeftUnreadable
}

// count takes one move: equal says that it is the engine's, change what it changed.
func (s *Sums) count(equal bool, change, point float64) {
	s.Moves++
	switch {
	case equal:
		s.Match++
		s.Drift += change
	case change > 0:
		s.Good++
		s.Rises += change
		if change >= point {
			s.Good1++
		}
	case change < 0:
		s.Bad++
		s.Falls += change
		if change <= -point {
			s.Bad1++
		}
	}
}

// Metrics are the figures of the thesis: rates in percent of the moves that counted,
// averages in points of win rate a move.
type Metrics struct {
	Match   float64 `json:"match"`
	Good    float64 `json:"good"`
	Bad     float64 `json:"bad"`
	AvgGood float64 `json:"avg_good"`
	AvgBad  float64 `json:"avg_bad"`  // not positive
	AvgLoss float64 `json:"avg_loss"` // AvgGood − AvgBad, as the thesis defines it
	Good1   float64 `json:"good1"`
	Bad1    float64 `json:"bad1"`
}

// MetricNames are the metrics in their order, as the fixtures and tables spell them.
func MetricNames() []string {
	return []string{"match", "good", "bad", "avg_good", "avg_bad", "avg_loss", "good1", "bad1"}
}

// Values are the metrics in the order of MetricNames.
func (m Metrics) Values() []float64 {
	return []float64{m.Match, m.Good, m.Bad, m.AvgGood, m.AvgBad, m.AvgLoss, m.Good1, m.Bad1}
}

// Metrics divides the sums; ok is false where no move counted.
func (s Sums) Metrics() (m Metrics, ok bool) {
	if s.Moves == 0 {
		return m, false
	}
	n := float64(s.Moves)
	rate := func(k int) float64 { return 100 * float64(k) / n }
	return Metrics{
		Match: rate(s.Match), Good: rate(s.Good), Bad: rate(s.Bad), Good1: rate(s.Good1), Bad1: rate(s.Bad1),
		AvgGood: s.Rises / n, AvgBad: s.Falls / n, AvgLoss: (s.Rises - s.Falls) / n,
	}, true
}

// Parts are the sums of one side in the opening and in the rest of a game.
type Parts struct{ Opening, Rest Sums }

// Whole is both parts together.
func (p Parts) Whole() Sums {
	whole := p.Opening
	whole.Add(p.Rest)
	return whole
}

// Add adds the parts of another game.
func (p *Parts) Add(o Parts) {
	p.Opening.Add(o.Opening)
	p.Rest.Add(o.Rest)
}

// Measure counts the moves of both sides, Black's first.
func (r *Reviewed) Measure(rules Rules) (sides [2]Parts) {
	decided := false
	for ply := r.Game.Given; ply < len(r.Game.Moves); ply++ {
		part := &sides[r.Game.side(ply)].Rest
		if ply < rules.Parted {
			part = &sides[r.Game.side(ply)].Opening
		}
		before, after, ok := r.around(ply)
		if r.Readings[ply] != nil {
			rate := rules.Scale.Rate(*r.Readings[ply])
			decided = rate < rules.Lo || rate > rules.Hi || decided && rules.Stops
		}
		switch {
		case !ok:
			part.LeftUnreadable++
		case ply+1 < rules.From:
			part.LeftTheory++
		case decided:
			part.LeftDecided++
		default:
			change := rules.Scale.Rate(after) - rules.Scale.Rate(before)
			part.count(before.Best == r.Game.Moves[ply], change, rules.Point)
		}
	}
	return sides
}

// Change is what a move changes in win rate, from its maker's view, in percent; ok is false
// where it is not known.
func (r *Reviewed) Change(ply int, s Scale) (change float64, ok bool) {
	before, after, ok := r.around(ply)
	return s.Rate(after) - s.Rate(before), ok
}
