package match_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/shogi"
	"gogi/stats"
)

var addDigests = flag.Bool("add-digests", false,
	"add the digests of new plans to testdata/digests.csv; those that stand there never change")

// A goldenPlan is a plan of one kind whose digest must never change.
type goldenPlan struct {
	name string
	plan *match.Plan
}

// goldenPlans returns a plan for each feature that a stored run can have.
func goldenPlans(t *testing.T) []goldenPlan {
	t.Helper()
	plans := []goldenPlan{
		{"every field", storedPlan(t)},
		{"council of every field", storedCouncil(t)},
		{"council within a council", nestedCouncil(t)},
	}
	add := func(name string, change func(p *match.Plan)) {
		p := storedPlan(t)
		p.ColourClocks, p.Adjudication = [2]*match.TimeControl{}, match.Adjudication{}
		change(p)
		plans = append(plans, goldenPlan{name, p})
	}
	first := func(change func(p *match.Player)) func(*match.Plan) {
		return func(p *match.Plan) { change(&p.Players[0]) }
	}
	council := func(change func(c *match.Council)) func(*match.Plan) {
		return first(func(p *match.Player) {
			c := &match.Council{Members: storedPlan(t).Players, Rule: "majority"}
			change(c)
			*p = match.Player{Name: "C", Council: c, Limits: p.Limits, Restart: match.RestartNever}
		})
	}
	add("two engines", func(*match.Plan) {})
	add("gate", func(p *match.Plan) { p.Gate = stats.SPRT{Elo1: 4, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic} })
	add("adjudication, one-sided", func(p *match.Plan) {
		p.Adjudication = match.Adjudication{ResignScore: 1200, ResignMoves: 5, OneSided: true}
	})
	add("adjudication of draws", func(p *match.Plan) {
		p.Adjudication = match.Adjudication{DrawScore: 20, DrawMoves: 8, DrawFrom: 160}
	})
	for _, name := range []string{"default", "wcsc", "denryu", "floodgate"} {
		add("rules "+name, func(p *match.Plan) { p.Rules = match.RulesProfiles()[name] })
	}
	for r := shogi.NoEnteringKing; r <= shogi.TryRule; r++ {
		add("declaration "+r.String(), func(p *match.Plan) {
			p.Rules = match.Rules{
				Name: "custom", Declaration: r, ImpasseDraw: true, MaxPlies: 512, MateAtLimitDraws: true, DeclareAtLimit: true,
				ExtendInCheck: true, RepetitionPoints: [2]float64{0.4, 0.6},
			}
		})
	}
	add("mates", func(p *match.Plan) {
		solver := p.Players[1]
		solver.Name = "solver"
		p.Mate = match.Mate{Solver: &solver, Every: 2, Time: 500 * ms, Nodes: 20_000}
	})
	add("plain council", council(func(*match.Council) {}))
	add("veto", council(func(c *match.Council) {
		c.Veto = match.Veto{Time: 50 * ms, Nodes: 1000, Margin: 80, Members: 1}
	}))
	add("examination", council(func(c *match.Council) { c.Examine = match.Examine{Share: 0.8, Moves: 3, Extra: 0.5} }))
	add("spread", council(func(c *match.Council) { c.Ponder = match.Spread{On: true, Votes: true} }))
	add("first answers", council(func(c *match.Council) { c.Ask = 1 }))
	add("scale of one member", council(func(c *match.Council) {
		c.Scales = []match.Scale{{}, {Slope: 0.002, Intercept: 0.1}}
	}))
	add("shared limits", council(func(c *match.Council) { c.Split = true }))
	add("remote", first(func(p *match.Player) {
		p.Command = []string{"ssh", "-T", "gpu1", "/opt/engine"}
		p.Identity = match.Identity{Fixed: "remote: ssh -T gpu1 /opt/engine"}
	}))
	add("built in", first(func(p *match.Player) {
		p.Builtin, p.Command, p.Identity = true, []string{"/gogi", "sparring"}, match.Identity{Fixed: "sparring 1"}
	}))
	add("files by role", first(func(p *match.Player) {
		p.Command = []string{"/x/sh", "/x/run.sh"}
		p.Options = []match.Option{{Name: "EvalDir", Value: "/x/eval"}, {Name: "BookFile", Value: "no_book"}}
		p.Identity = match.Identity{Files: []match.FileHash{
			{Role: "binary", Path: "/x/sh", SHA256: "00"}, {Role: "argument 1", Path: "/x/run.sh", SHA256: "11"},
			{Role: "EvalDir/nn.bin", Path: "/x/eval/nn.bin", SHA256: "22"},
		}}
	}))
	for name, l := range map[string]match.Limits{
		"byoyomi":       {Clock: match.TimeControl{Main: 300 * second, Byoyomi: 10 * second}},
		"byoyomi alone": {Clock: match.TimeControl{Byoyomi: second}},
		"Fischer":       {Clock: match.TimeControl{Main: 8 * second, Increment: 80 * ms}}, "movetime": {MoveTime: 50 * ms},
		"depth and nodes": {Depth: 8, Nodes: 5000}, "self": {Self: true},
	} {
		add("limits "+name, first(func(p *match.Player) {
			l.Margin, l.Stall = p.Limits.Margin, p.Limits.Stall
			p.Limits = l
		}))
	}
	for _, restart := range []match.Restart{match.RestartNever, match.RestartPair, match.RestartGame} {
		add("restart "+string(restart), first(func(p *match.Player) { p.Restart = restart }))
	}
	for _, ponder := range []match.PonderMode{match.PonderOff, match.PonderStandard, match.PonderEarly} {
		add("ponder "+string(ponder), func(p *match.Plan) { p.Ponder = ponder })
	}
	add("void", func(p *match.Plan) { p.Slowed = match.PolicyVoid })
	for _, kind := range []match.DesignKind{match.DesignMatch, match.DesignRoundRobin, match.DesignGauntlet} {
		add("design "+string(kind), func(p *match.Plan) { p.Design = match.Design{Kind: kind} })
	}
	for kind, t := range map[match.DesignKind]match.Tournament{
		match.DesignSwiss:    {Lot: true, MatchPairs: 2},
		match.DesignKnockout: {MatchPairs: 3, Tiebreaks: 4, ThirdPlace: true},
		match.DesignAdaptive: {Block: 16},
	} {
		add("design "+string(kind), func(p *match.Plan) { p.Design = match.Design{Kind: kind, Swap: true, Tournament: t} })
	}
	add("anchor", func(p *match.Plan) {
		p.Design = match.Design{Kind: match.DesignAdaptive, Swap: true, Tournament: match.Tournament{Block: 16}, Anchor: "B"}
	})
	add("variants", first(func(p *match.Player) {
		p.Identity = match.Identity{
			Files:    []match.FileHash{{Role: "EvalDir/nn.bin", Path: "/x/eval/nn.bin", SHA256: "22"}},
			Variants: []match.Variant{variant("linux", "amd64", "x86-64-v3", 'a'), variant("linux", "arm64", "", 'b')},
		}
	}))
	add("source", first(func(p *match.Player) {
		p.Identity = match.Identity{
			Files: []match.FileHash{{Role: "binary", Path: "/x/built", SHA256: "11"},
				{Role: "EvalDir/nn.bin", Path: "/x/eval/nn.bin", SHA256: "22"}}, Source: new(source()),
		}
	}))
	add("scaling", func(p *match.Plan) { p.Scaling = match.Scaling{Engine: "sha256:1", NPS: 1e6, Least: 0.25, Most: 4} })
	add("one clock by colour", func(p *match.Plan) {
		p.ColourClocks[1] = &match.TimeControl{Main: 60 * second, Byoyomi: second}
	})
	return plans
}

func source() match.Source {
	return match.Source{Repository: "https://git.example/engine", Commit: strings.Repeat("c", 40),
		Recipe: "build = [\"make\"]\n", Bench: 12345}
}

// variant returns a variant whose hash repeats one digit.
func variant(system, arch, isa string, digit rune) match.Variant {
	return match.Variant{OS: system, Arch: arch, ISA: isa, SHA256: strings.Repeat(string(digit), 64), Size: 1000}
}

// storedPlan returns a plan that sets every field that existed when the first digests were stored. Do not add new
// fields.
func storedPlan(t *testing.T) *match.Plan {
	t.Helper()
	clock := match.TimeControl{Main: 300 * second, Increment: 2 * second}
	player := func(name string) match.Player {
		return match.Player{
			Name: name, Command: []string{"/engines/" + name, "--flag"}, Dir: "/engines", Env: []string{"OMP=1"},
			Options: []match.Option{{Name: "Threads", Value: "1"}, {Name: "Hash", Value: "16"}},
			Limits:  match.Limits{Nodes: 1000, Margin: 100 * ms, Stall: 60 * second},
			Identity: match.Identity{Files: []match.FileHash{{Role: "binary", Path: "/engines/" + name, SHA256: "00" + name}},
				Fixed: "1.0"},
			Profile: "yaneuraou", Restart: match.RestartNever, Greeting: 10 * second, Ready: 60 * second,
		}
	}
	return &match.Plan{
		Run: "run", Players: []match.Player{player("A"), player("B")},
		ColourClocks: [2]*match.TimeControl{&clock, &clock},
		Design:       match.Design{Kind: match.DesignMatch, Swap: true}, Seed: 1, Rules: match.RulesProfiles()["default"],
		Adjudication: match.Adjudication{ResignScore: 3000, ResignMoves: 4},
		Openings:     []match.Opening{matchtest.Opening("startpos", "7g7f"), matchtest.Opening(startSFEN, "2g2f")},
		Ponder:       match.PonderOff, Slowed: match.PolicyCount, Pairs: 100, Concurrency: 2, PVPlies: 12,
	}
}

// storedCouncil returns storedPlan with a third player, which is a council of the others.
func storedCouncil(t *testing.T) *match.Plan {
	t.Helper()
	p := storedPlan(t)
	c := storedPlan(t).Players[0]
	c.Name = "C"
	c.Council = &match.Council{
		Members: storedPlan(t).Players, Own: []bool{true, false},
		Scales: []match.Scale{{Slope: 0.002, Intercept: 0.1}, {Slope: 0.003, Intercept: 0.2}},
		Rule:   "majority", Shadows: []string{"adoption"}, Ties: []string{"score"}, Stop: "quorum", Quorum: 0.6,
		ResignQuorum: 0.4, MinAlive: 1,
		Restarts: 2, Jitter: 0.1, Noise: 15, Veto: match.Veto{Time: second, Nodes: 5, Margin: 80, Members: 2},
	}
	p.Players = append(p.Players, c)
	return p
}

func nestedCouncil(t *testing.T) *match.Plan {
	t.Helper()
	p := storedCouncil(t)
	inner := p.Players[2]
	p.Players[1] = match.Player{
		Name: "D", Limits: inner.Limits, Restart: match.RestartNever,
		Council: &match.Council{Rule: "adoption:reward=voters", Members: []match.Player{inner, storedPlan(t).Players[0]}},
	}
	return p
}

// TestDigestsOfStoredRuns: the digests of stored runs never change, because databases find runs by them. A new
// field must therefore be omitted from all texts if it is zero.
func TestDigestsOfStoredRuns(t *testing.T) {
	known := map[string]map[string]string{}
	for _, row := range testutil.CSV(t, "digests.csv") {
		known[row["plan"]] = row
		sum := sha256.Sum256([]byte(row["canonical"]))
		testutil.Equal(t, hex.EncodeToString(sum[:]), row["digest"], "%s: the text of the table has another digest",
			row["plan"])
	}
	var missing [][]string
	for _, g := range goldenPlans(t) {
		row, ok := known[g.name]
		delete(known, g.name)
		switch {
		case !ok:
			missing = append(missing, []string{g.name, g.plan.Digest(), string(g.plan.Canonical())})
		case g.plan.Digest() != row["digest"]:
			t.Errorf("%s: the digest changed, so that stored runs cannot be resumed:\n  %s\n  %s", g.name, row["canonical"],
				g.plan.Canonical())
		}
	}
	for name := range known {
		t.Errorf("no plan is called %q any more", name)
	}
	if len(missing) > 0 && *addDigests {
		appendRows(t, "digests.csv", missing)
	} else if len(missing) > 0 {
		t.Errorf("no digest is known of %q: -add-digests adds it", missing)
	}
}

func appendRows(t *testing.T, name string, list [][]string) {
	t.Helper()
	slices.SortStableFunc(list, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	file := testutil.Must(os.OpenFile(filepath.Join("testdata", name), os.O_APPEND|os.O_WRONLY, 0o644))(t)
	w := csv.NewWriter(file)
	testutil.OK(t, w.WriteAll(list))
	testutil.OK(t, file.Close())
}

// eachStruct calls see for a struct type and for each struct type in its fields, once.
func eachStruct(of reflect.Type, see func(reflect.Type)) {
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(of reflect.Type) {
		for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Array}, of.Kind()) {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		see(of)
		for field := range of.Fields() {
			visit(field.Type)
		}
	}
	visit(of)
}

// TestCanonicalFieldsAreLeftOutWhenZero: the canonical text omits every field that is newer than the first stored run
// if it is zero. The map has the fields of the first run and must not grow.
func TestCanonicalFieldsAreLeftOutWhenZero(t *testing.T) {
	always := map[string]string{
		"CanonicalPlan":     "version design swap seed rules ponder slowed players openings",
		"CanonicalRules":    "declaration impasse_draw max_plies mate_at_limit_draws declare_at_limit extend_in_check repetition_points",
		"Adjudication":      "ResignScore ResignMoves OneSided DrawScore DrawMoves DrawFrom",
		"CanonicalPlayer":   "name identity limits margin stall restart",
		"CanonicalOpenings": "count sha256",
		"CanonicalCouncil":  "rule members",
		"Scale":             "slope intercept",
		"Veto":              "time nodes margin members",
		"Examine":           "share moves extra",
		"Spread":            "spread votes",
		"Option":            "name value",
		"Tournament":        "",
		"Scaling":           "",
		"CanonicalMate":     "",
	}
	seen := 0
	eachStruct(reflect.TypeFor[match.CanonicalPlan](), func(of reflect.Type) {
		seen++
		var stay []string
		for field := range of.Fields() {
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if options != "omitempty" && options != "omitzero" {
				stay = append(stay, cmp.Or(name, field.Name))
			}
		}
		testutil.Equal(t, strings.Join(stay, " "), always[of.Name()], "%s always writes", of.Name())
	})
	testutil.Equal(t, seen, len(always), "visited structs")
}

// TestParseCanonical: ParseCanonical reads stored texts without loss, and ignores unknown fields.
func TestParseCanonical(t *testing.T) {
	for _, row := range testutil.CSV(t, "digests.csv") {
		c, err := match.ParseCanonical([]byte(row["canonical"]))
		testutil.OK(t, err, "%s", row["plan"])
		again, err := json.Marshal(c)
		if err != nil || string(again) != row["canonical"] {
			t.Errorf("%s: %v\n  %s\n  %s", row["plan"], err, row["canonical"], again)
		}
	}
	for text, want := range map[string]string{
		`{`: "canonical text", `{"version":2}`: "version 2, this program knows 1", `{}`: "version 0",
	} {
		testutil.Fails(t, testutil.Err(match.ParseCanonical([]byte(text))), want, "%s", text)
	}
	if c, err := match.ParseCanonical([]byte(`{"version":1,"seed":7,"of_tomorrow":1}`)); err != nil || c.Seed != 7 {
		t.Errorf("a newer text: %+v, %v", c, err)
	}
}
