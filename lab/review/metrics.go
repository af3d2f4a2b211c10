package review

import (
	"cmp"
	"fmt"
)

// Change is a way to measure how much a move changed the player's win rate. It selects the two positions
// whose win rates are compared.
type Change string

// The ways to measure changes, in the spelling of files and flags.
const (
	// TurnChange compares the position at the player's turn with the position at the player's next turn, so
	// it includes the opponent's reply. If the engine's values favour the side to move, the error cancels.
	// The thesis in the package comment uses this measure.
	TurnChange Change = "turn"
	// MoveChange compares the position before the move with the position directly after it. If the engine's
	// values favour the side to move, the change contains this error twice.
	MoveChange Change = "move"
)

// Per selects which moves are counted for the divisor of rates and averages.
type Per string

// The divisors, in the spelling of files and flags.
const (
	PerCounted Per = "counted" // the moves that counted
	PerOwn     Per = "own"     // all of the player's own moves, decided positions included, as in the thesis
)

// Rules decides which moves of a game count in the metrics, and how values become win rates (Scale). Moves of
// an opening never count. A move never counts if its own position has no evaluation. With [MoveChange] it
// also does not count if the position after it has no evaluation.
type Rules struct {
	Scale Scale   `json:"scale"`     // scale that converts evaluations to win rates
	From  int     `json:"from_move"` // moves before this number, counted from 1, are left out as theory
	Lo    float64 `json:"lo"`        // percent: a move counts if the win rate before the move is from Lo to Hi
	Hi    float64 `json:"hi"`        // see Lo
	// after the first position outside of Lo to Hi no move counts; without Stops only the moves in such positions are left
	// out
	Stops  bool    `json:"stops"`
	Parted int     `json:"opening"` // number of the last move of the opening part
	Point  float64 `json:"point"`   // percent: changes of at least this size are also counted separately
	Change Change  `json:"change"`  // "" in files of earlier versions means MoveChange
	Per    Per     `json:"per"`     // "" in files of earlier versions means PerCounted
}

// DefaultRules returns rules similar to those in Yamashita's work on shogi (docs/research/strength.md). They
// leave out moves before the 40th, and moves in decided positions. A position is decided if its win rate is
// outside of 20% to 80%, which is ±832 centipawns by the customary scale. Yamashita uses a threshold in
// centipawns instead.
func DefaultRules(s Scale) Rules {
	return Rules{Scale: s, From: 40, Lo: 20, Hi: 80, Parted: 64, Point: 1, Change: MoveChange, Per: PerCounted}
}

// Filled returns the rules with defaults for the fields that files of earlier versions do not have.
func (r Rules) Filled() Rules {
	r.Change = cmp.Or(r.Change, MoveChange)
	r.Per = cmp.Or(r.Per, PerCounted)
	return r
}

// Difference returns text about the first flag whose values differ between r and o. The text has the value in
// r and then the value in o. It is "" if the rules are equal.
func (r Rules) Difference(o Rules) string {
	r, o = r.Filled(), o.Filled()
	for _, f := range []struct {
		flag string
		a, b any
	}{
		{"change", r.Change, o.Change}, {"per", r.Per, o.Per},
		{"scale", fmt.Sprintf("%q (%g)", r.Scale.Name, r.Scale.Width), fmt.Sprintf("%q (%g)", o.Scale.Name, o.Scale.Width)},
		{"from-move", r.From, o.From}, {"within", [2]float64{r.Lo, r.Hi}, [2]float64{o.Lo, o.Hi}},
		{"decided", r.decided(), o.decided()},
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

// decided returns Stops in the spelling of the flag --decided.
func (r Rules) decided() string {
	if r.Stops {
		return "stop"
	}
	return "skip"
}

// Check returns an error for rules under which no move can count.
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

// Sums adds up how good the counted moves of one side were, over a part of a game, a game, or many games.
// Changes are in percentage points of win rate.
type Sums struct {
	Moves   int
	Divisor int // divisor of rates and averages, see Per
	Match   int // moves equal to the engine's
	// moves that differ from the engine's, and that raise (Good) or lower (Bad) the win rate; a change of 0 is neither
	Good, Bad      int
	Good1, Bad1    int // the Good and Bad moves with a change of at least Rules.Point
	Rises, Falls   float64
	Drift          float64 // the sum of the MoveChange of moves that equal the engine's, for any Rules.Change
	DriftMoves     int     // number of moves in Drift
	LeftTheory     int     // left out: before Rules.From
	LeftDecided    int     // left out: the position was decided
	LeftUnreadable int     // left out: no reading
}

// Add adds o to s.
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

// count adds one move. equal means that it is the engine's move. change is the move's change of the win rate. If it is
// unknown, it is 0, so that the move is neither good nor bad. point is Rules.Point.
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

// Metrics are figures on the quality of a player's moves, as the thesis in the package comment defines them.
// Rates are in percent, averages in percentage points of win rate. Rules.Per selects their divisor. With
// [TurnChange] and [PerOwn] they are exactly the figures of the thesis.
type Metrics struct {
	Match   float64 `json:"match"`    // share of moves that equal the engine's move, in percent
	Good    float64 `json:"good"`     // share of moves that differ from the engine's and raise the win rate, in percent
	Bad     float64 `json:"bad"`      // share of moves that differ from the engine's and lower the win rate, in percent
	AvgGood float64 `json:"avg_good"` // mean rise of the win rate per move, in percent
	AvgBad  float64 `json:"avg_bad"`  // zero or negative
	AvgLoss float64 `json:"avg_loss"` // AvgGood − AvgBad, as the thesis defines it
	Good1   float64 `json:"good1"`    // share of moves that are good by at least the point of the rules, in percent
	Bad1    float64 `json:"bad1"`     // share of moves that are bad by at least the point of the rules, in percent
}

// MetricNames returns the names of the metrics, as tables spell them, in the order of their fields.
func MetricNames() []string {
	return []string{"match", "good", "bad", "avg_good", "avg_bad", "avg_loss", "good1", "bad1"}
}

// Values returns the metrics in the order of MetricNames.
func (m Metrics) Values() []float64 {
	return []float64{m.Match, m.Good, m.Bad, m.AvgGood, m.AvgBad, m.AvgLoss, m.Good1, m.Bad1}
}

// Metrics calculates the rates and averages. ok is false if there is no counted move.
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

// Parts has the sums of one side, separately for the opening part and for the rest of a game. Rules.Parted is
// the number of the last move of the opening part.
type Parts struct{ Opening, Rest Sums }

// Whole returns the sum of both parts.
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

// Measure adds up the counted moves of both sides in a game. The first element of sides is Black's.
func (r *Reviewed) Measure(rules Rules) (sides [2]Parts) {
	rules = rules.Filled()
	var decided [2]bool // with MoveChange both sides share decided[0]
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

// take counts the move with the index ply, or the reason why it leaves the move out. decided means that the rules
// leave the move out because the position is decided.
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

// Change returns how much one move changed the win rate of the player who made it, in percentage points. ply
// is the index of the move. If an evaluation is missing, ok is false and the change is 0. With [TurnChange]
// this also happens for the player's last move, unless the record ends with a move of the opponent.
func (r *Reviewed) Change(ply int, s Scale, by Change) (change float64, ok bool) {
	before, after, ok := r.readings(ply, by)
	if !ok {
		return 0, false
	}
	return s.Rate(after) - s.Rate(before), true
}
