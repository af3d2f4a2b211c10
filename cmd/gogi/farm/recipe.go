package farmcmd

import (
	"context"
	"fmt"
	"os"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/farm"
	"gogi/internal/fail"
	"gogi/internal/sanitize"
)

// RecipeCommand lists, prints, allows and removes recipes: files that describe how workers build engines from
// git commits.
type RecipeCommand struct {
	owner
	Name   string   `arg:"" optional:"" help:"Name of the recipe (default: gogi lists all recipes)."`
	File   string   `arg:"" optional:"" type:"existingfile" help:"Recipe file (TOML) that gogi stores under the name; docs/farm.md has an example."`
	Repo   []string `sep:"none" placeholder:"URL" help:"When you give a recipe file: URL of a repository that workers may build with it, as https://HOST/PATH or file:///PATH; may be repeated."`
	Remove bool     `help:"Remove the recipe. Approved tests continue."`
}

// Run sends the change, if the flags give one, and prints the recipe or all recipes.
func (c *RecipeCommand) Run(ctx context.Context, env *cli.Env) error {
	change := farm.Recipe{Repositories: c.Repo}
	switch {
	case (c.File != "") != (len(c.Repo) > 0) || c.File != "" && c.Remove:
		return wrong("--repo: expected a recipe file and the repositories that may use it, without --remove")
	case c.File != "" || c.Remove:
		change.Name = c.Name
	}
	if c.File != "" {
		text, err := os.ReadFile(c.File)
		if err != nil {
			return err
		}
		change.Text = string(text)
	}
	var all []farm.Recipe
	if err := c.ask(ctx, "recipe", change, &all); err != nil {
		return err
	}
	one := c.Name != "" && !c.Remove
	if one {
		r, err := farm.RecipeNamed(all, c.Name)
		if err != nil {
			return fail.Usage(err)
		}
		all = []farm.Recipe{r}
	}
	if c.JSON {
		return printJSON(env.Out, all)
	}
	for _, r := range all {
		fmt.Fprintf(env.Out, "%s · allowed by %s for %s\n", r.Name, r.By,
			sanitize.Printable(strings.Join(r.Repositories, ", "), 1000))
		if one {
			fmt.Fprintf(env.Out, "\n%s\n", sanitize.PrintableLines(strings.TrimSpace(r.Text)))
		}
	}
	if len(all) == 0 {
		fmt.Fprintln(env.Out, "no recipes")
	}
	return nil
}
