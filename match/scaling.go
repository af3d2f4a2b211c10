package match

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Scaling has the settings with which machines of different speed play one match. gogi multiplies the clocks on
// each machine by a factor: the speed of the machine that the limits are meant for, divided by the speed of this
// machine. Both sides of a game have the same factor. A wrong factor makes games differ from the games on other
// machines, but it favours neither side. The JSON is part of a plan's canonical text. A new field comes at the
// end, and the JSON omits it if it has its zero value. The zero value is no scaling.
type Scaling struct {
	Engine string  `json:"engine,omitempty"` // the identity of the engine whose speed is measured
	NPS    float64 `json:"nps,omitempty"`    // nodes a second of that engine on the machine that the limits are meant for
	Least  float64 `json:"least,omitempty"`  // the smallest allowed factor, above 0 and up to 1
	Most   float64 `json:"most,omitempty"`   // the largest allowed factor, at least 1
}

// IsZero reports whether all machines use the plan's clocks.
func (s Scaling) IsZero() bool { return s == Scaling{} }

// Check returns an error if the settings are invalid.
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

// Factor returns the factor of the clocks on a machine. nps is the number of nodes per second that the measured
// engine searches there. Factor does not check whether the factor is allowed; Scaled does.
func (s Scaling) Factor(nps float64) float64 { return s.NPS / nps }

// Scaled returns a copy of the plan for a machine with the factor f. It multiplies main time, byoyomi, increment,
// movetime and the time of a veto by f, also for members of councils. It rounds the products to milliseconds, with
// a minimum of 1 ms. The margin, nodes, depth and the stall limit stay the same. The copy has a different digest
// and no scaling. If f is 1 or the plan has no time limit, Scaled returns the plan itself. It returns an error for
// a factor outside the plan's bounds; without scaling, only 1 is allowed.
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

// timed reports whether the plan has any time limit that Scaled multiplies.
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

// scalePlayers multiplies the time limits of players in place. The caller must not share the slice.
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

// scaledTime returns d times f, rounded to milliseconds with a minimum of 1 ms. It returns 0 for 0, which
// means no limit.
func scaledTime(d time.Duration, f float64) time.Duration {
	if d == 0 {
		return 0
	}
	ms := math.Round(d.Seconds() * 1000 * f) // USI has milliseconds
	return time.Duration(min(max(ms, 1), math.MaxInt64/float64(2*time.Millisecond))) * time.Millisecond
}

// Scales reports whether gogi scales clocks by the speed of the machine: the plan has a scaling and a time
// limit.
func (p *Plan) Scales() bool { return !p.Scaling.IsZero() && p.timed() }

// FactorOn returns the factor of the clocks on a machine. nps is the measured speed of one engine there, in nodes
// per second while all slots search. engine is the identity of this engine. FactorOn returns 1 without scaling. It
// returns an error if nps is not measured, if the engine is not the one that the plan names for the measurement,
// or if the factor is outside the plan's bounds. The machine must then not play.
func (p *Plan) FactorOn(nps float64, engine string) (float64, error) {
	if !p.Scales() {
		return 1, nil
	}
	s := p.Scaling
	switch f := s.Factor(nps); {
	case !(nps > 0) || math.IsInf(nps, 0):
		return 0, fmt.Errorf("match: clocks are scaled, and the machine's speed is not known: measure it with %s", s.Engine)
	case engine != s.Engine:
		return 0, fmt.Errorf("match: clocks are scaled by the speed of %s, and the machine was measured with %s", s.Engine,
			engine)
	case !(f >= s.Least && f <= s.Most):
		return 0,
			fmt.Errorf("match: the machine searches %.0f nodes a second, the limits are meant for %.0f: clocks times %.3g, and the plan allows %g to %g", nps, s.NPS, f, s.Least, s.Most)
	default:
		return f, nil
	}
}
