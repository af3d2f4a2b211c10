package web

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"gogi/ensemble/voting"
	"gogi/internal/svg"
	"gogi/usi"
)

// mark is a label on an axis.
type mark struct {
	At    float64
	Label string
}

// scoreGraph is the graph of both players' scores in a game, from Black's view. Its scale is linear for small
// scores and logarithmic for large ones, so that no score lies outside of it.
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

// bend is the score, in centipawns, around which the scale turns from linear to logarithmic.
const bend = 400

// newScoreGraph returns the graph of the moves' scores, or nil if no move has a score. It marks ply, the ply that the
// page shows.
func (v voice) newScoreGraph(moves []moveLine, ply int) *scoreGraph {
	g := &scoreGraph{Frame: svg.Frame{Left: 60, Top: 10, Right: 630, Bottom: 190}}
	limit, mates := 2000, false
	for i := range moves {
		if s := moves[i].score; s != nil && usi.ShownScore(*s).Mate != 0 {
			mates = true
		} else if s != nil {
			limit = max(limit, *s, -*s)
		}
	}
	top := math.Asinh(float64(limit) / bend)
	if mates {
		top *= 1.12 // a mate is above every score
	}
	y := func(score int) float64 {
		part := math.Asinh(float64(score)/bend) / top
		return (g.Top+g.Bottom)/2 - (g.Bottom-g.Top)/2*max(-1, min(1, part))
	}
	width := (g.Right - g.Left) / float64(max(1, len(moves)))
	x := func(ply int) float64 { return g.Left + width*(float64(ply)-0.5) }
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
		g.Columns = append(g.Columns, graphColumn{x(m.Ply) - width/2, width, m.Ply,
			strings.TrimSpace(fmt.Sprintf("%d %s %s", m.Ply, m.Text, m.Score))})
	}
	g.Black, g.White = strings.TrimSpace(lines[0].String()), strings.TrimSpace(lines[1].String())
	if g.Black+g.White == "" {
		return nil
	}
	g.Even, g.Now = y(0), max(g.Left, x(ply))
	g.Marks = []mark{{y(0), "0"}}
	for _, score := range []int{300, 1000, 3000, 10_000, 30_000} {
		if score <= limit {
			g.Marks = append(g.Marks, mark{y(score), signed(score)}, mark{y(-score), signed(-score)})
		}
	}
	if mates {
		g.Marks = append(g.Marks, mark{g.Top, v.Say("mate")}, mark{g.Bottom, v.Say("mate")})
	}
	step := 10
	for len(moves)/step > 8 {
		step *= 2
	}
	for p := step; p <= len(moves); p += step {
		g.Plies = append(g.Plies, mark{x(p), fmt.Sprint(p)})
	}
	return g
}

// weightGraph returns a chart of the weights of a council's members in a game. It has one column for each decision,
// with the shares of the members. plies is the number of plies of the game, and now the ply that the page shows.
// weightGraph returns "" if no weight is stored.
func (v voice) weightGraph(council string, decisions []*voting.Record, plies, now int) template.HTML {
	if len(decisions) == 0 || len(decisions[0].Before) == 0 {
		return ""
	}
	const left, right, height = 60.0, 630.0, 90.0
	width := (right - left) / float64(max(1, plies))
	title := v.Say("Weights of the members of %s by ply", council)
	var b strings.Builder
	w := func(text string, args ...any) { fmt.Fprintf(&b, text, args...) } // a Builder never fails
	w(`<figure><figcaption>%s</figcaption><svg class="chart scores" viewBox="0 0 640 %g" role="img" aria-label="%[1]s">`,
		html.EscapeString(title), height+8)
	w(`<text x="54" y="12" text-anchor="end">100%%</text><text x="54" y="%g" text-anchor="end">0%%</text>`, height+4)
	for _, d := range decisions {
		sum, y := 0.0, 4.0
		for _, weight := range d.Before {
			sum += weight
		}
		for member, weight := range d.Before {
			if part := height * weight / max(sum, 1e-9); part > 0 {
				w(`<rect class="c%d" x="%.2f" y="%.1f" width="%.2f" height="%.1f"/>`, member%8+1, left+width*float64(d.Ply-1), y,
					2*width, part)
				y += part
			}
		}
	}
	w(`<line class="now" x1="%.1f" x2="%[1]g" y1="4" y2="%g"/></svg><ul class="legend">`,
		math.Round(left+width*(float64(max(1, now))-0.5)), height+4)
	for member, name := range slices.All(decisions[0].Members) {
		w(`<li class="c%d">%s</li>`, member%8+1, html.EscapeString(name))
	}
	w("</ul></figure>")
	return seen(template.HTML(b.String())) // every text is escaped
}
