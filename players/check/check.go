// Package check examines one engine: which parts of USI it understands, whether it respects
// limits, and what it survives. [Engine] starts the engine as a match would, here or behind
// ssh, and returns an [Examination] with one [Finding] for each item. The strength of the
// engine does not matter.
package check

import (
	"context"
	"errors"
	"strings"
	"time"

	"gogi/internal/i18n"
	"gogi/match"
	"gogi/players"
)

// Options say how an engine is examined.
type Options struct {
	Quick bool          // leave out what takes long
	Found func(Finding) // gets each finding as soon as it is made, since all take a while; nil: nobody does

	waits   waits   // zero: defaultWaits
	control control // what the engine's times are held against; nil: the built-in engine's
}

// waits are how long an engine is waited for that does not do what it should.
type waits struct {
	overrun time.Duration // of a search beyond its limit, until it is stopped
	stop    time.Duration // for bestmove after "stop"
	end     time.Duration // for its end, and for a mate search beyond the time it was given
}

// defaultWaits are more than a game allows, so that an engine's time can be told.
func defaultWaits() waits {
	return waits{overrun: 2 * time.Second, stop: 3 * time.Second, end: 2 * time.Second}
}

// Engine examines one player of the opener's plan that is no council; the plan says
// the rules, and what the engine is sent. Items are tried in the order of a game, until one that
// the others need has failed. No process of the engine is left at the end. The
// error is the context's cause, or that a process would not end; a bad engine is
// none, but a Examination with findings that say Fail. Times are held against those of a
// process that does nothing: what the machine had no time for is not the engine's fault.
func Engine(ctx context.Context, o *players.Opener, p match.Player, options Options) (*Examination, error) {
	s := &subject{opener: o, plan: o.Plan, player: p, waits: options.waits, control: options.control}
	if s.waits == (waits{}) {
		s.waits = defaultWaits()
	}
	if s.control == nil {
		n, err := newNothing(o)
		if err != nil {
			return nil, err
		}
		s.control = n
	}
	sheet := &Examination{Version: 1, Checks: []Finding{}}
	for _, item := range items(s.waits) {
		if options.Quick && item.slow {
			continue
		}
		f := Finding{Check: item.name}
		item.examine(ctx, s, &f)
		if ctx.Err() != nil {
			break
		}
		sheet.Name = s.greeting.Name
		sheet.Checks = append(sheet.Checks, f)
		if options.Found != nil {
			options.Found(f)
		}
		if item.vital && s.engine == nil {
			sheet.Stuck = item.name
			break
		}
	}
	if err := errors.Join(s.end(), s.control.close(), context.Cause(ctx)); err != nil {
		return nil, err
	}
	return sheet, nil
}

// Title is what people call an item: its name in words, where USI has no word for it.
func Title(check string) i18n.Message {
	switch check {
	case "options":
		return i18n.Of("options")
	case "defaults":
		return i18n.Of("defaults")
	case "go_main_and_byoyomi":
		return i18n.Of("go main and byoyomi")
	case "go_increment":
		return i18n.Of("go increment")
	case "legal_moves":
		return i18n.Of("legal moves")
	case "declaration":
		return i18n.Of("declaration")
	case "repeatable":
		return i18n.Of("repeatable")
	case "mate_search":
		return i18n.Of("mate search")
	case "end_of_input":
		return i18n.Of("end of input")
	}
	return i18n.Verbatim(strings.ReplaceAll(check, "_", " "))
}

// Checks are the names of all items, in the order in which they are tried.
func Checks() []string {
	var names []string
	for _, item := range items(defaultWaits()) {
		names = append(names, item.name)
	}
	return names
}

// item is one thing to find out.
type item struct {
	name    string
	vital   bool // without it there is nothing else to examine
	slow    bool
	examine func(ctx context.Context, s *subject, f *Finding)
}

// items lists everything there is, in the order of a game.
func items(w waits) []item {
	items := []item{
		{name: "usiok", vital: true, examine: checkGreeting},
		{name: "options", examine: checkOptions},
		{name: "defaults", examine: checkDefaults},
		{name: "readyok", vital: true, examine: checkReady},
	}
	for _, kind := range goKinds(w.overrun) {
		items = append(items, item{name: "go_" + kind.name, slow: kind.slow, examine: func(ctx context.Context, s *subject, f *Finding) {
			checkGo(ctx, s, kind, f)
		}})
	}
	return append(items,
		item{name: "stop", examine: checkStop},
		item{name: "ponderhit", examine: checkPonderHit},
		item{name: "ponder_stop", examine: checkPonderStop},
		item{name: "legal_moves", slow: true, examine: checkLegalMoves},
		item{name: "declaration", examine: checkDeclaration},
		item{name: "stderr", examine: checkStderr},
		item{name: "repeatable", slow: true, examine: checkRepeatable},
		item{name: "mate_search", slow: true, examine: checkMate},
		item{name: "quit", slow: true, examine: checkQuit},
		item{name: "end_of_input", slow: true, examine: checkEndOfInput},
	)
}
