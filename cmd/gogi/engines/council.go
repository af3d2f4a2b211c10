package enginecmd

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/configs/advice"
	"gogi/internal/fail"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/players"
	"gogi/players/server"
	"gogi/usi/process"
)

// CouncilCommand groups the commands for councils.
type CouncilCommand struct {
	Run     CouncilRunCommand     `cmd:"" default:"withargs" help:"Run engines that vote as one USI engine (default)"`
	Suggest CouncilSuggestCommand `cmd:"" help:"Test whether a council is stronger than its best member"`
}

// CouncilRunCommand runs a council as one USI engine, for a GUI.
type CouncilRunCommand struct {
	File    string `arg:"" help:"Match file with a [[council]] and its members."`
	Council string `placeholder:"NAME" help:"Name of the council, if the file has several."`
	Log     string `placeholder:"FILE" help:"File to which gogi appends each vote as a JSON line; the USI option VoteLog overrides it."`
}

// greetingBudget is the longest time from the start of gogi to its first USI line.
const greetingBudget = 1500 * time.Millisecond

// Run serves the council as a USI engine until quit or the end of the input. Before that, it prints errors of
// the match file on stderr, because the GUI reads stdout.
func (c *CouncilRunCommand) Run(ctx context.Context, env *cli.Env) error {
	config := server.Config{Log: c.Log, Cache: optionCache(), Greeted: time.Now().Add(greetingBudget)}
	plan, warnings, err := c.plan()
	if err != nil {
		return fail.Usage(err)
	}
	for _, w := range warnings {
		env.Warn(w.Message())
	}
	return cli.WithGuard(ctx, env, func(ctx context.Context, guard *process.Guard, _ *cli.Interrupts) error {
		return server.Serve(ctx, &players.Opener{Plan: plan, Guard: guard, Warn: env.Warn}, env.In, sanitize.Raw(env.Out),
			config)
	})
}

// optionCache returns the folder in the user's cache for the options that engines declared. It returns "" if
// the user has no cache folder.
func optionCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "gogi", "options")
}

// plan returns a plan with the council as its only player. It does not read the openings. Members get a limit
// of plies only if the match file has rules.
func (c *CouncilRunCommand) plan() (*match.Plan, []advice.Warning, error) {
	file, dir, err := configs.Find(c.File)
	if err != nil {
		return nil, nil, err
	}
	here, err := players.Surroundings()
	if err != nil {
		return nil, nil, err
	}
	file.Openings = &configs.Openings{List: []string{"startpos"}}
	if file.Rules == nil {
		unlimited := 0
		file.Rules = &configs.Rules{MaxPlies: &unlimited}
	}
	return file.PlanCouncil(c.Council, dir, here)
}
