package text

import (
	"fmt"
	"io"
	"strings"

	"gogi/internal/format"
	"gogi/report"
)

// Verdict writes the verdict as a person reads it.
func Verdict(w io.Writer, v *report.GateVerdict) {
	fmt.Fprintf(w, "%s · gate: %s%s\n", v.Run, strings.ToUpper(v.Verdict), but(v))
	for _, why := range v.Why {
		fmt.Fprintf(w, "  because %s\n", why)
	}
	for _, l := range verdictLines(v) {
		fmt.Fprintf(w, "  %-22s %s\n", l[0], l[1])
	}
}

// but qualifies the first line: a verdict was withdrawn, the machine slowed most pairs.
func but(v *report.GateVerdict) string {
	words := ""
	if v.Gate.Withdrawn != "" {
		words = fmt.Sprintf(", %s withdrawn", v.Gate.Withdrawn)
	}
	if slowed := v.Report.Slowed().String(); slowed != "" {
		words += ", " + slowed
	}
	return words
}

// Markdown is the verdict for a release note.
func Markdown(v *report.GateVerdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Gate %s: %s%s\n\n", v.Run, v.Verdict, but(v))
	for _, why := range v.Why {
		fmt.Fprintf(&b, "- %s\n", why)
	}
	if len(v.Why) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("| | |\n|---|---|\n")
	for _, l := range verdictLines(v) {
		fmt.Fprintf(&b, "| %s | %s |\n", l[0], strings.ReplaceAll(l[1], "|", "\\|"))
	}
	return b.String()
}

// verdictLines are the figures of the verdict, with their names.
func verdictLines(v *report.GateVerdict) [][2]string {
	g, r := v.Gate, v.Report
	p := v.Penta
	lines := [][2]string{
		{"design", fmt.Sprintf("%s, at most %s pairs, a look after each pair in plan order", g.Design, format.Count(v.MaxPairs))},
		{"engines", fmt.Sprintf("%s (%s) against %s (%s)", r.A, r.Players[0].Identity, r.B, r.Players[1].Identity)},
		{"evidence", evidenceLine(g)},
		{"pairs", fmt.Sprintf("%s judged, %s beyond the stop; LL %d · LD %d · WL %d · DD %d · WD %d · WW %d",
			format.Count(g.Pairs), format.Count(g.Beyond), p.LL, p.LD, p.WL, p.DD, p.WD, p.WW)},
		{"games", fmt.Sprintf("%s, %s, %s; draws as half a point",
			format.NumberOf(v.Counts.Wins, "win"), format.NumberOf(v.Counts.Draws, "draw"), losses(v.Counts.Losses))},
		{"likelihood ratio", fmt.Sprintf("%s, fails at %.3f, passes at %.3f", format.Decimal(g.LLR, 3), g.Lower, g.Upper)},
		{"Elo after the stop", StoppedElo(g.Elo)},
		{"anytime interval", Interval(v.Anytime)},
		{"Black's advantage", Advantage(r.BlackAdvantage)},
		{"faults", faultLine(v)},
	}
	if h := v.Slots; h != nil && h.P != nil {
		lines = append(lines, [2]string{"slots alike", "p = " + format.PValue(*h.P)})
	}
	for _, said := range r.Looks.Remarks {
		remark := said.String()
		lines = append(lines, [2]string{"looks", remark})
	}
	return lines
}

// evidenceLine says how many observations the judged pairs are.
func evidenceLine(g *report.Gate) string {
	text := format.NumberOf(g.Openings, "opening") + ", each one observation"
	if g.Copies > 0 {
		text += fmt.Sprintf("; %s of the pairs repeat an earlier one move for move", format.Count(g.Copies))
	}
	return text
}

func faultLine(v *report.GateVerdict) string {
	if len(v.Report.Faults) == 0 {
		return "none"
	}
	var parts []string
	for _, f := range v.Report.Faults {
		parts = append(parts, fmt.Sprintf("%s: %s ×%d", f.Player, strings.ReplaceAll(f.Kind, "_", " "), f.Count))
	}
	return strings.Join(parts, ", ")
}

// losses is a number of them.
func losses(n int) string {
	if n == 1 {
		return "1 loss"
	}
	return format.Count(n) + " losses"
}
