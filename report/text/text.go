// Package text tells a report in plain text: for a terminal, for a pull request, and a
// gate's verdict for a release note.
package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/internal/phrases"
	"gogi/match"
	"gogi/report"
	"gogi/stats"
)

// view is a report under the functions that print it in a tongue.
type view struct {
	*report.Report
	in phrases.Tongue
}

// say is a phrase in the view's tongue.
func (r view) say(phrase string, args ...any) string { return phrases.Say(r.in, phrase, args...) }

// Print writes the report as a person reads it in a terminal, in a tongue.
func Print(w io.Writer, rep *report.Report, in phrases.Tongue) {
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
	state := phrases.Of("finished")
	if !r.Finished {
		state = phrases.Of("unfinished, %d of %s%d pairs", r.Pairs, r.UpTo(), r.Planned)
	}
	if slowed := r.Slowed(); !slowed.IsZero() {
		state = phrases.Of("%s · %s", state, slowed)
	}
	title := r.say("%s · %s in %s · %s · rules %s", r.Run, phrases.Number{N: r.Games, Noun: "game"}, phrases.Number{N: r.Pairs, Noun: "pair"}, state, r.Rules)
	fmt.Fprintf(w, "%s\n%s\n\n", title, strings.Repeat("═", format.Width(title)))
}

// printClaim is the verdict in a sentence, and what of the way there touches it.
func (r view) printClaim(w io.Writer) {
	fmt.Fprintln(w, r.Verdict().Claim.In(r.in))
	for _, remark := range phrases.Each(r.in, r.Looks.Remarks) {
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

// table begins a table with these heads, in English.
func (r view) table(heads ...string) table.Writer {
	return format.Table(phrases.Heads(r.in, heads...)...)
}

// WDL is wins, draws and losses as everybody writes them: 12–3–5.
func WDL(c stats.WDL) string { return fmt.Sprintf("%d–%d–%d", c.Wins, c.Draws, c.Losses) }

func (r view) printCrosstable(w io.Writer) {
	t := r.table("pairing", "games", "W–D–L", "score")
	for _, c := range r.Crosstable {
		t.AppendRow(table.Row{r.say("%s against %s", c.A, c.B), format.Count(c.Games), WDL(c.WDL), format.Percent(c.Score)})
	}
	format.Render(w, t)
}

// lines writes figures with their names.
type lines struct {
	w  io.Writer
	in phrases.Tongue
}

// labelWidth is the room of a label, in columns of the terminal.
const labelWidth = 24

func (l lines) add(label, figure phrases.Said) {
	fmt.Fprintf(l.w, "  %s %s\n", format.Pad(label.In(l.in), labelWidth), figure.In(l.in))
}

// printHeadToHead says what the games of A against B prove.
func (r view) printHeadToHead(w io.Writer) {
	fmt.Fprintln(w, r.say("%s against %s", r.A, r.B))
	out := lines{w, r.in}
	if p := r.Pentanomial; p.Pairs() > 0 {
		out.add(phrases.Of("pairs"), phrases.Verbatim(penta(p, " · ")))
	}
	out.add(phrases.Of("evidence"), report.DependenceWords(r.Dependence))
	if weight := report.WeightWords(r.Dependence); !weight.IsZero() {
		out.add(phrases.Said{}, weight)
	}
	if r.Finished && r.Looks.FixedLength {
		r.printFixed(out)
	} else {
		r.printAnytime(out)
	}
	if d := r.Divergence; d != nil {
		out.add(phrases.Of("divergence"), divergenceText(d, r.PairVariance))
	}
	out.add(phrases.Of("Black's advantage"), Advantage(r.BlackAdvantage))
	fmt.Fprintln(w)
}

// penta is how many pairs had which two results of A's, in letters that all tongues share.
func penta(p stats.Pentanomial, between string) string {
	return strings.Join([]string{
		fmt.Sprintf("LL %d", p.LL), fmt.Sprintf("LD %d", p.LD), fmt.Sprintf("WL %d", p.WL),
		fmt.Sprintf("DD %d", p.DD), fmt.Sprintf("WD %d", p.WD), fmt.Sprintf("WW %d", p.WW),
	}, between)
}

// printFixed is what holds for a number of games that was fixed beforehand: what goes by
// pairs, and then what takes each game for independent.
func (r view) printFixed(out lines) {
	if i := r.Interval("score"); i != nil {
		out.add(IntervalLabel(*i), Interval(*i))
	}
	out.add(phrases.Of("Elo"), Elo(r.Elo))
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
	out.add(phrases.Of("Elo of decisive games"), Elo(r.EloDecisive))
	for _, t := range r.Tests {
		if t.Assumes == "" {
			continue
		}
		out.add(TestLabel(t), Test(t))
		if t.Critical != nil && t.P != nil {
			out.add(phrases.Said{}, criticalText(t))
		}
	}
}

// IfIndependent heads what takes each game for independent.
func IfIndependent(r *report.Report) phrases.Said {
	if r.Pentanomial.Pairs() > 0 {
		return phrases.Of("taking games as independent, which the two of a pair are not")
	}
	return phrases.Of("taking games as independent")
}

// printAnytime says what may be said before the end of a run, or where a test stopped
// it.
func (r view) printAnytime(out lines) {
	for _, i := range r.Intervals {
		if i.Method == "anytime" {
			out.add(IntervalLabel(i), Interval(i))
		}
	}
	if g := r.Gate; g != nil {
		out.add(phrases.Of("gate"), Gate(g))
		if g.Decision != stats.Continue {
			out.add(phrases.Of("Elo after the stop"), StoppedElo(g.Elo))
		}
	}
	if !r.Finished {
		out.add(phrases.Said{}, phrases.Of("the other intervals and the tests hold only at the end that was planned"))
	}
}

// unknown is a figure that there is not, with the reason.
func unknown(why phrases.Said) phrases.Said { return phrases.Of("unknown: %s", why) }

// StoppedElo is the rating difference that allows for where a test stopped.
func StoppedElo(e report.Elo) phrases.Said {
	if e.Estimate == nil && e.Lo == nil && e.Hi == nil {
		return unknown(e.Why)
	}
	return phrases.Of("%s  95%%, allowing for the stop, unlike the raw score", eloShort(e))
}

// IntervalLabel says what an interval is of.
func IntervalLabel(i report.Interval) phrases.Said {
	switch {
	case i.Method == "anytime":
		return phrases.Of("score, at any time")
	case i.Of == "win_rate_decisive":
		return phrases.Of("wins of decisive games")
	}
	return phrases.Of("score")
}

// Interval is an interval with its level and what it goes by.
func Interval(i report.Interval) phrases.Said {
	switch {
	case i.Estimate == nil:
		return unknown(i.Why)
	case i.Lo == nil:
		return phrases.Of("%s, no interval: %s", format.Percent(*i.Estimate), i.Why)
	}
	return phrases.Of("%s   [%s, %s]  %s %s", format.Percent(*i.Estimate), format.Percent(*i.Lo), format.Percent(*i.Hi), format.PercentShort(i.Level), basis(i))
}

// basis is what an interval goes by.
func basis(i report.Interval) phrases.Said {
	units := UnitsOf(i)
	switch {
	case i.Method == "anytime" && i.Unit == "opening":
		return phrases.Of("at any time, by the first pair of %s", units)
	case i.Method == "anytime":
		return phrases.Of("at any time, by %s", units)
	case i.Method == "clopper_pearson":
		return phrases.Of("Clopper–Pearson, %s", units)
	case i.Assumes != "":
		return phrases.Verbatim(format.Words(i.Method) + ", " + format.NumberOf(i.N, format.Words(i.Unit)))
	}
	return phrases.Of("by %s", units)
}

// UnitsOf is how many observations an interval goes by.
func UnitsOf(i report.Interval) phrases.Number {
	switch i.Unit {
	case "opening":
		return phrases.Number{N: i.N, Noun: "opening"}
	case "pair":
		return phrases.Number{N: i.N, Noun: "pair"}
	case "decisive_game":
		return phrases.Number{N: i.N, Noun: "decisive game"}
	}
	return phrases.Number{N: i.N, Noun: "game"}
}

// Elo is a rating difference with its interval.
func Elo(e report.Elo) phrases.Said {
	switch {
	case e.Estimate == nil && e.Lo == nil && e.Hi == nil:
		return unknown(e.Why)
	case e.Lo == nil && e.Hi == nil:
		return phrases.Of("%s, no interval: %s", fmt.Sprintf("%+.1f", *e.Estimate), e.Why)
	}
	return phrases.Verbatim(eloShort(e))
}

// TestLabel names a test.
func TestLabel(t report.Test) phrases.Said {
	if t.Method == "binomial_exact" {
		return phrases.Of("binomial test")
	}
	return phrases.Of("test of equal players")
}

// Test is what a test found.
func Test(t report.Test) phrases.Said {
	switch {
	case t.P == nil:
		return phrases.Of("none: %s", t.Why)
	case t.K == nil:
		return phrases.Of("p = %s two-sided, %s", format.PValue(*t.P), report.TestWords(t))
	}
	return phrases.Of("p = %s two-sided, %s of %d", format.PValue(*t.P), phrases.Number{N: *t.K, Noun: "win"}, t.N)
}

// criticalText says how many wins would have been significant.
func criticalText(t report.Test) phrases.Said {
	var parts phrases.Row
	for _, c := range t.Critical {
		if c.Wins == nil {
			parts = append(parts, phrases.Of("no number at %s", format.PercentShort(c.Alpha)))
			continue
		}
		parts = append(parts, phrases.Of("%d at %s", *c.Wins, format.PercentShort(c.Alpha)))
	}
	return phrases.Of("wins of %d that are significant: %s", t.N, parts)
}

// Gate is the state of a sequential test in a line.
func Gate(g *report.Gate) phrases.Said {
	state := Decided(g.Decision)
	if g.Withdrawn != "" {
		state = phrases.Of("%s (%s withdrawn)", state, Decided(g.Withdrawn))
	}
	return phrases.Of("%s: %s after %s from %s (%s beyond), log likelihood ratio %s of [%.2f, %.2f]",
		g.Design, state, phrases.Number{N: g.Pairs, Noun: "pair"}, phrases.Number{N: g.Openings, Noun: "opening"}, format.Count(g.Beyond), format.Decimal(g.LLR, 2), g.Lower, g.Upper)
}

// Decided is what a sequential test has come to.
func Decided(d stats.Decision) phrases.Said {
	if d == stats.Continue {
		return phrases.Of("undecided")
	}
	return phrases.Of(string(d))
}

func divergenceText(d *report.Divergence, variance *float64) phrases.Said {
	if d.PerPly == nil {
		return unknown(phrases.Of("no position in which both chose"))
	}
	return phrases.Of("%s of the %s plies at which both chose in the same position; variance of pair scores %s",
		format.Percent(*d.PerPly), format.Count(d.Compared), format.Decimal(variance, 4))
}

// Advantage is how Black did, whoever that was.
func Advantage(b report.Advantage) phrases.Said {
	k, n := b.Decisive()
	if n == 0 {
		return unknown(b.Why)
	}
	share, counts := format.Percent(float64(k)/float64(n)), []any{format.Count(k), format.Count(n), format.Count(b.Draws)}
	if b.Lo == nil {
		return phrases.Of("%s   %s", share, phrases.Of("Black won %s of %s decisive games, %s drawn", counts...))
	}
	return phrases.Of("%s   [%s, %s]  %s", share, format.Percent(*b.Lo), format.Percent(*b.Hi),
		phrases.Of("Black won %s of %s decisive games, %s drawn; games as independent", counts...))
}

// Ending is a termination in words; one that this program does not know is shown as it is.
func Ending(termination string) phrases.Said { return phrases.Of(format.Words(termination)) }

func (r view) printTerminations(w io.Writer) {
	t := r.table("games ended by", "loser", "games", "share")
	for _, e := range r.Terminations {
		loser := e.Loser
		if loser == "" {
			loser = r.say("drawn")
		}
		t.AppendRow(table.Row{Ending(e.Termination).In(r.in), loser, format.Count(e.Count), format.Percent(float64(e.Count) / float64(r.Games))})
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

// remarkWidth is the room of a remark's name, in columns of the terminal.
const remarkWidth = 15

// remark writes what a remark is about, and the remark.
func (r view) remark(w io.Writer, name, said phrases.Said) {
	fmt.Fprintf(w, "%s %s\n", format.Pad(name.In(r.in), remarkWidth), said.In(r.in))
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
		r.remark(w, phrases.Verbatim(title), phrases.Verbatim(foreign.Printable(path, 4000)))
	}
	if more := len(r.Bundles) - shownBundles; more > 0 {
		r.remark(w, phrases.Said{}, phrases.Of("and %s more beside them", format.Count(more)))
	}
}

// printRemarks are the things that should be zero, and the length of games.
func (r view) printRemarks(w io.Writer) {
	r.remark(w, phrases.Of("game length"), phrases.Of("mean %s plies, %d to %d", format.Decimal(r.Plies.Mean, 1), r.Plies.Min, r.Plies.Max))
	r.remark(w, phrases.Of("duplicate games"), duplicates(r.Duplicates))
	if r.Mates != nil {
		r.remark(w, phrases.Of("mate solver"), Asked(*r.Mates))
	}
	for i := range r.Players {
		if said := FromBook(&r.Players[i]); !said.IsZero() {
			r.remark(w, phrases.Of("book moves"), said)
		}
	}
	if len(r.Faults) == 0 {
		r.remark(w, phrases.Of("faults"), phrases.Of("none"))
	}
	for _, f := range r.Faults {
		r.remark(w, phrases.Of("faults"), phrases.Of("%s: %s", f.Player, phrases.Of("%s ×%d", Ending(f.Kind), f.Count)))
	}
	r.printBundles(w)
	for _, p := range r.Players {
		if p.Incomplete > 0 {
			r.remark(w, phrases.Of("councils"), phrases.Of("%s of the votes of %s lacked a member that failed or said nothing legal: see gogi votes", format.Count(p.Incomplete), p.Name))
		}
	}
	if u := r.Unmarked; u != nil {
		said := phrases.Of("%s had a move that the machine slowed; without them %d–%d–%d", phrases.Number{N: u.Marked, Noun: "pair"}, u.Wins, u.Draws, u.Losses)
		if u.Score != nil {
			said = phrases.Of("%s, score %s", said, format.Percent(*u.Score))
		}
		r.remark(w, phrases.Of("slowed moves"), said)
	}
}

// Asked says what a mate solver was asked in a run, and what came of it.
func Asked(q match.Questions) phrases.Said {
	return phrases.Of("asked %s, claimed a mate %s: proven %s, refuted %s, not proven %s; failed %s",
		phrases.Number{N: q.Asked, Noun: "time"}, phrases.Number{N: q.Claimed, Noun: "time"},
		format.Count(q.Proven), format.Count(q.Refuted), format.Count(q.Unproven), phrases.Number{N: q.Failed, Noun: "time"})
}

// FromBook says how many of a player's moves came from its book, the zero value where it
// has none.
func FromBook(p *report.Player) phrases.Said {
	switch {
	case p.BookMoves == nil:
		return phrases.Said{}
	case p.Moves() == 0:
		return phrases.Of("%s: %s of %s moves", p.Name, format.Count(*p.BookMoves), format.Count(p.Moves()))
	}
	return phrases.Of("%s: %s of %s moves (%s)", p.Name, format.Count(*p.BookMoves), format.Count(p.Moves()), format.Percent(float64(*p.BookMoves)/float64(p.Moves())))
}

func duplicates(n int) phrases.Said {
	if n == 0 {
		return phrases.Of("none")
	}
	return phrases.Of("%s (equal to an earlier game, move for move)", format.Count(n))
}

// Design says who plays whom; a design that this program does not know is shown as it is.
func Design(kind string) phrases.Said { return phrases.Of(format.Words(kind)) }
