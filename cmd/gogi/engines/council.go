package enginecmd

import (
	"context"
	"errors"
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
)

// CouncilCommand is a council of engines that a GUI loads as one engine.
type CouncilCommand struct {
	File    string `arg:"" help:"Match file with a [[council]] and its members."`
	Council string `placeholder:"NAME" help:"Name of the council, if the file has several."`
	Log     string `placeholder:"FILE" help:"File to which gogi appends each vote as a JSON line; the USI option VoteLog overrides it."`
}

// greetingBudget is how long the start may take before USI is spoken.
const greetingBudget = 1500 * time.Millisecond

// Run speaks USI until quit or the end of the input. What is wrong with the file
// is said on stderr before that; stdout is the GUI's.
func (c *CouncilCommand) Run(ctx context.Context, env *cli.Env) error {
	config := server.Config{Log: c.Log, Cache: optionCache(), Greeted: time.Now().Add(greetingBudget)}
	plan, warnings, err := c.plan()
	if err != nil {
		return fail.Usage(err)
	}
	for _, w := range warnings {
		env.Warn(w.Said())
	}
	ctx, interrupted := cli.Catch(ctx, env)
	defer interrupted.Stop()
	guard, err := players.StartGuard(env.GuardChanged)
	if err != nil {
		return err
	}
	err = server.Serve(ctx, &players.Opener{Plan: plan, Guard: guard}, env.In, sanitize.Raw(env.Out), config)
	return errors.Join(err, guard.Close())
}

// optionCache is the user's folder of what engines declared; "" where there is no
// place for it.
func optionCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "gogi", "options")
}

// plan resolves the council, not more: openings are not read, and members are
// told of a limit of plies only if the file has rules of its own.
func (c *CouncilCommand) plan() (*match.Plan, []advice.Warning, error) {
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
