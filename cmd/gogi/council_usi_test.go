package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
)

// gui controls gogi council with scripted members, as a GUI does.
type gui struct {
	t     *testing.T
	dir   string
	tag   string // GOGI_TEST_TAG of every member
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string // the output; the reader closes it at the end
	said  []string    // all lines read so far
	errs  strings.Builder
}

// guiWaitLimit is the longest wait. Only a hang takes so long.
const guiWaitLimit = time.Minute

// fakes returns a file with a council of scripted members, one for each list of arguments. MARK in an argument becomes
// a file of that member, such as m1.mark.
func fakes(members ...string) string {
	var b strings.Builder
	var names []string
	for i, args := range members {
		name := fmt.Sprintf("m%d", i+1)
		names = append(names, fmt.Sprintf("%q", name))
		fmt.Fprintf(&b,
			"[[engine]]\nname = %q\ncmd = \"fakeengine %s\"\nenv = [\"GOGI_TEST_TAG=TAG\"]\nready_timeout = \"30s\"\n",
			name, strings.ReplaceAll(args, "MARK", "DIR/"+name+".mark"))
	}
	return b.String() + "[[council]]\nname = \"C\"\nrule = \"majority\"\nmembers = [" + strings.Join(names, ", ") + "]\n"
}

// load starts gogi council with a file that contains text.
func load(t *testing.T, text string, args ...string) *gui {
	t.Helper()
	g := &gui{t: t, dir: t.TempDir()}
	g.tag = filepath.Base(filepath.Dir(g.dir)) + "-" + filepath.Base(g.dir)
	text = strings.NewReplacer("DIR", g.dir, "TAG", g.tag).Replace(text)
	testutil.OK(t, os.WriteFile(filepath.Join(g.dir, "council.toml"), []byte(text), 0o600))
	g.cmd = exec.CommandContext(g.t.Context(), "gogi", append([]string{"council", "council.toml"}, args...)...)
	g.cmd.Dir = g.dir
	g.cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(g.dir, "cache"))
	g.cmd.Stderr = &g.errs
	out, err := g.cmd.StdoutPipe()
	testutil.OK(g.t, err)
	if g.in, err = g.cmd.StdinPipe(); err != nil {
		g.t.Fatal(err)
	}
	testutil.OK(g.t, g.cmd.Start())
	g.lines = make(chan string, 1<<16)
	go func() {
		defer close(g.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			g.lines <- s.Text()
		}
	}()
	return g
}

func (g *gui) say(lines ...string) {
	g.t.Helper()
	if _, err := io.WriteString(g.in, strings.Join(lines, "\n")+"\n"); err != nil {
		g.t.Fatalf("saying %q: %v; %s", lines, err, g.errs.String())
	}
}

// until reads lines up to one that begins with text, and returns them.
func (g *gui) until(text string) []string {
	g.t.Helper()
	timer := time.NewTimer(guiWaitLimit)
	defer timer.Stop()
	var list []string
	for {
		select {
		case line, ok := <-g.lines:
			if !ok {
				g.t.Fatalf("the output ended before %q:\n%s\n%s", text, strings.Join(list, "\n"), g.errs.String())
			}
			list, g.said = append(list, line), append(g.said, line)
			if strings.HasPrefix(line, text) {
				return list
			}
		case <-timer.C:
			g.t.Fatalf("%q never came:\n%s", text, strings.Join(list, "\n"))
		}
	}
}

// ready sends the commands that a GUI sends before a game.
func (g *gui) ready() {
	g.t.Helper()
	g.say("usi")
	g.until("usiok")
	g.say("isready")
	g.until("readyok")
	g.say("usinewgame")
}

func (g *gui) ended(code int) {
	g.t.Helper()
	for line := range g.lines {
		g.said = append(g.said, line)
	}
	err := g.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() != code || !ok && err != nil || err == nil &&
		code != 0 {
		g.t.Errorf("ended with %v, want exit code %d: %s", err, code, g.errs.String())
	}
	left := testutil.Tagged(g.t, g.tag)
	testutil.Check(g.t, len(left) == 0, "left alive: %v", left)
}

// file returns the content of a file that a member writes, or "" before it exists.
func (g *gui) file(name string) string {
	g.t.Helper()
	text, err := os.ReadFile(filepath.Join(g.dir, name))
	testutil.Require(g.t, err == nil || os.IsNotExist(err), "%v", err)
	return string(text)
}

// await waits until a member's file contains text.
func (g *gui) await(name, text string) {
	g.t.Helper()
	testutil.Eventually(g.t, name+" says "+text, func() bool { return strings.Contains(g.file(name), text) })
}

// Trap 15: after gogi is killed, no process is left, including the children of wrappers.
func TestCouncilLeavesNothingWhenKilled(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("-script fork@go -mark MARK", "-script deaf@go -mark MARK"))
	g.ready()
	g.say("position startpos", "go infinite")
	g.await("m1.mark", "fork@go")
	g.await("m2.mark", "deaf@go")
	testutil.OK(t, g.cmd.Process.Signal(syscall.SIGKILL))
	g.cmd.Wait()
	noneTagged(t, g.tag)
}
