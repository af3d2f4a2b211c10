package compare

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/phrases"
	"gogi/stats/counts"
)

// Print writes the report as a person reads it in a terminal: the verdict first.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", r.Claim())
	t := format.Table("run", "version", "limits", "games", "openings", "score", "Elo", "95% from", "to")
	for _, run := range r.Runs {
		score := "–"
		if run.Score != nil {
			score = format.Percent(*run.Score)
		}
		row := table.Row{run.Run, format.Name(run.Player), run.Limits, format.Count(run.Games), format.Count(run.Openings), score, elo(run.Elo, run.Score), "", ""}
		if run.Lo != nil || run.Hi != nil {
			row[7], row[8] = format.Elo(run.Lo, -1), format.Elo(run.Hi, 1)
		}
		t.AppendRow(row)
	}
	format.Render(w, t)
	r.printSteps(w)
	if r.Trend != nil {
		fmt.Fprintf(w, "trend   %s\n", r.Trend.line())
	}
	fmt.Fprintln(w)
	for _, remark := range r.Remarks {
		fmt.Fprintln(w, remark)
	}
}

func (r *Report) printSteps(w io.Writer) {
	tested := 0
	for _, s := range r.Steps {
		if s.P != nil {
			tested++
		}
	}
	for _, s := range r.Steps {
		fmt.Fprintf(w, "%s against %s   %s\n", s.Newer, s.Older, s.line(tested))
		if s.Elo != nil {
			fmt.Fprintf(w, "  %s\n", s.how())
		}
	}
}

// line is a step's difference, with its test adjusted where there are several.
func (s Step) line(tested int) string {
	if s.Elo == nil {
		return "no difference: " + s.Why.String()
	}
	text := fmt.Sprintf("%+.1f Elo", *s.Elo)
	if s.Lo == nil && s.Hi == nil {
		return text + ", no interval and no test: " + s.Why.String()
	}
	text += fmt.Sprintf("   [%s, %s]  95%% approximate", format.Elo(s.Lo, -1), format.Elo(s.Hi, 1))
	if s.P == nil {
		return text + "   no test: " + s.Why.String()
	}
	text += "   p = " + format.PValue(*s.P)
	if tested > 1 {
		text += fmt.Sprintf(", %s for %d tests", format.PValue(*s.Adjusted), tested)
	}
	return text
}

// how says what was compared.
func (s Step) how() string {
	text := fmt.Sprintf("the %s that both played, one by one", format.NumberOf(s.Shared, "opening"))
	if s.Method == "independent" {
		text = fmt.Sprintf("as independent samples: they share %s", format.NumberOf(s.Shared, "opening"))
	}
	switch s.Test {
	case "paired_sign_flip":
		return text + "; the test is exact, two-sided"
	case "":
		return text
	}
	return text + "; the test is approximate, two-sided"
}

func (t *Trend) line() string {
	switch {
	case t.Slope == nil:
		return "none: " + t.Why.String()
	case t.P == nil:
		return fmt.Sprintf("%+.1f Elo a version, no interval and no test: %s", *t.Slope, t.Why)
	}
	text := fmt.Sprintf("%+.1f Elo a version   [%s, %s]  95%% approximate   p = %s", *t.Slope, format.Elo(t.Lo, -1), format.Elo(t.Hi, 1), format.PValue(*t.P))
	if significant(*t.Misfit) {
		return text + fmt.Sprintf(", but the versions do not lie on a line (p = %s)", format.PValue(*t.Misfit))
	}
	return text
}

// Claim is what the runs show, in a sentence: of two runs the difference, of more the
// trend.
func (r *Report) Claim() phrases.Said {
	if r.Trend != nil {
		return r.trendClaim()
	}
	s := r.Steps[0]
	switch {
	case s.Elo == nil:
		return phrases.Of("There is nothing to compare: %s.", s.Why)
	case s.P == nil:
		return phrases.Of("There is no verdict: %s.", s.Why)
	case !significant(*s.P):
		return phrases.Of("The games do not show whether %s gained more against %s than %s did.", s.Newer, format.Name(r.Opponent), s.Older)
	case *s.Elo > 0:
		return phrases.Of("%s gained more against %s than %s did.", s.Newer, format.Name(r.Opponent), s.Older)
	}
	return phrases.Of("%s gained less against %s than %s did.", s.Newer, format.Name(r.Opponent), s.Older)
}

func (r *Report) trendClaim() phrases.Said {
	switch t := r.Trend; {
	case t.P == nil:
		return phrases.Of("There is no verdict: %s.", t.Why)
	case !significant(*t.P):
		return phrases.Of("The games show no trend of the versions against %s.", format.Name(r.Opponent))
	case *t.Slope > 0:
		return phrases.Of("The versions gain against %s, from first to last.", format.Name(r.Opponent))
	}
	return phrases.Of("The versions lose ground against %s, from first to last.", format.Name(r.Opponent))
}

func significant(p float64) bool { return counts.Test{P: p}.Significant(1 - Level) }

// elo prints a rating, infinite where the score is 0 or 1.
func elo(value, score *float64) string {
	switch {
	case score == nil:
		return "–"
	case *score < 0.5:
		return format.Elo(value, -1)
	}
	return format.Elo(value, 1)
}
