// Package check examines one engine: which parts of USI it supports, whether it respects limits, and which
// faults of a GUI it survives. [Engine] starts the engine as a match would, on this machine or behind ssh. It
// returns an [Examination] with one [Finding] for each item. The strength of the engine does not matter.
package check

import (
	"context"
	"errors"
	"strings"
	"time"

	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/players"
)

// Options are the settings of an examination. An examination consists of items, such as "legal moves".
type Options struct {
	Quick bool          // omit the slow items
	Found func(Finding) // called with each finding when its item ends; nil: no call

	waits waits // zero: defaultWaits
}

// waits has the times that the examination waits for a slow engine.
type waits struct {
	overrun time.Duration // how long a search may exceed its limit before gogi sends stop
	stop    time.Duration // wait for bestmove after "stop"
	end     time.Duration // wait for the end of the engine, and for a mate search beyond its time
}

// defaultWaits are longer than the waits of a game, so that the examination can measure slow engines.
func defaultWaits() waits {
	return waits{overrun: 2 * time.Second, stop: 3 * time.Second, end: 2 * time.Second}
}

// Engine examines p, an engine (not a council) of the opener's plan, which has the rules and the options. The
// items run in the order of a game. If usiok or readyok fails, the other items do not run. A bad engine
// causes no error, but a Finding with Fail. Engine returns an error if ctx ends, or if a process does not
// end. It ends all its processes.
func Engine(ctx context.Context, o *players.Opener, p match.Player, options Options) (*Examination, error) {
	s := &subject{opener: o, plan: o.Plan, player: p, waits: options.waits}
	if s.waits == (waits{}) {
		s.waits = defaultWaits()
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
		if f.Verdict > Pass {
			f.consequence = consequence(f.Check)
			f.Consequence = f.consequence.String()
		}
		sheet.Checks = append(sheet.Checks, f)
		if options.Found != nil {
			options.Found(f)
		}
		if item.vital && s.engine == nil {
			sheet.Stuck = item.name
			break
		}
	}
	if err := errors.Join(s.end(), context.Cause(ctx)); err != nil {
		return nil, err
	}
	return sheet, nil
}

// Title returns the printed name of an item. It does not translate a name that is a USI word.
func Title(check string) i18n.Message {
	titles := map[string]i18n.Message{
		"options": i18n.Of("options"), "defaults": i18n.Of("defaults"), "go_main_and_byoyomi": i18n.Of("go main and byoyomi"),
		"go_increment": i18n.Of("go increment"), "legal_moves": i18n.Of("legal moves"), "declaration": i18n.Of("declaration"),
		"node_limits": i18n.Of("node limits"), "drops": i18n.Of("drops"), "evaluation": i18n.Of("evaluation"),
		"bounds":      i18n.Of("bounds"),
		"mate_scores": i18n.Of("mate scores"), "mated": i18n.Of("mated"), "whites_clock": i18n.Of("White's clock"),
		"repeatable": i18n.Of("repeatable"), "mate_search": i18n.Of("mate search"), "end_of_input": i18n.Of("end of input"),
	}
	if title, ok := titles[check]; ok {
		return title
	}
	return i18n.Verbatim(strings.ReplaceAll(check, "_", " "))
}

// Checks returns the names of all items, in the order in which they run.
func Checks() []string {
	return lists.Map(items(defaultWaits()), func(item item) string { return item.name })
}

type item struct {
	name    string
	vital   bool // if it fails, the other items cannot run
	slow    bool
	examine func(ctx context.Context, s *subject, f *Finding)
}

func items(w waits) []item {
	items := []item{
		{name: "usiok", vital: true, examine: checkGreeting},
		{name: "options", examine: checkOptions},
		{name: "defaults", examine: checkDefaults},
		{name: "readyok", vital: true, examine: checkReady},
	}
	for _, kind := range goKinds(w.overrun) {
		items = append(items, item{name: "go_" + kind.name, slow: kind.slow,
			examine: func(ctx context.Context, s *subject, f *Finding) {
				checkGo(ctx, s, kind, f)
			}})
	}
	return append(items,
		item{name: "stop", examine: checkStop},
		item{name: "ponderhit", examine: checkPonderHit},
		item{name: "ponder_stop", examine: checkPonderStop},
		item{name: "legal_moves", slow: true, examine: checkLegalMoves},
		item{name: "declaration", examine: checkDeclaration},
		item{name: "node_limits", examine: checkNodeLimits},
		item{name: "drops", examine: checkDrops},
		item{name: "evaluation", slow: true, examine: checkEvaluation},
		item{name: "bounds", slow: true, examine: checkBounds},
		item{name: "mate_scores", slow: true, examine: checkMateScores},
		item{name: "mated", slow: true, examine: checkMated},
		item{name: "whites_clock", slow: true, examine: checkWhitesClock},
		item{name: "stderr", examine: checkStderr},
		item{name: "repeatable", slow: true, examine: checkRepeatable},
		item{name: "mate_search", slow: true, examine: checkMate},
		item{name: "quit", slow: true, examine: checkQuit},
		item{name: "end_of_input", slow: true, examine: checkEndOfInput},
	)
}
