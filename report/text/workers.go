package text

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report"
)

// shownWorkers is the largest number of workers that have their own line. With --json the report has all
// workers.
const shownWorkers = 12

// printWorkers prints the results of a farm's workers, or nothing for a run without a farm.
func (r view) printWorkers(w io.Writer) {
	if len(r.Workers) == 0 {
		return
	}
	t := r.table("worker", "pairs", "share", "score", "against the rest", "late", "crash", "slow", "evidence")
	for _, k := range r.Workers[:min(shownWorkers, len(r.Workers))] {
		t.AppendRow(table.Row{
			WorkerName(k).In(r.in), format.Count(k.Pairs), format.Percent(k.Share), format.Or(k.Score, format.Percent),
			AgainstRest(k),
			format.Count(k.TimeLosses), format.Count(k.Crashes), format.Count(k.Slowed), Evidence(k),
		})
	}
	format.Render(w, t)
	if more := len(r.Workers) - shownWorkers; more > 0 {
		fmt.Fprintln(w, r.say("and %s, see --json", i18n.Number{N: more, Noun: "more worker"}))
	}
	for _, k := range r.Workers {
		if k.StandsOut != "" {
			fmt.Fprintln(w, r.say("%s differs from the others by its %s; gogi db void --worker takes its pairs out",
				WorkerName(k), i18n.Of(k.StandsOut)))
		}
	}
}

// WorkerName returns the name of a worker (a machine that plays games for the run). For the process that
// stores the pairs it returns a description.
func WorkerName(k report.Worker) i18n.Message {
	if k.Name == "" {
		return i18n.Of("(this process)")
	}
	return i18n.Verbatim(format.Name(k.Name))
}

// AgainstRest returns text with the score in a worker's games minus the score in the games of the other
// workers, in percentage points, with its interval.
func AgainstRest(k report.Worker) string {
	if k.Difference == nil {
		return "–"
	}
	return fmt.Sprintf("%+.1f [%+.1f, %+.1f]", 100**k.Difference, 100**k.Lo, 100**k.Hi)
}

// Evidence returns text with an e-value: the evidence that a worker's results differ from those of the other
// workers.
func Evidence(k report.Worker) string {
	switch {
	case k.Log10E == nil:
		return "–"
	case k.StandsOut != "":
		return fmt.Sprintf("10^%.1f !", *k.Log10E)
	}
	return fmt.Sprintf("10^%.1f", *k.Log10E)
}
