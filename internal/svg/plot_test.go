package svg

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// TestPlot: a chart is well-formed for any texts and values, and the script gets the same values.
func TestPlot(t *testing.T) {
	t.Parallel()
	const hostile = `</svg><script>"'&`
	p := Plot{
		Title: hostile, X: hostile, Y: hostile,
		Lines: []Line{{Name: hostile, Class: "c1", X: []float64{1, 2, 3}, Y: []float64{-1, math.NaN(), 2},
			Lo: []float64{-2, -1, 0}, Hi: []float64{0, 1, math.Inf(1)}}},
		Levels: []Level{{Name: hostile, Class: "c2", Y: 1}}, Low: -2, High: 3,
	}
	for _, small := range []bool{false, true} {
		p.Small = small
		text := string(p.HTML())
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		testutil.Check(t, !strings.Contains(text, "<script") && !strings.Contains(text, "%!"), "%v", text)
		var told struct {
			Last  float64
			Lines []struct {
				Name  string
				X, Y  []*float64
				Level bool
			}
		}
		testutil.OK(t,
			json.Unmarshal([]byte(html.UnescapeString(regexp.MustCompile(`data-plot="([^"]*)"`).FindStringSubmatch(text)[1])),
				&told))
		if told.Last != 3 || len(told.Lines) != 2 || told.Lines[0].Name != hostile || told.Lines[0].Y[1] != nil ||
			*told.Lines[0].Y[2] != 2 || !told.Lines[1].Level {
			t.Errorf("%+v", told)
		}
	}
	testutil.Equal(t, string(Plot{}.HTML()), "", "a chart of nothing")
	short := string(Plot{Lines: []Line{{Name: "none"}, {Name: "one", X: []float64{1, 2}, Y: []float64{3, 4}}}}.HTML())
	testutil.Check(t, !strings.Contains(short, "none"), "a line without points: %s", short)
	var labels []string
	for _, m := range regexp.MustCompile(`text-anchor="middle">(\d+)<`).FindAllStringSubmatch(short, -1) {
		labels = append(labels, m[1])
	}
	testutil.Slices(t, labels, []string{"0", "1", "2"}, "the horizontal axis")
}

func TestTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		low, high float64
		want      []float64
	}{{0, 100, []float64{0, 20, 40, 60, 80, 100}}, {0.4, 0.7, []float64{0.4, 0.5, 0.6, 0.7}},
		{-3.2, 3.4, []float64{-2, 0, 2}}, {0, 1, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}}} {
		got := Ticks(c.low, c.high, 5)
		if len(got) != len(c.want) {
			t.Errorf("%v to %v: %v", c.low, c.high, got)
			continue
		}
		for i := range got {
			testutil.Check(t, math.Abs(got[i]-c.want[i]) <= 1e-9, "%v to %v: %v", c.low, c.high, got)
		}
	}
}

// TestBars: a value outside of the scale stays within the bar, and its label is printed.
func TestBars(t *testing.T) {
	t.Parallel()
	for _, text := range []string{string(Ratio(9, -3, 3, "LLR <9>")),
		string(Interval(-900, 0, 900, -100, 100, 0, "0 <all>"))} {
		testutil.Check(t, !strings.Contains(text, "%!") && strings.Contains(text, "&lt;") &&
			!regexp.MustCompile(`="-?\d{4}`).MatchString(text),
			"%v", text)
	}
}
