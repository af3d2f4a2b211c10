package planning

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gogi/match"
)

// Commits names the git commits from which the workers of a farm build the two players of a match.
type Commits struct {
	Repo     string `placeholder:"URL" help:"Git repository from which the workers build the engines dev and base; it needs --recipe, --dev and --base."`
	BaseRepo string `placeholder:"URL" more:"" help:"With --repo: git repository of the engine base (default: that of --repo)."`
	Recipe   string `placeholder:"NAME" help:"With --repo: recipe of the farm by which the workers build the engines."`
	Dev      string `placeholder:"COMMIT:NODES" help:"With --repo: commit of the engine dev, 40 digits as git rev-parse prints them, and the node count of its bench."`
	Base     string `placeholder:"COMMIT:NODES" help:"With --repo: commit of the engine base, and the node count of its bench."`
}

// Apply returns a copy of a match plan with the players dev and base. The workers of a farm build both
// engines from the commits; recipe is the text of the farm's recipe for the build. The players keep the
// options, limits and evaluation files of the plan.
func (c Commits) Apply(plan *match.Plan, recipe string) (*match.Plan, error) {
	engines := []struct{ name, repo, commit string }{{"dev", c.Repo, c.Dev}, {"base", cmp.Or(c.BaseRepo, c.Repo), c.Base}}
	switch {
	case slices.Contains([]string{c.Repo, c.Recipe, c.Dev, c.Base}, ""):
		return nil, errors.New("--repo, --recipe, --dev and --base: expected all of them")
	case len(plan.Players) != 2 || len(plan.Councils()) > 0 || plan.Tune != "":
		return nil, fmt.Errorf("--repo: %s is no match of two engines; submit one of those", plan.Run)
	}
	out := *plan
	out.Players = slices.Clone(plan.Players)
	for i, e := range engines {
		commit, nodes, _ := strings.Cut(e.commit, ":")
		bench, err := strconv.ParseUint(nodes, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("--%s %.80s: expected COMMIT:NODES", e.name, e.commit)
		}
		p := &out.Players[i]
		if p.Builtin {
			*p = match.Player{Command: []string{e.name}, Limits: p.Limits, Restart: p.Restart}
		}
		p.Name = e.name
		p.Identity = p.Identity.WithSource(match.Source{Repository: e.repo, Commit: commit, Recipe: recipe, Bench: bench})
		if err := p.Identity.Check(); err != nil {
			return nil, fmt.Errorf("--%s: %w", e.name, err)
		}
	}
	return &out, nil
}
