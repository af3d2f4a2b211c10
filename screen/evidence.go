package screen

import (
	"gogi/internal/phrases"
	"gogi/report"
	"gogi/report/text"
	"gogi/stats"
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
		return []string{v.say("The stored games cannot be read: %s", v.Unread)}
	case v.Report == nil:
		return []string{v.say("The stored games are being read.")}
	}
	said := phrases.Each(v.Tongue, Shown(v.Report))
	if v.Unread != "" {
		said = append(said, v.say("This is old: the stored games cannot be read: %s", v.Unread))
	}
	return said
}

// Shown is what a report may be quoted with while its run is played: the score with the
// interval that holds at any time, the gate's state with its bounds, in the order of the
// plan, and the verdict where there is one.
func Shown(r *report.Report) []phrases.Said {
	cross, met := r.Pairing()
	var said []phrases.Said
	switch {
	case r.Games == 0:
		return []phrases.Said{phrases.Of("No pair is stored yet, so nothing is known of the strength.")}
	case r.Tournament == nil && met:
		said = append(said, phrases.Of("%s against %s %s: %s", r.A, r.B, text.WDL(cross.WDL), score(r)))
	}
	if r.Gate != nil {
		said = append(said, phrases.Of("gate %s", text.Gate(r.Gate)))
	}
	if r.Tournament != nil || !met || r.Finished || r.Gate != nil && r.Gate.Decision != stats.Continue {
		return append(said, r.Verdict().Claim) // which tells, too, of a machine that slowed most pairs
	}
	if slowed := r.Slowed(); !slowed.IsZero() {
		said = append(said, phrases.Of("Beware: %s.", slowed))
	}
	return said
}

// score is A's, with the interval that may be read now.
func score(r *report.Report) phrases.Said {
	for _, i := range r.Intervals {
		if i.Method == "anytime" {
			return text.Interval(i)
		}
	}
	if i := r.Interval("score"); i != nil {
		return text.Interval(*i)
	}
	return phrases.Of("no interval")
}
