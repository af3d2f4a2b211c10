package tuning

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"gogi/configs"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/tune"
	"gogi/runner"
	"gogi/usi"
)

func declared() []usi.Option {
	return []usi.Option{
		{Name: "LMR_Base", Type: usi.Spin, Default: "1024", Min: 0, Max: 4096},
		{Name: "LMR_Div", Type: usi.Spin, Default: "300", Min: 100, Max: 900},
		{Name: "Style", Type: usi.Combo, Default: "solid", Vars: []string{"solid", "wild"}},
		{Name: "MoveOverhead", Type: usi.Spin, Default: "30", Min: 0, Max: 1000},
		{Name: "Temper", Type: usi.String, Default: "0.5"},
	}
}

func base(openings int) *match.Plan {
	p := &match.Plan{
		Run: "t", Pairs: 400, Concurrency: 4, Seed: 9, Design: match.Design{Kind: match.DesignMatch, Swap: true},
		Rules: match.RulesProfiles()[match.DefaultRules],
	}
	for _, name := range []string{"e+", "e-"} {
		p.Players = append(p.Players, match.Player{
			Name: name, Command: []string{"/e"},
			Limits:  match.Limits{Nodes: 100, Margin: match.DefaultMargin, Stall: match.DefaultStall},
			Options: []match.Option{{Name: "lmr_div", Value: "350"}, {Name: "Hash", Value: "16"}},
		})
	}
	for i := range openings {
		p.Openings = append(p.Openings, match.Opening{ID: strconv.Itoa(i), Start: "startpos"})
	}
	return p
}

// wish returns the request of a tune file.
func wish(t *testing.T, text string) *Request {
	t.Helper()
	f := testutil.Must(configs.Parse([]byte("games = 800\n[[engine]]\nname = \"e\"\ncmd = \"builtin\"\n"+text),
		"t.toml"))(t)
	w := testutil.Must(f.TakeTune())(t)
	return &Request{TuneSettings: w, Dir: "testdata"}
}

func TestResolve(t *testing.T) {
	w := wish(t, `
[tune]
only = ["LMR_*", "Style", "Temper"]
block = 8
r_end = "0.004"
[[param]]
name = "lmr_base"
scale = 250
[[param]]
name = "Style"
start = "wild"
[[param]]
name = "Temper"
min = 0
max = 1
[tune.validate]
sprt = [1, 6]
alpha = 0.1
games = 1000
limits = "40+0.4"
`)
	w.Globs = []string{"LMR_*"}
	p, _, err := w.Resolve(base(64), declared())
	testutil.OK(t, err)
	s := &p.Settings
	want := []tune.Param{
		{Name: "LMR_Base", Kind: tune.Int, Start: 1024, Max: 4096, Scale: 250},
		{Name: "Style", Kind: tune.Choice, Start: 1, Max: 1, Levels: []string{"solid", "wild"}},
		{Name: "Temper", Kind: tune.Float, Start: 0.5, Max: 1},
		{Name: "LMR_Div", Kind: tune.Int, Start: 350, Min: 100, Max: 900}, // as in the engine's options
	}
	for i := range want {
		if got := s.Params[i]; len(s.Params) != 4 || got.Name != want[i].Name || got.Kind != want[i].Kind ||
			got.Start != want[i].Start || got.Min != want[i].Min ||
			got.Max != want[i].Max || got.Scale != want[i].Scale || len(got.Levels) != len(want[i].Levels) || got.Unused {
			t.Errorf("%+v, want %+v", got, want[i])
		}
	}
	v := p.Validate
	testutil.Check(t, s.Block == 8 && s.Inflight == 12 && s.REnd == 0.004 && s.Seed == 9 && s.Pairs == 400 &&
		s.Method == tune.SPSA,
		"%+v", s)
	if v.Elo0 != 1 || v.Elo1 != 6 || v.Alpha != 0.1 || v.Pairs != 500 || v.Openings != tune.FreshOpenings ||
		v.Limits == nil || v.Limits.Clock.Increment == 0 || v.Seed == s.Seed {
		t.Errorf("%+v", v)
	}
}

func TestResolveRefuses(t *testing.T) {
	for want, text := range map[string]string{
		"no parameter to tune":          "",
		"nearest: LMR_Base":             "[[param]]\nname = \"LMR_Bas\"\n",
		"is about time":                 "[[param]]\nname = \"MoveOverhead\"\n",
		"5000":                          "[[param]]\nname = \"LMR_Base\"\nmax = 5000\n",
		"is outside":                    "[[param]]\nname = \"LMR_Base\"\nstart = 10\nmin = 100\n",
		"expected min and max":          "[[param]]\nname = \"Temper\"\n",
		"none of its levels":            "[[param]]\nname = \"Style\"\nstart = \"calm\"\n",
		"method \"climb\"":              "[tune]\nmethod = \"climb\"\n[[param]]\nname = \"LMR_Base\"\n",
		"expected stop or forfeit":      "[tune]\nfaults = \"go\"\n[[param]]\nname = \"LMR_Base\"\n",
		"tune.params":                   "[tune]\nparams = \"missing.params\"\n",
		"r_end":                         "[tune]\nr_end = \"soon\"\n[[param]]\nname = \"LMR_Base\"\n",
		"no parameter is named so":      "[tune]\nstages = [\"NMP_*\"]\n[[param]]\nname = \"LMR_Base\"\n",
		"the engine declares no number": "[tune]\nonly = [\"X\"]\n",
		"scale = 0 never changes":       "[[param]]\nname = \"LMR_Base\"\nscale = 0\n",
		"is there twice":                "[[param]]\nname = \"LMR_Base\"\n[[param]]\nname = \"lmr_base\"\n",
		"looks like the old meaning":    "[tune]\nparams = \"old.params\"\n",
	} {
		w := wish(t, text)
		if strings.Contains(want, "declares no number") {
			w.Globs = []string{"NMP_*"}
		}
		_, _, err := w.Resolve(base(64), declared())
		testutil.Check(t, err != nil && strings.Contains(strings.ToLower(err.Error()), strings.ToLower(want)), "%q: %v", want,
			err)
	}
}

// TestValidation: a validation shares no opening with the tune if the book is large enough. It has another seed, and
// the candidate's values replace the options in the file.
func TestValidation(t *testing.T) {
	plan := base(41)
	w := wish(t, "[[param]]\nname = \"LMR_Div\"\n")
	p, _, err := w.Resolve(plan, declared())
	testutil.OK(t, err)
	played := testutil.Must(Play(plan, p))(t)
	v := Validation(plan, p, 0, match.TuneCandidate{Number: 2, Run: ValidationRun("t", 2),
		Point: []match.Option{{Name: "LMR_Div", Value: "555"}}})
	seen := lists.Set(played.Openings, func(o match.Opening) string { return o.ID })
	for _, o := range v.Openings {
		testutil.Check(t, !seen[o.ID], "opening %s is in both", o.ID)
	}
	testutil.Check(t, len(played.Openings) == 21 && len(v.Openings) == 20 && v.Seed != played.Seed && v.Tune == "" &&
		v.Run == "t-validation-2",
		"%d and %d openings, seeds %d and %d", len(played.Openings), len(v.Openings), played.Seed, v.Seed)
	testutil.Check(t, v.Gate.Alpha == match.DefaultAlpha/4 && v.Gate.Elo1 == 3, "%+v", v.Gate)
	for i, want := range []string{"Hash=16 LMR_Div=555", "Hash=16 LMR_Div=350"} {
		testutil.Equal(t, Words(v.Players[i].Options), want)
	}
	small, _, _ := w.Resolve(base(19), declared())
	testutil.Check(t, small.Validate.Openings == tune.SameOpenings, "half of 19 openings is a book")
}

// TestInflightIsKept: a resumed tune keeps its Inflight, for any number of slots.
func TestInflightIsKept(t *testing.T) {
	w := wish(t, "[[param]]\nname = \"LMR_Div\"\n")
	w.Inflight = 31
	p, _, err := w.Resolve(base(64), declared())
	testutil.Check(t, err == nil && p.Settings.Inflight == 31, "%+v, %v", p, err)
}

// strange is an engine that uses one option, fails if another option exceeds 500, and ignores the other options.
type strange struct{ base, div string }

func (s *strange) NewGame(_ context.Context, g usi.Game) error {
	for _, o := range g.Options {
		switch o.Name {
		case "LMR_Base":
			s.base = o.Value
		case "LMR_Div":
			s.div = o.Value
		}
	}
	if n, _ := strconv.Atoi(s.div); n > 500 {
		return errors.New("assertion failed")
	}
	return nil
}

// Think shows the value of LMR_Base only in a search of 2,000 nodes or more.
func (s *strange) Think(_ context.Context, q usi.Request) (usi.Reply, error) {
	if q.Go.Nodes < 2000 {
		return usi.Reply{Text: "7g7f"}, nil
	}
	return usi.Reply{Text: "7g7f", Nodes: uint64(len(s.base))}, nil
}
func (s *strange) GameOver(context.Context, usi.Outcome) error { return nil }
func (s *strange) Close() error                                { return nil }

func TestProbe(t *testing.T) {
	s := tune.Defaults(tune.SPSA, 100)
	for _, name := range []string{"LMR_Base", "LMR_Div", "Dead"} {
		s.Params = append(s.Params, tune.Param{Name: name, Kind: tune.Int, Start: 100, Min: 1, Max: 1000})
	}
	found, err := Probe(t.Context(),
		func(context.Context, match.Player, []int) (runner.Player, error) { return &strange{}, nil }, base(5), &s)
	testutil.Require(t, err == nil && len(found) == 3, "%v %v", found, err)
	if found[0].Dead || found[1].Dead || !found[2].Dead || len(found[1].Refused) != 1 ||
		!strings.Contains(found[1].Refused[0], "with 1000") || len(found[2].Refused) != 0 {
		t.Errorf("%+v", found)
	}
}

func TestExport(t *testing.T) {
	s := tune.Defaults(tune.SPSA, 400)
	s.Params = []tune.Param{
		{Name: "A", Kind: tune.Int, Start: 10, Max: 100}, {Name: "Slow Mover", Kind: tune.Float, Start: 0.5, Max: 1},
		{Name: "Same", Kind: tune.Int, Start: 3, Max: 9},
	}
	walk := testutil.Must(tune.NewWalk(s, nil, Latest))(t)
	a := &Account{Walk: walk, Run: "t", Plan: &tune.Plan{Settings: s}, State: walk.End()}
	values := []float64{12.4, 0.25, 3.2}
	for form, want := range map[string]string{
		"options":   "options = { A = 12, \"Slow Mover\" = 0.25, Same = 3 }\n",
		"patch":     "# -10  +12  A  (not distinguishable from the start)\n# -0.5  +0.25  Slow Mover",
		"toml":      "name = \"A\"\nstart = 12\nmin = 0\nmax = 100\n",
		"params":    "A,int,12",
		"fishtest":  "A,12,0,100,",
		"openbench": "A, int, 12",
	} {
		var b bytes.Buffer
		if err := Export(&b, a, form, values); err != nil || !strings.Contains(b.String(), want) &&
			!strings.Contains(b.String(), strings.ReplaceAll(want, ", ", ",")) {
			t.Errorf("%s: %v\n%s", form, err, b.String())
		}
		testutil.Check(t, form != "patch" || !strings.Contains(b.String(), "Same"), "what stays is in the patch")
	}
	testutil.Fails(t, Export(&bytes.Buffer{}, a, "xml", values), "", "any form is known")
}

func candidateOf(*tune.Plan) match.TuneCandidate {
	return match.TuneCandidate{Number: 1, Run: ValidationRun("t", 1),
		Point: []match.Option{{Name: "LMR_Div", Value: "555"}}}
}

// TestValidationSPRT: a validation accepts an SPRT in the usual forms, with the default error rates. It accepts no
// scale and no boundary.
func TestValidationSPRT(t *testing.T) {
	const engine = "games = 800\n[[engine]]\nname = \"e\"\ncmd = \"builtin\"\n[[param]]\nname = \"LMR_Base\"\n[tune.validate]\n"
	for text, want := range map[string][4]float64{
		"":                  {0, 3, 0.05, 0.05},
		"sprt = [1, 6]":     {1, 6, 0.05, 0.05},
		"sprt = \"-1.5,6\"": {-1.5, 6, 0.05, 0.05},
		"sprt = \"elo1=6,beta=0.2,elo0=1,alpha=0.01\"":    {1, 6, 0.01, 0.2},
		"sprt = \"elo1=6,elo0=1,alpha=0.01\"\nbeta = 0.2": {1, 6, 0.01, 0.2},
	} {
		f := testutil.Must(configs.Parse([]byte(engine+text), "t.toml"))(t)
		w := testutil.Must(f.TakeTune())(t)
		p, _, err := (&Request{TuneSettings: w, Dir: "testdata"}).Resolve(base(64), declared())
		testutil.OK(t, err)
		if v := p.Validate; v.Elo0 != want[0] || v.Elo1 != want[1] || v.Alpha != want[2] || v.Beta != want[3] {
			t.Errorf("%q: %+v, want %v", text, v, want)
		}
	}
	for text, want := range map[string]string{
		"sprt = [3]": "expected two rating differences",
		"sprt = \"elo0=0,elo1=3,beta=0.1\"\nbeta = 0.1":   "tune.validate: sprt sets beta, too; remove one",
		"sprt = \"elo0=0,elo1=3,alpha=0.1\"\nalpha = 0.1": "tune.validate: sprt sets alpha, too; remove one",
		"sprt = \"elo0=0,elo1=3,model=normalized\"":       "model cannot be set here; expected elo0, elo1, alpha, beta",
		"sprt = \"elo0=0,elo1=3,boundary=bounded\"":       "boundary cannot be set here",
	} {
		f, err := configs.Parse([]byte(engine+text), "t.toml")
		if err == nil {
			_, err = f.TakeTune()
		}
		testutil.Check(t, err != nil && strings.Contains(err.Error(), want) && strings.HasPrefix(err.Error(), "t.toml"),
			"%s: %v, want %s", text, err, want)
	}
}

// TestBegun: a tune of a version without a wide start continues without one, and a new tune starts wide.
func TestBegun(t *testing.T) {
	w := wish(t, "[[param]]\nname = \"LMR_Div\"\n")
	now, _, err := w.Resolve(base(64), declared())
	testutil.Require(t, err == nil && now.Settings.Wide > 1, "%+v, %v", now, err)
	stored := now.Settings
	stored.Wide, stored.Inflight = 0, 17
	w.Begun(&stored)
	again, _, err := w.Resolve(base(64), declared())
	testutil.Check(t, err == nil && again.Settings.Wide == 0 && again.Settings.Inflight == 17, "%+v, %v", again, err)
}
