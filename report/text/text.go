// Package text prints a report as plain text: [Summary] and [Print] for a terminal, [Verdict] and [Markdown]
// for the decision of a gate (a run's sequential test). For each kind of figure, for example Elo, one
// function of this package decides the format.
package text

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/report"
	"gogi/stats"
)

// view is a report together with the language of the output.
type view struct {
	*report.Report
	in i18n.Language
}

// say translates a phrase into the view's language.
func (r view) say(phrase string, args ...any) string { return i18n.Say(r.in, phrase, args...) }

// Print writes the whole report as text for a terminal, in the given language.
func Print(w io.Writer, rep *report.Report, in i18n.Language) {
	r := view{rep, in}
	r.printTitle(w)
	r.printClaim(w)
	if r.Games == 0 {
		fmt.Fprintln(w, r.say("No game is finished yet."))
		return
	}
	if r.Ranking != nil {
		r.printRanking(w)
	} else {
		r.printPlayers(w)
	}
	if r.Tournament != nil {
		r.printTournament(w)
	}
	if len(r.Players) > 2 {
		r.printCrosstable(w)
	}
	if r.Tournament == nil && r.Ranking == nil {
		r.printHeadToHead(w)
	}
	r.printTerminations(w)
	r.printPlay(w)
	r.printWorkers(w)
	r.printRemarks(w)
}

func (r view) printTitle(w io.Writer) {
	title := r.say("%s · %s in %s · %s · rules %s", r.Run, i18n.Number{N: r.Games, Noun: "game"},
		i18n.Number{N: r.Pairs, Noun: "pair"}, r.progress(), r.Rules)
	fmt.Fprintf(w, "%s\n%s\n\n", title, strings.Repeat("═", format.Width(title)))
}

// printClaim writes the verdict as a sentence. It also writes remarks if results were visible during the run.
func (r view) printClaim(w io.Writer) {
	fmt.Fprintln(w, r.Verdict().Claim.In(r.in))
	for _, remark := range i18n.Each(r.in, r.Looks.Remarks) {
		fmt.Fprintf(w, "  %s\n", remark)
	}
	fmt.Fprintln(w)
}

func (r view) printPlayers(w io.Writer) {
	t := r.table("player", "limits", "games", "W", "D", "L", "points", "score", "W–D–L as Black", "W–D–L as White")
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

// table returns a table with the given column heads, translated from English.
func (r view) table(heads ...string) table.Writer {
	return format.Table(i18n.Heads(r.in, heads...)...)
}

// WDL returns wins, draws and losses in the usual notation: 12–3–5.
func WDL(c stats.WDL) string { return fmt.Sprintf("%d–%d–%d", c.Wins, c.Draws, c.Losses) }

func (r view) printCrosstable(w io.Writer) {
	t := r.table("pairing", "games", "W–D–L", "score")
	for _, c := range r.Crosstable {
		t.AppendRow(table.Row{r.say("%s against %s", c.A, c.B), format.Count(c.Games), WDL(c.WDL), format.Percent(c.Score)})
	}
	format.Render(w, t)
}

// lines writes lines. Each line has the name of a figure, then the figure.
type lines struct {
	w  io.Writer
	in i18n.Language
}

func (l lines) add(label, figure i18n.Message) { l.labelled("  ", 24, label, figure) }

// labelled writes a line: the label, padded to a width in terminal columns, and the text.
func (l lines) labelled(indent string, width int, label, text i18n.Message) {
	fmt.Fprintf(l.w, "%s%s %s\n", indent, format.Pad(label.In(l.in), width), text.In(l.in))
}

func (r view) printHeadToHead(w io.Writer) {
	fmt.Fprintln(w, r.say("%s against %s", r.A, r.B))
	out := lines{w, r.in}
	if p := r.Pentanomial; p.Pairs() > 0 {
		out.add(i18n.Of("pairs"), i18n.Verbatim(penta(p, " · ")))
	}
	out.add(i18n.Of("evidence"), report.DependenceWords(r.Dependence))
	if weight := report.WeightWords(r.Dependence); !weight.IsZero() {
		out.add(i18n.Message{}, weight)
	}
	if r.Finished && r.Looks.FixedLength {
		r.printFixed(out)
	} else {
		r.printAnytime(out)
	}
	if d := r.Divergence; d != nil {
		out.add(i18n.Of("divergence"), divergenceText(d, r.PairVariance))
	}
	out.add(i18n.Of("Black's advantage"), Advantage(r.BlackAdvantage))
	fmt.Fprintln(w)
}

// penta returns the text of a pentanomial: the number of pairs for each combination of A's two results. between is the
// text between two of these numbers. penta writes the letters LL to WW in every language.
func penta(p stats.Pentanomial, between string) string {
	return strings.Join([]string{
		fmt.Sprintf("LL %d", p.LL), fmt.Sprintf("LD %d", p.LD), fmt.Sprintf("WL %d", p.WL),
		fmt.Sprintf("DD %d", p.DD), fmt.Sprintf("WD %d", p.WD), fmt.Sprintf("WW %d", p.WW),
	}, between)
}

// printFixed prints the figures for a number of games that was fixed beforehand. Figures by pairs come first,
// then those that assume independent games.
func (r view) printFixed(out lines) {
	if i := r.Interval("score"); i != nil {
		out.add(IntervalLabel(*i), Interval(*i))
	}
	out.add(i18n.Of("Elo"), Elo(r.Elo))
	for _, t := range r.Tests {
		if t.Assumes == "" {
			out.add(TestLabel(t), Test(t))
		}
	}
	fmt.Fprintf(out.w, "  %s\n", r.say("%s:", IfIndependent(r.Report)))
	for _, i := range r.Intervals {
		if i.Assumes != "" {
			out.add(IntervalLabel(i), Interval(i))
		}
	}
	out.add(i18n.Of("Elo of decisive games"), Elo(r.EloDecisive))
	for _, t := range r.Tests {
		if t.Assumes == "" {
			continue
		}
		out.add(TestLabel(t), Test(t))
		if t.Critical != nil && t.P != nil {
			out.add(i18n.Message{}, criticalText(t))
		}
	}
}

// IfIndependent returns the heading above the figures that are valid only if all games are independent.
func IfIndependent(r *report.Report) i18n.Message {
	if r.Pentanomial.Pairs() > 0 {
		return i18n.Of("taking games as independent, which the two of a pair are not")
	}
	return i18n.Of("taking games as independent")
}

// printAnytime writes the figures that are valid before the end of a run, or after a test stopped the run.
func (r view) printAnytime(out lines) {
	for _, i := range r.Intervals {
		if i.Method == "anytime" {
			out.add(IntervalLabel(i), Interval(i))
		}
	}
	if g := r.Gate; g != nil {
		out.add(i18n.Of("gate"), Gate(g))
		if g.Decision != stats.Continue {
			out.add(i18n.Of("Elo, corrected"), StoppedElo(g.Elo))
		}
	}
	if !r.Finished {
		out.add(i18n.Message{}, i18n.Of("the other intervals and the tests hold only at the end that was planned"))
	}
}

// unknown returns the text of a missing figure, with the reason.
func unknown(why i18n.Message) i18n.Message { return i18n.Of("unknown: %s", why) }

// StoppedElo returns text with a rating difference that is corrected for early stopping.
func StoppedElo(e report.Elo) i18n.Message {
	if unknownElo(e) {
		return unknown(e.Why)
	}
	return i18n.Of("%s  95%% confidence interval, corrected for early stopping", eloShort(e))
}

// IntervalLabel returns the name of the quantity that an interval estimates.
func IntervalLabel(i report.Interval) i18n.Message {
	switch {
	case i.Method == "anytime":
		return i18n.Of("score, at any time")
	case i.Of == "win_rate_decisive":
		return i18n.Of("wins of decisive games")
	}
	return i18n.Of("score")
}

// Interval returns text with the estimate and its interval, the confidence level, and the number of
// independent observations.
func Interval(i report.Interval) i18n.Message {
	switch {
	case i.Estimate == nil:
		return unknown(i.Why)
	case i.Lo == nil:
		return i18n.Of("%s, no interval: %s", format.Percent(*i.Estimate), i.Why)
	}
	return i18n.Of("%s   [%s, %s]  %s %s", format.Percent(*i.Estimate), format.Percent(*i.Lo), format.Percent(*i.Hi),
		format.PercentShort(i.Level), basis(i))
}

// basis returns text about the observations behind an interval.
func basis(i report.Interval) i18n.Message {
	units := UnitsOf(i)
	switch {
	case i.Method == "anytime" && i.Unit == "opening":
		return i18n.Of("at any time, by the first pair of %s", units)
	case i.Method == "anytime":
		return i18n.Of("at any time, by %s", units)
	case i.Method == "clopper_pearson":
		return i18n.Of("Clopper–Pearson, %s", units)
	case i.Assumes != "":
		return i18n.Verbatim(format.Words(i.Method) + ", " + format.NumberOf(i.N, format.Words(i.Unit)))
	}
	return i18n.Of("by %s", units)
}

// UnitsOf returns the number of independent observations from which an interval was calculated, with their
// noun, such as "12 pairs".
func UnitsOf(i report.Interval) i18n.Number {
	switch i.Unit {
	case "opening":
		return i18n.Number{N: i.N, Noun: "opening"}
	case "pair":
		return i18n.Number{N: i.N, Noun: "pair"}
	case "decisive_game":
		return i18n.Number{N: i.N, Noun: "decisive game"}
	}
	return i18n.Number{N: i.N, Noun: "game"}
}

// unknownElo reports whether a rating difference has neither a value nor an interval.
func unknownElo(e report.Elo) bool { return e.Estimate == nil && e.Lo == nil && e.Hi == nil }

// Elo returns text with a rating difference and its interval.
func Elo(e report.Elo) i18n.Message {
	switch {
	case unknownElo(e):
		return unknown(e.Why)
	case e.Lo == nil && e.Hi == nil:
		return i18n.Of("%s, no interval: %s", fmt.Sprintf("%+.1f", *e.Estimate), e.Why)
	}
	return i18n.Verbatim(eloShort(e))
}

// eloShort returns the text of a rating difference and the ends of its interval. A missing end is printed as
// infinite.
func eloShort(e report.Elo) string {
	sign := -1 // sign of an infinite estimate: the same as of the infinite end
	if e.Hi == nil {
		sign = 1
	}
	return format.Elo(e.Estimate, sign) + "   " + e.EloText()
}

// TestLabel returns the name of a test.
func TestLabel(t report.Test) i18n.Message {
	if t.Method == "binomial_exact" {
		return i18n.Of("binomial test")
	}
	return i18n.Of("test of equal players")
}

// Test returns the text of a test's result.
func Test(t report.Test) i18n.Message {
	switch {
	case t.P == nil:
		return i18n.Of("none: %s", t.Why)
	case t.K == nil:
		return i18n.Of("p = %s two-sided, %s", format.PValue(*t.P), report.TestWords(t))
	}
	return i18n.Of("p = %s two-sided, %s of %d", format.PValue(*t.P), i18n.Number{N: *t.K, Noun: "win"}, t.N)
}

func criticalText(t report.Test) i18n.Message {
	var parts i18n.Row
	for _, c := range t.Critical {
		if c.Wins == nil {
			parts = append(parts, i18n.Of("no number at %s", format.PercentShort(c.Alpha)))
			continue
		}
		parts = append(parts, i18n.Of("%d at %s", *c.Wins, format.PercentShort(c.Alpha)))
	}
	return i18n.Of("wins of %d that are significant: %s", t.N, parts)
}

// Gate returns one line of text with the state of a sequential test.
func Gate(g *report.Gate) i18n.Message {
	state := Decided(g.Decision)
	if g.Withdrawn != "" {
		state = i18n.Of("%s (%s withdrawn)", state, Decided(g.Withdrawn))
	}
	return i18n.Of("%s: %s after %s from %s (%s beyond), log likelihood ratio %s of [%.2f, %.2f]",
		g.Design, state, i18n.Number{N: g.Pairs, Noun: "pair"}, i18n.Number{N: g.Openings, Noun: "opening"},
		format.Count(g.Beyond), format.Decimal(g.LLR, 2), g.Lower, g.Upper)
}

// Decided returns the decision of a sequential test as text.
func Decided(d stats.Decision) i18n.Message {
	if d == stats.Continue {
		return i18n.Of("undecided")
	}
	return i18n.Of(string(d))
}

func divergenceText(d *report.Divergence, variance *float64) i18n.Message {
	if d.PerPly == nil {
		return unknown(i18n.Of("no position in which both chose"))
	}
	return i18n.Of("%s of the %s plies at which both chose in the same position; variance of pair scores %s",
		format.Percent(*d.PerPly), format.Count(d.Compared), format.Decimal(variance, 4))
}

// Advantage returns text with Black's results over all games.
func Advantage(b report.Advantage) i18n.Message {
	k, n := b.Decisive()
	if n == 0 {
		return unknown(b.Why)
	}
	share, counts := format.Percent(float64(k)/float64(n)), []any{format.Count(k), format.Count(n), format.Count(b.Draws)}
	if b.Lo == nil {
		return i18n.Of("%s   %s", share, i18n.Of("Black won %s of %s decisive games, %s drawn", counts...))
	}
	return i18n.Of("%s   [%s, %s]  %s", share, format.Percent(*b.Lo), format.Percent(*b.Hi),
		i18n.Of("Black won %s of %s decisive games, %s drawn; games as independent", counts...))
}

// Ending returns the text for a termination, which is the way in which a game ended. It returns a termination
// that this version of gogi does not know unchanged.
func Ending(termination string) i18n.Message { return i18n.Of(format.Words(termination)) }

func (r view) printTerminations(w io.Writer) {
	t := r.table("games ended by", "loser", "games", "share")
	for _, e := range r.Terminations {
		loser := cmp.Or(e.Loser, r.say("drawn"))
		t.AppendRow(table.Row{Ending(e.Termination).In(r.in), loser, format.Count(e.Count),
			format.Percent(float64(e.Count) / float64(r.Games))})
	}
	format.Render(w, t)
}

func (r view) printPlay(w io.Writer) {
	t := r.table("play", "depth", "nodes/move", "nodes/s", "ms/move", "worst overrun", "ponder hits")
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

func (r view) remark(w io.Writer, name, message i18n.Message) {
	lines{w, r.in}.labelled("", 15, name, message)
}

// printFaults writes the faults of each player, or "none". line is the function that writes one line.
func (r view) printFaults(w io.Writer, line func(w io.Writer, name, text i18n.Message), name i18n.Message) {
	if len(r.Faults) == 0 {
		line(w, name, i18n.Of("none"))
	}
	for _, f := range r.Faults {
		line(w, name, i18n.Of("%s: %s", f.Player, i18n.Of("%s ×%d", Ending(f.Kind), f.Count)))
	}
	r.printBundles(w, line)
}

// shownBundles is the largest number of crash dumps that the report names.
const shownBundles = 3

// printBundles writes the names of crash dumps, which can be replayed. line writes a title and its text.
func (r view) printBundles(w io.Writer, line func(w io.Writer, name, text i18n.Message)) {
	for i, path := range r.Bundles[:min(shownBundles, len(r.Bundles))] {
		title := ""
		if i == 0 {
			title = "gogi check --replay"
		}
		line(w, i18n.Verbatim(title), i18n.Verbatim(sanitize.Printable(path, 4000)))
	}
	if more := len(r.Bundles) - shownBundles; more > 0 {
		line(w, i18n.Message{}, i18n.Of("and %s more", format.Count(more)))
	}
}

// printRemarks writes the counts that should be zero, and the length of the games.
func (r view) printRemarks(w io.Writer) {
	r.remark(w, i18n.Of("game length"),
		i18n.Of("mean %s plies, %d to %d", format.Decimal(r.Plies.Mean, 1), r.Plies.Min, r.Plies.Max))
	r.remark(w, i18n.Of("duplicate games"), duplicates(r.Duplicates))
	if r.Mates != nil {
		r.remark(w, i18n.Of("mate solver"), Asked(*r.Mates))
	}
	for i := range r.Players {
		if message := FromBook(&r.Players[i]); !message.IsZero() {
			r.remark(w, i18n.Of("book moves"), message)
		}
	}
	r.printFaults(w, r.remark, i18n.Of("faults"))
	for _, warning := range r.LimitWarnings() {
		r.remark(w, i18n.Of("limits"), warning)
	}
	for _, p := range r.Players {
		if p.Incomplete > 0 {
			r.remark(w, i18n.Of("councils"),
				i18n.Of("%s of the votes of %s lacked a member that failed or sent no legal move: see gogi votes",
					format.Count(p.Incomplete), p.Name))
		}
	}
	if u := r.Unmarked; u != nil {
		message := i18n.Of("%s had a move that the machine slowed; without them %d–%d–%d",
			i18n.Number{N: u.Marked, Noun: "pair"}, u.Wins, u.Draws, u.Losses)
		if u.Score != nil {
			message = i18n.Of("%s, score %s", message, format.Percent(*u.Score))
		}
		r.remark(w, i18n.Of("slowed moves"), message)
	}
}

// Asked returns text about how often gogi asked a mate solver in a run, and about the results.
func Asked(q match.Questions) i18n.Message {
	return i18n.Of("asked %s, claimed a mate %s: proven %s, refuted %s, not proven %s; failed %s",
		i18n.Number{N: q.Asked, Noun: "time"}, i18n.Number{N: q.Claimed, Noun: "time"},
		format.Count(q.Proven), format.Count(q.Refuted), format.Count(q.Unproven), i18n.Number{N: q.Failed, Noun: "time"})
}

// FromBook returns text with the number of moves that a player made from its book. It returns the zero value
// if the player has no book.
func FromBook(p *report.Player) i18n.Message {
	switch {
	case p.BookMoves == nil:
		return i18n.Message{}
	case p.Moves() == 0:
		return i18n.Of("%s: %s of %s moves", p.Name, format.Count(*p.BookMoves), format.Count(p.Moves()))
	}
	return i18n.Of("%s: %s of %s moves (%s)", p.Name, format.Count(*p.BookMoves), format.Count(p.Moves()),
		format.Percent(float64(*p.BookMoves)/float64(p.Moves())))
}

func duplicates(n int) i18n.Message {
	if n == 0 {
		return i18n.Of("none")
	}
	return i18n.Of("%s (equal to an earlier game, move for move)", format.Count(n))
}

// Design returns the name of a tournament design. It returns a design that this version of gogi does not know
// unchanged.
func Design(kind string) i18n.Message { return i18n.Of(format.Words(kind)) }
