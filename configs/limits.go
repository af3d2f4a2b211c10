package configs

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"gogi/configs/position"
	"gogi/match"
	"gogi/shogi"
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
		return out,
			errors.New("stall is 0: expected the longest time that an engine without a clock may think, such as \"60s\"")
	}
	return out, nil
}

// ownLimits has the limits that flags set for one player or one colour.
type ownLimits struct {
	whose, flag string // owner of the limits (for errors), and the first flag that sets them
	Limits
	onlyClock bool // the flags set only parts of a clock
}

// limits applies the flags for limits to the file. If a flag sets a search limit, the flags replace all
// search limits of the file. Each of margin and stall replaces only its own key. limits does the same for
// each player's own limits, and for clocks by colour.
//
// A flag for limits applies to all players ("--nodes 3000") or to one player ("--nodes A=3000"). A flag that
// is a part of a clock can also apply to a colour ("--tc black=8+0.08").
func (a *applier) limits() {
	var all Limits
	var own []*ownLimits
	of := map[string]*ownLimits{}
	_, flags := a.flags.keyed()
	for _, f := range flags {
		key := strings.TrimPrefix(f.key, "limits.")
		texts, _ := f.value.Interface().([]string) // fails only for --self, which has no texts
		for _, text := range texts {
			whose, word, named := strings.Cut(text, "=")
			if !named {
				word = text
			}
			into, flag := &all, f.name
			if named || key == "tc" {
				flag += " " + text
			}
			if named {
				o := of[whose]
				if o == nil {
					o = &ownLimits{whose: whose, flag: flag, onlyClock: true}
					of[whose] = o
					own = append(own, o)
				}
				isClock := slices.ContainsFunc(fields(reflect.ValueOf(Clock{})), func(f field) bool { return f.key == key })
				o.onlyClock = o.onlyClock && isClock
				into = &o.Limits
			}
			if err := setText(keyAt(reflect.ValueOf(into).Elem(), key), word); err != nil {
				a.fail(flag, "%v", err)
			}
			if !named {
				a.setBy(f.key, flag)
			}
		}
	}
	if a.flags.Self {
		all.Self = &a.flags.Self
		a.setBy("limits.self", "--self")
	}
	limitsAt(&a.file.Limits, all)
	for _, o := range own {
		if err := a.own(o); err != nil {
			a.fail(o.flag, "%w", err)
		}
	}
}

func (a *applier) own(o *ownLimits) error {
	if o.whose == "black" || o.whose == "white" {
		if !o.onlyClock {
			return errors.New("a colour has only a clock of its own: expected tc, main, byoyomi and increment")
		}
		a.colourClock(o.whose, o.flag, o.Clock)
		return nil
	}
	kind, i := "council", a.file.council(o.whose)
	if i < 0 {
		kind, i = "engine", a.file.engine(o.whose)
	}
	switch {
	case i < 0:
		return fmt.Errorf("there is no engine %q (%s)", o.whose, a.file.engineNames())
	case kind == "council":
		limitsAt(&a.file.Councils[i].Limits, o.Limits)
	default:
		limitsAt(&a.file.Engines[i].Limits, o.Limits)
	}
	a.setBy(position.Element(kind, i)+".limits", o.flag)
	return nil
}

func limitsAt(into **Limits, over Limits) {
	if over != (Limits{}) {
		merged := or(*into, Limits{}).override(over)
		*into = &merged
	}
}

// TakeLimits gives the engines of the file, in the order of the players of a plan, the limits of those players, and the
// file the plan's clocks of colours. It leaves out what flags replace for all players, so that Apply changes only what
// the flags name.
func (f *File) TakeLimits(plan *match.Plan, flags Flags) {
	replaced := map[string]bool{} // keys of limits that a flag sets for all players
	search := flags.Self
	_, keyed := flags.keyed()
	for _, flag := range keyed {
		texts, _ := flag.value.Interface().([]string) // fails only for --self, which has no texts
		if slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(text, "=") }) {
			key := strings.TrimPrefix(flag.key, "limits.")
			replaced[key] = true
			search = search || key != "margin" && key != "stall"
		}
	}
	for i := range f.Engines {
		of := plan.Players[i].Limits
		own := Limits{Margin: some(of.Margin, !replaced["margin"]), Stall: some(of.Stall, !replaced["stall"])}
		if !search {
			own.Clock = clockOf(of.Clock)
			own.MoveTime, own.Nodes, own.Depth, own.Self = some(of.MoveTime, of.MoveTime > 0), some(of.Nodes, of.Nodes > 0),
				some(of.Depth, of.Depth > 0), some(true, of.Self)
		}
		f.Engines[i].Limits = &own
	}
	if clocks := plan.ColourClocks; !search && clocks != ([2]*match.TimeControl{}) {
		f.ByColour = &ByColour{}
		for c, into := range []**Clock{shogi.Black: &f.ByColour.Black, shogi.White: &f.ByColour.White} {
			if clocks[c] != nil {
				clock := clockOf(*clocks[c])
				*into = &clock
			}
		}
	}
}

// some returns a pointer to value if given is true, and otherwise nil.
func some[T any](value T, given bool) *T {
	if !given {
		return nil
	}
	return &value
}

func clockOf(c match.TimeControl) Clock {
	return Clock{Main: some(c.Main, c.Main > 0), Byoyomi: some(c.Byoyomi, c.Byoyomi > 0),
		Increment: some(c.Increment, c.Increment > 0)}
}

func (a *applier) colourClock(colour, flag string, clock Clock) {
	by := or(a.file.ByColour, ByColour{})
	if colour == "black" {
		by.Black = &clock
	} else {
		by.White = &clock
	}
	a.file.ByColour = &by
	a.setBy("limits_by_colour."+colour, flag)
}
