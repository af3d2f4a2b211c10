package match

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// TimeControl is the time control of one player. Byoyomi (秒読み) and Increment (Fischer) exclude each other,
// because USI has no command for both.
type TimeControl struct {
	Main      time.Duration `json:"Main"`      // main time, in nanoseconds
	Byoyomi   time.Duration `json:"Byoyomi"`   // time for each move after Main is used up
	Increment time.Duration `json:"Increment"` // added before every move of the player, including the first
}

// IsZero reports whether there is no clock.
func (t TimeControl) IsZero() bool { return t == TimeControl{} }

// String returns the time control in seconds: "300+2" is main time and increment, "300/10" or "0/1" main time
// and byoyomi.
func (t TimeControl) String() string {
	switch {
	case t.IsZero():
		return "none"
	case t.Byoyomi > 0:
		return seconds(t.Main) + "/" + seconds(t.Byoyomi)
	}
	return seconds(t.Main) + "+" + seconds(t.Increment)
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}

// The default values of Margin and Stall in Limits.
const (
	DefaultMargin = 100 * time.Millisecond
	DefaultStall  = 60 * time.Second
)

// Limits has the limits of one player's searches.
type Limits struct {
	Clock    TimeControl   `json:"Clock"`
	MoveTime time.Duration `json:"MoveTime"` // time for each move, in nanoseconds
	Nodes    uint64        `json:"Nodes"`    // nodes for each move
	Depth    int           `json:"Depth"`    // depth of each move
	Self     bool          `json:"Self"`     // the engine ends its search by itself ("go infinite")
	Margin   time.Duration `json:"Margin"`   // time by which a move may exceed its clock or movetime without losing
	Stall    time.Duration `json:"Stall"`    // longest time for a move of an engine without a clock
}

// Timed reports whether the player has a clock or a movetime, so that a move can be late.
func (l Limits) Timed() bool { return !l.Clock.IsZero() || l.MoveTime > 0 }

// Check returns an error if the limits are invalid or exclude each other.
func (l Limits) Check() error {
	switch {
	case Limits{Margin: l.Margin, Stall: l.Stall} == l:
		return errors.New(`no limit: give a clock, such as tc = "8+0.08" (--tc 8+0.08), or one of main, byoyomi, increment, movetime, nodes, depth or self`)
	case l.Clock.Byoyomi > 0 && l.Clock.Increment > 0:
		return fmt.Errorf("byoyomi %v and increment %v exclude each other (USI cannot say both)", l.Clock.Byoyomi,
			l.Clock.Increment)
	case !l.Clock.IsZero() && l.MoveTime > 0:
		return fmt.Errorf("movetime %v and a clock (%v) exclude each other", l.MoveTime, l.Clock)
	case l.Self && (l.Timed() || l.Nodes > 0 || l.Depth > 0):
		return errors.New("self means \"go infinite\" and excludes every other limit")
	case l.Depth < 0 || min(l.Clock.Main, l.Clock.Byoyomi, l.Clock.Increment, l.MoveTime, l.Margin, l.Stall) < 0:
		return errors.New("a limit is negative")
	}
	return nil
}

// String returns a short description for tables, such as "nodes 20000" or "8+0.08".
func (l Limits) String() string {
	var parts []string
	switch {
	case l.Clock.IsZero():
	case l.Clock.Main == 0 && l.Clock.Byoyomi > 0:
		parts = append(parts, "byoyomi "+l.Clock.Byoyomi.String())
	default:
		parts = append(parts, l.Clock.String())
	}
	if l.MoveTime > 0 {
		parts = append(parts, "movetime "+l.MoveTime.String())
	}
	if l.Nodes > 0 {
		parts = append(parts, "nodes "+strconv.FormatUint(l.Nodes, 10))
	}
	if l.Depth > 0 {
		parts = append(parts, "depth "+strconv.Itoa(l.Depth))
	}
	if l.Self {
		parts = append(parts, "self-limited")
	}
	return strings.Join(parts, ", ")
}
