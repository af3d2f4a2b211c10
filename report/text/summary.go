package text

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/shellwords"
	"gogi/report"
	"gogi/stats"
)

// Summary writes the default report for a terminal: the verdict, the figures behind it, and one line for each
// warning. It has at most 20 lines for two players. [Print] writes everything. db is the database of the run, for the
// commands in the last line.
func Summary(w io.Writer, rep *report.Report, in i18n.Language, db string) {
	r := view{rep, in}
	fmt.Fprintf(w, "%s\n\n", r.summaryTitle())
	for _, line := range format.Lines(r.Verdict().Claim.In(in), summaryWidth) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	fmt.Fprintln(w)
	if r.Games == 0 {
		return
	}
	switch {
	case r.Tournament != nil:
		r.printStanding(w)
	case r.Ranking != nil:
		r.printRanking(w)
	default:
		r.summaryFigures(w)
	}
	r.summaryEnds(w)
	if d := r.Divergence; d != nil {
		r.figure(w, i18n.Of("Divergence"), divergenceText(d, r.PairVariance))
	}
	for _, warning := range r.warnings() {
		fmt.Fprintf(w, "  ! %s\n", warning.In(in))
	}
	run := shellwords.Quote(r.Run)
	if db != defaultDB {
		run += " --db " + shellwords.Quote(db)
	}
	fmt.Fprintf(w, "\n%s\n", r.say("More: gogi report %s -v | --html FILE | --json      gogi games %s", run, run))
}

// defaultDB is the database of commands without --db.
const defaultDB = "gogi.db"

// summaryWidth is the largest width of the verdict's lines, in terminal columns.
const summaryWidth = 96

// figure writes one line of the summary: the name of a figure and the figure.
func (r view) figure(w io.Writer, name, text i18n.Message) {
	lines{w, r.in}.labelled("  ", 7, name, text)
}

// summaryTitle returns the first line: the run's name, players, length and state.
func (r view) summaryTitle() string {
	who := i18n.Of("%s", i18n.Number{N: len(r.Players), Noun: "player"})
	if len(r.Players) == 2 {
		who = i18n.Of("%s against %s", r.A, r.B)
	}
	return r.say("%s · %s · %s (%s) · %s", r.Run, who, i18n.Number{N: r.Games, Noun: "game"},
		i18n.Number{N: r.Pairs, Noun: "pair"}, r.state())
}

// state returns the state of the run as text, such as "stopped by the SPRT". If the machine delayed moves in most
// pairs, the text also reports this.
func (r view) state() i18n.Message {
	if r.Gate != nil && r.Looks.Stopped {
		return r.orSlowed(i18n.Of("stopped by the SPRT"))
	}
	return r.progress()
}

// progress returns text that reports whether the run is finished, and whether the machine delayed moves in most pairs.
func (r view) progress() i18n.Message {
	if !r.Finished {
		return r.orSlowed(i18n.Of("unfinished, %d of %s%d pairs", r.Pairs, r.UpTo(), r.Planned))
	}
	return r.orSlowed(i18n.Of("finished"))
}

// orSlowed returns the text of a state. If the machine delayed moves in most pairs, the text also reports this.
func (r view) orSlowed(state i18n.Message) i18n.Message {
	if slowed := r.Slowed(); !slowed.IsZero() {
		return i18n.Of("%s · %s", state, slowed)
	}
	return state
}

func (r view) summaryFigures(w io.Writer) {
	c, ok := r.Pairing()
	if !ok {
		return
	}
	counts := i18n.Of("%s   %s", format.Percent(c.Score), i18n.Row{
		i18n.Of("%s", i18n.Number{N: c.Wins, Noun: "win"}), i18n.Of("%s", i18n.Number{N: c.Draws, Noun: "draw"}),
		i18n.Of("%s", i18n.Number{N: c.Losses, Noun: "loss"}),
	})
	if r.Looks.Stopped {
		counts = i18n.Of("%s   (biased by the early stop)", counts)
	}
	r.figure(w, i18n.Of("Score"), counts)
	if r.Finished && r.Looks.FixedLength {
		r.summaryFixed(w)
	} else {
		r.summaryAnytime(w)
	}
	if p := r.Pentanomial; p.Pairs() > 0 {
		r.figure(w, i18n.Of("Pairs"), i18n.Of("%s   %s", penta(p, " · "), report.DependenceWords(r.Dependence)))
	}
	for i := range r.Players {
		if p := &r.Players[i]; p.Name == r.A {
			r.figure(w, i18n.Of("Colour"),
				i18n.Of("%s as Black %s, as White %s   %s", p.Name, WDL(p.Black), WDL(p.White), blackShare(r.BlackAdvantage)))
		}
	}
}

// summaryFixed writes the figures that are valid if the number of games was fixed before the first game.
func (r view) summaryFixed(w io.Writer) {
	k, n := r.Crosstable[0].Decisive()
	if i := r.Interval("win_rate_decisive"); i != nil && i.Lo != nil {
		r.figure(w, i18n.Of("Wins"), i18n.Of("%s of decisive games   [%s, %s]  exact binomial (Clopper-Pearson), %s of %s",
			format.Percent(*i.Estimate), format.Percent(*i.Lo), format.Percent(*i.Hi), format.Count(k), format.Count(n)))
	}
	elo := Elo(r.Elo)
	if !unknownElo(r.Elo) {
		elo = i18n.Of("%s   %s confidence interval", elo, format.PercentShort(report.Level))
	}
	r.figure(w, i18n.Of("Elo"), elo)
	if test, _ := r.Deciding(); test != nil {
		r.figure(w, i18n.Of("Test"), Test(*test))
	}
}

// summaryAnytime writes the figures that are valid before the planned end, or if an SPRT stopped the run.
func (r view) summaryAnytime(w io.Writer) {
	if g := r.Gate; g != nil {
		d := g.Design
		r.figure(w, i18n.Of("LLR"), i18n.Of("%s (%.2f, %.2f)   elo0 %g, elo1 %g, alpha %g, beta %g, %s; %s judged",
			format.Decimal(g.LLR, 2), g.Lower, g.Upper, d.Elo0, d.Elo1, d.Alpha, d.Beta, i18n.Of(string(d.Model)),
			i18n.Number{N: g.Pairs, Noun: "pair"}))
		if g.Decision != stats.Continue {
			r.figure(w, i18n.Of("Elo"), correctedElo(g.Elo))
		}
	}
	for _, i := range r.Intervals {
		if i.Method == "anytime" && (r.Gate == nil || r.Gate.Decision == stats.Continue) {
			r.figure(w, i18n.Of("Anytime"), Interval(i))
		}
	}
}

// correctedElo returns the rating difference of a stopped SPRT, corrected for early stopping.
func correctedElo(e report.Elo) i18n.Message {
	if unknownElo(e) {
		return unknown(e.Why)
	}
	return i18n.Of("%s   %s confidence interval, corrected for early stopping", eloShort(e),
		format.PercentShort(report.Level))
}

// blackShare returns the share of the points that Black scored, with a draw as half a point.
func blackShare(b report.Advantage) i18n.Message {
	games := b.Wins + b.Draws + b.Losses
	if games == 0 {
		return i18n.Verbatim("")
	}
	return i18n.Of("Black scored %s", format.Percent((float64(b.Wins)+float64(b.Draws)/2)/float64(games)))
}

// printStanding writes the standings of a tournament without its rounds.
func (r view) printStanding(w io.Writer) {
	if len(r.Tournament.Ratings) > 0 {
		r.printRatings(w)
		return
	}
	r.printStandings(w)
}

// summaryEnds writes how the games ended, and the faults of the engines.
func (r view) summaryEnds(w io.Writer) {
	if len(r.Players) > 2 {
		r.figure(w, i18n.Of("Colour"), blackShare(r.BlackAdvantage))
	}
	counts := map[string]int{}
	for _, e := range r.Terminations {
		counts[e.Termination] += e.Count
	}
	kinds := make([]string, 0, len(counts))
	for kind := range counts {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	var ends i18n.Row
	for _, kind := range kinds {
		ends = append(ends, i18n.Of("%s %s", Ending(kind), format.Count(counts[kind])))
	}
	r.figure(w, i18n.Of("Ends"), i18n.Of("%s   mean %s plies", ends, format.Decimal(r.Plies.Mean, 0)))
	r.printFaults(w, r.figure, i18n.Of("Faults"))
}

// warnings returns the reasons to doubt the figures, each with its remedy.
func (r view) warnings() []i18n.Message {
	all := append(r.Looks.Warnings(), r.LimitWarnings()...)
	if u := r.Unmarked; u != nil {
		marked, pairs := format.Count(u.Marked), format.Count(r.Dependence.Pairs)
		if u.Alone {
			all = append(all,
				i18n.Of("%s of %s pairs contain a move that the machine delayed. End other programs, or use --nodes.", marked,
					pairs))
		} else {
			all = append(all, i18n.Of("%s of %s pairs contain a move that the machine delayed. Lower --concurrency.", marked,
				pairs))
		}
	}
	if r.Duplicates > 0 {
		all = append(all, i18n.Of("%s of %s games repeat an earlier game move for move. Use more openings or a time control.",
			format.Count(r.Duplicates), format.Count(r.Games)))
	}
	if weight := report.WeightWords(r.Dependence); !weight.IsZero() && r.Dependence.Shown() {
		all = append(all, i18n.Of("Pairs from one opening depend on each other: they are %s.", weight))
	}
	for _, p := range r.Players {
		if p.Incomplete > 0 {
			all = append(all, i18n.Of("%s of the votes of %s lacked a member that failed or sent no legal move: see gogi votes",
				format.Count(p.Incomplete), p.Name))
		}
	}
	for _, k := range r.Workers {
		if k.StandsOut != "" {
			all = append(all, i18n.Of("%s differs from the others by its %s; gogi db void --worker takes its pairs out",
				WorkerName(k), i18n.Of(k.StandsOut)))
		}
	}
	if test, _ := r.Deciding(); test != nil && len(r.Players) == 2 && !report.Significant(*test.P) {
		all = append(all, i18n.Of("To calculate how many games detect a difference of 10 Elo: gogi stats plan --elo 10"))
	}
	return all
}
