package series

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// liar is the worker whose games player a always wins. The others are honest and trusted.
const liar = "liar"

var honest = []string{"honest1", "honest2"}

// A farm is a coordinator and workers, each a process of its own on this machine.
type farm struct {
	*bench
	url   string
	procs []*exec.Cmd
}

// playFarm plays an SPRT on a farm with a worker that cheats. It reads the verdict, the workers and the database of
// games.
func playFarm(ctx context.Context, b *bench) (err error) {
	if strings.Contains(b.engine, " ") {
		return fmt.Errorf("kind farm: workers cannot run %q with its arguments; name truth-engine with --engine", b.engine)
	}
	b.law.Repeat, b.law.Starts = true, "" // so that audits can compare moves
	if err := b.rewrite(); err != nil {
		return err
	}
	f, err := b.farm(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	if err := f.begin(ctx); err != nil {
		return err
	}
	verdict, err := f.verdict(ctx)
	if err != nil {
		return err
	}
	if err := f.audit(ctx); err != nil {
		return err
	}
	if err := f.stop(); err != nil {
		return err
	}
	var d decision
	if _, err := b.ask(ctx, &d, []int{0, 10, 11}, "gate", "t", "--db", filepath.Join("farm", "farm.db"), "--json"); err !=
		nil {
		return err
	}
	b.certain("farm: the verdict of farm show is that of gate", d.Verdict == verdict)
	return b.decided(&d)
}

// farm makes the keys of a farm.
func (b *bench) farm(ctx context.Context) (*farm, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0") // for a free port
	if err != nil {
		return nil, err
	}
	f := &farm{bench: b, url: listener.Addr().String()}
	if err := listener.Close(); err != nil {
		return nil, err
	}
	rights := map[string]string{"boss": "admin", "sue": "submit", liar: "work"}
	for _, name := range honest {
		rights[name] = "work"
	}
	for name, right := range rights {
		if _, err := b.play(ctx, []int{0}, "farm", "key", "new", name, "--may", right, "--owner", "owner-of-"+name,
			"--url", "tls://"+f.url, "--state", "farm"); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// start starts a process of gogi in the background.
func (f *farm) start(ctx context.Context, name string, env []string, args ...string) error {
	c := exec.CommandContext(ctx, f.gogi, args...)
	said, err := os.Create(f.log(name))
	if err != nil {
		return err
	}
	defer said.Close() //nolint:errcheck // the process writes to it
	c.Dir, c.Stderr, c.Env = f.dir, said, append(environment(), env...)
	c.WaitDelay = 20 * time.Second
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	if err := c.Start(); err != nil {
		return err
	}
	f.procs = append(f.procs, c)
	return nil
}

// log returns the name of the file with what a process writes to stderr.
func (f *farm) log(name string) string { return filepath.Join(f.dir, name+".log") }

// stop ends all processes, the workers first, and counts their time.
func (f *farm) stop() error {
	for len(f.procs) > 0 {
		last := f.procs[len(f.procs)-1]
		f.procs = f.procs[:len(f.procs)-1]
		if err := last.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		timer := time.AfterFunc(20*time.Second, func() { _ = last.Process.Kill() })
		_ = last.Wait() // a worker in quarantine ends with an error
		timer.Stop()
		f.cpu += last.ProcessState.UserTime() + last.ProcessState.SystemTime()
	}
	return nil
}

// begin starts the coordinator and the workers, and submits the test.
func (f *farm) begin(ctx context.Context) error {
	if err := f.start(ctx, "coordinator", nil, "farm", "serve", "--listen", f.url, "--state", "farm"); err != nil {
		return err
	}
	if err := f.until(ctx, "the coordinator",
		func() bool { return f.try(ctx, "farm", "list", "--creds", "boss.creds") }); err != nil {
		return err
	}
	for _, name := range append([]string{liar}, honest...) {
		var env []string
		if name == liar {
			env = []string{"TRUTH_LIE=a"}
		}
		if err := f.start(ctx, name, env, "farm", "work", "--creds", name+".creds", "--cache", "cache-"+name, "--concurrency",
			"1", "--builds", "off"); err != nil {
			return err
		}
	}
	for _, name := range honest {
		trust := []string{"farm", "worker", "trust", name, "verified", "--creds", "boss.creds"}
		if err := f.until(ctx, name, func() bool { return f.try(ctx, trust...) }); err != nil {
			return err
		}
	}
	args := []string{"farm", "submit", "--run", "t", "--creds", "sue.creds", "--nodes", "1", "--games",
		fmt.Sprint(2 * f.Pairs), "--sprt", f.SPRT,
		"--openings", "openings.usi", "--seed", fmt.Sprint(f.seed), "--option", "all.Law=" + filepath.Join(f.dir, "law.toml"),
		"--option", fmt.Sprintf("all.Seed=%d", f.seed)}
	for _, p := range f.law.Players {
		args = append(args, "--engine", p.Name+"="+f.engine, "--option", p.Name+".Player="+p.Name)
	}
	if _, err := f.play(ctx, []int{0}, args...); err != nil {
		return err
	}
	_, err := f.play(ctx, []int{0}, "farm", "approve", "t", "--creds", "boss.creds")
	return err
}

// try runs a command and reports whether it succeeded.
func (f *farm) try(ctx context.Context, args ...string) bool {
	a, err := f.run(ctx, args...)
	return err == nil && a.code == 0
}

// until waits until done, for two minutes.
func (f *farm) until(ctx context.Context, what string, done func() bool) error {
	for end := time.Now().Add(2 * time.Minute); !done(); {
		if time.Now().After(end) || ctx.Err() != nil {
			text := ""
			for _, name := range append([]string{"coordinator", liar}, honest...) {
				said, _ := os.ReadFile(f.log(name)) // a process that was not started has no file
				text += name + ": " + lastWords(string(said)) + "; "
			}
			return fmt.Errorf("no answer of %s: %s", what, text)
		}
		time.Sleep(200 * time.Millisecond) //nolint:forbidigo // another process sends no event
	}
	return nil
}

func lastWords(text string) string { return strings.TrimSpace(text[max(0, len(text)-300):]) }

// shown is the part of gogi farm show --json that the series needs.
type shown struct {
	State       string `json:"state"`
	Verdict     string `json:"verdict"`
	Provisional string `json:"provisional"` // why the verdict may change
}

// verdict waits for the end of the test and returns its final verdict.
func (f *farm) verdict(ctx context.Context) (string, error) {
	var now shown
	var failed error
	err := f.until(ctx, "the test", func() bool {
		now = shown{}
		if _, failed = f.ask(ctx, &now, []int{0}, "farm", "show", "t", "--json", "--creds", "boss.creds"); failed != nil {
			return true
		}
		return now.State != "running" && now.Provisional == ""
	})
	return now.Verdict, errors.Join(failed, err)
}

// audit plays all pairs of the ended test again. The games are equal unless the worker that cheats invented them. A
// fifth of its pairs, at least 4, were played again before the verdict was final, and most of its pairs are invented.
func (f *farm) audit(ctx context.Context) error {
	var a struct {
		Played    int `json:"played"`
		Different []struct {
			Worker string `json:"worker"`
		} `json:"different"`
	}
	if _, err := f.ask(ctx, &a, []int{0, 12}, "farm", "audit", "t", "--replay", "100%", "--json", "--creds",
		"boss.creds"); err != nil {
		return err
	}
	f.certain("farm: audit plays pairs again", a.Played > 0)
	f.claim("farm: a final verdict has an invented pair", 0.05, AtMost, len(a.Different) > 0)
	for _, d := range a.Different {
		f.certain("farm: audit names the worker that cheats", d.Worker == liar)
	}
	return f.workers(ctx, len(a.Different) > 0)
}

// workers adds the claims of the list of workers: gogi accuses the one that cheats.
func (f *farm) workers(ctx context.Context, invented bool) error {
	var list []struct {
		Name       string `json:"name"`
		Quarantine string `json:"quarantine"`
	}
	if _, err := f.ask(ctx, &list, []int{0}, "farm", "worker", "list", "--json", "--creds", "boss.creds"); err != nil {
		return err
	}
	for _, w := range list {
		switch {
		case w.Name != liar:
			f.claim("farm: an honest worker is in quarantine", 0.01, AtMost, w.Quarantine != "")
		case w.Quarantine != "":
			f.certain("farm: the pairs of a worker in quarantine are void", !invented)
		}
	}
	f.certain("farm: all workers are in the list", len(list) == 1+len(honest))
	return nil
}
