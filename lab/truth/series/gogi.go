package series

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gogi/internal/shellwords"
	"gogi/lab/truth"
)

// A bench is the folder and the commands of one series.
type bench struct {
	Condition
	law    *truth.Law
	gogi   string // program
	peer   string // program of fastchess
	engine string // command of the engine, without the law
	dir    string
	seed   uint64
	cpu    time.Duration // of all commands so far and their engines
	plans  *plans
	claims []Claim
}

// An answer is what one command of gogi printed.
type answer struct {
	code      int
	out, errs string
}

// run runs gogi with the arguments in the folder of the series.
func (b *bench) run(ctx context.Context, args ...string) (answer, error) {
	return b.program(ctx, b.gogi, args...)
}

// program runs a program with the arguments in the folder of the series.
func (b *bench) program(ctx context.Context, name string, args ...string) (answer, error) {
	c := exec.CommandContext(ctx, name, args...)
	var out, errs bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = b.dir, &out, &errs
	c.Env = environment()
	if b.Concurrency <= 1 { // Go's scheduler wakes fewer threads: a tenth of the CPU
		c.Env = append(c.Env, "GOMAXPROCS=1")
	}
	c.WaitDelay = 10 * time.Second
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	err := c.Run()
	if c.ProcessState != nil {
		b.cpu += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		return answer{}, errors.Join(err, ctx.Err())
	}
	return answer{c.ProcessState.ExitCode(), out.String(), errs.String()}, nil
}

// environment returns the environment of programs. Their memory is small, so they collect garbage rarely.
func environment() []string { return append(os.Environ(), "GOGI_LANG=en", "GOGC=400") }

// ask runs a command of gogi that prints JSON, and decodes it. The exit code must be one of codes.
func (b *bench) ask(ctx context.Context, into any, codes []int, args ...string) (int, error) {
	a, err := b.run(ctx, args...)
	if err != nil {
		return 0, err
	}
	if err := a.expect(args, codes...); err != nil {
		return 0, err
	}
	if err := json.Unmarshal([]byte(a.out), into); err != nil {
		return 0, fmt.Errorf("gogi %s: %w", strings.Join(args, " "), err)
	}
	return a.code, nil
}

// expect returns an error unless the exit code is one of codes.
func (a answer) expect(args []string, codes ...int) error {
	for _, c := range codes {
		if a.code == c {
			return nil
		}
	}
	return fmt.Errorf("gogi %s: exit code %d: %s", strings.Join(args, " "), a.code, strings.TrimSpace(a.errs))
}

// prepare writes the law and the openings of the series.
func (b *bench) prepare() error {
	b.law.Starts = filepath.Join(b.dir, "starts")
	if err := os.Mkdir(b.law.Starts, 0o700); err != nil {
		return err
	}
	if err := b.rewrite(); err != nil {
		return err
	}
	return writeOpenings(filepath.Join(b.dir, "openings.usi"), b.openings())
}

// rewrite writes the law of the series as it is now.
func (b *bench) rewrite() error { return b.law.Write(filepath.Join(b.dir, "law.toml")) }

// openings returns the number of openings of the series.
func (b *bench) openings() int {
	if b.Openings == 0 {
		return b.Pairs
	}
	return b.Openings
}

// match returns the arguments of gogi match for a run of players of the law; without names all play.
func (b *bench) match(run string, names []string, more ...string) []string {
	limit := []string{"--nodes", "1"}
	if b.timed() {
		limit = []string{"--tc", "60+1"}
	}
	return append(b.flags(append([]string{"match", "--run", run}, limit...), names), more...)
}

// flags appends the flags of the engines and of everything that all runs of a series share.
func (b *bench) flags(args []string, names []string) []string {
	args = append(args, "--db", "t.db", "-q", "--concurrency", fmt.Sprint(max(1, b.Concurrency)), "--openings",
		"openings.usi",
		"--option", fmt.Sprintf("all.Seed=%d", b.seed))
	for _, p := range b.law.Players {
		if len(names) == 0 || slices.Contains(names, p.Name) {
			args = append(args, "--engine", p.Name+"="+b.engine+" --truth "+shellwords.Quote(filepath.Join(b.dir, "law.toml")),
				"--option", p.Name+".Player="+p.Name)
		}
	}
	return append(args, "--seed", fmt.Sprint(b.seed))
}

// file writes the players as a match file and returns its name. gogi hunt and gogi ladder read their versions from it.
func (b *bench) file() (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "seed = %d\n", b.seed)
	for _, p := range b.law.Players {
		fmt.Fprintf(&text, "[[engine]]\nname = %q\ncmd = %q\noptions = {Player = %q, Seed = %q}\n",
			p.Name, b.engine+" --truth "+shellwords.Quote(filepath.Join(b.dir, "law.toml")), p.Name, fmt.Sprint(b.seed))
	}
	return "versions.toml", os.WriteFile(filepath.Join(b.dir, "versions.toml"), []byte(text.String()), 0o644) // no secrets
}

// play runs a command that plays games. Its exit code must be one of codes.
func (b *bench) play(ctx context.Context, codes []int, args ...string) (answer, error) {
	a, err := b.run(ctx, args...)
	if err == nil {
		err = a.expect(args, codes...)
	}
	return a, err
}

// lastLine decodes the last line of an answer, which is a JSON object.
func (a answer) lastLine(into any) error {
	lines := strings.Split(strings.TrimSpace(a.out), "\n")
	return json.Unmarshal([]byte(lines[len(lines)-1]), into)
}
