package text

import (
	"fmt"
	"io"
	"strings"

	"gogi/internal/format"
	"gogi/report"
)

// print writes the verdict as a person reads it.
func Verdict(w io.Writer, v *report.GateVerdict) {
	fmt.Fprintf(w, "%s · gate: %s\n", v.Run, strings.ToUpper(v.Verdict))
	for _, why := range v.Why {
		fmt.Fprintf(w, "  because %s\n", why)
	}
	for _, l := range verdictLines(v) {
		fmt.Fprintf(w, "  %-22s %s\n", l[0], l[1])
	}
}

// markdown is the verdict for a release note.
func Markdown(v *report.GateVerdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Gate %s: %s\n\n", v.Run, v.Verdict)
	for _, why := range v.Why {
		fmt.Fprintf(&b, "- %s\n", why)
	}
	b.WriteString("\n| | |\n|---|---|\n")
	for _, l := range verdictLines(v) {
		fmt.Fprintf(&b, "| %s | %s |\n", l[0], strings.ReplaceAll(l[1], "|", "\\|"))
	}
	return b.String()
}

// lines are the figures of the verdict, with their names.
func verdictLines(v *report.GateVerdict) [][2]string {
	g, r := v.Gate, v.Report
	p := v.Penta
	lines := [][2]string{
		{"design", fmt.Sprintf("%s, at most %s pairs, a look after each pair in plan order", g.Design, format.Count(v.MaxPairs))},
		{"engines", fmt.Sprintf("%s (%s) against %s (%s)", r.A, r.Players[0].Identity, r.B, r.Players[1].Identity)},
		{"pairs", fmt.Sprintf("%s judged, %s beyond the stop; LL %d · LD %d · WL %d · DD %d · WD %d · WW %d",
			format.Count(g.Pairs), format.Count(g.Beyond), p.LL, p.LD, p.WL, p.DD, p.WD, p.WW)},
		{"games", fmt.Sprintf("%d wins, %d draws, %d losses; draws as half a point", v.Counts.Wins, v.Counts.Draws, v.Counts.Losses)},
		{"likelihood ratio", fmt.Sprintf("%s, fails at %.3f, passes at %.3f", format.Decimal(g.LLR, 3), g.Lower, g.Upper)},
		{"Elo after the stop", eloLine(v)},
		{"anytime interval", Interval(v.Anytime)},
		{"exact pair test", Test(v.Primary) + "; for a length fixed beforehand only"},
		{"Black's advantage", Advantage(r.BlackAdvantage)},
		{"faults", faultLine(v)},
	}
	if h := v.Slots; h != nil && h.P != nil {
		lines = append(lines, [2]string{"slots alike", "p = " + format.PValue(*h.P)})
	}
	return lines
}

func eloLine(v *report.GateVerdict) string {
	e := v.Gate.Elo
	if e.Estimate == nil {
		return "unknown: " + e.Why
	}
	return fmt.Sprintf("%s   [%s, %s]  median-unbiased; the raw score after a stop is biased", format.Elo(e.Estimate, 0), format.Elo(e.Lo, -1), format.Elo(e.Hi, 1))
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
