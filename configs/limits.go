package configs

import (
	"errors"
	"time"

	"gogi/match"
)

// override returns l with the more specific limits in over. If over has any search limit, its search limits
// replace all search limits of l. Each of margin and stall replaces only its own key.
func (l Limits) override(over Limits) Limits {
	if !over.search() {
		margin, stall := over.Margin, over.Stall
		over = l
		over.Margin, over.Stall = margin, stall
	}
	if over.Margin == nil {
		over.Margin = l.Margin
	}
	if over.Stall == nil {
		over.Stall = l.Stall
	}
	return over
}

func (l Limits) search() bool {
	l.Margin, l.Stall = nil, nil
	return l != Limits{}
}

func or[T any](value *T, def T) T {
	if value == nil {
		return def
	}
	return *value
}

func (c Clock) control() (match.TimeControl, error) {
	parts := match.TimeControl{Main: or(c.Main, 0), Byoyomi: or(c.Byoyomi, 0), Increment: or(c.Increment, 0)}
	if c.TC == nil {
		return parts, nil
	}
	if c.Main != nil || c.Byoyomi != nil || c.Increment != nil {
		return parts, errors.New("tc says it all: expected it alone, or main, byoyomi and increment without it")
	}
	return match.TimeControl(*c.TC), nil
}

// resolve returns the limits, with the default of each missing key. It returns an error if match.Limits.Check
// rejects them.
func (l Limits) resolve() (match.Limits, error) {
	clock, err := l.control()
	if err != nil {
		return match.Limits{}, err
	}
	out := match.Limits{
		Clock: clock, MoveTime: or(l.MoveTime, 0), Nodes: or(l.Nodes, 0), Depth: or(l.Depth, 0), Self: or(l.Self, false),
		Margin: or(l.Margin, match.DefaultMargin), Stall: or(l.Stall, match.DefaultStall),
	}
	if out.Stall < time.Millisecond {
		return out, errors.New("stall is 0: expected the longest time that an engine without a clock may think, such as \"60s\"")
	}
	return out, nil
}
