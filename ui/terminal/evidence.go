package terminal

import (
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report"
	"gogi/report/text"
	"gogi/stats"
	"gogi/stats/binomial"
)

// head returns the title line of the run, and at most limit lines about the results of its stored games.
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

// evidence returns the texts about the stored games, in the same form as in the report.
func (v View) evidence() []string {
	switch {
	case v.Now.Tune != nil:
		return v.aboutTune()
	case len(v.Now.Players) == 1:
		return []string{v.say("One player plays both sides, so these games prove no strength. gogi selfplay makes training data of them.")}
	case v.Report == nil && v.Unread != "":
		return []string{v.say("The stored games cannot be read: %s", v.Unread)}
	case v.Report == nil:
		return []string{v.say("The stored games are being read.")}
	}
	texts := i18n.Each(v.Language, Shown(v.Report))
	if v.Unread != "" {
		texts = append(texts, v.say("This is old: the stored games cannot be read: %s", v.Unread))
	}
	return texts
}

// Shown returns the lines of a report that are valid while its run is still played. They are the score with
// the always-valid interval, the state of the SPRT with its bounds, and the verdict if there is one.
func Shown(r *report.Report) []i18n.Message {
	cross, met := r.Pairing()
	var list []i18n.Message
	switch {
	case r.Games == 0:
		return []i18n.Message{i18n.Of("No pair is stored yet, so nothing is known of the strength.")}
	case r.Tournament == nil && met:
		list = append(list, i18n.Of("%s against %s %s: %s", r.A, r.B, text.WDL(cross.WDL), score(r)))
	}
	if r.Gate != nil {
		list = append(list, i18n.Of("gate %s", text.Gate(r.Gate)))
	}
	if r.Tournament != nil || !met || r.Finished || r.Gate != nil && r.Gate.Decision != stats.Continue {
		return append(list, r.Verdict().Claim) // it also warns if the machine delayed moves in most pairs
	}
	if slowed := r.Slowed(); !slowed.IsZero() {
		list = append(list, i18n.Of("Beware: %s.", slowed))
	}
	return list
}

// Glance returns a short form of Shown. With an SPRT it returns the LLR with its bounds, else the Elo difference with
// the always-valid interval. If the machine delayed moves in most pairs, Glance adds a note.
func Glance(r *report.Report) []i18n.Message {
	var list []i18n.Message
	switch g := r.Gate; {
	case g != nil:
		list = append(list, i18n.Of("LLR %s (%.2f, %.2f)", format.Decimal(g.LLR, 2), g.Lower, g.Upper))
	case r.Tournament == nil && len(r.Players) == 2: // with more players the line would not show which player's Elo it is
		for _, i := range r.Intervals {
			if i.Method == "anytime" && i.Estimate != nil && i.Lo != nil && i.Hi != nil {
				list = append(list, i18n.Of("Elo %s [%s, %s] anytime", elo(*i.Estimate, 0), elo(*i.Lo, -1), elo(*i.Hi, 1)))
			}
		}
	}
	if slowed := r.Slowed(); !slowed.IsZero() {
		list = append(list, slowed)
	}
	return list
}

// elo returns a score as Elo. For a score of 0 or 1 the Elo is infinite. side is the sign of an infinite Elo; with 0 it
// follows from the score.
func elo(score float64, side int) string {
	if side == 0 && score == 0 {
		side = -1
	}
	return format.Elo(format.Finite(binomial.Elo(score)), side)
}

// score returns the score of player A with the always-valid interval if there is one.
func score(r *report.Report) i18n.Message {
	for _, i := range r.Intervals {
		if i.Method == "anytime" {
			return text.Interval(i)
		}
	}
	if i := r.Interval("score"); i != nil {
		return text.Interval(*i)
	}
	return i18n.Of("no interval")
}
