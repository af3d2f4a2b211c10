package coordinator_test

import (
	"fmt"
	"strings"
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match"
)

const aRecipe = "build = ['make']\noutput = 'engine'\nbench = './engine bench'\nnodes = '([0-9]+)'\n"

// built returns a plan whose first engine is built by the workers from a commit.
func built(name string, seed uint64, repository, recipe string) *match.Plan {
	p := testPlan(name, 20, seed)
	p.Players[0].Builtin, p.Players[0].Command = false, []string{"engine"}
	p.Players[0].Identity = match.Identity{Source: &match.Source{Repository: repository, Commit: strings.Repeat("c", 40),
		Recipe: recipe, Bench: 1}}
	return p
}

// TestRecipes: a test may use a recipe that an admin has allowed, for the repositories that the admin named.
func TestRecipes(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		const git, fork = "https://git.example/engine", "https://git.example/fork"
		recipe := func(who, name, text string, repositories ...string) (list []farm.Recipe, err error) {
			return list, f.do(who, "recipe", farm.Recipe{Name: name, Text: text, Repositories: repositories, By: "someone"},
				&list)
		}
		refused := func(want string, p *match.Plan) {
			t.Helper()
			testutil.Fails(t, testutil.Err(f.submit("ann", p, farm.Submission{})), want)
		}
		f.keys.add("boss", "red", "admin")
		one := built("one", 1, git, aRecipe)
		refused("no recipe with its text allows https://git.example/engine", one)
		testutil.Fails(t, testutil.Err(recipe("ann", "r", aRecipe, git)), "ann may not change recipes")
		for want, wrong := range map[string]farm.Recipe{
			"the name":           {Name: "a b", Text: aRecipe, Repositories: []string{git}},
			"unknown key":        {Name: "r", Text: "x = 1\n" + aRecipe, Repositories: []string{git}},
			"needs a repository": {Name: "r", Text: aRecipe},
		} {
			testutil.Fails(t, testutil.Err(recipe("boss", wrong.Name, wrong.Text, wrong.Repositories...)), want)
		}
		testutil.Equal(t, len(testutil.Must(recipe("boss", "r", aRecipe, git))(t)), 1, "recipes")
		list := testutil.Must(recipe("ann", "", ""))(t) // anyone may read them
		testutil.Check(t, len(list) == 1 && list[0].By == "boss" && list[0].Text == aRecipe, "%+v", list)
		refused("no recipe with its text", built("other", 2, git, aRecipe+"#"))
		refused("no recipe with its text allows https://git.example/fork", built("fork", 3, fork, aRecipe))
		ids := map[string]string{}
		for i, name := range []string{"one", "two"} {
			s := testutil.Must(f.submit("ann", built(name, uint64(10+i), git, aRecipe), farm.Submission{}))(t)
			ids[name] = s.Run
			if text := s.Log[1].What; !strings.Contains(text,
				"is commit "+strings.Repeat("c", 40)+" of https://git.example/engine, recipe ") {
				t.Errorf("the log has %q", text)
			}
		}
		testutil.OK(t, f.do("ben", "approve", farm.Order{Run: ids["one"]}, nil))
		testutil.Equal(t, len(testutil.Must(recipe("boss", "r", ""))(t)), 0, "recipes after the removal")
		testutil.Fails(t, f.do("ben", "approve", farm.Order{Run: ids["two"]}, nil), "no recipe with its text")
	})
}

// TestBenches: a worker reports the bench in the message of a commit that it has built. The test stores it once, also
// over a restart of the coordinator, and takes the rest from its plan.
func TestBenches(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		const git = "https://git.example/engine"
		f.keys.add("boss", "red", "admin")
		testutil.OK(t, f.do("boss", "recipe", farm.Recipe{Name: "r", Text: aRecipe, Repositories: []string{git}}, nil))
		s := f.run(built("one", 1, git, aRecipe))
		name := f.test("one").Name
		l := f.line(t, "w1")
		ask := func(benches ...farm.Bench) {
			l.ask(farm.SubjectLease, farm.Ask{Session: "s", Want: 1, Refuse: []string{s.Run}, Why: []string{"no"},
				Benches: benches}, &farm.Grants{})
		}
		engine := testPlan("one", 20, 1).Players[0].Name
		other := testPlan("one", 20, 1).Players[1].Name
		ask(farm.Bench{Run: s.Run, Engine: engine, Message: 2}, farm.Bench{Run: s.Run, Engine: "nobody", Message: 3},
			farm.Bench{Run: s.Run, Engine: other, Message: 4}, farm.Bench{Run: "none", Engine: engine, Message: 5})
		ask(farm.Bench{Run: s.Run, Engine: engine, Message: 2})
		want := []farm.BenchCheck{{Engine: engine, Commit: strings.Repeat("c", 40), Nodes: 1, Message: 2, Worker: "w1",
			Owner: "blue"}}
		testutil.Diff(t, want, f.test(name).Benches)
		lines := 0
		for _, line := range f.test(name).Log {
			if strings.HasPrefix(line.What,
				"warning: the commit message of "+engine+" has bench 2, and its builds have 1 (read by w1 of blue, not trusted)") {
				lines++
			}
		}
		testutil.Equal(t, lines, 1, "lines of the log")
		for n := range uint64(9) {
			ask(farm.Bench{Run: s.Run, Engine: engine, Message: 10 + n})
		}
		testutil.Diff(t, want, f.test(name).Benches, "a worker that reports many numbers")
		f.restart()
		testutil.Diff(t, want, f.test(name).Benches, "benches after a restart")
	})
}

// TestFalseBenches: an owner with many keys has one number of an engine. The number of a trusted worker replaces the
// numbers of workers that the farm does not trust, and stays. A number of a worker in quarantine does not count any
// more.
func TestFalseBenches(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		const git = "https://git.example/engine"
		testutil.OK(t, f.do("boss", "recipe", farm.Recipe{Name: "r", Text: aRecipe, Repositories: []string{git}}, nil))
		s := f.run(built("one", 1, git, aRecipe))
		engine := testPlan("one", 20, 1).Players[0].Name
		lines := map[string]*line{}
		report := func(worker, owner string, message uint64) {
			if lines[worker] == nil {
				f.keys.add(worker, owner, "work")
				lines[worker] = f.line(t, worker)
			}
			lines[worker].ask(farm.SubjectLease,
				farm.Ask{Session: "s", Benches: []farm.Bench{{Run: s.Run, Engine: engine, Message: message}}}, &farm.Grants{})
		}
		wants := func(when string, want ...string) {
			t.Helper()
			got := []string{}
			for _, b := range f.test(s.Run).Benches {
				got = append(got, fmt.Sprintf("%d %s", b.Message, b.Reader()))
			}
			testutil.Slices(t, got, want, "%s", when)
		}
		for n := range uint64(9) {
			report(fmt.Sprint("mal", n), "mals", 100+n)
		}
		wants("nine keys of one owner", "100 mal0 of mals, not trusted")
		report("w8", "green", 1)
		report("w9", "green", 7)
		wants("an honest worker", "100 mal0 of mals, not trusted", "1 w8 of green, not trusted")
		testutil.OK(t, f.do("boss", "trust", farm.Order{Worker: "w8", Level: "verified"}, nil))
		report("w8", "green", 1)
		wants("a trusted worker", "1 w8 of green")
		report("mel", "mels", 200)
		report("mal3", "mals", 300)
		wants("liars after a trusted worker", "1 w8 of green")
		f.restart()
		wants("after a restart", "1 w8 of green")

		lines = map[string]*line{}
		report("w8", "green", 1)
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w8", Why: "test"}, nil))
		report("mel", "mels", 200)
		report("w8", "green", 1)
		wants("after a quarantine", "200 mel of mels, not trusted")
	})
}
