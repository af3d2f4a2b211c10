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

type problem struct {
	Run  string `json:"run,omitempty"`
	Pair *int   `json:"pair,omitempty"`
	What string `json:"what"`
}

func problems(list []repair.Problem) []problem {
	out := []problem{}
	for _, p := range list {
		q := problem{Run: p.Run, What: p.What}
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
		t.AppendRow(table.Row{format.Name(r.Name), format.Count(r.Pairs), format.Count(r.Sound), format.Count(r.Unchecked), format.Count(r.Replayed)})
	}
	format.Render(w, t)
	if len(c.Problems) > 0 {
		fmt.Fprintf(w, "\n%s\n", i18n.Say(in, "not as it was stored:"))
		printProblems(w, in, c.Problems, c.More)
	}
	for _, r := range c.Runs {
		if r.Unchecked > 0 {
			fmt.Fprintf(w, "\n%s\n", i18n.Say(in, "Unchecked pairs were stored by an older gogi, without checksums: their parts fit\neach other, and that is all that is known."))
			break
		}
	}
}

// checkJSON writes the result of a check as one JSON object.
func checkJSON(w io.Writer, c *repair.Checkup) error {
	return format.JSON(w, map[string]any{
		"version": version, "sound": c.Sound(), "runs": append([]repair.CheckedRun{}, c.Runs...), "problems": problems(c.Problems), "more_problems": c.More,
	})
}

// printRepair writes the result of a repair as text.
func printRepair(w io.Writer, in i18n.Language, r *repair.Repaired) {
	t := format.Table(i18n.Heads(in, "run", "saved pairs", "unchecked", "lost pairs")...)
	for _, run := range r.Runs {
		t.AppendRow(table.Row{format.Name(run.Name), format.Count(run.Saved), format.Count(run.Unchecked), format.Count(run.Lost)})
	}
	format.Render(w, t)
	if len(r.Lost) > 0 {
		fmt.Fprintf(w, "\n%s\n", i18n.Say(in, "lost; gogi plays them again when the run resumes:"))
		printProblems(w, in, r.Lost, 0)
	}
	for _, name := range r.LostRuns {
		fmt.Fprintf(w, "\n%s\n", i18n.Say(in, "lost: run %s, whose plan or players are damaged", sanitize.Printable(name, 100)))
	}
}

// repairJSON writes the result of a repair as one JSON object.
func repairJSON(w io.Writer, r *repair.Repaired) error {
	return format.JSON(w, map[string]any{
		"version": version, "whole": r.Whole(), "runs": append([]repair.RepairedRun{}, r.Runs...),
		"lost": problems(r.Lost), "lost_runs": append([]string{}, r.LostRuns...),
	})
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
		fmt.Fprintf(w, "\n%s\n", i18n.Say(in, "other games of the same pairs, left out; those of %s and later databases count:", sanitize.Printable(from[0], 60)))
		printProblems(w, in, m.Conflicts, 0)
	}
}

// mergeJSON writes the result of a merge as one JSON object.
func mergeJSON(w io.Writer, m *repair.Merged) error {
	return format.JSON(w, map[string]any{"version": version, "runs": append([]repair.MergedRun{}, m.Runs...), "conflicts": problems(m.Conflicts)})
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
		i18n.Number{N: sum.Games, Noun: "game"}, i18n.Number{N: sum.Pairs, Noun: "pair"}, i18n.Number{N: sum.Segments, Noun: "segment"},
		format.Span(p.Took), format.Count(int(p.Before/1000)), format.Count(int(p.After/1000))))
}

// JSON writes the result as one JSON object.
func (p *packed) JSON(w io.Writer) error {
	return format.JSON(w, map[string]any{
		"version": version, "runs": append([]results.PackedRun{}, p.Runs...), "seconds": p.Took.Seconds(), "bytes_before": p.Before, "bytes_after": p.After,
	})
}
