package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report"
	"gogi/stats"
)

// Verdict writes the verdict of a gate (a run's sequential test) as text for a terminal, in the given
// language.
func Verdict(w io.Writer, v *report.GateVerdict, in i18n.Language) {
	word := Decided(stats.Decision(v.Verdict)).In(in)
	fmt.Fprintln(w, i18n.Say(in, "%s · gate: %s%s", v.Run, strings.ToUpper(word), but(v).In(in)))
	for _, why := range v.Why {
		fmt.Fprintf(w, "  %s\n", i18n.Say(in, "because %s", why))
	}
	for _, note := range v.Gate.Notes {
		fmt.Fprintf(w, "  %s\n", i18n.Say(in, "note: %s", note))
	}
	for _, l := range verdictLines(v) {
		fmt.Fprintf(w, "  %s %s\n", format.Pad(l[0].In(in), figureWidth), l[1].In(in))
	}
}

// figureWidth is the width of a figure's name, in terminal columns.
const figureWidth = 22

// but returns text that weakens the first line: a verdict was withdrawn, or the machine delayed moves in most pairs.
// Otherwise it returns the zero Message.
func but(v *report.GateVerdict) i18n.Message {
	message := i18n.Verbatim("")
	if v.Gate.Withdrawn != "" {
		message = i18n.Of("%s, %s withdrawn", message, Decided(v.Gate.Withdrawn))
	}
	if slowed := v.Report.Slowed(); !slowed.IsZero() {
		message = i18n.Of("%s, %s", message, slowed)
	}
	return message
}

// Markdown returns the verdict of a gate (a run's sequential test) as Markdown for a release note, in the
// given language.
func Markdown(v *report.GateVerdict, in i18n.Language) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", i18n.Say(in, "Gate %s: %s%s", v.Run, Decided(stats.Decision(v.Verdict)), but(v)))
	remarks := slices.Concat(v.Why, v.Gate.Notes)
	for _, remark := range remarks {
		fmt.Fprintf(&b, "- %s\n", remark.In(in))
	}
	if len(remarks) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("| | |\n|---|---|\n")
	for _, l := range verdictLines(v) {
		fmt.Fprintf(&b, "| %s | %s |\n", l[0].In(in), strings.ReplaceAll(l[1].In(in), "|", "\\|"))
	}
	return b.String()
}

// verdictLines returns the figures of the verdict, with their names.
func verdictLines(v *report.GateVerdict) [][2]i18n.Message {
	g, r := v.Gate, v.Report
	lines := [][2]i18n.Message{
		{i18n.Of("design"), i18n.Of("%s, at most %s pairs, tested after each pair", g.Design, format.Count(v.MaxPairs))},
		{i18n.Of("engines"), i18n.Of("%s against %s", named(r.A, r.Players[0].Identity), named(r.B, r.Players[1].Identity))},
		{i18n.Of("evidence"), evidenceLine(g)},
		{i18n.Of("pairs"), judgedLine(g, v.Penta)},
		{i18n.Of("games"), i18n.Of("%s, %s, %s; draws as half a point",
			i18n.Number{N: v.Counts.Wins, Noun: "win"}, i18n.Number{N: v.Counts.Draws, Noun: "draw"},
			i18n.Number{N: v.Counts.Losses, Noun: "loss"})},
		{i18n.Of("LLR"), i18n.Of("%s, fails at %.3f, passes at %.3f", format.Decimal(g.LLR, 3), g.Lower, g.Upper)},
		{i18n.Of("Elo, corrected"), StoppedElo(g.Elo)},
		{i18n.Of("anytime interval"), Interval(v.Anytime)},
		{i18n.Of("Black's advantage"), ofAllPairs(g, Advantage(r.BlackAdvantage))},
		{i18n.Of("faults"), faultLine(v)},
	}
	if h := v.Slots; h != nil && h.P != nil {
		lines = append(lines, [2]i18n.Message{i18n.Of("slots alike"), i18n.Verbatim("p = " + format.PValue(*h.P))})
	}
	for _, warning := range r.LimitWarnings() {
		lines = append(lines, [2]i18n.Message{i18n.Of("limits"), warning})
	}
	for _, remark := range r.Looks.Remarks {
		lines = append(lines, [2]i18n.Message{i18n.Of("looks"), remark})
	}
	return lines
}

// judgedLine returns text with the numbers of pairs that the test uses and does not use.
func judgedLine(g *report.Gate, counts stats.Pentanomial) i18n.Message {
	if g.Decision == stats.Continue {
		return i18n.Of("%s judged, %s after an unplayed pair; %s", format.Count(g.Pairs), format.Count(g.Beyond),
			penta(counts, " · "))
	}
	return i18n.Of("%s judged, %s after the decision; %s", format.Count(g.Pairs), format.Count(g.Beyond),
		penta(counts, " · "))
}

// ofAllPairs adds to a figure of all stored pairs that it has more pairs than the test uses, if so.
func ofAllPairs(g *report.Gate, figure i18n.Message) i18n.Message {
	if g.Beyond == 0 {
		return figure
	}
	return i18n.Of("%s; of all %s stored", figure, i18n.Number{N: g.Pairs + g.Beyond, Noun: "pair"})
}

// named returns a player's name with its hash.
func named(name, identity string) string { return fmt.Sprintf("%s (%s)", name, identity) }

// evidenceLine returns text with the number of observations in the evaluated pairs.
func evidenceLine(g *report.Gate) i18n.Message {
	message := i18n.Of("%s, each one observation", i18n.Number{N: g.Openings, Noun: "opening"})
	if g.Copies > 0 {
		message = i18n.Of("%s; %s of the pairs repeat an earlier one move for move", message, format.Count(g.Copies))
	}
	return message
}

func faultLine(v *report.GateVerdict) i18n.Message {
	if len(v.Report.Faults) == 0 {
		return i18n.Of("none")
	}
	var parts i18n.Row
	for _, f := range v.Report.Faults {
		parts = append(parts, i18n.Of("%s: %s", f.Player, i18n.Of("%s ×%d", Ending(f.Kind), f.Count)))
	}
	return i18n.Of("%s", parts)
}
