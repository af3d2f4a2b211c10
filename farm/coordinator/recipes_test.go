package coordinator_test

import (
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
	p.Players[0].Identity = match.Identity{Source: &match.Source{Repository: repository, Commit: strings.Repeat("c", 40), Recipe: recipe, Bench: 1}}
	return p
}

// TestRecipes: a test may use a recipe that an admin has allowed, for the repositories that the admin named.
func TestRecipes(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		const git, fork = "https://git.example/engine", "https://git.example/fork"
		recipe := func(who, name, text string, repositories ...string) (list []farm.Recipe, err error) {
			return list, f.do(who, "recipe", farm.Recipe{Name: name, Text: text, Repositories: repositories, By: "someone"}, &list)
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
			"the name": {Name: "a b", Text: aRecipe, Repositories: []string{git}}, "unknown key": {Name: "r", Text: "x = 1\n" + aRecipe, Repositories: []string{git}},
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
			if text := s.Log[1].What; !strings.Contains(text, "is commit "+strings.Repeat("c", 40)+" of https://git.example/engine, recipe ") {
				t.Errorf("the log has %q", text)
			}
		}
		testutil.OK(t, f.do("ben", "approve", farm.Order{Run: ids["one"]}, nil))
		testutil.Equal(t, len(testutil.Must(recipe("boss", "r", ""))(t)), 0, "recipes after the removal")
		testutil.Fails(t, f.do("ben", "approve", farm.Order{Run: ids["two"]}, nil), "no recipe with its text")
	})
}
