package dbcmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/internal/sanitize"
	"gogi/results"
	"gogi/results/repair"
)

const version = 1

// A Problem is a fault of a database in the JSON form.
type Problem struct {
	Run  string `json:"run,omitempty"`  // name of the run; missing if the fault concerns no single run
	Pair *int   `json:"pair,omitempty"` // number of the pair; missing if the fault concerns no single pair
	What string `json:"what"`           // the fault as English text
}

func problems(list []repair.Problem) []Problem {
	out := []Problem{}
	for _, p := range list {
		q := Problem{Run: p.Run, What: p.What}
		if p.Pair >= 0 {
			q.Pair = &p.Pair
		}
		out = append(out, q)
	}
	return out
}

// printed is the number of problems that the text form lists. The JSON form lists all.
const printed = 20

func printProblems(w io.Writer, in i18n.Language, list []repair.Problem, more int) {
	for _, p := range list[:min(len(list), printed)] {
		fmt.Fprintf(w, "  %s\n", sanitize.Printable(p.Error(), 500))
	}
	if more += max(0, len(list)-printed); more > 0 {
		fmt.Fprintf(w, "  %s\n", i18n.Say(in, "and %s more", format.Count(more)))
	}
}

// printCheck writes the result of a check as text.
func printCheck(w io.Writer, in i18n.Language, c *repair.Checkup) {
	t := format.Table(i18n.Heads(in, "run", "pairs", "sound", "unchecked", "replayed")...)
	for _, r := range c.Runs {
		t.AppendRow(table.Row{format.Name(r.Name), format.Count(r.Pairs), format.Count(r.Sound), format.Count(r.Unchecked),
			format.Count(r.Replayed)})
	}
	format.Render(w, t)
	if len(c.Problems) > 0 {
		fmt.Fprintf(w, "\n%s\n", i18n.Say(in, "not as it was stored:"))
		printProblems(w, in, c.Problems, c.More)
	}
	for _, r := range c.Runs {
		if r.Unchecked > 0 {
			fmt.Fprintf(w, "\n%s\n", i18n.Say(in,
				"Unchecked pairs were stored by an older gogi, without checksums: their parts fit\neach other, and that is all that is known."))
			break
		}
	}
}

// A CheckResult is the JSON object of gogi db check.
type CheckResult struct {
	Version  int                 `json:"version"` // 1
	Sound    bool                `json:"sound"`   // gogi found no problem
	Runs     []repair.CheckedRun `json:"runs"`    // the checked runs
	Problems []Problem           `json:"problems"`
	More     int                 `json:"more_problems"` // number of problems that are not in problems
}

// checkJSON writes the result of a check as one JSON object.
func checkJSON(w io.Writer, c *repair.Checkup) error {
	return format.JSON(w, CheckResult{version, c.Sound(), append([]repair.CheckedRun{}, c.Runs...), problems(c.Problems),
		c.More})
}

// printRepair writes the result of a repair as text.
func printRepair(w io.Writer, in i18n.Language, r *repair.Repaired) {
	t := format.Table(i18n.Heads(in, "run", "saved pairs", "unchecked", "lost pairs")...)
	for _, run := range r.Runs {
		t.AppendRow(table.Row{format.Name(run.Name), format.Count(run.Saved), format.Count(run.Unchecked),
			format.Count(run.Lost)})
	}
	format.Render(w, t)
	if len(r.Lost) > 0 {
		fmt.Fprintf(w, "\n%s\n", i18n.Say(in, "lost; gogi plays them again when the run resumes:"))
		printProblems(w, in, r.Lost, 0)
	}
	for _, name := range r.LostRuns {
		fmt.Fprintf(w, "\n%s\n", i18n.Say(in, "lost: run %s, whose plan or players are damaged",
			sanitize.Printable(name, 100)))
	}
}

// A RepairResult is the JSON object of gogi db repair.
type RepairResult struct {
	Version  int                  `json:"version"`   // 1
	Whole    bool                 `json:"whole"`     // nothing is lost
	Runs     []repair.RepairedRun `json:"runs"`      // the repaired runs
	Lost     []Problem            `json:"lost"`      // the lost pairs, which gogi plays again when the run resumes
	LostRuns []string             `json:"lost_runs"` // names of the runs whose plan or players are damaged
}

// repairJSON writes the result of a repair as one JSON object.
func repairJSON(w io.Writer, r *repair.Repaired) error {
	return format.JSON(w, RepairResult{version, r.Whole(), append([]repair.RepairedRun{}, r.Runs...), problems(r.Lost),
		append([]string{}, r.LostRuns...)})
}

// printMerge writes the result of a merge as text. from has the names of the databases as the user gave them.
func printMerge(w io.Writer, in i18n.Language, m *repair.Merged, from []string) {
	t := format.Table(i18n.Heads(in, "run", "pairs", "from each database", "in several")...)
	for _, r := range m.Runs {
		taken := lists.Map(r.Taken, format.Count)
		t.AppendRow(table.Row{format.Name(r.Name), format.Count(r.Pairs), strings.Join(taken, " + "), format.Count(r.Same)})
	}
	format.Render(w, t)
	if len(m.Conflicts) > 0 {
		fmt.Fprintf(w, "\n%s\n", i18n.Say(in,
			"other games of the same pairs, left out; those of %s and later databases count:", sanitize.Printable(from[0], 60)))
		printProblems(w, in, m.Conflicts, 0)
	}
}

// A MergeResult is the JSON object of gogi db merge.
type MergeResult struct {
	Version   int                `json:"version"` // 1
	Runs      []repair.MergedRun `json:"runs"`
	Conflicts []Problem          `json:"conflicts"` // pairs of which a later database has other games, which gogi left out
}

// mergeJSON writes the result of a merge as one JSON object.
func mergeJSON(w io.Writer, m *repair.Merged) error {
	return format.JSON(w, MergeResult{version, append([]repair.MergedRun{}, m.Runs...), problems(m.Conflicts)})
}

// packed is the result of gogi db optimize: the number of packed segments, pairs and games of each run.
type packed struct {
	Runs          []results.PackedRun
	Took          time.Duration
	Before, After int64 // bytes of the file and its log
}

// Sum adds the segments, pairs and games of all runs.
func (p *packed) Sum() (sum results.PackedRun) {
	for _, r := range p.Runs {
		sum.Segments, sum.Pairs, sum.Games = sum.Segments+r.Segments, sum.Pairs+r.Pairs, sum.Games+r.Games
	}
	return sum
}

// Print writes the result as text.
func (p *packed) Print(w io.Writer, in i18n.Language) {
	sum := p.Sum()
	if sum.Segments == 0 {
		fmt.Fprintln(w, i18n.Say(in, "nothing is to be packed: reports read every run as fast as they can"))
		return
	}
	t := format.Table(i18n.Heads(in, "run", "pairs", "games", "segments")...)
	for _, r := range p.Runs {
		t.AppendRow(table.Row{format.Name(r.Name), format.Count(r.Pairs), format.Count(r.Games), format.Count(r.Segments)})
	}
	format.Render(w, t)
	fmt.Fprintf(w, "%s\n", i18n.Say(in, "packed %s of %s in %s in %s; the file had %s kB and has %s kB",
		i18n.Number{N: sum.Games, Noun: "game"}, i18n.Number{N: sum.Pairs, Noun: "pair"},
		i18n.Number{N: sum.Segments, Noun: "segment"},
		format.Span(p.Took), format.Count(int(p.Before/1000)), format.Count(int(p.After/1000))))
}

// A PackResult is the JSON object of gogi db optimize.
type PackResult struct {
	Version int                 `json:"version"` // 1
	Runs    []results.PackedRun `json:"runs"`
	Seconds float64             `json:"seconds"`      // duration of the packing
	Before  int64               `json:"bytes_before"` // size of the database file and its log before the packing
	After   int64               `json:"bytes_after"`  // size of the database file and its log after the packing
}

// JSON writes the result as one JSON object.
func (p *packed) JSON(w io.Writer) error {
	return format.JSON(w, PackResult{version, append([]results.PackedRun{}, p.Runs...), p.Took.Seconds(), p.Before,
		p.After})
}
