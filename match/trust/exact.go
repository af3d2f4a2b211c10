package trust

import (
	"slices"
	"strings"

	"gogi/match"
)

// Exact reports whether a plan's games can be repeated move for move. This requires fixed nodes or depth, no
// pondering, and one thread for each engine. Even then an engine may not repeat its moves, for a reason that gogi
// does not know. The results of its pairs then differ each time that they are played, and no worker is at fault.
func Exact(p *match.Plan) bool {
	if p.Ponder != "" && p.Ponder != match.PonderOff {
		return false
	}
	return !slices.ContainsFunc(p.Players, func(player match.Player) bool { return !exact(player) })
}

func exact(p match.Player) bool {
	l := p.Limits
	if l.Timed() || l.Nodes == 0 && l.Depth == 0 {
		return false
	}
	if p.Council != nil {
		for i, m := range p.Council.Members {
			if !p.Council.Own[i] {
				m.Limits = p.Limits
			}
			if !exact(m) {
				return false
			}
		}
		return true
	}
	return p.Builtin || oneThread(p)
}

// oneThread reports whether the plan itself sets one thread for an engine.
func oneThread(p match.Player) bool {
	return slices.ContainsFunc(p.Options, func(o match.Option) bool {
		return strings.EqualFold(o.Name, "Threads") && o.Value == "1"
	})
}
