package screen

import (
	"fmt"

	"gogi/internal/format"
	"gogi/report"
	"gogi/report/text"
	"gogi/stats"
	"gogi/stats/counts"
)

// head is the run in a line, and what its stored games show in at most so many.
func (v View) head(width, limit int) []Line {
	lines := []Line{line(Bar, v.title()).filled(width)}
	for i, t := range v.evidence() {
		for j, part := range wrap(clean(t), width, max(1, limit-len(lines)+1)) {
			style := Plain
			if i == 0 && j == 0 {
				style = Strong
			}
			lines = append(lines, line(style, part))
		}
		if len(lines) > limit {
			break
		}
	}
	return append(lines, nil)
}

// evidence says what the stored games show, in the words of the report.
func (v View) evidence() []string {
	switch {
	case v.Report == nil && v.Unread != "":
		return []string{"The stored games cannot be read: " + v.Unread}
	case v.Report == nil:
		return []string{"The stored games are being read."}
	}
	said := Shown(v.Report)
	if v.Unread != "" {
		said = append(said, "This is old: the stored games cannot be read: "+v.Unread)
	}
	return said
}

// Shown is what a report may be quoted with while its run is played: the score with the
// interval that holds at any time, the gate's state with its bounds, in the order of the
// plan, and the verdict where there is one.
func Shown(r *report.Report) []string {
	cross, met := r.Pairing()
	var said []string
	switch {
	case r.Games == 0:
		return []string{"No pair is stored yet, so nothing is known of the strength."}
	case r.Tournament == nil && met:
		said = append(said, r.A+" against "+r.B+" "+text.WDL(cross.WDL)+": "+score(r))
	}
	if r.Gate != nil {
		said = append(said, "gate "+text.Gate(r.Gate))
	}
	if r.Tournament != nil || !met || r.Finished || r.Gate != nil && r.Gate.Decision != stats.Continue {
		return append(said, r.Verdict().Claim) // which tells, too, of a machine that slowed most pairs
	}
	if slowed := r.Slowed().String(); slowed != "" {
		said = append(said, "Beware: "+slowed+".")
	}
	return said
}

// Glance is Shown in lines that fit a narrow terminal: the difference in Elo with the
// interval that holds at any time, the gate's ratio between its bounds, and that the
// machine slowed most pairs. The score itself is left to who knows the latest games.
func Glance(r *report.Report) []string {
	var said []string
	if r.Tournament == nil {
		for _, i := range r.Intervals {
			if i.Method == "anytime" && i.Estimate != nil && i.Lo != nil && i.Hi != nil {
				said = append(said, fmt.Sprintf("Elo %s [%s, %s], %s at any time, by %s", elo(*i.Estimate, 0), elo(*i.Lo, -1), elo(*i.Hi, 1),
					format.Percent(i.Level), format.NumberOf(i.N, i.Unit)))
			}
		}
	}
	if g := r.Gate; g != nil {
		state := string(g.Decision)
		if g.Decision == stats.Continue {
			state = "undecided"
		}
		said = append(said, fmt.Sprintf("gate LLR %s of [%.2f, %.2f] after %s in plan order: %s",
			format.Decimal(g.LLR, 2), g.Lower, g.Upper, format.NumberOf(g.Pairs, "pair"), state))
	}
	if slowed := r.Slowed().String(); slowed != "" {
		said = append(said, slowed)
	}
	return said
}

// elo is the image of a score in Elo; of a score of 0 or 1 it is infinite.
func elo(score float64, side int) string {
	if side == 0 && score == 0 {
		side = -1
	}
	return format.Elo(format.Finite(counts.Elo(score)), side)
}

// score is A's, with the interval that may be read now.
func score(r *report.Report) string {
	for _, i := range r.Intervals {
		if i.Method == "anytime" {
			return text.Interval(i)
		}
	}
	if i := r.Interval("score"); i != nil {
		return text.Interval(*i)
	}
	return "no interval"
}
