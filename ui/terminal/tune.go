package terminal

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
)

// aboutTune returns the texts about a tune in play. They contain no strength, because the games of a tune do
// not prove the strength of its values.
func (v View) aboutTune() []string {
	t := v.Now.Tune
	now, _ := t.Now()
	texts := []string{v.say("Tune (%s): block %d of %d; a tune's games prove no strength.", t.Method, t.Track.Latest,
		t.Blocks)}
	if now.LostElo != nil && t.Target > 0 {
		texts = append(texts,
			v.say("Perturbation × %.2f: the perturbed values lost %.1f Elo to the current values (target: %g).", now.Spread,
				*now.LostElo, t.Target))
	}
	if now.Equal > 0 {
		texts = append(texts, v.say("Pairs with equal values on both sides: %s.", format.Count(now.Equal)))
	}
	if t.Forfeits > 0 {
		texts = append(texts, v.say("Forfeited because the engine did not start with its values: %s.",
			i18n.Number{N: t.Forfeits, Noun: "pair"}))
	}
	if len(t.Candidate) > 0 {
		texts = append(texts, v.say("Final values: %s.", answer(t)))
	}
	if len(t.Validations) > 0 {
		texts = append(texts, v.say("Tested by: %s.", strings.Join(t.Validations, ", ")))
	}
	return texts
}

// answer returns the tune's candidate in one line, in the order of the parameters.
func answer(t *match.TuneLive) string {
	var list []string
	for _, p := range t.Params {
		if value, ok := t.Candidate[p.Name]; ok && !p.Unused {
			list = append(list, p.Name+" "+value)
		}
	}
	return strings.Join(list, ", ")
}

// These are the widths of the columns of a parameter.
const (
	paramName  = 18
	paramValue = 9
	leastChart = 8
)

// tune returns at most height lines: a heading, and the parameters with the charts of their trajectories. across is
// the width in terminal cells.
func (v View) tune(across, height int) []Line {
	t := v.Now.Tune
	if height < 2 {
		return nil
	}
	lines := []Line{line(Faint, pad(v.say("parameter"), paramName)+padLeft(v.say("start"), paramValue)+
		padLeft(v.say("now"), paramValue))}
	now, _ := t.Now()
	for i := range t.Params {
		p := &t.Params[i]
		if p.Unused {
			continue
		}
		at := p.Start
		if i < len(now.Theta) {
			at = now.Theta[i]
		}
		text := pad(clean(p.Name), paramName) + padLeft(valueOf(p, p.Start), paramValue) + padLeft(valueOf(p, at), paramValue)
		if free := across - width(text) - 2; free >= leastChart {
			text += "  " + chart(t, i, min(free, 40))
		}
		if lines = append(lines, line(Plain, text)); len(lines) == height {
			break
		}
	}
	return lines
}

func valueOf(p *match.TuneParam, x float64) string {
	if i := int(x); len(p.Levels) > 0 && i >= 0 && i < len(p.Levels) {
		return clean(p.Levels[i])
	}
	digits := 0
	if reach := p.Max - p.Min; reach > 0 {
		digits = min(max(0, 3-int(math.Floor(math.Log10(reach)))), 6)
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// bars has the characters of a chart by height.
const bars = "▁▂▃▄▅▆▇█"

// chart draws the values of a parameter after each learnt block, in at most cells cells. The scale goes from the lowest
// to the highest value, including the start value.
func chart(t *match.TuneLive, i, cells int) string {
	blocks := slices.Sorted(maps.Keys(t.Track.Points))
	lo, hi := t.Params[i].Start, t.Params[i].Start
	for _, b := range blocks {
		if theta := t.Track.Points[b].Theta; i < len(theta) {
			lo, hi = min(lo, theta[i]), max(hi, theta[i])
		}
	}
	heights := []rune(bars)
	var text strings.Builder
	for c := range min(cells, len(blocks)) {
		theta := t.Track.Points[blocks[(c+1)*len(blocks)/min(cells, len(blocks))-1]].Theta
		if i >= len(theta) {
			continue
		}
		at := 0
		if hi > lo {
			at = int((theta[i] - lo) / (hi - lo) * float64(len(heights)-1))
		}
		text.WriteRune(heights[min(max(at, 0), len(heights)-1)])
	}
	return text.String()
}
