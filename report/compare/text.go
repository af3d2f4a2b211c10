package compare

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/stats/binomial"
)

// Print writes the report as text for a terminal, in the given language. The verdict comes first.
func (r *Report) Print(w io.Writer, in i18n.Language) {
	fmt.Fprintf(w, "%s\n\n", r.Claim().In(in))
	t := format.Table(i18n.Heads(in, "run", "version", "limits", "games", "openings", "score", "Elo", "95% from", "to")...)
	for _, run := range r.Runs {
		row := table.Row{run.Run, format.Name(run.Player), run.Limits, format.Count(run.Games), format.Count(run.Openings),
			format.Or(run.Score, format.Percent), elo(run.Elo, run.Score), "", ""}
		if run.Lo != nil || run.Hi != nil {
			row[7], row[8] = format.Elo(run.Lo, -1), format.Elo(run.Hi, 1)
		}
		t.AppendRow(row)
	}
	format.Render(w, t)
	r.printSteps(w, in)
	fmt.Fprintln(w)
	for _, remark := range i18n.Each(in, r.Remarks) {
		fmt.Fprintln(w, remark)
	}
}

func (r *Report) printSteps(w io.Writer, in i18n.Language) {
	tested := lists.Count(r.Steps, func(s Step) bool { return s.P != nil })
	for _, s := range r.Steps {
		fmt.Fprintln(w, i18n.Say(in, "%s against %s   %s", s.Newer, s.Older, s.line(tested)))
		if s.Elo != nil {
			fmt.Fprintf(w, "  %s\n", s.how().In(in))
		}
		if s.NotWorse != nil {
			fmt.Fprintf(w, "  %s\n", s.NotWorse.line(tested).In(in))
		}
	}
}

// line returns the text of a step's difference. tested is the number of tested steps. If it is above 1, the text has
// the p value that is adjusted for them.
func (s Step) line(tested int) i18n.Message {
	if s.Elo == nil {
		return i18n.Of("no difference: %s", s.Why)
	}
	elo := fmt.Sprintf("%+.1f", *s.Elo)
	if s.Lo == nil && s.Hi == nil {
		return i18n.Of("%s Elo, no interval and no test: %s", elo, s.Why)
	}
	message := i18n.Of("%s Elo   [%s, %s]  95%% approximate", elo, format.Elo(s.Lo, -1), format.Elo(s.Hi, 1))
	switch {
	case s.P == nil:
		return i18n.Of("%s   no test: %s", message, s.Why)
	case tested > 1:
		return i18n.Of("%s   p = %s, %s for %d tests", message, format.PValue(*s.P), format.PValue(*s.Adjusted), tested)
	}
	return i18n.Of("%s   p = %s", message, format.PValue(*s.P))
}

// how returns text about how a step compares the two versions: by which openings and with which test.
func (s Step) how() i18n.Message {
	openings := i18n.Number{N: s.Shared, Noun: "opening"}
	message := i18n.Of("the %s that both played, one by one", openings)
	switch s.Method {
	case "partly_paired":
		message = i18n.Of("all openings of both, of which they share %s", openings)
	case "independent":
		message = i18n.Of("as independent samples: they share %s", openings)
	}
	switch s.Test {
	case "paired_sign_flip":
		return i18n.Of("%s; the test is exact, two-sided", message)
	case "":
		return message
	}
	return i18n.Of("%s; the test is approximate, two-sided", message)
}

// line returns the text of the verdict about the margin, with its test. tested is the number of tested steps.
func (n *NotWorse) line(tested int) i18n.Message {
	margin := fmt.Sprintf("%g", n.Margin)
	message := i18n.Of("not shown: not worse by %s Elo or more", margin)
	switch {
	case n.P == nil:
		return i18n.Of("%s; there is no test", message)
	case n.Verdict == ShownNotWorse:
		message = i18n.Of("shown: not worse by %s Elo or more", margin)
	case n.Verdict == ShownWorse:
		message = i18n.Of("shown: worse by more than %s Elo", margin)
	}
	message = i18n.Of("%s; the gain is at least %s Elo (95%%, one-sided, approximate)", message,
		fmt.Sprintf("%+.1f", *n.Bound))
	if tested > 1 {
		return i18n.Of("%s   p = %s, %s for %d tests", message, format.PValue(*n.P), format.PValue(*n.Adjusted), tested)
	}
	return i18n.Of("%s   p = %s", message, format.PValue(*n.P))
}

// Claim returns the result as one sentence, which compares the newest version with the one before it.
func (r *Report) Claim() i18n.Message {
	s := r.Steps[len(r.Steps)-1]
	switch {
	case s.Elo == nil:
		return i18n.Of("There is nothing to compare: %s.", s.Why)
	case s.P == nil:
		return i18n.Of("There is no verdict: %s.", s.Why)
	case !significant(*s.Adjusted):
		return i18n.Of("The games do not show whether %s gained more against %s than %s did.", s.Newer,
			format.Name(r.Opponent), s.Older)
	case *s.Elo > 0:
		return i18n.Of("%s gained more against %s than %s did.", s.Newer, format.Name(r.Opponent), s.Older)
	}
	return i18n.Of("%s gained less against %s than %s did.", s.Newer, format.Name(r.Opponent), s.Older)
}

func significant(p float64) bool { return binomial.Test{P: p}.Significant(1 - Level) }

// elo returns the text of an Elo value. The value is infinite if the score is 0 or 1.
func elo(value, score *float64) string {
	switch {
	case score == nil:
		return "–"
	case *score < 0.5:
		return format.Elo(value, -1)
	}
	return format.Elo(value, 1)
}
