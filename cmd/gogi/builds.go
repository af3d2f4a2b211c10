package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec" //nolint:depguard // git, and the build command of the user
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/internal/shellwords"
)

// buildFlags has the flags for versions that are commits of a git repository.
type buildFlags struct {
	Good   string   `placeholder:"REV" help:"With --bad, --build and --engine: commit with the good version, in the repository of the working directory."`
	Bad    string   `placeholder:"REV" help:"With --good: later commit with the bad version."`
	Build  string   `placeholder:"CMD" help:"With --good: shell command that builds the engine in the folder of a commit, such as 'make -j'. --engine is the program that it makes, such as ./engine."`
	Path   []string `sep:"none" placeholder:"PATH" more:"" help:"With --good: only commits that change this path; may be repeated."`
	Builds int      `default:"16" placeholder:"N" more:"" help:"With --good: number of built commits that gogi keeps on disk (default ${default})."`
}

// commits has the commits of a hunt and builds them. Each build is a git worktree in the folder dir.
type commits struct {
	buildFlags

	dir    string
	engine []string          // program in a worktree, and its arguments
	of     map[string]commit // by short hash
	recent []string          // short hashes of the built commits, the latest used one last
}

type commit struct{ hash, tree, subject string }

// An unbuildable is a commit whose build failed.
type unbuildable struct{ name, log string }

// Error returns the text of the error.
func (u *unbuildable) Error() string {
	return fmt.Sprintf("%s does not build; see %s", u.name, u.log)
}

// commits lists the commits from Good to Bad, both included, and adds an engine for each of them to flags. db is
// the path of the database; its name gives the folder of the builds.
func (f buildFlags) commits(ctx context.Context, db string, flags *configs.Flags) (*commits, error) {
	if f.Bad == "" || f.Build == "" || len(flags.Engine) != 1 {
		return nil, errors.New("--good: it needs --bad REV, --build CMD and one --engine PATH")
	}
	if f.Builds < 2 {
		return nil, fmt.Errorf("--builds %d: expected two at least, because two versions play", f.Builds)
	}
	folder, err := filepath.Abs(db + "-builds")
	if err != nil {
		return nil, err
	}
	c := &commits{buildFlags: f, dir: folder, of: map[string]commit{}}
	if c.engine, err = shellwords.Split(flags.Engine[0]); err != nil || len(c.engine) == 0 {
		return nil, fmt.Errorf("--engine %s: expected a program and its arguments", flags.Engine[0])
	}
	good, err := git(ctx, "log", "-1", "--format=%h %H %T %s", f.Good)
	if err != nil {
		return nil, err
	}
	later, err := git(ctx, append([]string{
		"log", "--reverse", "--first-parent", "--format=%h %H %T %s", f.Good + ".." + f.Bad, "--",
	}, f.Path...)...)
	if err != nil {
		return nil, err
	}
	flags.Engine = nil
	for line := range strings.Lines(good + later) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		hash, rest, _ := strings.Cut(rest, " ")
		tree, subject, _ := strings.Cut(rest, " ")
		c.of[name] = commit{hash, tree, subject}
		words := slices.Clone(c.engine)
		words[0] = filepath.Join(c.folder(name), words[0])
		for i := range words {
			words[i] = shellwords.Quote(words[i])
		}
		flags.Engine = append(flags.Engine, name+"="+strings.Join(words, " "))
	}
	c.findBuilt()
	return c, nil
}

// findBuilt sets recent to the builds that earlier processes left, so that they count against Builds.
func (c *commits) findBuilt() {
	at := map[string]time.Time{}
	for name := range c.of {
		if info, err := os.Stat(c.folder(name) + ".built"); err == nil {
			at[name] = info.ModTime()
			c.recent = append(c.recent, name)
		}
	}
	slices.SortFunc(c.recent, func(a, b string) int { return cmp.Or(at[a].Compare(at[b]), cmp.Compare(a, b)) })
}

// git runs git in the working directory and returns its output.
func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(failed.Stderr)))
	}
	return string(out), err
}

// identify sets the identities of the engines, so that a second build of a commit by the same command is the same
// player.
func (c *commits) identify(file *configs.File) {
	for i := range file.Engines {
		e := &file.Engines[i]
		if known, ok := c.of[e.Name]; ok {
			e.Identity.Text = c.identity(known)
		}
	}
}

// identity returns the identity of the engine that a commit builds.
func (c *commits) identity(of commit) string { return "git tree " + c.source(of) }

// source identifies what a build is made of: the tree of the commit, and the beginning of a hash of the build command
// and of the program that it makes. Another command makes another program of the same tree.
func (c *commits) source(of commit) string {
	sum := sha256.Sum256([]byte(c.Build + "\x00" + strings.Join(c.engine, "\x00")))
	return fmt.Sprintf("%s-%x", of.tree, sum[:4])
}

// folder returns the worktree of a commit. Commits with the same tree share it.
func (c *commits) folder(name string) string { return filepath.Join(c.dir, c.source(c.of[name])) }

// build builds a commit unless its build is on disk. It returns an *unbuildable if the build fails, or has failed in an
// earlier process.
func (c *commits) build(ctx context.Context, env *cli.Env, name string) error {
	folder := c.folder(name)
	log, failed := folder+".log", folder+".failed"
	if _, err := os.Stat(failed); err == nil {
		return &unbuildable{name, log}
	}
	c.recent = append(slices.DeleteFunc(c.recent, func(other string) bool { return other == name }), name)
	if _, err := os.Stat(folder + ".built"); err == nil {
		return nil
	}
	if err := c.evict(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o750); err != nil {
		return err
	}
	if _, err := os.Stat(folder); err != nil {
		if _, err := git(ctx, "worktree", "add", "--quiet", "--force", "--detach", folder, c.of[name].hash); err != nil {
			return err
		}
	}
	fmt.Fprintf(env.Err, "building %s …\n", name)
	build := exec.CommandContext(ctx, "sh", "-c", c.Build)
	build.Dir = folder
	build.WaitDelay = 5 * time.Second // a compiler that outlives the shell holds the pipe of its output
	out, err := build.CombinedOutput()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		_, err = os.Stat(filepath.Join(folder, c.engine[0]))
	}
	mark := folder + ".built"
	if err != nil {
		out, mark = fmt.Appendf(out, "%v\n", err), failed
	}
	written := errors.Join(os.WriteFile(log, out, 0o600), os.WriteFile(mark, []byte(c.Build), 0o600))
	if written != nil || err == nil {
		return written
	}
	return &unbuildable{name, log}
}

// evict removes the builds that were used longest ago, so that with one more build there are at most Builds.
func (c *commits) evict(ctx context.Context) error {
	for len(c.recent) > c.Builds {
		folder := c.folder(c.recent[0])
		c.recent = c.recent[1:]
		if slices.ContainsFunc(c.recent, func(name string) bool { return c.folder(name) == folder }) {
			continue
		}
		if err := os.Remove(folder + ".built"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if _, err := git(ctx, "worktree", "remove", "--force", folder); err != nil {
			return err
		}
	}
	return nil
}

// broken stores that the engine of a commit does not start, with the reason why. From then on the commit counts as
// one that does not build. broken returns an *unbuildable.
func (c *commits) broken(name string, why error) error {
	folder := c.folder(name)
	text := fmt.Appendf(nil, "%v\n", why)
	err := errors.Join(os.WriteFile(folder+".log", text, 0o600), os.WriteFile(folder+".failed", []byte(c.Build), 0o600))
	if err != nil {
		return err
	}
	return &unbuildable{name, folder + ".log"}
}
