// Package text tells a report in plain text: for a terminal, for a pull request, and a
// gate's verdict for a release note.
package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/format"
	"gogi/report"
	"gogi/stats"
)

// view is a report under the functions that print it.
type view struct{ *report.Report }

// Print writes the report as a person reads it in a terminal.
func Print(w io.Writer, rep *report.Report) {
	r := view{rep}
	r.printTitle(w)
	if r.Games == 0 {
		fmt.Fprintln(w, "No game is finished yet.")
		return
	}
	r.printPlayers(w)
	if len(r.Players) > 2 {
		r.printCrosstable(w)
	}
	r.printHeadToHead(w)
	r.printTerminations(w)
	r.printPlay(w)
	r.printRemarks(w)
}

func (r view) printTitle(w io.Writer) {
	state := "finished"
	if !r.Finished {
		state = fmt.Sprintf("unfinished, %d of %d pairs", r.Pairs, r.Planned)
	}
	title := fmt.Sprintf("%s · %s games in %s pairs · %s · rules %s", r.Run, format.Count(r.Games), format.Count(r.Pairs), state, r.Rules)
	fmt.Fprintf(w, "%s\n%s\n\n", title, strings.Repeat("═", text.StringWidthWithoutEscSequences(title)))
}

func (r view) printPlayers(w io.Writer) {
	t := format.Table("player", "limits", "games", "W", "D", "L", "points", "score", "W–D–L as Black", "W–D–L as White")
	for _, p := range r.Players {
		score := "–"
		if p.Games > 0 {
			score = format.Percent(p.Points / float64(p.Games))
		}
		t.AppendRow(table.Row{
			p.Name, p.Limits, format.Count(p.Games), format.Count(p.Wins), format.Count(p.Draws), format.Count(p.Losses),
			fmt.Sprintf("%.1f", p.Points), score, WDL(p.Black), WDL(p.White),
		})
	}
	format.Render(w, t)
}

func WDL(c stats.WDL) string { return fmt.Sprintf("%d–%d–%d", c.Wins, c.Draws, c.Losses) }

func (r view) printCrosstable(w io.Writer) {
	t := format.Table("pairing", "games", "W–D–L", "score")
	for _, c := range r.Crosstable {
		t.AppendRow(table.Row{c.A + " against " + c.B, format.Count(c.Games), WDL(c.WDL), format.Percent(c.Score)})
	}
	format.Render(w, t)
}

// printHeadToHead says what the games of A against B prove.
func (r view) printHeadToHead(w io.Writer) {
	fmt.Fprintf(w, "%s against %s\n", r.A, r.B)
	p := r.Pentanomial
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "  %-24s %s\n", label, fmt.Sprintf(format, args...))
	}
	if p.Pairs() > 0 {
		line("pairs", "LL %d · LD %d · WL %d · DD %d · WD %d · WW %d", p.LL, p.LD, p.WL, p.DD, p.WD, p.WW)
	}
	if !r.Finished {
		r.printGoingOn(line)
		fmt.Fprintln(w)
		return
	}
	for _, i := range r.Intervals {
		line(IntervalLabel(i), "%s", Interval(i))
	}
	line("Elo", "%s", Elo(r.Elo))
	for _, t := range r.Tests {
		line(TestLabel(t.Method), "%s", Test(t))
		if t.Critical != nil && t.P != nil {
			line("", "%s", criticalText(t))
		}
	}
	if g := r.Gate; g != nil {
		line("gate", "%s", gateText(g))
		if g.Decision == stats.Pass || g.Decision == stats.Fail {
			line("", "figures above are biased by the stop; gogi gate %s has unbiased ones", r.Run)
		}
	}
	if d := r.Divergence; d != nil {
		line("divergence", "%s", divergenceText(d, r.PairVariance))
	}
	b := r.BlackAdvantage
	line("Black's advantage", "%s", Advantage(b))
	fmt.Fprintln(w)
}

// printGoingOn says what may be said before the end of a run.
func (r view) printGoingOn(line func(label, format string, args ...any)) {
	for _, i := range r.Intervals {
		if i.Method == "anytime" {
			line(IntervalLabel(i), "%s", Interval(i))
		}
	}
	if g := r.Gate; g != nil {
		line("gate", "%s", gateText(g))
	}
	line("", "the other intervals and the tests hold only at the end that was planned")
}

func IntervalLabel(i report.Interval) string {
	if i.Method == "anytime" {
		return "score, anytime"
	}
	of := i.Of
	if of == "win_rate_decisive" {
		return "win rate, decisive"
	}
	return "score, draws as half"
}

func Interval(i report.Interval) string {
	if i.Estimate == nil {
		return "unknown: " + i.Why
	}
	if i.Lo == nil {
		return format.Percent(*i.Estimate) + ", no interval: " + i.Why
	}
	if i.Method == "anytime" {
		return fmt.Sprintf("%s   [%s, %s]  %.0f%%, valid at any time", format.Percent(*i.Estimate), format.Percent(*i.Lo), format.Percent(*i.Hi), 100*i.Level)
	}
	kind := "exact (" + methodName(i.Method) + ")"
	if i.Approximate {
		kind = "approximate (" + methodName(i.Method) + ")"
	}
	return fmt.Sprintf("%s   [%s, %s]  %.0f%% %s", format.Percent(*i.Estimate), format.Percent(*i.Lo), format.Percent(*i.Hi), 100*i.Level, kind)
}

func methodName(method string) string {
	switch method {
	case "clopper_pearson":
		return "Clopper–Pearson"
	case "pair_normal":
		return "normal, variance over pairs"
	case "game_normal":
		return "normal, variance over games"
	}
	return method
}

func Elo(e report.Elo) string {
	if e.Estimate == nil && e.Lo == nil && e.Hi == nil {
		return "unknown: " + e.Why
	}
	if e.Estimate != nil && e.Lo == nil && e.Hi == nil {
		return fmt.Sprintf("%+.1f, no interval: %s", *e.Estimate, e.Why)
	}
	sign := -1 // of an infinite estimate: the end that is infinite too
	if e.Hi == nil {
		sign = 1
	}
	return fmt.Sprintf("%s   [%s, %s]  image of the exact interval", format.Elo(e.Estimate, sign), format.Elo(e.Lo, -1), format.Elo(e.Hi, 1))
}

func TestLabel(method string) string {
	if method == "binomial_exact" {
		return "exact binomial test"
	}
	return "exact pair test"
}

func Test(t report.Test) string {
	if t.P == nil {
		return "none: " + t.Why
	}
	words := fmt.Sprintf("p = %s two-sided", format.PValue(*t.P))
	if t.K == nil {
		return words + fmt.Sprintf(" (sign flips of %s pairs)", format.Count(t.N))
	}
	return words + fmt.Sprintf(", %d wins of %d", *t.K, t.N)
}

// criticalText says how many wins would have been significant.
func criticalText(t report.Test) string {
	var parts []string
	for _, c := range t.Critical {
		if c.Wins == nil {
			parts = append(parts, "no number at "+format.PercentShort(c.Alpha))
			continue
		}
		parts = append(parts, fmt.Sprintf("%d at %s", *c.Wins, format.PercentShort(c.Alpha)))
	}
	return fmt.Sprintf("wins of %d that are significant: %s", t.N, strings.Join(parts, ", "))
}

func gateText(g *report.Gate) string {
	state := string(g.Decision)
	if g.Decision == stats.Continue {
		state = "undecided"
	}
	return fmt.Sprintf("%s: %s after %s pairs (%s beyond), log likelihood ratio %s of [%.2f, %.2f]",
		g.Design, state, format.Count(g.Pairs), format.Count(g.Beyond), format.Decimal(g.LLR, 2), g.Lower, g.Upper)
}

func divergenceText(d *report.Divergence, variance *float64) string {
	if d.PerPly == nil {
		return "unknown: no position in which both chose"
	}
	return fmt.Sprintf("%s of the %s plies at which both chose in the same position; variance of pair scores %s",
		format.Percent(*d.PerPly), format.Count(d.Compared), format.Decimal(variance, 4))
}

func Advantage(b report.Advantage) string {
	n := b.Wins + b.Losses
	if b.Lo == nil {
		return "unknown: " + b.Why
	}
	return fmt.Sprintf("%s   [%s, %s]  Black won %d of %d decisive games, %d drawn",
		format.Percent(float64(b.Wins)/float64(n)), format.Percent(*b.Lo), format.Percent(*b.Hi), b.Wins, n, b.Draws)
}

func (r view) printTerminations(w io.Writer) {
	t := format.Table("games ended by", "loser", "games", "share")
	for _, e := range r.Terminations {
		loser := e.Loser
		if loser == "" {
			loser = "drawn"
		}
		t.AppendRow(table.Row{strings.ReplaceAll(e.Termination, "_", " "), loser, format.Count(e.Count), format.Percent(float64(e.Count) / float64(r.Games))})
	}
	format.Render(w, t)
}

func (r view) printPlay(w io.Writer) {
	t := format.Table("play", "depth", "nodes/move", "nodes/s", "ms/move", "worst overrun", "ponder hits")
	for _, p := range r.Players {
		ponder := "–"
		if n := p.PonderHits + p.PonderMisses; n > 0 {
			ponder = format.Percent(float64(p.PonderHits) / float64(n))
		}
		t.AppendRow(table.Row{
			p.Name, format.Decimal(p.Depth, 1), format.Decimal(p.NodesPerMove, 0), format.Decimal(p.NodesPerSecond, 0),
			format.Decimal(p.MillisPerMove, 1), fmt.Sprintf("%.0f ms", p.WorstOverrunMS), ponder,
		})
	}
	format.Render(w, t)
}

// printRemarks are the things that should be zero, and the length of games.
func (r view) printRemarks(w io.Writer) {
	fmt.Fprintf(w, "game length     mean %s plies, %d to %d\n", format.Decimal(r.Plies.Mean, 1), r.Plies.Min, r.Plies.Max)
	fmt.Fprintf(w, "duplicate games %s\n", duplicates(r.Duplicates))
	if len(r.Faults) == 0 {
		fmt.Fprintln(w, "faults          none")
	}
	for _, f := range r.Faults {
		fmt.Fprintf(w, "faults          %s: %s ×%d\n", f.Player, strings.ReplaceAll(f.Kind, "_", " "), f.Count)
	}
	for _, p := range r.Players {
		if p.Incomplete > 0 {
			fmt.Fprintf(w, "councils        %s of the votes of %s lacked a member that failed or said nothing legal: see gogi votes\n", format.Count(p.Incomplete), p.Name)
		}
	}
	if u := r.Unmarked; u != nil {
		fmt.Fprintf(w, "slowed moves    %d pairs had a move that the machine slowed; without them %d–%d–%d", u.Marked, u.Wins, u.Draws, u.Losses)
		if u.Score != nil {
			fmt.Fprintf(w, ", score %s", format.Percent(*u.Score))
		}
		fmt.Fprintln(w)
	}
}

func duplicates(n int) string {
	if n == 0 {
		return "none"
	}
	return format.Count(n) + " (equal to an earlier game move for move: they prove nothing new)"
}
