package match_test

import (
	"bytes"
	"compress/zlib"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
)

func drawTime(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "time"))
}

// A text that would be read as another plan is not written.
func TestEncodePlanRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*match.Plan){
		"expected texts in UTF-8": func(p *match.Plan) { p.Openings[0].ID = "\xff" },
		"0 players":               func(p *match.Plan) { p.Players = nil },
		"expected up to 16777216": func(p *match.Plan) { p.Run = strings.Repeat("x", match.MaxPlanText) },
		"unsupported value":       func(p *match.Plan) { p.Rules.RepetitionPoints[0] = nan() },
	} {
		p := storedPlan(t)
		spoil(p)
		testutil.Fails(t, testutil.Err(match.EncodePlan(p)), want)
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

// Lists that are short to write and large to hold, and councils without end.
func TestDecodePlanBounds(t *testing.T) {
	const n = 1 << 18
	plan := func(rest string) string { return `{"version":1,"plan":{` + rest + `}}` }
	for name, c := range map[string]struct{ text, want string }{
		"numbers as players":  {plan(`"Players":[` + strings.Repeat("0,", n) + `0]`), "player 1: json: cannot unmarshal number"},
		"nulls as players":    {plan(`"Players":[` + strings.Repeat("null,", n) + `null]`), "there are more than 65536"},
		"numbers as members":  {plan(`"Players":[{"Council":{"Members":[` + strings.Repeat("0,", n) + `0]}}]`), "player 1: player 1: json: cannot"},
		"members of councils": {plan(`"Players":[` + strings.Repeat(`{"Council":{"Members":[{},{},{},{},{}]}},`, 20_000) + `{}]`), "there are more than 65536"},
		"numbers as openings": {plan(`"Openings":[` + strings.Repeat("0,", n) + `0]`), "opening 1: json: cannot unmarshal number"},
		"nulls as openings":   {plan(`"Openings":[` + strings.Repeat("null,", n) + `null]`), "0 players"},
		"a field of openings": {plan(`"Openings":[{"Tomorrow":1}]`), `unknown field "Tomorrow"`},
		"nulls as files":      {plan(`"Players":[{"Identity":{"Files":[` + strings.Repeat("null,", n) + `null]}}]`), "1 players, expected two"},
		"councils":            {plan(`"Players":[` + strings.Repeat(`{"Council":{"Members":[`, 17) + strings.Repeat(`]}}`, 17) + `]`), "more than 16 councils"},
		"no list":             {plan(`"Players":{}`), "players are no list"},
		"openings, no list":   {plan(`"Openings":1`), "openings are no list"},
		"members are no list": {plan(`"Players":[{"Council":{"Members":1}}]`), "players are no list"},
		"a field of players":  {plan(`"Players":[{"Tomorrow":1}]`), `unknown field "Tomorrow"`},
		"a field of councils": {plan(`"Players":[{"Council":{"Tomorrow":1}}]`), `unknown field "Tomorrow"`},
		"a field of members":  {plan(`"Players":[{"Council":{"Members":[{"Tomorrow":1}]}}]`), `unknown field "Tomorrow"`},
		"too long":            {strings.Repeat(" ", match.MaxPlanText+1), "expected up to 16777216"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := match.DecodePlan([]byte(c.text))
		runtime.ReadMemStats(&after)
		testutil.Fails(t, err, c.want, "%s", name)
		// All that was ever taken; lists grow by copying.
		spent := int(after.TotalAlloc - before.TotalAlloc)
		testutil.Check(t, spent <= 160*len(c.text)+1<<20, "%s: %d bytes were read, and took %d", name, len(c.text), spent)
	}
	nested := plan(`"Players":[` + strings.Repeat(`{"Council":{"Members":[`, 16) + strings.Repeat(`]}}`, 16) + `]`)
	testutil.Fails(t, testutil.Err(match.DecodePlan([]byte(nested))), "1 players, expected two", "16 councils")
}

// The text of a plan is small: this is the compressed size for a series of two engines with a dozen openings.
func TestPlanTextIsSmall(t *testing.T) {
	plan := testutil.Must(match.DecodePlan(matchtest.AllSeries(t, playedFile)[0].Plan))(t)
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	testutil.Must(w.Write(testutil.Must(match.EncodePlan(plan))(t)))(t)
	testutil.OK(t, w.Close())
	if packed.Len() > 1600 {
		t.Errorf("a plan takes %d bytes compressed, expected up to 1600", packed.Len())
	}
}

// A plan that was read can be written, and is then read as the same plan.
func FuzzDecodePlan(f *testing.F) {
	for _, s := range matchtest.AllSeries(f, playedFile)[:2] {
		f.Add([]byte(s.Plan))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := match.DecodePlan(text)
		if err != nil {
			return
		}
		again := testutil.Must(match.EncodePlan(p))(t)
		if q, err := match.DecodePlan(again); err != nil || q.Digest() != p.Digest() {
			t.Errorf("%v\n%s\n%s", err, text, again)
		}
	})
}

// BenchmarkPairText writes and reads one pair.
func BenchmarkPairText(b *testing.B) {
	r := testutil.Must(match.DecodePair(matchtest.AllSeries(b, playedFile)[0].Pairs[0], matchtest.PairLimit))(b)
	var text []byte
	for b.Loop() {
		text = testutil.Must(match.EncodePair(r))(b)
		testutil.Must(match.DecodePair(text, matchtest.PairLimit))(b)
	}
	b.ReportMetric(float64(len(text)), "bytes/pair")
	b.ReportMetric(float64(len(r.Games[0].Record.Moves)+len(r.Games[1].Record.Moves)), "plies/pair")
}
