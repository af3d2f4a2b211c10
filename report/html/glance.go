package html

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/svg"
	"gogi/report"
	"gogi/report/text"
	"gogi/stats"
	"gogi/stats/binomial"
)

// Glance is the result of a run in one line. The list of runs and the head of a report show it.
type Glance struct {
	A, B  string
	Games int
	Score *float64 // A's points per game; nil: unknown, or more than two players
	WDL   string   // A's wins, draws and losses; "": as for Score
	Penta string   // pairs by A's points, in the order of fishtest: 0, ½, 1, 1½, 2; "": no swapped colours
	Elo   report.Elo
	// label of Elo: of the games, "at any time" while games are played, or corrected for the stop of an SPRT
	EloKind string
	Gate    *report.Gate // nil: no SPRT
	Class   string       // class of the verdict: pass, fail, undecided, or "" without one
	Leader  string       // for more than two players: the player that is alone in first place, with its Elo
	Faults  int          // games that ended by a fault
}

// NewGlance returns the Glance of a report.
func NewGlance(r *report.Report) Glance {
	g := Glance{A: r.A, B: r.B, Games: r.Games, Gate: r.Gate, Class: class(r), EloKind: "Elo"}
	for _, f := range r.Faults {
		g.Faults += f.Count
	}
	if r.Ranking != nil {
		g.Leader = leader(r.Ranking.Players)
	}
	cross, met := r.Pairing()
	if !met || len(r.Players) > 2 {
		return g
	}
	g.Score, g.WDL, g.Elo = r.Score, text.WDL(cross.WDL), r.Elo
	if p := r.Pentanomial; p.Pairs() > 0 {
		g.Penta = fmt.Sprintf("[%d, %d, %d, %d, %d]", p.LL, p.LD, p.WL+p.DD, p.WD, p.WW)
	}
	switch {
	case r.Gate != nil && r.Gate.Decision != stats.Continue:
		g.Elo, g.EloKind = r.Gate.Elo, i18n.Phrase("Elo, corrected")
	case !r.Finished || !r.Looks.FixedLength:
		g.anytime(r.Intervals)
	}
	return g
}

// leader returns the player that is alone in first place, with its Elo, or "" if several share that place.
func leader(players []report.Ranked) string {
	if len(players) < 2 || players[1].Place == players[0].Place {
		return ""
	}
	return players[0].Player + " " + format.Minus(text.RankedElo(players[0]))
}

// anytime sets Elo from the always-valid interval of the score.
func (g *Glance) anytime(intervals []report.Interval) {
	for _, i := range intervals {
		if i.Method != "anytime" || i.Estimate == nil {
			continue
		}
		g.EloKind = i18n.Phrase("Elo at any time")
		g.Elo = report.Elo{Estimate: format.Finite(binomial.Elo(*i.Estimate))}
		if i.Lo != nil && i.Hi != nil {
			g.Elo.Lo, g.Elo.Hi = format.Finite(binomial.Elo(*i.Lo)), format.Finite(binomial.Elo(*i.Hi))
		}
	}
}

// class returns the class of a report's verdict in the style sheet.
func class(r *report.Report) string {
	if r.Gate != nil {
		switch {
		case r.Gate.Decision == stats.Continue:
			return ""
		case r.Gate.Verdict == report.Passed, r.Gate.Verdict == report.Failed:
			return r.Gate.Verdict
		}
		return "undecided"
	}
	switch kind := r.Verdict().Kind; {
	case kind == "open":
		return "undecided"
	case kind != "shown" || r.Score == nil || len(r.Players) > 2:
		return ""
	case *r.Score < 0.5:
		return "fail"
	}
	return "pass"
}

// EloText returns the Elo with its interval, such as "+12.3 [−4.0, +28.6]", or "" if it is unknown.
func (g Glance) EloText() string {
	if g.Elo.Estimate == nil {
		return ""
	}
	said := EloText(g.Elo.Estimate)
	if g.Elo.Lo != nil || g.Elo.Hi != nil {
		said += fmt.Sprintf(" [%s, %s]", format.Minus(format.Elo(g.Elo.Lo, -1)), format.Minus(format.Elo(g.Elo.Hi, 1)))
	}
	return said
}

// EloText returns a rating difference with its sign and one decimal, or a dash for nil.
func EloText(v *float64) string {
	if v == nil {
		return "–"
	}
	return format.Minus(format.Elo(v, 1))
}

// LLR returns HTML with the log likelihood ratio as a number and as a bar between its bounds. It returns ""
// without an SPRT.
func (g Glance) LLR() template.HTML {
	if g.Gate == nil || g.Gate.LLR == nil {
		return ""
	}
	// +0: no −0.00
	words := format.Minus(fmt.Sprintf("%.2f [%.2f, %.2f]", math.Round(*g.Gate.LLR*100)/100+0, g.Gate.Lower, g.Gate.Upper))
	return template.HTML(words) + " " + svg.Ratio(*g.Gate.LLR, g.Gate.Lower, g.Gate.Upper, "LLR "+words)
}

// Line returns the result in one line of HTML.
func (g Glance) Line(w Words) (template.HTML, error) {
	t, err := parsed("glance", template.FuncMap{"t": w.Say, "percent": format.Percent, "count": format.Count})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.ExecuteTemplate(&b, "glance", g)
	return template.HTML(b.String()), err // the template escapes every text
}
