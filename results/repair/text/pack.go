package text

import (
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/results"
)

// Packed is the result of gogi db optimize: the number of packed segments, pairs and games of each run.
type Packed struct {
	Runs          []results.PackedRun
	Took          time.Duration
	Before, After int64 // bytes of the file and its log
}

// Sum adds the segments, pairs and games of all runs.
func (p *Packed) Sum() (sum results.PackedRun) {
	for _, r := range p.Runs {
		sum.Segments, sum.Pairs, sum.Games = sum.Segments+r.Segments, sum.Pairs+r.Pairs, sum.Games+r.Games
	}
	return sum
}

// Print writes the result as text.
func (p *Packed) Print(w io.Writer, in i18n.Language) {
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
func (p *Packed) JSON(w io.Writer) error {
	return format.JSON(w, map[string]any{
		"version": version, "runs": append([]results.PackedRun{}, p.Runs...), "seconds": p.Took.Seconds(), "bytes_before": p.Before, "bytes_after": p.After,
	})
}
