package web

import (
	"fmt"
	"strings"

	"gogi/internal/format"
	"gogi/internal/svg"
	"gogi/report"
	"gogi/report/html"
)

// mark is a label on an axis.
type mark struct {
	At    float64
	Label string
}

// historyChart is the course of an SPRT's log likelihood ratio between its bounds.
type historyChart struct {
	svg.Frame

	Points       string // points of the polyline
	Lower, Upper float64
	YMarks       []mark
	XMarks       []mark
}

// newHistory draws the log likelihood ratio along the run. It returns nil without an SPRT, and for fewer than two points.
func newHistory(g *report.Gate, curve []html.CurvePoint) *historyChart {
	var points []html.CurvePoint
	for _, p := range curve {
		if p.LLR != nil {
			points = append(points, p)
		}
	}
	if g == nil || len(points) < 2 {
		return nil
	}
	lo, hi := g.Lower, g.Upper
	for _, p := range points {
		lo, hi = min(lo, *p.LLR), max(hi, *p.LLR)
	}
	margin := (hi - lo) / 12
	lo, hi = lo-margin, hi+margin
	last := points[len(points)-1].Judged
	c := &historyChart{Frame: svg.Frame{Left: 60, Top: 14, Right: 626, Bottom: 236}}
	x := func(pairs int) float64 { return c.Left + (c.Right-c.Left)*float64(pairs)/float64(max(1, last)) }
	y := func(v float64) float64 { return c.Bottom - (c.Bottom-c.Top)*(v-lo)/(hi-lo) }
	var line strings.Builder
	for _, p := range points {
		fmt.Fprintf(&line, "%.1f,%.1f ", x(p.Judged), y(*p.LLR)) // a Builder never fails
	}
	c.Points, c.Lower, c.Upper = strings.TrimSpace(line.String()), y(g.Lower), y(g.Upper)
	c.YMarks = []mark{{y(g.Lower), fmt.Sprintf("%.2f", g.Lower)}, {y(0), "0"}, {y(g.Upper), fmt.Sprintf("%.2f", g.Upper)}}
	c.XMarks = []mark{{x(0), "0"}, {x(last / 2), format.Count(last / 2)}, {x(last), format.Count(last)}}
	return c
}

// scoreGraph is the graph of both players' scores in a game, from Black's view.
type scoreGraph struct {
	svg.Frame

	Black, White string // points of polylines
	Even         float64
	Now          float64 // place of the ply that is shown
	Marks        []mark  // labels of scores
	Plies        []mark
	Columns      []graphColumn // one for each ply, for the pointer
}

// graphColumn is the part of the graph that belongs to a ply.
type graphColumn struct {
	X, Width float64
	Ply      int
	Words    string
}

// graphLimit is the score, in centipawns, beyond which the graph is flat. Such a game is decided.
const graphLimit = 3000

// newScoreGraph returns nil if no move has a score.
func newScoreGraph(moves []moveLine, ply int) *scoreGraph {
	g := &scoreGraph{Frame: svg.Frame{Left: 76, Top: 10, Right: 620, Bottom: 190}}
	width := (g.Right - g.Left) / float64(max(1, len(moves)))
	x := func(ply int) float64 { return g.Left + width*(float64(ply)-0.5) }
	y := func(score int) float64 {
		return g.Bottom - (g.Bottom-g.Top)*float64(max(-graphLimit, min(graphLimit, score))+graphLimit)/(2*graphLimit)
	}
	var lines [2]strings.Builder
	for i := range moves {
		m := &moves[i]
		side := &lines[0]
		if m.Side == "white" {
			side = &lines[1]
		}
		if m.score != nil {
			fmt.Fprintf(side, "%.1f,%.1f ", x(m.Ply), y(*m.score)) // a Builder never fails
		}
		g.Columns = append(g.Columns, graphColumn{x(m.Ply) - width/2, width, m.Ply, strings.TrimSpace(fmt.Sprintf("%d %s %s", m.Ply, m.Text, m.Score))})
	}
	g.Black, g.White = strings.TrimSpace(lines[0].String()), strings.TrimSpace(lines[1].String())
	if g.Black+g.White == "" {
		return nil
	}
	g.Even, g.Now = y(0), max(g.Left, x(ply))
	for _, v := range []int{-2000, -1000, 0, 1000, 2000} {
		g.Marks = append(g.Marks, mark{y(v), signed(v)})
	}
	g.Marks[2].Label = "0"
	step := 10
	for len(moves)/step > 8 {
		step *= 2
	}
	for p := step; p <= len(moves); p += step {
		g.Plies = append(g.Plies, mark{x(p), fmt.Sprint(p)})
	}
	return g
}
