package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gogi/shogi"
)

// Replayable returns a plan with the settings that arbiter.VerifyGames needs. The plan has the players' names
// and limits, whether each player is a council, the design and seed, the rules and the adjudication. It has
// no openings and cannot be played.
func (c *CanonicalPlan) Replayable() (*Plan, error) {
	rule, err := shogi.ParseDeclarationRule(c.Rules.Declaration)
	if err != nil {
		return nil, fmt.Errorf("match: a stored plan: %w", err)
	}
	p := &Plan{Design: Design{Kind: c.Design, Swap: c.Swap, Anchor: c.Anchor}, Seed: c.Seed, Tune: string(c.Tune),
		Rules: Rules{
			Declaration: rule, ImpasseDraw: c.Rules.ImpasseDraw, MaxPlies: c.Rules.MaxPlies,
			MateAtLimitDraws: c.Rules.MateAtLimitDraws,
			DeclareAtLimit:   c.Rules.DeclareAtLimit, ExtendInCheck: c.Rules.ExtendInCheck,
			RepetitionPoints: c.Rules.RepetitionPoints,
		}}
	if c.Design == DesignSelfplay {
		if err := json.Unmarshal(c.Selfplay, &p.Design.Selfplay); err != nil {
			return nil, fmt.Errorf("match: a stored plan: what its self-play is: %w", err)
		}
	}
	if c.Tournament != nil {
		p.Design.Tournament = *c.Tournament
	}
	if c.Scaling != nil {
		p.Scaling = *c.Scaling
	}
	if c.Adjudication != nil {
		p.Adjudication = *c.Adjudication
	}
	if c.Mate != nil {
		p.Mate.Nodes = c.Mate.Nodes
	}
	if p.ColourClocks, err = c.colourClocks(); err != nil {
		return nil, fmt.Errorf("match: a stored plan: %w", err)
	}
	for _, player := range c.Players {
		limits, err := player.limits()
		if err != nil {
			return nil, fmt.Errorf("match: a stored plan: player %s: %w", player.Name, err)
		}
		known := Player{Name: player.Name, Limits: limits}
		if player.Council != nil {
			known.Council = &Council{} // marks the player as a council, because its games have records of votes
		}
		p.Players = append(p.Players, known)
	}
	return p, nil
}

// colourClocks returns the clocks that the plan sets by colour. A clock is nil if the plan sets none for the
// colour.
func (c *CanonicalPlan) colourClocks() (clocks [2]*TimeControl, err error) {
	for i, colour := range []string{"black", "white"} {
		if text := c.Clocks[colour]; text != "" {
			clock, err := parseClock(text)
			if err != nil {
				return clocks, fmt.Errorf("%s's clock: %w", colour, err)
			}
			clocks[i] = &clock
		}
	}
	return clocks, nil
}

// LimitsText returns the same text as Plan.LimitsText for a stored plan. If a newer gogi stored limits that
// this program cannot read, it returns the stored text.
func (c *CanonicalPlan) LimitsText(player int) string {
	stored := &c.Players[player]
	clocks, unread := c.colourClocks()
	limits, err := stored.limits()
	if unread != nil || err != nil {
		return stored.Limits
	}
	plan := Plan{Players: []Player{{Limits: limits}}, ColourClocks: clocks}
	return plan.LimitsText(0)
}

// limits returns the limits of a player, read from the text of Limits.String, with their margin and stall
// limit.
func (p *CanonicalPlayer) limits() (l Limits, err error) {
	for _, part := range strings.Split(p.Limits, ", ") {
		name, value, _ := strings.Cut(part, " ")
		switch {
		case err != nil:
		case part == "":
		case part == "self-limited":
			l.Self = true
		case name == "byoyomi":
			l.Clock.Byoyomi, err = time.ParseDuration(value)
		case name == "movetime":
			l.MoveTime, err = time.ParseDuration(value)
		case name == "nodes":
			l.Nodes, err = strconv.ParseUint(value, 10, 64)
		case name == "depth":
			l.Depth, err = strconv.Atoi(value)
		default:
			l.Clock, err = parseClock(part)
		}
	}
	if err == nil {
		l.Margin, err = time.ParseDuration(p.Margin)
	}
	if err == nil {
		l.Stall, err = time.ParseDuration(p.Stall)
	}
	if err == nil && l.String() != p.Limits {
		err = fmt.Errorf("the limits are %q, and %q as this program reads them", p.Limits, l)
	}
	return l, err
}

// parseClock reads the text of TimeControl.String.
func parseClock(text string) (t TimeControl, err error) {
	cut := strings.IndexAny(text, "+/")
	if cut < 0 {
		return t, fmt.Errorf("%q is no time control", text)
	}
	into := &t.Increment
	if text[cut] == '/' {
		into = &t.Byoyomi
	}
	var first, second error
	t.Main, first = parseSeconds(text[:cut])
	*into, second = parseSeconds(text[cut+1:])
	return t, errors.Join(first, second)
}

func parseSeconds(text string) (time.Duration, error) {
	s, err := strconv.ParseFloat(text, 64)
	if err == nil && !(math.Abs(s) < math.MaxInt64/float64(time.Second)) {
		err = fmt.Errorf("%s seconds are too many", text)
	}
	return time.Duration(math.Round(s * float64(time.Second))), err
}
