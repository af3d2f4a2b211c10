package configs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gogi/configs/located"
)

// limitFlag is a flag that sets one limit: of everybody ("--nodes 3000"), of one player
// ("--nodes A=3000") or, if it is a part of a clock, of a colour ("--tc black=8+0.08").
type limitFlag struct {
	key   string // of the table [limits]
	texts []string
	clock bool
	read  func(into *Limits, text string) error
}

func limitFlags(f *Flags) []limitFlag {
	return []limitFlag{
		{"tc", f.TC, true, func(l *Limits, text string) error { l.TC = new(TimeControl); return l.TC.UnmarshalText([]byte(text)) }},
		{"main", f.Main, true, durationOf(func(l *Limits) **time.Duration { return &l.Main })},
		{"byoyomi", f.Byoyomi, true, durationOf(func(l *Limits) **time.Duration { return &l.Byoyomi })},
		{"increment", f.Increment, true, durationOf(func(l *Limits) **time.Duration { return &l.Increment })},
		{"movetime", f.Movetime, false, durationOf(func(l *Limits) **time.Duration { return &l.MoveTime })},
		{"nodes", f.Nodes, false, func(l *Limits, text string) error {
			l.Nodes = new(uint64)
			return fromOne(text, l.Nodes, "number of nodes")
		}},
		{"depth", f.Depth, false, func(l *Limits, text string) error { l.Depth = new(int); return fromOne(text, l.Depth, "depth") }},
		{"margin", f.Margin, false, durationOf(func(l *Limits) **time.Duration { return &l.Margin })},
		{"stall", f.Stall, false, durationOf(func(l *Limits) **time.Duration { return &l.Stall })},
	}
}

// fromOne reads a number from 1.
func fromOne[T int | uint64](text string, into *T, what string) error {
	n, err := strconv.ParseUint(text, 10, 62)
	if *into = T(n); err != nil || n == 0 {
		return fmt.Errorf("%q: expected a %s from 1", text, what)
	}
	return nil
}

// durationOf reads a duration into a field.
func durationOf(field func(l *Limits) **time.Duration) func(into *Limits, text string) error {
	return func(into *Limits, text string) error {
		d, err := parseDuration(text)
		if err == nil {
			*field(into) = &d
		}
		return err
	}
}

// ownLimits are the limits that flags give one player or colour.
type ownLimits struct {
	whose, flag string // the first flag that names it
	Limits
	onlyClock bool
}

// limits replaces the file's search limits when a flag names one, and its
// margin and stall one by one; likewise each player's own, and clocks by colour.
func (a *applier) limits() {
	var all Limits
	var own []*ownLimits
	of := map[string]*ownLimits{}
	for _, f := range limitFlags(&a.flags) {
		for _, text := range f.texts {
			whose, word, named := strings.Cut(text, "=")
			if !named {
				word = text
			}
			into, flag := &all, "--"+f.key
			if named || f.key == "tc" {
				flag += " " + text
			}
			if named {
				o := of[whose]
				if o == nil {
					o = &ownLimits{whose: whose, flag: flag, onlyClock: true}
					of[whose] = o
					own = append(own, o)
				}
				o.onlyClock = o.onlyClock && f.clock
				into = &o.Limits
			}
			if err := f.read(into, word); err != nil {
				a.fail(flag, "%v", err)
			}
			if !named {
				a.won("limits."+f.key, flag)
			}
		}
	}
	if a.flags.Self {
		all.Self = &a.flags.Self
		a.won("limits.self", "--self")
	}
	limitsAt(&a.file.Limits, all)
	for _, o := range own {
		if err := a.own(o); err != nil {
			a.fail(o.flag, "%w", err)
		}
	}
}

// own lays the limits of one player or colour over the file's.
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
	a.won(located.Element(kind, i)+".limits", o.flag)
	return nil
}

// limitsAt lays limits of flags over those of a table.
func limitsAt(into **Limits, over Limits) {
	if over != (Limits{}) {
		merged := or(*into, Limits{}).override(over)
		*into = &merged
	}
}

func (a *applier) colourClock(colour, flag string, clock Clock) {
	by := or(a.file.ByColour, ByColour{})
	if colour == "black" {
		by.Black = &clock
	} else {
		by.White = &clock
	}
	a.file.ByColour = &by
	a.won("limits_by_colour."+colour, flag)
}
