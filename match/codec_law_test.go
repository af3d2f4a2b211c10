package match_test

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"io"
	"runtime"
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

// A plan of any kind comes back as it was, with its digest.
func TestPlanRoundTripLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		text := testutil.Must(match.EncodePlan(p))(t)
		got := testutil.Must(match.DecodePlan(text))(t)
		if diff := cmp.Diff(p, got, cmpopts.EquateEmpty()); diff != "" || got.Digest() != p.Digest() {
			t.Fatalf("(-encoded +decoded):\n%s", diff)
		}
	})
}

var anyText = rapid.StringN(0, 12, -1)

func drawPlan(t *rapid.T) *match.Plan {
	p := &match.Plan{
		Run: anyText.Draw(t, "run"), Seed: rapid.Uint64().Draw(t, "seed"), Rules: drawRules(t),
		Adjudication: match.Adjudication{ResignScore: rapid.IntRange(0, 3000).Draw(t, "resign"), OneSided: rapid.Bool().Draw(t, "one-sided")},
		Ponder:       rapid.SampledFrom([]match.PonderMode{"", match.PonderOff, match.PonderStandard, match.PonderEarly}).Draw(t, "ponder"),
		Slowed:       rapid.SampledFrom([]match.Policy{"", match.PolicyCount, match.PolicyVoid}).Draw(t, "slowed"),
		Pairs:        rapid.Int().Filter(func(n int) bool { return n >= 0 }).Draw(t, "pairs"), Concurrency: rapid.IntRange(0, 99).Draw(t, "slots"),
		CPUs: anyText.Draw(t, "cpus"), PVPlies: rapid.IntRange(0, 99).Draw(t, "pv"),
	}
	for i := range rapid.IntRange(2, 4).Draw(t, "players") {
		player := drawPlayer(t, 2)
		player.Name += string(rune('A' + i))
		p.Players = append(p.Players, player)
	}
	p.Openings = rapid.SliceOfN(rapid.Custom(drawOpening), 1, 5).Draw(t, "openings")
	p.Design = drawDesign(t, p.Players)
	if rapid.Bool().Draw(t, "scaled") {
		p.Scaling = match.Scaling{Engine: "e", NPS: rapid.Float64Range(1, 1e9).Draw(t, "nps"), Least: rapid.Float64Range(0.01, 1).Draw(t, "least"), Most: rapid.Float64Range(1, 100).Draw(t, "most")}
	}
	if rapid.Bool().Draw(t, "gated") {
		p.Gate = match.Gate{
			Elo0: rapid.Float64Range(-1000, 0).Draw(t, "elo0"), Elo1: rapid.Float64Range(0.001, 1000).Draw(t, "elo1"), Alpha: rapid.Float64Range(0.001, 0.499).Draw(t, "alpha"), Beta: 0.1,
			Model:    rapid.SampledFrom([]match.GateModel{match.GateLogistic, match.GateNormalized}).Draw(t, "model"),
			Boundary: rapid.SampledFrom([]match.GateBoundary{match.GateRatio, match.GateBounded}).Draw(t, "boundary"),
		}
	}
	return p
}

func drawRules(t *rapid.T) match.Rules {
	return match.Rules{
		Name: anyText.Draw(t, "rules"), MaxPlies: rapid.IntRange(0, 1000).Draw(t, "plies"), ImpasseDraw: rapid.Bool().Draw(t, "impasse"),
		Declaration:      rapid.SampledFrom([]shogi.DeclarationRule{shogi.NoEnteringKing, shogi.CSARule24, shogi.CSARule27, shogi.TryRule}).Draw(t, "declaration"),
		RepetitionPoints: [2]float64{rapid.Float64Range(0, 1).Draw(t, "repetition"), 0.5},
	}
}

func drawDesign(t *rapid.T, players []match.Player) match.Design {
	d := match.Design{Kind: rapid.SampledFrom(match.DesignKinds()).Draw(t, "design"), Swap: rapid.Bool().Draw(t, "swap")}
	if rapid.Bool().Draw(t, "anchored") {
		d.Anchor = players[1].Name
	}
	if !d.Kind.ByResults() {
		return d
	}
	d.Swap = true
	d.Tournament = match.Tournament{MatchPairs: rapid.IntRange(1, 9).Draw(t, "match"), Lot: rapid.Bool().Draw(t, "lot")}
	if d.Kind == match.DesignAdaptive {
		d.Tournament = match.Tournament{Block: rapid.IntRange(1, 1_000_000).Draw(t, "block")}
	}
	return d
}

// drawPlayer is an engine or a council, as deep as that.
func drawPlayer(t *rapid.T, deep int) match.Player {
	p := match.Player{
		Name: anyText.Draw(t, "name"), Limits: drawLimits(t), WarmUp: rapid.Bool().Draw(t, "warm"), Ready: drawTime(t),
		Restart: rapid.SampledFrom([]match.Restart{match.RestartNever, match.RestartPair, match.RestartGame}).Draw(t, "restart"),
	}
	if deep > 0 && rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
		p.Council = &match.Council{
			Rule: anyText.Draw(t, "rule"), Ties: rapid.SliceOfN(anyText, 0, 3).Draw(t, "ties"), Quorum: rapid.Float64Range(0, 1).Draw(t, "quorum"),
			Scales: []match.Scale{{Slope: rapid.Float64().Draw(t, "slope")}}, Clamps: rapid.SliceOfN(rapid.Float64(), 0, 2).Draw(t, "clamps"),
			Veto: match.Veto{Nodes: rapid.Uint64().Draw(t, "veto"), Time: drawTime(t)}, Own: []bool{true, false},
		}
		for range rapid.IntRange(1, 3).Draw(t, "members") {
			p.Council.Members = append(p.Council.Members, drawPlayer(t, deep-1))
		}
		return p
	}
	p.Command, p.Env = rapid.SliceOfN(anyText, 0, 3).Draw(t, "command"), rapid.SliceOfN(anyText, 0, 2).Draw(t, "env")
	p.Options = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) match.Option {
		return match.Option{Name: anyText.Draw(t, "option"), Value: anyText.Draw(t, "value")}
	}), 0, 3).Draw(t, "options")
	p.Identity.Files = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) match.FileHash {
		return match.FileHash{Role: anyText.Draw(t, "role"), Path: anyText.Draw(t, "path"), SHA256: anyText.Draw(t, "hash")}
	}), 0, 3).Draw(t, "files")
	if rapid.Bool().Draw(t, "built for several") {
		p.Identity.Files = nil
		p.Identity.Variants = []match.Variant{variant("linux", "amd64", "x86-64-v2", 'a'), variant("linux", "arm64", "", 'b')}
	}
	return p
}

func drawTime(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "time"))
}

func drawLimits(t *rapid.T) match.Limits {
	l := rapid.SampledFrom([]match.Limits{
		{Clock: match.TimeControl{Main: second, Increment: ms}}, {Clock: match.TimeControl{Byoyomi: second}}, {MoveTime: ms},
		{Nodes: 1}, {Depth: 3}, {Self: true},
	}).Draw(t, "limits")
	l.Margin, l.Stall = drawTime(t), drawTime(t)
	if !l.Self {
		l.Nodes = rapid.Uint64().Draw(t, "nodes")
		l.Depth++
	}
	return l
}

func drawOpening(t *rapid.T) match.Opening {
	starts := []string{"startpos", startSFEN}
	for _, h := range shogi.Handicaps() {
		starts = append(starts, h.SFEN)
	}
	return match.Opening{ID: anyText.Draw(t, "id"), Start: rapid.SampledFrom(starts).Draw(t, "start"), Moves: rapid.SliceOfN(anyMove, 0, 4).Draw(t, "moves")}
}

// anyMove is well formed, and legal nowhere in particular.
var anyMove = rapid.Custom(func(t *rapid.T) shogi.Move {
	file := rapid.IntRange(1, 9).Draw(t, "file")
	return shogi.NewMove(shogi.NewSquare(file, rapid.IntRange(6, 9).Draw(t, "from")), shogi.NewSquare(file, rapid.IntRange(1, 5).Draw(t, "to")))
})

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
		if spent := int(after.TotalAlloc - before.TotalAlloc); spent > 160*len(c.text)+1<<20 {
			t.Errorf("%s: %d bytes were read, and took %d", name, len(c.text), spent)
		}
	}
	nested := plan(`"Players":[` + strings.Repeat(`{"Council":{"Members":[`, 16) + strings.Repeat(`]}}`, 16) + `]`)
	testutil.Fails(t, testutil.Err(match.DecodePlan([]byte(nested))), "1 players, expected two", "16 councils")
}

// A plan for the wire is small: what a series of two engines with a dozen openings takes, compressed.
func TestPlanTextIsSmall(t *testing.T) {
	s := matchtest.AllSeries(t, playedFile)[0]
	plan := testutil.Must(match.DecodePlan(s.Plan))(t)
	text := testutil.Must(match.EncodePlan(plan))(t)
	if packed := len(zipped(t, text)); packed > 1600 {
		t.Errorf("a plan of %d bytes takes %d compressed, expected up to 1600", len(text), packed)
	}
}

func zipped(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	testutil.Must(w.Write(text))(tb)
	testutil.OK(tb, w.Close())
	return b.Bytes()
}

// What is read can be written, and is then read as the same plan.
func FuzzDecodePlan(f *testing.F) {
	for _, s := range matchtest.AllSeries(f, playedFile)[:2] {
		f.Add([]byte(s.Plan))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := match.DecodePlan(text)
		if err != nil {
			return
		}
		again, err := match.EncodePlan(p)
		testutil.OK(t, err)
		if q, err := match.DecodePlan(again); err != nil || q.Digest() != p.Digest() {
			t.Errorf("%v\n%s\n%s", err, text, again)
		}
	})
}

// Whatever a pair holds comes back, to the microsecond.
func TestPairRoundTripLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawPair(t)
		text := testutil.Must(match.EncodePair(r))(t)
		got := testutil.Must(match.DecodePair(text, matchtest.PairLimit))(t)
		if diff := cmp.Diff(r, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-encoded +decoded):\n%s", diff)
		}
	})
}

func drawPair(t *rapid.T) match.PairResult {
	r := match.PairResult{
		Pair: match.Pair{
			ID: rapid.Int().Draw(t, "pair"), Players: [2]int{rapid.Int().Draw(t, "a"), 1}, Seed: rapid.Uint64().Draw(t, "seed"), Legs: rapid.Int().Draw(t, "legs"),
			Opening: drawOpening(t),
			Options: [2][]match.Option{drawOptions(t), drawOptions(t)},
		},
		Played: match.Provenance{
			Worker: anyText.Draw(t, "worker"), Owner: anyText.Draw(t, "owner"), Epoch: rapid.Uint64().Draw(t, "epoch"),
			Scale: rapid.Float64().Draw(t, "scale"), Proof: rapid.SliceOfN(rapid.Byte(), 0, 70).Draw(t, "proof"),
		},
	}
	for range rapid.IntRange(0, 2).Draw(t, "games") {
		r.Games = append(r.Games, drawGame(t))
	}
	for range rapid.IntRange(0, 3).Draw(t, "attempts") {
		r.Attempts = append(r.Attempts, match.Attempt{Pair: rapid.Int().Draw(t, "of"), Ended: drawMoment(t), Why: anyText.Draw(t, "why")})
	}
	return r
}

func drawOptions(t *rapid.T) (list []match.Option) {
	for range rapid.IntRange(0, 2).Draw(t, "options") {
		list = append(list, match.Option{Name: anyText.Draw(t, "option"), Value: anyText.Draw(t, "value")})
	}
	return list
}

func drawMoment(t *rapid.T) time.Time {
	if us := rapid.Int64Range(-1<<50, 1<<52).Draw(t, "moment"); us != 0 {
		return time.UnixMicro(us).UTC()
	}
	return time.Time{}
}

func drawGame(t *rapid.T) match.Result {
	g := match.Result{
		Leg: rapid.Int().Draw(t, "leg"), Slot: rapid.Int().Draw(t, "slot"), Marked: rapid.Bool().Draw(t, "marked"), Started: drawMoment(t), Ended: drawMoment(t),
		Verdict: match.Verdict{
			Outcome:     rapid.SampledFrom([]match.Outcome{match.BlackWins, match.WhiteWins, match.Draw}).Draw(t, "outcome"),
			Termination: rapid.SampledFrom(match.Terminations()).Draw(t, "end"), Note: anyText.Draw(t, "note"),
		},
		Record: kifu.Record{Black: anyText.Draw(t, "black"), Start: anyText.Draw(t, "from"), Started: drawMoment(t), Final: rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "final")},
	}
	if rapid.Bool().Draw(t, "asked") {
		g.Questions = match.Questions{Asked: rapid.Int().Draw(t, "questions"), Unproven: rapid.Int().Draw(t, "not proven")}
	}
	g.Sides[1] = match.Side{Plies: rapid.Int().Draw(t, "own"), Nodes: rapid.Uint64().Draw(t, "nodes"), Time: drawTime(t).Truncate(time.Microsecond)}
	for range rapid.IntRange(0, 9).Draw(t, "plies") {
		m := kifu.Move{
			Move: anyMove.Draw(t, "move"), Time: drawTime(t).Truncate(time.Microsecond), HasScore: rapid.Bool().Draw(t, "scored"), Depth: rapid.Int().Draw(t, "depth"),
			SelDepth: rapid.Int().Draw(t, "selective"), Nodes: rapid.Uint64().Draw(t, "of move"), PV: rapid.SliceOfN(anyMove, 0, 3).Draw(t, "pv"),
			Detail: rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "votes"), Opening: rapid.Bool().Draw(t, "given"),
		}
		if m.HasScore {
			m.Score = rapid.Int().Draw(t, "score")
		}
		g.Record.Moves = append(g.Record.Moves, m)
	}
	return g
}

// BenchmarkPairText writes and reads one pair, as columns and as compressed JSON.
func BenchmarkPairText(b *testing.B) {
	r := testutil.Must(match.DecodePair(matchtest.AllSeries(b, playedFile)[0].Pairs[0], matchtest.PairLimit))(b)
	plies := float64(len(r.Games[0].Record.Moves) + len(r.Games[1].Record.Moves))
	for _, way := range []struct {
		name  string
		write func() ([]byte, error)
		read  func([]byte) error
	}{
		{"columns", func() ([]byte, error) { return match.EncodePair(r) }, func(text []byte) error { _, err := match.DecodePair(text, matchtest.PairLimit); return err }},
		{"json+zlib", func() ([]byte, error) { text, err := json.Marshal(r); return zipped(b, text), err }, readJSON},
	} {
		b.Run(way.name, func(b *testing.B) {
			var text []byte
			var err error
			for b.Loop() {
				if text, err = way.write(); err == nil {
					err = way.read(text)
				}
				testutil.OK(b, err)
			}
			b.ReportMetric(float64(len(text)), "bytes/pair")
			b.ReportMetric(plies, "plies/pair")
		})
	}
}

func readJSON(packed []byte) error {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return err
	}
	var r match.PairResult
	return json.Unmarshal(text, &r)
}
