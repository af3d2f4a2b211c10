// Package text tells a report in plain text: for a terminal, for a pull request, and a
// gate's verdict for a release note.
package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/foreign"
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
	r.printClaim(w)
	if r.Games == 0 {
		fmt.Fprintln(w, "No game is finished yet.")
		return
	}
	r.printPlayers(w)
	if r.Tournament != nil {
		r.printTournament(w)
	}
	if len(r.Players) > 2 {
		r.printCrosstable(w)
	}
	if r.Tournament == nil {
		r.printHeadToHead(w)
	}
	r.printTerminations(w)
	r.printPlay(w)
	r.printWorkers(w)
	r.printRemarks(w)
}

func (r view) printTitle(w io.Writer) {
	state := "finished"
	if !r.Finished {
		state = fmt.Sprintf("unfinished, %d of %s%d pairs", r.Pairs, r.UpTo(), r.Planned)
	}
	if slowed := r.Slowed().String(); slowed != "" {
		state += " · " + slowed
	}
	title := fmt.Sprintf("%s · %s in %s · %s · rules %s", r.Run, format.NumberOf(r.Games, "game"), format.NumberOf(r.Pairs, "pair"), state, r.Rules)
	fmt.Fprintf(w, "%s\n%s\n\n", title, strings.Repeat("═", text.StringWidthWithoutEscSequences(title)))
}

// printClaim is the verdict in a sentence, and what of the way there touches it.
func (r view) printClaim(w io.Writer) {
	fmt.Fprintln(w, r.Verdict().Claim)
	for _, said := range r.Looks.Remarks {
		remark := said.String()
		fmt.Fprintf(w, "  %s\n", remark)
	}
	fmt.Fprintln(w)
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

// WDL is wins, draws and losses as everybody writes them: 12–3–5.
func WDL(c stats.WDL) string { return fmt.Sprintf("%d–%d–%d", c.Wins, c.Draws, c.Losses) }

func (r view) printCrosstable(w io.Writer) {
	t := format.Table("pairing", "games", "W–D–L", "score")
	for _, c := range r.Crosstable {
		t.AppendRow(table.Row{c.A + " against " + c.B, format.Count(c.Games), WDL(c.WDL), format.Percent(c.Score)})
	}
	format.Render(w, t)
}

// lines writes figures with their names.
type lines struct{ w io.Writer }

func (l lines) add(label, format string, args ...any) {
	fmt.Fprintf(l.w, "  %-24s %s\n", label, fmt.Sprintf(format, args...))
}

// printHeadToHead says what the games of A against B prove.
func (r view) printHeadToHead(w io.Writer) {
	fmt.Fprintf(w, "%s against %s\n", r.A, r.B)
	p, out := r.Pentanomial, lines{w}
	if p.Pairs() > 0 {
		out.add("pairs", "LL %d · LD %d · WL %d · DD %d · WD %d · WW %d", p.LL, p.LD, p.WL, p.DD, p.WD, p.WW)
	}
	out.add("evidence", "%s", report.DependenceWords(r.Dependence))
	if weight := report.WeightWords(r.Dependence); weight != "" {
		out.add("", "%s", weight)
	}
	if r.Finished && r.Looks.FixedLength {
		r.printFixed(out)
	} else {
		r.printAnytime(out)
	}
	if d := r.Divergence; d != nil {
		out.add("divergence", "%s", divergenceText(d, r.PairVariance))
	}
	out.add("Black's advantage", "%s", Advantage(r.BlackAdvantage))
	fmt.Fprintln(w)
}

// printFixed is what holds for a number of games that was fixed beforehand: what goes by
// pairs, and then what takes each game for independent.
func (r view) printFixed(out lines) {
	if i := r.Interval("score"); i != nil {
		out.add(IntervalLabel(*i), "%s", Interval(*i))
	}
	out.add("Elo", "%s", Elo(r.Elo))
	for _, t := range r.Tests {
		if t.Assumes == "" {
			out.add(TestLabel(t), "%s", Test(t))
		}
	}
	fmt.Fprintf(out.w, "  %s:\n", IfIndependent(r.Report))
	for _, i := range r.Intervals {
		if i.Assumes != "" {
			out.add(IntervalLabel(i), "%s", Interval(i))
		}
	}
	out.add("Elo of decisive games", "%s", Elo(r.EloDecisive))
	for _, t := range r.Tests {
		if t.Assumes == "" {
			continue
		}
		out.add(TestLabel(t), "%s", Test(t))
		if t.Critical != nil && t.P != nil {
			out.add("", "%s", criticalText(t))
		}
	}
}

// IfIndependent heads what takes each game for independent.
func IfIndependent(r *report.Report) string {
	if r.Pentanomial.Pairs() > 0 {
		return "taking games as independent, which the two of a pair are not"
	}
	return "taking games as independent"
}

// printAnytime says what may be said before the end of a run, or where a test stopped
// it.
func (r view) printAnytime(out lines) {
	for _, i := range r.Intervals {
		if i.Method == "anytime" {
			out.add(IntervalLabel(i), "%s", Interval(i))
		}
	}
	if g := r.Gate; g != nil {
		out.add("gate", "%s", Gate(g))
		if g.Decision != stats.Continue {
			out.add("Elo after the stop", "%s", StoppedElo(g.Elo))
		}
	}
	if !r.Finished {
		out.add("", "the other intervals and the tests hold only at the end that was planned")
	}
}

// StoppedElo is the rating difference that allows for where a test stopped.
func StoppedElo(e report.Elo) string {
	if e.Estimate == nil && e.Lo == nil && e.Hi == nil {
		return "unknown: " + e.Why.String()
	}
	return eloShort(e) + "  95%, allowing for the stop, unlike the raw score"
}

// IntervalLabel says what an interval is of.
func IntervalLabel(i report.Interval) string {
	switch {
	case i.Method == "anytime":
		return "score, at any time"
	case i.Of == "win_rate_decisive":
		return "wins of decisive games"
	}
	return "score"
}

// Interval is an interval with its level and what it goes by.
func Interval(i report.Interval) string {
	if i.Estimate == nil {
		return "unknown: " + i.Why.String()
	}
	if i.Lo == nil {
		return format.Percent(*i.Estimate) + ", no interval: " + i.Why.String()
	}
	return fmt.Sprintf("%s   [%s, %s]  %s %s", format.Percent(*i.Estimate), format.Percent(*i.Lo), format.Percent(*i.Hi), format.PercentShort(i.Level), basis(i))
}

// basis is what an interval goes by.
func basis(i report.Interval) string {
	unit := format.NumberOf(i.N, format.Words(i.Unit))
	switch {
	case i.Method == "anytime" && i.Unit == "opening":
		return "at any time, by the first pair of " + unit
	case i.Method == "anytime":
		return "at any time, by " + unit
	case i.Assumes != "":
		return methodName(i.Method) + ", " + unit
	}
	return "by " + unit
}

func methodName(method string) string {
	if method == "clopper_pearson" {
		return "Clopper–Pearson"
	}
	return format.Words(method)
}

// Elo is a rating difference with its interval.
func Elo(e report.Elo) string {
	if e.Estimate == nil && e.Lo == nil && e.Hi == nil {
		return "unknown: " + e.Why.String()
	}
	if e.Estimate != nil && e.Lo == nil && e.Hi == nil {
		return fmt.Sprintf("%+.1f, no interval: %s", *e.Estimate, e.Why)
	}
	return eloShort(e)
}

// TestLabel names a test.
func TestLabel(t report.Test) string {
	if t.Method == "binomial_exact" {
		return "binomial test"
	}
	return "test of equal players"
}

// Test is what a test found.
func Test(t report.Test) string {
	if t.P == nil {
		return "none: " + t.Why.String()
	}
	words := fmt.Sprintf("p = %s two-sided", format.PValue(*t.P))
	if t.K == nil {
		return words + ", " + report.TestWords(t)
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

// Gate is the state of a sequential test in a line.
func Gate(g *report.Gate) string {
	state := string(g.Decision)
	if g.Decision == stats.Continue {
		state = "undecided"
	}
	if g.Withdrawn != "" {
		state += fmt.Sprintf(" (%s withdrawn)", g.Withdrawn)
	}
	return fmt.Sprintf("%s: %s after %s from %s (%s beyond), log likelihood ratio %s of [%.2f, %.2f]",
		g.Design, state, format.NumberOf(g.Pairs, "pair"), format.NumberOf(g.Openings, "opening"), format.Count(g.Beyond), format.Decimal(g.LLR, 2), g.Lower, g.Upper)
}

func divergenceText(d *report.Divergence, variance *float64) string {
	if d.PerPly == nil {
		return "unknown: no position in which both chose"
	}
	return fmt.Sprintf("%s of the %s plies at which both chose in the same position; variance of pair scores %s",
		format.Percent(*d.PerPly), format.Count(d.Compared), format.Decimal(variance, 4))
}

// Advantage is how Black did, whoever that was.
func Advantage(b report.Advantage) string {
	k, n := b.Decisive()
	if n == 0 {
		return "unknown: " + b.Why.String()
	}
	interval, words := "", fmt.Sprintf("Black won %s of %s decisive games, %s drawn", format.Count(k), format.Count(n), format.Count(b.Draws))
	if b.Lo != nil {
		interval = fmt.Sprintf("[%s, %s]  ", format.Percent(*b.Lo), format.Percent(*b.Hi))
		words += "; games as independent"
	}
	return fmt.Sprintf("%s   %s%s", format.Percent(float64(k)/float64(n)), interval, words)
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

// shownBundles are named one by one.
const shownBundles = 3

// printBundles names the files that can be replayed.
func (r view) printBundles(w io.Writer) {
	for i, path := range r.Bundles[:min(shownBundles, len(r.Bundles))] {
		title := ""
		if i == 0 {
			title = "gogi replay"
		}
		fmt.Fprintf(w, "%-15s %s\n", title, foreign.Printable(path, 4000))
	}
	if more := len(r.Bundles) - shownBundles; more > 0 {
		fmt.Fprintf(w, "%-15s and %s more beside them\n", "", format.Count(more))
	}
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
	r.printBundles(w)
	for _, p := range r.Players {
		if p.Incomplete > 0 {
			fmt.Fprintf(w, "councils        %s of the votes of %s lacked a member that failed or said nothing legal: see gogi votes\n", format.Count(p.Incomplete), p.Name)
		}
	}
	if u := r.Unmarked; u != nil {
		fmt.Fprintf(w, "slowed moves    %s had a move that the machine slowed; without them %d–%d–%d", format.NumberOf(u.Marked, "pair"), u.Wins, u.Draws, u.Losses)
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
	return format.Count(n) + " (equal to an earlier game, move for move)"
}
