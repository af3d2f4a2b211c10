package board

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gogi/configs"
	"gogi/farm"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/players/planning"
	"gogi/results/farmstate"
)

// overview shows all tests and machines.
func (p *Pages) overview(w http.ResponseWriter, v *visit) error {
	s := p.status(v)
	page := struct {
		farm.Status

		Full     float64
		Outcomes map[string]*Outcome
		Totals   totals
		Advices  []advice
	}{Status: s, Full: 100 * max(s.Judge.Fill, 0), Outcomes: p.outcomes(v.Context(), s.Tests), Advices: v.advices(s.Tests)}
	page.Totals = totalsOf(s.Workers, page.Outcomes)
	return p.show(w, v, http.StatusOK, "overview", frame{Title: v.say("Farm"), Refresh: true, Page: page})
}

// shownLines is the largest number of lines of a test's log on its page.
const shownLines = 100

// testPage is the data for the page of a test.
type testPage struct {
	Test    farm.TestStatus
	Plan    *match.Plan
	Gate    string
	Actions []farmstate.Action
	May     map[string]bool // the orders that the reader may give now
	Outcome *Outcome        // nil: unknown
	Change  *change         // nil: the engines are not built from git commits
}

// test shows a test: its verdict, its plan, its workers, and the log of actions on it.
func (p *Pages) test(w http.ResponseWriter, v *visit) error {
	// A reader without a session sees the same as the holder of a key, because show and plan change nothing.
	status := p.status(v)
	name := v.PathValue("test")
	i, err := farm.Found(status.Tests, name)
	if err != nil {
		return notFound(i18n.Of("There is no test with this name."))
	}
	page := testPage{Test: status.Tests[i], May: map[string]bool{}}
	if v.session != nil {
		answer, err := p.config.Farm.Do(v.Context(), v.session.key.Name, "show", farm.Order{Run: page.Test.Run})
		if err != nil {
			return err
		}
		page.Test, _ = answer.(farm.TestStatus)
		if page.Plan, err = p.planOf(v, page.Test.Run); err != nil {
			return err
		}
		if !page.Plan.Gate.IsZero() {
			page.Gate = page.Plan.Gate.String()
		}
	}
	page.may(v.session)
	page.Change = changeOf(page.Plan)
	page.Outcome = p.outcomes(v.Context(), []farm.TestStatus{page.Test})[page.Test.Run]
	// The log of the farm has names, and tests of an older farm may share one.
	for _, l := range slices.Backward(page.Test.Log[max(0, len(page.Test.Log)-shownLines):]) {
		page.Actions = append(page.Actions,
			farmstate.Action{At: l.At, By: l.By, On: farmstate.OnTest, Name: page.Test.Name, What: l.What})
	}
	running := page.Test.State == farm.Running && v.session == nil
	return p.show(w, v, http.StatusOK, "test", frame{Title: page.Test.Name, Refresh: running,
		Trail: []crumb{{Name: page.Test.Name}}, Page: &page})
}

// An order is a button on the page of a test.
type order struct {
	Verb, Words    string
	Number, Danger bool // Number: the user enters a number. Danger: the user cannot undo the order
}

func orders() []order {
	return []order{
		{Verb: "approve", Words: i18n.Phrase("Approve")}, {Verb: "reject", Words: i18n.Phrase("Reject"), Danger: true},
		{Verb: "pause",
			Words: i18n.Phrase("Pause")}, {Verb: "resume", Words: i18n.Phrase("Resume")},
		{Verb: "stop", Words: i18n.Phrase("Stop"), Danger: true}, {Verb: "priority", Words: i18n.Phrase("Set the priority"),
			Number: true}, {Verb: "share", Words: i18n.Phrase("Set the share"), Number: true},
	}
}

// may sets the orders that the user of a session may give, so that the page shows no useless buttons. The
// coordinator checks each order again.
func (t *testPage) may(s *session) {
	state := t.Test.State
	mine := s.Is(t.Test.Owner)
	for verb, fits := range map[string]bool{
		"approve": state == farm.Submitted && !mine, "reject": state == farm.Submitted || state == farm.Approved,
		"pause": state == farm.Running, "resume": state == farm.Paused || state == farm.Stopped,
		"stop": !state.Final(), "priority": !state.Final(), "share": !state.Final(), "purge": t.Test.Stored > 0,
	} {
		t.May[verb] = fits && s.May(verb) && (mine || s.May("share") || verb == "approve" || verb == "reject")
	}
	t.May["submit"] = s.May("submit")
}

func (p *Pages) planOf(v *visit, test string) (*match.Plan, error) {
	answer, err := p.config.Farm.Do(v.Context(), v.session.key.Name, "plan", farm.Order{Run: test})
	if err != nil {
		return nil, err
	}
	of, _ := answer.(farm.PlanOf)
	return match.DecodePlan(of.Plan)
}

// orderTest sends an order about a test.
func (p *Pages) orderTest(w http.ResponseWriter, v *visit) error {
	test, verb := v.PathValue("test"), v.PathValue("verb")
	if !slices.Contains([]string{"approve", "reject", "stop", "pause", "resume", "priority", "share", "purge"}, verb) {
		return notFound(i18n.Of("There is no such order."))
	}
	o := farm.Order{Run: test, Why: v.PostFormValue("why"), Worker: v.PostFormValue("worker")}
	if text := v.PostFormValue("number"); text != "" {
		var err error
		if o.Number, err = strconv.ParseFloat(text, 64); err != nil {
			return &failure{http.StatusBadRequest, i18n.Of("%s is not a number.", format.Quoted(text))}
		}
	}
	if verb == "purge" && o.Worker == "" {
		return &failure{http.StatusBadRequest, i18n.Of("Choose the machine whose pairs become void.")}
	}
	if _, err := p.do(v, verb, o); err != nil {
		return err
	}
	http.Redirect(w, v.Request, "/farm/t/"+url.PathEscape(test), http.StatusSeeOther)
	return nil
}

// field is a field of the form that submits a test. It has the name of the flag of gogi farm submit.
type field struct {
	Name, Label, Hint string
	Value             string // what the user has typed
	Now               string // the value in the test that is repeated
}

// form is the data for the form that submits a test.
type form struct {
	From    string // the digest of the repeated test; "" is the default match with the built-in engine
	Run     string // its name
	Fields  []field
	Players []slot
	Engines []engineOf
	Wrong   string // the error of a form that was sent
}

// slot is a player of the repeated test, whose engine may be replaced.
type slot struct{ Name, Field, Chosen string }

// engineOf is an engine of a test.
type engineOf struct{ Value, Words string }

// submitForm shows the form that submits a test, which repeats an earlier test with changes.
func (p *Pages) submitForm(w http.ResponseWriter, v *visit) error {
	if v.session == nil {
		return &failure{http.StatusForbidden, i18n.Of("Log in first.")}
	}
	return p.showForm(w, v, http.StatusOK, "")
}

func (p *Pages) showForm(w http.ResponseWriter, v *visit, status int, wrong string) error {
	old, err := p.base(v)
	if err != nil {
		return err
	}
	f := form{From: v.FormValue("from"), Run: old.Run, Wrong: wrong}
	tests := p.status(v).Tests
	free := farm.FreeName(old.Run, tests)
	gate := v.say("none")
	if !old.Gate.IsZero() {
		gate = old.Gate.String()
	}
	recipes, err := p.recipes(v)
	if err != nil {
		return err
	}
	var limits, allowed []string
	for _, r := range recipes {
		allowed = append(allowed, r.Name+" for "+strings.Join(r.Repositories, " "))
	}
	for i := range old.Players {
		limits = append(limits, old.Players[i].Limits.String())
	}
	for _, one := range []field{
		{Name: "run", Label: i18n.Phrase("Name"), Hint: i18n.Phrase("a new name for the test"), Value: free, Now: old.Run},
		{Name: "tc", Label: i18n.Phrase("Time control"), Hint: i18n.Phrase("8+0.08 or 10/1, in seconds"),
			Now: strings.Join(slices.Compact(limits), "; ")},
		{Name: "nodes", Label: i18n.Phrase("Nodes for each move"), Hint: i18n.Phrase("instead of a time control")},
		{Name: "games", Label: i18n.Phrase("Games"), Hint: i18n.Phrase("an even number"), Now: strconv.Itoa(old.Games())},
		{Name: "sprt", Label: "SPRT", Hint: i18n.Phrase("0,4; or off"), Now: gate},
		{Name: "openings", Label: i18n.Phrase("Openings"), Hint: i18n.Phrase("builtin-1000, builtin-short or builtin-64"),
			Now: v.say("%s", i18n.Number{N: len(old.Openings), Noun: "opening"})},
		{Name: "max-plies", Label: i18n.Phrase("Maximum plies"), Now: strconv.Itoa(old.Rules.MaxPlies)},
		{Name: "resign", Label: i18n.Phrase("Resign"), Hint: i18n.Phrase("2000x3; or off")},
		{Name: "draw", Label: i18n.Phrase("Draw"), Hint: i18n.Phrase("10x8@40; or off")},
		{Name: "seed", Label: i18n.Phrase("Seed"),
			Hint: i18n.Phrase("by default the next number without a test, for other games"),
			Now:  strconv.FormatUint(old.Seed, 10)},
		{Name: "option", Label: i18n.Phrase("Options"), Hint: optionHint(old)},
		{Name: "priority", Label: i18n.Phrase("Priority"), Hint: i18n.Phrase("−10 to 10"), Now: "0"},
		{Name: "share", Label: i18n.Phrase("Share"), Hint: i18n.Phrase("weight among the tests of its priority"), Now: "1"},
		{Name: "needs", Label: i18n.Phrase("Needs"), Hint: i18n.Phrase("labels of machines: os=linux trust=verified")},
		{Name: "note", Label: i18n.Phrase("Note")},
		{Name: "repo", Label: i18n.Phrase("Git repository"),
			Hint: i18n.Phrase("to build the engines dev and base from commits; needs the next three")},
		{Name: "recipe", Label: i18n.Phrase("Recipe"), Hint: strings.Join(allowed, "; ")},
		{Name: "dev", Label: i18n.Phrase("Commit of dev"),
			Hint: i18n.Phrase("COMMIT:NODES with the node count of its bench")},
		{Name: "base", Label: i18n.Phrase("Commit of base"), Hint: "COMMIT:NODES"},
		{Name: "base-repo", Label: i18n.Phrase("Git repository of base"), Hint: i18n.Phrase("by default the same")},
	} {
		if v.Method == http.MethodPost {
			one.Value = v.PostFormValue(one.Name)
		}
		f.Fields = append(f.Fields, one)
	}
	for i, player := range old.Players {
		if player.Council == nil {
			name := fmt.Sprint("engine", i)
			f.Players = append(f.Players, slot{player.Name, name, v.PostFormValue(name)})
		}
	}
	if f.Engines, err = p.engines(v); err != nil {
		return err
	}
	return p.show(w, v, status, "submit",
		frame{Title: v.say("Submit a test"), Trail: []crumb{{Name: v.say("Submit a test")}}, Page: f})
}

// optionHint returns examples of options with the names of the players in the form.
func optionHint(plan *match.Plan) string {
	return strings.Join(lists.Map(plan.Players, func(p match.Player) string { return p.Name + ".Hash=64" }), " ")
}

// recipes returns the recipes by which workers may build engines.
func (p *Pages) recipes(v *visit) ([]farm.Recipe, error) {
	answer, err := p.config.Farm.Do(v.Context(), v.session.key.Name, "recipe", farm.Recipe{})
	list, _ := answer.([]farm.Recipe)
	return list, err
}

// withCommits returns the plan with the engines of the fields about commits.
func (p *Pages) withCommits(v *visit, plan *match.Plan) (*match.Plan, error) {
	text := func(name string) string { return strings.TrimSpace(v.PostFormValue(name)) }
	c := planning.Commits{Repo: text("repo"), Recipe: text("recipe"), Dev: text("dev"), Base: text("base"),
		BaseRepo: text("base-repo")}
	all, err := p.recipes(v)
	if err != nil || c == (planning.Commits{}) {
		return plan, err
	}
	recipe, err := farm.RecipeNamed(all, c.Recipe)
	if err != nil {
		return nil, err
	}
	return c.Apply(plan, recipe.Text)
}

// base returns the plan that the form repeats.
func (p *Pages) base(v *visit) (*match.Plan, error) {
	if from := v.FormValue("from"); from != "" {
		return p.planOf(v, from)
	}
	return planning.Builtin()
}

// engineTests is the number of latest tests whose engines the form offers, and maxEngines limits the number of
// these engines. Without limits the form would take long, because gogi must decode the plan of each test.
const (
	engineTests = 50
	maxEngines  = 100
)

// engines returns the engines of the latest tests, each identity once.
func (p *Pages) engines(v *visit) (list []engineOf, err error) {
	tests := p.status(v).Tests
	seen := map[string]bool{}
	for _, t := range slices.Backward(tests[max(0, len(tests)-engineTests):]) {
		plan, err := p.planOf(v, t.Run)
		if err != nil {
			return nil, err
		}
		for _, player := range plan.Players {
			words := player.Identity.String()
			if player.Council != nil || seen[player.Name+" "+words] || len(list) == maxEngines {
				continue
			}
			seen[player.Name+" "+words] = true
			list = append(list, engineOf{t.Run + "/" + player.Name, fmt.Sprintf("%s of %s (%s)", player.Name, t.Name, words)})
		}
	}
	return list, nil
}

// submit submits the test of a form. It sends the same request as gogi farm submit --again.
func (p *Pages) submit(w http.ResponseWriter, v *visit) error {
	if !v.session.May("submit") {
		return &farm.Refusal{Why: fmt.Sprintf("%s may not submit tests", v.session.key.Name)}
	}
	s, err := p.submission(v)
	if err != nil {
		return p.showForm(w, v, http.StatusBadRequest, err.Error())
	}
	answer, err := p.do(v, "submit", *s)
	if err != nil {
		return p.showForm(w, v, http.StatusForbidden, err.Error())
	}
	status, _ := answer.(farm.TestStatus)
	http.Redirect(w, v.Request, "/farm/t/"+url.PathEscape(status.Run), http.StatusSeeOther)
	return nil
}

func (p *Pages) submission(v *visit) (*farm.Submission, error) {
	plan, err := p.base(v)
	if err != nil {
		return nil, err
	}
	renamed := map[string]string{}
	for i, player := range plan.Players {
		run, engine, ok := strings.Cut(v.PostFormValue(fmt.Sprint("engine", i)), "/")
		if !ok {
			continue
		}
		from, err := p.planOf(v, run)
		if err == nil {
			plan, err = planning.TakeEngine(plan, player.Name, from, engine)
			renamed[player.Name] = engine
		}
		if err != nil {
			return nil, err
		}
	}
	if plan, err = p.withCommits(v, plan); err != nil {
		return nil, err
	}
	flags, err := flagsOf(v)
	if err != nil {
		return nil, err
	}
	flags.Option = planning.Renamed(flags.Option, renamed)
	one, err := p.oneThread(v)
	if err != nil {
		return nil, err
	}
	if plan, err = planning.Repeat(plan, flags); err != nil {
		return nil, err
	}
	if flags.Seed == nil {
		plan.Seed++
		plan = farm.WithFreeSeed(plan, p.status(v).Tests)
	}
	s := farm.Submission{OneThread: one, Note: v.PostFormValue("note"), Needs: map[string]string{}}
	if s.Plan, err = match.EncodePlan(plan); err != nil {
		return nil, err
	}
	if s.Priority, err = strconv.Atoi(cmp.Or(v.PostFormValue("priority"), "0")); err != nil {
		return nil, fmt.Errorf("priority: %.40q is not a number", v.PostFormValue("priority"))
	}
	if s.Share, err = strconv.ParseFloat(cmp.Or(v.PostFormValue("share"), "1"), 64); err != nil {
		return nil, fmt.Errorf("share: %.40q is not a number", v.PostFormValue("share"))
	}
	for _, need := range strings.Fields(v.PostFormValue("needs")) {
		name, value, ok := strings.Cut(need, "=")
		if !ok {
			return nil, fmt.Errorf("needs: %.40q is not a label: expected NAME=VALUE", need)
		}
		s.Needs[name] = value
	}
	return &s, nil
}

// oneThread returns the engines of the form's tests that use one thread by their own default. An audit shows if one of
// them does not.
func (p *Pages) oneThread(v *visit) (names []string, err error) {
	from := []string{v.FormValue("from")}
	for i := 0; v.PostForm.Has(fmt.Sprint("engine", i)); i++ {
		run, _, _ := strings.Cut(v.PostFormValue(fmt.Sprint("engine", i)), "/")
		from = append(from, run)
	}
	for _, test := range from {
		if test == "" {
			continue
		}
		answer, err := p.config.Farm.Do(v.Context(), v.session.key.Name, "plan", farm.Order{Run: test})
		if err != nil {
			return nil, err
		}
		of, _ := answer.(farm.PlanOf)
		names = append(names, of.OneThread...)
	}
	return names, nil
}

// flagsOf returns the flags that the fields of the form stand for.
func flagsOf(v *visit) (flags configs.Flags, err error) {
	text := func(name string) string { return strings.TrimSpace(v.PostFormValue(name)) }
	flags = configs.Flags{Run: text("run"), SPRT: text("sprt"), Openings: text("openings"), Resign: text("resign"),
		Draw: text("draw"), Option: strings.Fields(text("option"))}
	for name, into := range map[string]*[]string{"tc": &flags.TC, "nodes": &flags.Nodes} {
		if value := text(name); value != "" {
			*into = []string{value}
		}
	}
	for name, into := range map[string]**int{"games": &flags.Games, "max-plies": &flags.MaxPlies} {
		if value := text(name); value != "" {
			n, err := strconv.Atoi(value)
			if err != nil {
				return flags, fmt.Errorf("%s: %.40q is not a number", name, value)
			}
			*into = &n
		}
	}
	if value := text("seed"); value != "" {
		seed, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return flags, fmt.Errorf("seed: %.40q is not a number", value)
		}
		flags.Seed = &seed
	}
	return flags, nil
}
