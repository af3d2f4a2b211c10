package match

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Scaling lets machines of unlike speed play one series: on each, clocks are
// multiplied by how much slower it is than the machine that the limits are meant for.
// Both sides of a game have the same factor, so a wrong one costs likeness to the other
// machines' games and no fairness. Its JSON is part of a plan's canonical text; a field
// is only ever added at the end, and left out where it has its zero value. The zero
// value is no scaling.
type Scaling struct {
	Engine string  `json:"engine,omitempty"` // the identity of the engine whose speed is measured
	NPS    float64 `json:"nps,omitempty"`    // nodes a second of that engine on the machine that the limits are meant for
	Least  float64 `json:"least,omitempty"`  // the least factor that is played with, above 0 and up to 1
	Most   float64 `json:"most,omitempty"`   // the greatest, from 1
}

// IsZero reports whether clocks are as the plan says on every machine.
func (s Scaling) IsZero() bool { return s == Scaling{} }

// Check says what cannot be meant, or nil.
func (s Scaling) Check() error {
	switch {
	case s.IsZero():
		return nil
	case s.Engine == "":
		return errors.New("scaling has no engine whose speed is measured")
	case !(s.NPS > 0) || math.IsInf(s.NPS, 0):
		return fmt.Errorf("scaling to %g nodes a second: expected more than 0", s.NPS)
	case !(s.Least > 0 && s.Least <= 1 && s.Most >= 1) || math.IsInf(s.Most, 0):
		return fmt.Errorf("scaling by %g to %g: expected a range around 1, such as 0.25 to 4", s.Least, s.Most)
	}
	return nil
}

// Factor is what the clocks of a machine are multiplied by, on which the engine
// searches so many nodes a second. Scaled says whether it may be.
func (s Scaling) Factor(nps float64) float64 { return s.NPS / nps }

// Scaled is the plan as it is played on a machine whose factor is f: main time,
// byoyomi, increment, the time for a move and that of a veto are multiplied, rounded to
// the millisecond and not below one, those of members included; the margin, nodes,
// depth and the stall limit stay. The factor is refused outside of what the plan
// allows; without scaling only 1 is allowed, and where nothing is timed every factor is
// and changes nothing. The copy has another digest and allows no scaling itself.
func (p *Plan) Scaled(f float64) (*Plan, error) {
	switch {
	case !(f > 0) || math.IsInf(f, 0):
		return nil, fmt.Errorf("match: scaling clocks by %g: expected a number above 0", f)
	case f == 1 || !p.timed():
		return p, nil
	case p.Scaling.IsZero():
		return nil, fmt.Errorf("match: scaling clocks by %g: the plan has no scaling", f)
	case f < p.Scaling.Least || f > p.Scaling.Most:
		return nil, fmt.Errorf("match: scaling clocks by %.3g: the plan allows %g to %g", f, p.Scaling.Least, p.Scaling.Most)
	}
	out := *p
	out.Scaling, out.Players = Scaling{}, copyPlayers(p.Players)
	scalePlayers(out.Players, f)
	for i, c := range out.ColourClocks {
		if c != nil {
			clock := c.scaled(f)
			out.ColourClocks[i] = &clock
		}
	}
	return &out, nil
}

// timed reports whether any clock is looked at.
func (p *Plan) timed() bool {
	return p.ColourClocks != [2]*TimeControl{} || timedPlayers(p.Players)
}

func timedPlayers(players []Player) bool {
	for i := range players {
		p := &players[i]
		if p.Limits.Timed() || p.Council != nil && (p.Council.Veto.Time > 0 || timedPlayers(p.Council.Members)) {
			return true
		}
	}
	return false
}

// scalePlayers changes players that nobody else has.
func scalePlayers(players []Player, f float64) {
	for i := range players {
		p := &players[i]
		p.Limits.Clock, p.Limits.MoveTime = p.Limits.Clock.scaled(f), scaledTime(p.Limits.MoveTime, f)
		if p.Council != nil {
			p.Council.Veto.Time = scaledTime(p.Council.Veto.Time, f)
			scalePlayers(p.Council.Members, f)
		}
	}
}

func (t TimeControl) scaled(f float64) TimeControl {
	return TimeControl{scaledTime(t.Main, f), scaledTime(t.Byoyomi, f), scaledTime(t.Increment, f)}
}

// scaledTime keeps what is 0, which means that there is none.
func scaledTime(d time.Duration, f float64) time.Duration {
	if d == 0 {
		return 0
	}
	ms := math.Round(d.Seconds() * 1000 * f) // as USI tells times
	return time.Duration(min(max(ms, 1), math.MaxInt64/float64(2*time.Millisecond))) * time.Millisecond
}

// Scales reports whether clocks follow the speed of the machine: the plan says how, and
// something is timed.
func (p *Plan) Scales() bool { return !p.Scaling.IsZero() && p.timed() }

// FactorOn is what clocks are multiplied by on a machine where an engine of this identity
// searches so many nodes a second on every slot at once; 1 where nothing is scaled. It
// fails for a machine that is not measured, or with another engine than the plan's, or
// whose factor is outside of the plan's bounds; then nothing is to be played there.
func (p *Plan) FactorOn(nps float64, engine string) (float64, error) {
	if !p.Scales() {
		return 1, nil
	}
	s := p.Scaling
	switch f := s.Factor(nps); {
	case !(nps > 0) || math.IsInf(nps, 0):
		return 0, fmt.Errorf("match: clocks are scaled, and the machine's speed is not known: measure it with %s", s.Engine)
	case engine != s.Engine:
		return 0, fmt.Errorf("match: clocks are scaled by the speed of %s, and the machine was measured with %s", s.Engine, engine)
	case !(f >= s.Least && f <= s.Most):
		return 0, fmt.Errorf("match: the machine searches %.0f nodes a second, the limits are meant for %.0f: clocks times %.3g, and the plan allows %g to %g", nps, s.NPS, f, s.Least, s.Most)
	default:
		return f, nil
	}
}
