package review

import "fmt"

// Change names the two positions whose win rates make a move's change.
type Change string

// The changes, by how files and flags spell them.
const (
	// TurnChange is from the position of the player's turn to that of the player's next turn, so the opponent's
	// reply is in it. A value that favours the side to move cancels. The thesis measures so.
	TurnChange Change = "turn"
	// MoveChange is from the position before the move to the position after it. It holds twice
	// the amount by which the engine's values favour the side to move.
	MoveChange Change = "move"
)

// Per names the moves that rates and averages are divided by.
type Per string

// The divisors, by how files and flags spell them.
const (
	PerCounted Per = "counted" // the moves that counted
	PerOwn     Per = "own"     // all of the player's own moves, decided positions included, as in the thesis
)

// Rules select the moves of a game that count, and the scale. Moves of an opening never count. A move
// without a reading of its own position never counts. With [MoveChange] a move without a reading of the
// position after it does not count either.
type Rules struct {
	Scale  Scale   `json:"scale"`
	From   int     `json:"from_move"` // moves before this number, counted from 1, are left out as theory
	Lo     float64 `json:"lo"`        // percent: a move counts while the win rate before it is in [Lo, Hi],
	Hi     float64 `json:"hi"`        // by the engine that reads
	Stops  bool    `json:"stops"`     // from the first position outside on nothing counts, instead of that one move
	Parted int     `json:"opening"`   // the last move of the opening part
	Point  float64 `json:"point"`     // percent: changes of at least so much are counted apart
	Change Change  `json:"change"`    // "" of earlier files is MoveChange
	Per    Per     `json:"per"`       // "" of earlier files is PerCounted
}

// GoRules returns the rules of the thesis except for the divisor. A change is from turn to turn. The
// review of a player stops for good once the win rate at the player's turn leaves [20%, 80%]. The opening
// is up to move 64. With Per set to [PerOwn] they are exactly the thesis' rules.
func GoRules(s Scale) Rules {
	return Rules{Scale: s, From: 1, Lo: 20, Hi: 80, Stops: true, Parted: 64, Point: 1, Change: TurnChange, Per: PerCounted}
}

// ShogiRules are in Yamashita's manner: moves before the 40th are left out, and so are those of positions that are
// decided. His threshold in centipawns is taken as the same [20%, 80%], ±832 by the customary scale.
func ShogiRules(s Scale) Rules {
	return Rules{Scale: s, From: 40, Lo: 20, Hi: 80, Parted: 64, Point: 1, Change: MoveChange, Per: PerCounted}
}

// Filled returns the rules with the values that files of earlier versions leave out.
func (r Rules) Filled() Rules {
	if r.Change == "" {
		r.Change = MoveChange
	}
	if r.Per == "" {
		r.Per = PerCounted
	}
	return r
}

// Difference names the first flag that these rules and others do not share, with both values,
// these rules' first; "" if they are equal.
func (r Rules) Difference(o Rules) string {
	r, o = r.Filled(), o.Filled()
	for _, f := range []struct {
		flag string
		a, b any
	}{
		{"change", r.Change, o.Change}, {"per", r.Per, o.Per}, {"scale", fmt.Sprintf("%q (%g)", r.Scale.Name, r.Scale.Width), fmt.Sprintf("%q (%g)", o.Scale.Name, o.Scale.Width)},
		{"from-move", r.From, o.From}, {"within", [2]float64{r.Lo, r.Hi}, [2]float64{o.Lo, o.Hi}}, {"decided", r.decided(), o.decided()},
		{"opening", r.Parted, o.Parted},
	} {
		if f.a != f.b {
			return fmt.Sprintf("--%s is %v and %v", f.flag, f.a, f.b)
		}
	}
	if r != o {
		return "the scale's unit or the point differs"
	}
	return ""
}

// decided is Stops as --decided spells it.
func (r Rules) decided() string {
	if r.Stops {
		return "stop"
	}
	return "skip"
}

// Check refuses rules by which nothing can count.
func (r Rules) Check() error {
	if err := r.Scale.check(); err != nil {
		return err
	}
	if r.From < 1 || r.Parted < 0 || !(r.Lo >= 0 && r.Lo < r.Hi && r.Hi <= 100) || !(r.Point >= 0) {
		return fmt.Errorf("from move %d, opening to move %d, win rates from %v%% to %v%%, a point of %v%%: expected a move from 1, and win rates within 0 and 100", r.From, r.Parted, r.Lo, r.Hi, r.Point)
	}
	r = r.Filled()
	if r.Change != TurnChange && r.Change != MoveChange || r.Per != PerCounted && r.Per != PerOwn {
		return fmt.Errorf("change %q per %q: expected turn or move, and counted or own", r.Change, r.Per)
	}
	return nil
}

// Sums adds up the moves of one side that counted, in a part of a game, a game, or many games. Changes
// are in points of win rate.
type Sums struct {
	Moves          int
	Divisor        int // divisor of rates and averages, see Per
	Match          int // equal to the engine's
	Good, Bad      int // that differ from it and raise, lower the value; a change of 0 is neither
	Good1, Bad1    int // moves of those that change it by a point at least
	Rises, Falls   float64
	Drift          float64 // the sum of the MoveChange of moves that equal the engine's, for any Rules.Change
	DriftMoves     int     // the moves in Drift
	LeftTheory     int     // left out: before Rules.From
	LeftDecided    int     // left out: the position was decided
	LeftUnreadable int     // left out: no reading
}

// Add adds other sums.
func (s *Sums) Add(o Sums) {
	s.Moves += o.Moves
	s.Divisor += o.Divisor
	s.Match += o.Match
	s.Good += o.Good
	s.Bad += o.Bad
	s.Good1 += o.Good1
	s.Bad1 += o.Bad1
	s.Rises += o.Rises
	s.Falls += o.Falls
	s.Drift += o.Drift
	s.DriftMoves += o.DriftMoves
	s.LeftTheory += o.LeftTheory
	s.LeftDecided += o.LeftDecided
	s.LeftUnreadable += o.LeftUnreadable
}

// count adds one move. equal means that it is the engine's move, change is its change. An unknown change
// is 0, so such a move is neither good nor bad.
func (s *Sums) count(equal bool, change, point float64) {
	s.Moves++
	switch {
	case equal:
		s.Match++
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

// Metrics are the figures that the thesis defines: rates in percent and averages in points of win rate,
// with the divisor of Rules.Per. They equal the thesis' own with [TurnChange] and [PerOwn].
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

// MetricNames returns the metrics in their order, as the fixtures and tables spell them.
func MetricNames() []string {
	return []string{"match", "good", "bad", "avg_good", "avg_bad", "avg_loss", "good1", "bad1"}
}

// Values returns the metrics in the order of MetricNames.
func (m Metrics) Values() []float64 {
	return []float64{m.Match, m.Good, m.Bad, m.AvgGood, m.AvgBad, m.AvgLoss, m.Good1, m.Bad1}
}

// Metrics divides the sums; ok is false if no move counted.
func (s Sums) Metrics() (m Metrics, ok bool) {
	if s.Moves == 0 {
		return m, false
	}
	n := float64(s.Divisor)
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
	rules = rules.Filled()
	var decided [2]bool // by MoveChange both sides share the first
	for ply := r.Game.Given; ply < len(r.Game.Moves); ply++ {
		side := r.Game.side(ply)
		part := &sides[side].Rest
		if ply < rules.Parted {
			part = &sides[side].Opening
		}
		if rules.Change == MoveChange {
			side = 0
		}
		if x := r.Readings[ply]; x != nil {
			rate := rules.Scale.Rate(*x)
			decided[side] = rate < rules.Lo || rate > rules.Hi || decided[side] && rules.Stops
		}
		part.take(r, ply, rules, decided[side])
	}
	return sides
}

// take counts a move, or counts why it was omitted.
func (s *Sums) take(r *Reviewed, ply int, rules Rules, decided bool) {
	theory := ply+1 < rules.From
	if rules.Per == PerOwn && !theory {
		s.Divisor++
	}
	change, known := r.Change(ply, rules.Scale, rules.Change)
	switch {
	case r.Readings[ply] == nil || !known && rules.Change == MoveChange:
		s.LeftUnreadable++
		return
	case theory:
		s.LeftTheory++
		return
	case decided:
		s.LeftDecided++
		return
	}
	if rules.Per == PerCounted {
		s.Divisor++
	}
	equal := r.Readings[ply].Best == r.Game.Moves[ply]
	s.count(equal, change, rules.Point)
	if once, known := r.Change(ply, rules.Scale, MoveChange); known && equal {
		s.Drift += once
		s.DriftMoves++
	}
}

// Change returns a move's change of the win rate, from its player's view, in percent. If a reading is
// missing, ok is false and the change is 0. With [TurnChange] a player's last move has no next turn,
// unless the record ends with the opponent's move.
func (r *Reviewed) Change(ply int, s Scale, by Change) (change float64, ok bool) {
	before, after, ok := r.around(ply)
	if by == TurnChange {
		before, after, ok = r.turns(ply)
	}
	if !ok {
		return 0, false
	}
	return s.Rate(after) - s.Rate(before), true
}
