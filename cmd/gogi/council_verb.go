package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gogi/configs"
	"gogi/internal/usage"
	"gogi/match"
	"gogi/usi"
)

// councilCommand is a council of engines that a GUI loads as one engine.
type councilCommand struct {
	File    string `arg:"" help:"A match file with a [[council]] and its members."`
	Council string `placeholder:"NAME" help:"Which council, where several are no members of others."`
	Log     string `placeholder:"FILE" help:"Append the record of each decision, one JSON object a line; the option VoteLog wins."`
}

const (
	// greetingBudget is how long the start may take before USI is spoken: GUIs
	// want usiok within two seconds.
	greetingBudget = 1500 * time.Millisecond
	// keepAlive is the interval of the empty lines that some GUIs need while
	// members load.
	keepAlive = 5 * time.Second
)

// Run speaks USI until quit or the end of the input. What is wrong with the file
// is said on stderr before that; stdout is the GUI's.
func (c *councilCommand) Run(ctx context.Context, env *environment) error {
	started := time.Now()
	plan, warnings, err := c.plan()
	if err != nil {
		return usage.Wrap(err)
	}
	for _, w := range warnings {
		fmt.Fprintln(env.err, "warning:", w)
	}
	ctx, interrupted := catchInterrupts(ctx, env)
	defer interrupted.stop()
	guard, err := startGuard()
	if err != nil {
		return err
	}
	served := newServedCouncil(&opener{plan: plan, guard: guard}, env.out, c.Log)
	err = served.learn(ctx, openOptionCache(), started.Add(greetingBudget))
	if err == nil {
		err = usi.Server{KeepAlive: keepAlive}.Serve(ctx, env.in, served.out, served)
	}
	return errors.Join(err, served.Close(), guard.Close())
}

// plan resolves the council, not more: openings are not read, and members are
// told of a limit of plies only if the file has rules of its own.
func (c *councilCommand) plan() (*match.Plan, []string, error) {
	file, dir, err := configs.Find(c.File)
	if err != nil {
		return nil, nil, err
	}
	here, err := surroundings()
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

// optionCache remembers what engines declared, so that the next start can
// declare it without waiting for them. Everything about it is optional: what
// cannot be read is asked again, what cannot be written is left.
type optionCache struct {
	dir string // "": there is none
}

// cachedGreeting is one file of the cache.
type cachedGreeting struct {
	Version  int    `json:"version"`
	Key      string `json:"key"`
	Greeting usi.Greeting
}

const optionCacheVersion = 1

func openOptionCache() optionCache {
	dir, err := os.UserCacheDir()
	if err != nil {
		return optionCache{}
	}
	return optionCache{filepath.Join(dir, "gogi", "options")}
}

// key identifies a program as far as its options may depend on it: its files,
// its command with everything around it, and its folder.
func (optionCache) key(p match.Player) string {
	text, err := json.Marshal([]any{p.Identity, p.Command, p.Env, p.Dir})
	if err != nil { // strings always can be
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (c optionCache) file(key string) string { return filepath.Join(c.dir, key+".json") }

// load finds what an engine declared; a broken file is as good as none.
func (c optionCache) load(p match.Player) (usi.Greeting, bool) {
	key := c.key(p)
	if c.dir == "" || key == "" {
		return usi.Greeting{}, false
	}
	text, err := os.ReadFile(c.file(key))
	if err != nil {
		return usi.Greeting{}, false
	}
	var found cachedGreeting
	if json.Unmarshal(text, &found) != nil || found.Version != optionCacheVersion || found.Key != key {
		return usi.Greeting{}, false
	}
	return found.Greeting, true
}

// save writes in one step: another process may be reading, or writing the same.
func (c optionCache) save(p match.Player, g usi.Greeting) {
	key := c.key(p)
	if c.dir == "" || key == "" {
		return
	}
	g.Elapsed = 0
	text, err := json.Marshal(cachedGreeting{optionCacheVersion, key, g})
	if err != nil || os.MkdirAll(c.dir, 0o700) != nil {
		return
	}
	temporary, err := os.CreateTemp(c.dir, "new-")
	if err != nil {
		return
	}
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), c.file(key))
	}
	if err != nil {
		_ = os.Remove(temporary.Name()) // nothing is lost but the cache
	}
}
