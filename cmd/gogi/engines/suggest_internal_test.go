package enginecmd

import (
	"bytes"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/internal/testutil"
)

// TestSuggestion: a council must beat each of its members, and the p values are corrected for the number of councils.
func TestSuggestion(t *testing.T) {
	score := func(x float64) *float64 { return &x }
	for _, test := range []struct {
		name     string
		contests []Contest
		best     string
		adjusted []float64
		text     string
	}{
		{"it beats both members", []Contest{{Council: "C", P: 0.01, Score: score(0.6)},
			{Council: "C", P: 0.04, Score: score(0.55)}}, "C", []float64{0.04}, "Use council C"},
		{"one member is as strong", []Contest{{Council: "C", P: 0.001, Score: score(0.7)},
			{Council: "C", P: 0.06, Score: score(0.54)}}, "", []float64{0.06}, "No council"},
		{"two councils need more", []Contest{{Council: "C", P: 0.03, Score: score(0.6)},
			{Council: "D", P: 0.04, Score: score(0.6)}}, "", []float64{0.06, 0.06}, "corrected for 2 councils"},
		{"the better of two", []Contest{{Council: "C", P: 0.01, Score: score(0.6)},
			{Council: "D", P: 0.01, Score: score(0.65)}}, "D", []float64{0.02, 0.02}, "Use council D"},
		{"without a game", []Contest{{Council: "C", P: 1}}, "", []float64{1}, "No council"},
	} {
		s := Suggestion{Alpha: 0.05, Contests: test.contests}
		testutil.OK(t, s.judge())
		adjusted := lists.Map(s.Councils, func(a Advised) float64 { return a.Adjusted })
		testutil.Equal(t, s.Best, test.best, "%s", test.name)
		testutil.Same(t, adjusted, test.adjusted)
		var out bytes.Buffer
		if s.Print(&out, i18n.English); !strings.Contains(out.String(), test.text) {
			t.Errorf("%s: %s", test.name, out.String())
		}
	}
}
