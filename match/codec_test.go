package match_test

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// A filler sets every field of a value, so that a test finds a new field that the formats do not store.
type filler struct {
	count  int
	random *rand.Rand     // if not nil, numbers, bytes and lengths are random
	inside []reflect.Type // the types of the pointers that are being filled; a council in a council stays nil
}

func (f *filler) fill(v reflect.Value) {
	f.count++
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = time.UnixMicro(int64(f.count)).UTC()
		return
	case *time.Duration:
		*at = time.Duration(f.count) * time.Microsecond
		return
	case *match.Outcome:
		*at = match.Outcome(1 + f.count%3)
		return
	case *match.Termination:
		*at = match.Terminations()[f.count%len(match.Terminations())]
		return
	case *shogi.Move:
		*at = shogi.NewMove(shogi.NewSquare(1+f.count%9, 7), shogi.NewSquare(1+f.count%9, 6))
		return
	case *shogi.DeclarationRule:
		*at = shogi.CSARule24
		return
	case *bool:
		*at = true
		return
	}
	switch v.Kind() { // the default case panics for other kinds
	case reflect.Pointer:
		if !slices.Contains(f.inside, v.Type()) {
			f.inside = append(f.inside, v.Type())
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
			f.inside = f.inside[:len(f.inside)-1]
		}
	case reflect.Struct:
		for i := range v.NumField() {
			// a field of a player without JSON is not stored
			if v.Type().Field(i).Tag.Get("json") != "-" || v.Type() != reflect.TypeFor[match.Player]() {
				f.fill(v.Field(i))
			}
		}
	case reflect.Slice:
		n := 2
		if f.random != nil {
			n = f.random.IntN(4)
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("将棋 %d", f.count))
	default:
		switch {
		case f.random != nil && v.CanInt():
			v.SetInt(int64(f.random.Uint64()) >> f.random.IntN(64))
		case f.random != nil && v.CanUint():
			v.SetUint(f.random.Uint64() >> f.random.IntN(64))
		case f.random != nil:
			v.SetFloat(f.random.NormFloat64())
		case v.CanInt():
			v.SetInt(-int64(f.count))
		case v.CanFloat():
			v.SetFloat(float64(f.count) / 3)
		default:
			v.SetUint(uint64(f.count)) // panics for a kind without numbers
		}
	}
}

func filled[T any](f filler) *T {
	var value T
	f.fill(reflect.ValueOf(&value).Elem())
	return &value
}

// TestPlanFields: farms store plans of earlier versions. The committed file has every field of a plan, and a version
// without tags wrote it.
func TestPlanFields(t *testing.T) {
	plan := filled[match.Plan](filler{})
	got := testutil.Must(json.MarshalIndent(plan, "", " "))(t)
	file := filepath.Join("testdata", "plan_fields.json")
	want := testutil.Must(os.ReadFile(file))(t)
	testutil.Equal(t, cmp.Diff(string(want), string(got)+"\n"), "", "the JSON of a plan (-stored +now)")
	var again match.Plan
	d := json.NewDecoder(bytes.NewReader(want))
	d.DisallowUnknownFields()
	testutil.OK(t, d.Decode(&again))
	testutil.Equal(t, cmp.Diff(plan, &again), "", "a plan that was read (-written +read)")
}

// TestPlanFieldsHaveTags: every field has a JSON name, so a new Go name does not change stored plans.
func TestPlanFieldsHaveTags(t *testing.T) {
	seen := 0
	eachStruct(reflect.TypeFor[match.Plan](), func(of reflect.Type) {
		seen++
		for field := range of.Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name == "" {
				t.Errorf("%s.%s has no JSON name", of.Name(), field.Name)
			}
		}
	})
	testutil.Check(t, seen >= 15, "visited only %d structs", seen)
}

func filledPair() match.PairResult { return pairBy(filler{}) }

func pairBy(f filler) match.PairResult {
	r := *filled[match.PairResult](f)
	for i := range r.Games { // a runner never sets these fields
		r.Games[i].Record.Header = kifu.Header{}
		for j := range r.Games[i].Record.Moves {
			m := &r.Games[i].Record.Moves[j]
			if m.Bound %= kifu.AtMost + 1; m.HasScore {
				m.Bound = kifu.NoBound
			}
			if m.Comment = ""; !m.HasScore && m.Bound == kifu.NoBound {
				m.Score = 0
			}
		}
	}
	return r
}

func encodePair(t *testing.T, r match.PairResult) []byte {
	t.Helper()
	return testutil.Must(match.EncodePair(r))(t)
}

func checkPairRoundTrip(t *testing.T, r match.PairResult) {
	t.Helper()
	got := testutil.Must(match.DecodePair(encodePair(t, r), matchtest.PairLimit))(t)
	testutil.Equal(t, cmp.Diff(r, got, cmpopts.EquateEmpty()), "", "(-encoded +decoded)")
}

func TestPairRoundTrip(t *testing.T) {
	checkPairRoundTrip(t, match.PairResult{})
	checkPairRoundTrip(t, filledPair())
	extreme := filledPair()
	extreme.Pair.ID, extreme.Pair.Legs, extreme.Pair.Seed = math.MaxInt, math.MinInt, math.MaxUint64
	extreme.Games[0].Sides[1].Nodes = math.MaxUint64
	extreme.Games[0].Sides[0].Time = math.MaxInt64 / 1000 * 1000
	checkPairRoundTrip(t, extreme)
	for seed := range uint64(100) {
		checkPairRoundTrip(t, pairBy(filler{random: rand.New(rand.NewPCG(seed, 1))}))
	}
	matchtest.Played(t, playedFile, func(t *testing.T, _ *match.Plan, r match.PairResult) {
		t.Helper()
		checkPairRoundTrip(t, r)
	})
}

func TestEncodePairRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*match.PairResult){
		"adjourned":         func(r *match.PairResult) { r.Games[0].Termination = "adjourned" },
		"outcome(9)":        func(r *match.PairResult) { r.Games[0].Outcome = 9 },
		"a list of 4097":    func(r *match.PairResult) { r.Games = make([]match.Result, match.MaxEncodedLegs+1) },
		"the game has 4000": func(r *match.PairResult) { r.Games[1].Record.Moves = make([]kifu.Move, 40000) },
	} {
		r := filledPair()
		spoil(&r)
		testutil.Fails(t, testutil.Err(match.EncodePair(r)), want)
	}
}

// TestDecodePairDamaged: DecodePair returns an error for a cut or invalid text, and never panics for a damaged text.
func TestDecodePairDamaged(t *testing.T) {
	filled := filledPair()
	filled.Games[0].Outcome, filled.Games[0].Termination = match.WhiteWins, match.Resignation
	text := encodePair(t, filled)
	for i := range text {
		testutil.Fails(t, testutil.Err(match.DecodePair(text[:i], matchtest.PairLimit)), "", "cut to %d bytes: no error", i)
		damaged := bytes.Clone(text)
		damaged[i] ^= 0x80
		_, _ = match.DecodePair(damaged, matchtest.PairLimit) // a damaged text may be another valid pair
	}
	for want, text := range map[string][]byte{
		"it is empty": nil, "format 5, this program knows 1 to 4": append([]byte{5}, text[1:]...),
		"format 0": append([]byte{0}, text[1:]...), "1 bytes too many": append(bytes.Clone(text), 0),
		"unknown outcome":     bytes.Replace(text, []byte("\x05white"), []byte("\x05whyte"), 1),
		"unknown termination": bytes.Replace(text, []byte("\x0bresignation"), []byte("\x0bresignatiom"), 1),
	} {
		testutil.Fails(t, testutil.Err(match.DecodePair(text, matchtest.PairLimit)), want)
	}
}

func TestDecodePairWithin(t *testing.T) {
	long := filledPair()
	long.Games[0].Record.Moves = make([]kifu.Move, 30000) // some hundred bytes when encoded
	many := filledPair()
	many.Attempts = make([]match.Attempt, 100_000)
	const slack = 300_000 // the memory of two decompressors
	for name, r := range map[string]match.PairResult{"moves": long, "attempts": many} {
		text := encodePair(t, r)
		for _, limit := range []int{-1, 0, 10_000, 1 << 20} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := match.DecodePair(text, limit)
			runtime.ReadMemStats(&after)
			testutil.Check(t, err != nil, "%s within %d: no error", name, limit)
			spent := int64(after.TotalAlloc - before.TotalAlloc)
			testutil.Check(t, spent <= int64(max(limit, 0))*2+slack, "%s within %d: took %d", name, limit, spent)
		}
		testutil.OK(t, testutil.Err(match.DecodePair(text, 1<<26)), "%s within 64 MB", name)
	}
}

func FuzzDecodePair(f *testing.F) {
	for _, s := range matchtest.AllSeries(f, playedFile) {
		if s.Name == "repeats" || s.Name == "declares" { // the shortest
			f.Add(s.Pairs[0])
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := match.DecodePair(text, matchtest.PairLimit)
		if err != nil {
			return
		}
		once := encodePair(t, r)
		again := testutil.Must(match.DecodePair(once, matchtest.PairLimit))(t)
		twice := encodePair(t, again)
		testutil.Check(t, bytes.Equal(once, twice), "%x\n%x", once, twice)
	})
}

func TestPlanRoundTrip(t *testing.T) {
	for _, g := range goldenPlans(t) {
		text := testutil.Must(match.EncodePlan(g.plan))(t)
		got, err := match.DecodePlan(text)
		if err != nil {
			t.Errorf("%s: %v", g.name, err)
			continue
		}
		diff := cmp.Diff(g.plan, got)
		testutil.Check(t, diff == "" && got.Digest() == g.plan.Digest(), "%s (-encoded +decoded):\n%s", g.name, diff)
	}
}

func TestDecodePlanRefuses(t *testing.T) {
	text := testutil.Must(match.EncodePlan(storedPlan(t)))(t)
	for want, change := range map[string][2]string{
		"version 2, this program knows 1":      {`"version":1`, `"version":2`},
		"version 0":                            {`"version":1,`, ``},
		"submit its file again":                {`"Seed":1`, `"Seed":1,"Selfplay":"{}"`},
		`unknown field "Tomorrow"`:             {`"Seed":1`, `"Seed":1,"Tomorrow":1`},
		"entering-king rule":                   {`"Declaration":"CSARule27"`, `"Declaration":"CSARule99"`},
		"cannot unmarshal number":              {`"Declaration":"CSARule27"`, `"Declaration":3`},
		`pondering is "always"`:                {`"Ponder":"off"`, `"Ponder":"always"`},
		`slowed moves is "x"`:                  {`"Slowed":"count"`, `"Slowed":"x"`},
		`the restart of A is "x"`:              {`"Restart":"never"`, `"Restart":"x"`},
		`design "king" is not one of ["match"`: {`"Kind":"match"`, `"Kind":"king"`},
		"a match of 0 pairs":                   {`"Kind":"match"`, `"Kind":"swiss"`},
		"blocks of 0 pairs":                    {`"Kind":"match"`, `"Kind":"adaptive"`},
		"match has no rounds":                  {`"Kind":"match"`, `"Kind":"match","Tournament":{"block":1}`},
		"up to 1000000": {`"Kind":"match"`,
			`"Kind":"knockout","Tournament":{"match_pairs":1,"tiebreaks":1000001}`},
		"colours swapped": {`"Kind":"match","Swap":true`,
			`"Kind":"adaptive","Swap":false,"Tournament":{"block":1}`},
		`anchor "C" is not one`:         {`"Kind":"match"`, `"Kind":"match","Anchor":"C"`},
		"negative":                      {`"Pairs":100`, `"Pairs":-1`},
		"expected at most 100000000":    {`"Pairs":100`, `"Pairs":100000001`},
		"player A: a limit is negative": {`"Margin":100000000`, `"Margin":-1`},
		"elo0 9":                        {`"elo0":0`, `"elo0":9`},
		`model "bayeselo" is not one of`: {`{"elo0":0,"elo1":0,"alpha":0,"beta":0,"model":""}`,
			`{"elo0":0,"elo1":4,"alpha":0.05,"beta":0.05,"model":"bayeselo"}`},
		`boundary "wald" is not one of`: {`{"elo0":0,"elo1":0,"alpha":0,"beta":0,"model":""}`,
			`{"elo0":0,"elo1":4,"alpha":0.05,"beta":0.05,"model":"logistic","boundary":"wald"}`},
		"opening 7":  {`"Start":"startpos"`, `"Start":"start"`},
		`move "7g7"`: {`"7g7f"`, `"7g7"`},
	} {
		changed := strings.Replace(string(text), change[0], change[1], 1)
		if changed == string(text) {
			t.Fatalf("no %s in %s", change[0], text)
		}
		testutil.Fails(t, testutil.Err(match.DecodePlan([]byte(changed))), want)
	}
	for want, text := range map[string]string{
		"decoding a plan: unexpected end": `{`, "there is none": `{"version":1}`, "after top-level value": string(text) + "1",
		"0 players": `{"version":1,"plan":{}}`, "no opening": `{"version":1,"plan":{"Players":[{},{}]}}`,
	} {
		testutil.Fails(t, testutil.Err(match.DecodePlan([]byte(text))), want)
	}
}

// TestTimesBeyondJSON: a game of the year 10000 is rejected, because neither pages nor JSON can show its time.
func TestTimesBeyondJSON(t *testing.T) {
	for year, good := range map[int]bool{1: true, 2026: true, 9999: true, 10_000: false, 200_000: false, -1: false} {
		at := time.Date(year, 5, 4, 3, 2, 1, 0, time.UTC)
		text := testutil.Must(match.EncodePair(match.PairResult{Attempts: []match.Attempt{{Ended: at}}}))(t)
		if _, err := match.DecodePair(text, 1<<20); (err == nil) != good {
			t.Errorf("in a pair, the year %d: %v", year, err)
		}
		if err := (&match.Attempt{Ended: at}).Check(); (err == nil) != good {
			t.Errorf("an attempt in the year %d: %v", year, err)
		}
		if _, err := at.MarshalJSON(); (err == nil) != good {
			t.Errorf("as JSON, the year %d: %v", year, err)
		}
	}
}

func drawTime(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "time"))
}

// TestEncodePlanRefuses: EncodePlan returns an error for a plan that DecodePlan cannot restore.
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

// TestDecodePlanBounds: DecodePlan rejects lists that are short as text but large in memory, and too many nested
// councils.
func TestDecodePlanBounds(t *testing.T) {
	const n = 1 << 18
	plan := func(rest string) string { return `{"version":1,"plan":{` + rest + `}}` }
	for name, c := range map[string]struct{ text, want string }{
		"numbers as players": {plan(`"Players":[` + strings.Repeat("0,", n) + `0]`),
			"player 1: json: cannot unmarshal number"},
		"nulls as players": {plan(`"Players":[` + strings.Repeat("null,", n) + `null]`), "there are more than 65536"},
		"numbers as members": {plan(`"Players":[{"Council":{"Members":[` + strings.Repeat("0,", n) + `0]}}]`),
			"player 1: player 1: json: cannot"},
		"members of councils": {plan(`"Players":[` + strings.Repeat(`{"Council":{"Members":[{},{},{},{},{}]}},`, 20_000) +
			`{}]`), "there are more than 65536"},
		"numbers as openings": {plan(`"Openings":[` + strings.Repeat("0,", n) + `0]`),
			"opening 1: json: cannot unmarshal number"},
		"nulls as openings":   {plan(`"Openings":[` + strings.Repeat("null,", n) + `null]`), "0 players"},
		"a field of openings": {plan(`"Openings":[{"Tomorrow":1}]`), `unknown field "Tomorrow"`},
		"nulls as files": {plan(`"Players":[{"Identity":{"Files":[` + strings.Repeat("null,", n) + `null]}}]`),
			"1 players, expected two"},
		"councils": {plan(`"Players":[` + strings.Repeat(`{"Council":{"Members":[`, 17) +
			strings.Repeat(`]}}`, 17) + `]`), "more than 16 councils"},
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
		testutil.Fails(t, err, c.want, name)
		// TotalAlloc includes freed memory. Lists grow by copying, so it exceeds the final size.
		spent := int(after.TotalAlloc - before.TotalAlloc)
		testutil.Check(t, spent <= 160*len(c.text)+1<<20, "%s: %d bytes were read, and took %d", name, len(c.text), spent)
	}
	nested := plan(`"Players":[` + strings.Repeat(`{"Council":{"Members":[`, 16) + strings.Repeat(`]}}`, 16) + `]`)
	testutil.Fails(t, testutil.Err(match.DecodePlan([]byte(nested))), "1 players, expected two", "16 councils")
}

// TestPlanTextIsSmall: the plan of two engines with a dozen openings takes at most 1600 bytes compressed.
func TestPlanTextIsSmall(t *testing.T) {
	plan := testutil.Must(match.DecodePlan(matchtest.AllSeries(t, playedFile)[0].Plan))(t)
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	testutil.Must(w.Write(testutil.Must(match.EncodePlan(plan))(t)))(t)
	testutil.OK(t, w.Close())
	testutil.Check(t, packed.Len() <= 1600, "a plan takes %d bytes compressed, expected up to 1600", packed.Len())
}

// FuzzDecodePlan: EncodePlan writes every plan that DecodePlan returns, and DecodePlan reads the same plan again.
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
