// Package examine tries one engine, item by item: what it understands, keeps to and
// survives.
package examine

import (
	"context"
)

// SubjectName stands for the engine where a name is needed.
const SubjectName = "engine"

// All runs the items in order, without the slow ones where it has to be quick,
// until one that the others need has failed.
func All(ctx context.Context, s *Subject, sheet *Sheet, quick bool) {
	items := items()
	sheet.begin(items)
	for _, item := range items {
		if quick && item.slow {
			continue
		}
		f := &Finding{Check: item.name}
		item.examine(ctx, s, f)
		if ctx.Err() != nil {
			return
		}
		sheet.Name = s.greeting.Name
		sheet.add(f)
		if item.vital && f.Verdict == Fail {
			sheet.stuck = item.name
			return
		}
	}
}

// item is one thing to find out.
type item struct {
	name    string
	vital   bool // without it there is nothing else to examine
	slow    bool
	examine func(ctx context.Context, s *Subject, f *Finding)
}

// items lists everything there is, in the order of a game.
func items() []item {
	items := []item{
		{name: "usiok", vital: true, examine: checkGreeting},
		{name: "options", examine: checkOptions},
		{name: "defaults", examine: checkDefaults},
		{name: "readyok", vital: true, examine: checkReady},
	}
	for _, kind := range goKinds() {
		items = append(items, item{name: "go_" + kind.name, slow: kind.slow, examine: func(ctx context.Context, s *Subject, f *Finding) {
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
