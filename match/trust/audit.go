package trust

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/usi"
)

// Level is the level of trust in a worker.
type Level string

// The levels of trust.
const (
	Untrusted Level = "untrusted" // a worker of an unknown owner
	Verified  Level = "verified"  // its audits have agreed often enough
	Owner     Level = "owner"     // the farm's own worker
)

// These constants are the shares of pairs that are audited, the number of first pairs that are all audited, and the
// number of agreeing audits after which a worker is verified.
const (
	ShareTrusted   = 0.02
	ShareUntrusted = 0.20
	NewPairs       = 20 // the first pairs of a new worker, which are all audited
	AgreeToVerify  = 200
)

// Auditor selects pairs for an audit: a worker of another owner plays such a pair again. The second result does
// not count. A worker cannot predict the selection, because it depends on a secret.
type Auditor struct{ Secret []byte }

// Audits reports whether a pair of a run is audited. run is the digest of the run. level is the trust in the
// worker that played the pair, and n is the number of pairs that this worker played before. Audits selects the
// first NewPairs pairs of a worker, and a share of the others. Each pair has a fixed random number, so a larger
// share adds pairs to the selection and removes none.
func (a Auditor) Audits(run string, pair int, level Level, n int) bool {
	if n < NewPairs {
		return true
	}
	share := ShareTrusted
	if level == Untrusted {
		share = ShareUntrusted
	}
	return a.draw(run, pair) < share
}

// leastSample and mostSample bound the sample of a worker's pairs. If a worker has invented a twentieth of its pairs, a
// sample of mostSample misses them with the probability 0.04.
const (
	leastSample = 4
	mostSample  = 64
)

// Sample returns the pairs of one worker in a run that must be audited before the run's verdict is final. The
// sample is a fifth of the worker's pairs, but at least 4 and at most 64 pairs. A worker cannot predict it. Each
// pair has a fixed random number. The sample has the pairs with the smallest numbers, which Audits also selects
// first.
func (a Auditor) Sample(run string, pairs []int) []int {
	sorted := slices.Clone(pairs)
	draws := map[int]float64{}
	for _, pair := range pairs {
		draws[pair] = a.draw(run, pair)
	}
	slices.SortFunc(sorted, func(x, y int) int { return cmp.Compare(draws[x], draws[y]) })
	share := int(math.Ceil(ShareUntrusted * float64(len(pairs))))
	return sorted[:min(max(share, leastSample), mostSample, len(sorted))]
}

// draw returns a number that is uniform in [0, 1). It is the first 53 bits of HMAC-SHA256 (RFC 2104) of the
// run and the pair, written as run|pair.
func (a Auditor) draw(run string, pair int) float64 {
	h := hmac.New(sha256.New, a.Secret)
	_, _ = fmt.Fprintf(h, "%s|%d", run, pair) // writing to a hash never fails
	return float64(binary.BigEndian.Uint64(h.Sum(nil))>>11) / (1 << 53)
}

// Difference is the first difference between two results of a pair. It does not show which of the two results is
// wrong. If the players are not deterministic, a difference proves nothing; then only statistics can find a false
// result.
type Difference struct {
	Leg  int
	Ply  int // the first different ply, from 1. If only the ends of the games differ, it is the last ply plus one.
	What string
}

// String returns the difference as text.
func (d *Difference) String() string {
	return fmt.Sprintf("game %d of the pair differs from ply %d on: %s", d.Leg+1, d.Ply, d.What)
}

// Compare returns the first difference between two results of one pair, or nil if all games are equal. The players
// must be deterministic: fixed nodes or depth, and one thread. Compare compares every move and the end of each
// game. Times, marks for delayed moves, slots and notes may differ.
func Compare(a, b *match.PairResult) *Difference {
	if a.Pair.ID != b.Pair.ID || len(a.Games) != len(b.Games) {
		return &Difference{What: "they are not of the same pair", Ply: 1}
	}
	for leg := range a.Games {
		if d := compareGame(&a.Games[leg], &b.Games[leg]); d != nil {
			d.Leg = leg
			return d
		}
	}
	return nil
}

// Print returns a hash of what Compare compares: two results of one pair have the same hash if and only if Compare
// returns nil. It is the SHA-256 of the moves, the outcome and the end of each game as text.
func Print(p *match.PairResult) []byte {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d %d\n", p.Pair.ID, len(p.Games)) // writing to a hash never fails
	for i := range p.Games {
		g := &p.Games[i]
		for _, m := range g.Record.Moves {
			_, _ = fmt.Fprintf(h, "%s ", m.Move)
		}
		_, _ = fmt.Fprintf(h, "%s %s\n", g.Outcome, g.Termination)
	}
	return h.Sum(nil)
}

func compareGame(a, b *match.Result) *Difference {
	x, y := a.Record.Moves, b.Record.Moves
	for i := range min(len(x), len(y)) {
		if x[i].Move != y[i].Move {
			return &Difference{Ply: i + 1, What: fmt.Sprintf("%s and %s", x[i].Move, y[i].Move)}
		}
	}
	ply := min(len(x), len(y)) + 1
	switch {
	case len(x) != len(y):
		return &Difference{Ply: ply, What: fmt.Sprintf("it has %d and %d plies", len(x), len(y))}
	case a.Outcome != b.Outcome || a.Termination != b.Termination:
		return &Difference{Ply: ply, What: fmt.Sprintf("%s (%s) and %s (%s)", a.Outcome, a.Termination, b.Outcome,
			b.Termination)}
	}
	return nil
}

// Exact reports whether a plan's games can be repeated move for move, see Inexact.
func Exact(p *match.Plan) bool { return Inexact(p) == "" }

// Inexact returns the reason why a plan's games cannot be repeated move for move, with the remedy, or "" if they can.
// They can with fixed nodes or depth, no pondering, and one thread for each engine. Even then an engine may not repeat
// its moves, for a reason that gogi does not know. The results of its pairs then differ each time that they are played,
// and no worker is at fault.
func Inexact(p *match.Plan) string {
	if p.Ponder != "" && p.Ponder != match.PonderOff {
		return "the players ponder; audits need a test without pondering"
	}
	var timed, threaded []string // names of players
	for _, player := range p.Players {
		inexact(player, &timed, &threaded)
	}
	switch {
	case len(timed) > 0:
		return fmt.Sprintf("%s may not repeat moves with a time limit; audits need a limit of nodes or depth",
			i18n.List(timed).In(i18n.English))
	case len(threaded) > 0:
		options := lists.Map(threaded, func(name string) string { return " --option " + name + ".Threads=1" })
		return fmt.Sprintf("%s may use several threads; add%s", i18n.List(threaded).In(i18n.English),
			strings.Join(options, ""))
	}
	return ""
}

// inexact adds the names of the engines of a player whose games may not repeat: to timed because of a time limit, and
// to threaded because they may use several threads.
func inexact(p match.Player, timed, threaded *[]string) {
	l := p.Limits
	switch {
	case l.Timed() || l.Nodes == 0 && l.Depth == 0:
		*timed = append(*timed, p.Name)
	case p.Council != nil:
		for i, m := range p.Council.Members {
			if !p.Council.Own[i] {
				m.Limits = p.Limits
			}
			inexact(m, timed, threaded)
		}
	case !p.Builtin && !oneThread(p):
		*threaded = append(*threaded, p.Name)
	}
}

// oneThread reports whether an engine uses one thread: by an option of the plan, by its default, or because it has no
// option for its threads.
func oneThread(p match.Player) bool {
	threads := func(o match.Option) bool {
		return slices.ContainsFunc(usi.ThreadOptions(), func(name string) bool { return strings.EqualFold(name, o.Name) })
	}
	if i := slices.IndexFunc(p.Options, threads); i >= 0 {
		return p.Options[i].Value == "1"
	}
	i := slices.IndexFunc(p.Effect, threads)
	return p.Effect != nil && (i < 0 || p.Effect[i].Value == "1")
}

// OneThread returns the names of the engines of a plan that use one thread although the plan does not say so. Only a
// program that has started the engines knows this.
func OneThread(p *match.Plan) (names []string) {
	for _, e := range p.Engines() {
		said := e
		said.Effect = nil
		if !e.Builtin && oneThread(e) && !oneThread(said) {
			names = append(names, e.Name)
		}
	}
	return names
}

// FreshPairs reports whether the engines of a plan must start anew for each pair, because audits compare its pairs move
// for move. Many engines do not reset themselves completely between games: fairy-stockfish plays about one game in
// forty otherwise than a fresh process does. Then two honest workers would get different results. Plans whose engines
// do not declare one thread count, too, because the worker does not know what the owner's engine declared. FreshPairs
// returns false for a plan of which no engine keeps its process for the next pair anyway.
func FreshPairs(p *match.Plan) bool {
	keeps := func(e match.Player) bool { return !e.Builtin && (e.Restart == "" || e.Restart == match.RestartNever) }
	if p.Design.Kind == match.DesignSelfplay || !slices.ContainsFunc(p.Players, keeps) {
		return false
	}
	var names []string
	for _, e := range p.Engines() {
		names = append(names, e.Name)
	}
	return Inexact(WithOneThread(p, names)) == ""
}

// WithOneThread returns a copy of a plan for Inexact, in which the engines with these names use one thread.
func WithOneThread(p *match.Plan, names []string) *match.Plan {
	known := func(e match.Player) match.Player {
		if slices.Contains(names, e.Name) {
			e.Effect = []match.Option{}
		}
		return e
	}
	out := *p
	out.Players = slices.Clone(p.Players)
	for i := range out.Players {
		out.Players[i] = known(out.Players[i])
		if c := out.Players[i].Council; c != nil {
			council := *c
			council.Members = slices.Clone(c.Members)
			for j := range council.Members {
				council.Members[j] = known(council.Members[j])
			}
			out.Players[i].Council = &council
		}
	}
	return &out
}
