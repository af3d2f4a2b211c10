package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/internal/testutil"
	"gogi/report"
	"gogi/runner/socket"
	"gogi/ui/terminal"
)

// watchPanic watches the run of the tests, and panics when it reads the stored games.
func watchPanic() {
	_, err := terminal.Watch(context.Background(), terminal.Run{
		Name: "live", Socket: socket.Path("games.db", "live"),
		Evidence: func(context.Context) (*report.Report, error) { panic("broken on purpose") },
	})
	fmt.Println("it did not panic", err)
}

// terminalView is a tmux terminal with a shell. Without tmux the test is skipped. With GOGI_REAL_TERMINAL=required, as
// in CI, it fails instead.
type terminalView struct{ dir, socket string }

func realTerminal(t *testing.T, dir string) *terminalView {
	t.Helper()
	testutil.Installed(t, "GOGI_REAL_TERMINAL", "tmux", "tmux")
	folder := testutil.Must(os.MkdirTemp("", "gogi-tmux-"))(t) // a short name, which fits into a socket's address
	w := &terminalView{dir, filepath.Join(folder, "s")}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", w.socket, "kill-server").Run() // fails if the shell has ended
		os.RemoveAll(folder)
	})
	w.tmux(t, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-c", dir, "env", "PS1=$ ", "LC_ALL=C.UTF-8",
		"sh")
	return w
}

func (w *terminalView) tmux(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "tmux",
		append([]string{"-u", "-S", w.socket}, args...)...).CombinedOutput()
	testutil.Require(t, err == nil, "tmux %v: %v: %s", args, err, out)
	return string(out)
}

func (w *terminalView) keys(t *testing.T, keys ...string) {
	t.Helper()
	w.tmux(t, append([]string{"send-keys"}, keys...)...)
}

// shows waits until the terminal shows all texts, and returns its content.
func (w *terminalView) shows(t *testing.T, texts ...string) string {
	t.Helper()
	return w.fills(t, 0, texts...)
}

// fills waits like shows, and until the program has drawn a number of lines. The last line must end with the last text.
// With 0, any number is correct. While a program draws, a terminal shows parts of the previous drawing.
func (w *terminalView) fills(t *testing.T, lines int, texts ...string) string {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for tick := time.NewTicker(100 * time.Millisecond); ; <-tick.C {
		shown, missing := w.tmux(t, "capture-pane", "-p"), ""
		for _, text := range texts {
			if !strings.Contains(shown, text) {
				missing = text
			}
		}
		if drawn := strings.Split(strings.TrimRight(shown, "\n"), "\n"); missing == "" && lines > 0 &&
			(len(drawn) != lines || !strings.HasSuffix(drawn[lines-1], texts[len(texts)-1])) {
			missing = fmt.Sprintf("%d lines", lines)
		}
		if missing == "" {
			return shown
		}
		testutil.Require(t, !time.Now().After(deadline), "never showed %q:\n%s", missing, shown)
	}
}

// watch runs a command, and compares the modes of the terminal before and after it.
func (w *terminalView) watch(t *testing.T, command string) {
	t.Helper()
	w.keys(t, "clear; stty -g >before; sh -c 'echo $$ >pid; exec "+command+
		"'; echo code=$?; stty -g | cmp - before && echo modes as before", "Enter")
}

// restored waits until a command ends with an exit code. It checks that the terminal is in its normal state.
func (w *terminalView) restored(t *testing.T, code int) string {
	t.Helper()
	shown := w.shows(t, fmt.Sprintf("code=%d\nmodes as before", code))
	if got := strings.TrimSpace(w.tmux(t, "display-message", "-p",
		"#{alternate_on} #{cursor_flag} #{wrap_flag} #{keypad_flag} #{keypad_cursor_flag} #{mouse_any_flag}")); got !=
		"0 1 1 0 0 0" {
		t.Errorf("alternate screen, cursor, wrap, keypad, cursor keys, mouse are %s", got)
	}
	return shown
}

// suspended stops a command with Ctrl-Z, and continues it with fg. While it is stopped, the terminal has the state of
// the shell. Afterwards the command draws again, in the current size.
func (w *terminalView) suspended(t *testing.T, command string) {
	t.Helper()
	const keys = "q quit"
	w.keys(t, "clear; stty -g >before", "Enter")
	w.keys(t, command, "Enter")
	w.shows(t, keys)
	w.keys(t, "C-z")
	w.shows(t, "Stopped")
	w.keys(t, "clear; stty -g | cmp - before && echo code=0 && echo modes as before", "Enter")
	w.restored(t, 0)
	w.tmux(t, "resize-window", "-x", "100", "-y", "30")
	w.keys(t, "fg", "Enter")
	w.shows(t, " live · playing · ", keys)
	w.keys(t, "p")
	w.fills(t, 30, "pause: done", keys)
	w.keys(t, "r")
	w.shows(t, "resume: done")
	w.keys(t, "q")
	w.tmux(t, "resize-window", "-x", "80", "-y", "24")
	w.keys(t, "clear; echo code=$?; stty -g | cmp - before && echo modes as before", "Enter")
	w.restored(t, 0)
}

// kill sends a signal to the program in the terminal.
func (w *terminalView) kill(t *testing.T, sig syscall.Signal) {
	t.Helper()
	text := testutil.Must(os.ReadFile(filepath.Join(w.dir, "pid")))(t)
	pid := testutil.Must(strconv.Atoi(strings.TrimSpace(string(text))))(t)
	program, err := os.FindProcess(pid)
	if err == nil {
		err = program.Signal(sig)
	}
	testutil.OK(t, err)
}

// liveRun starts a run with the name live.
func liveRun(t *testing.T) *folder {
	t.Helper()
	s := &folder{dir: t.TempDir()}
	cmd := exec.CommandContext(t.Context(), "gogi", "match", "-q", "--db", "games.db", "--run", "live", "--engine",
		"銀将の弟子=fakeengine -think 80ms",
		"--engine", "base=fakeengine -think 80ms", "--tc", "60+1", "--max-plies", "50", "--games", "4000", "--concurrency",
		"2", "--sprt", "0,50")
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.Dir, cmd.Cancel = s.dir, func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	testutil.OK(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Wait() // it was interrupted, or stopped by an order
		if t.Failed() {
			t.Log(said.String())
		}
	})
	return s
}

// TestRealTerminal watches a real run in a real terminal, in several sizes and with orders. gogi watch ends in every
// way, and restores the terminal each time.
func TestRealTerminal(t *testing.T) {
	t.Parallel()
	s := liveRun(t)
	w := realTerminal(t, s.dir)
	awaitSocket(t, s.dir)
	const command, keys = "gogi watch --db games.db", "q quit"

	w.watch(t, command)
	w.fills(t, 24, " live · playing · ", "White", "銀将の弟子", "ply ", " 玉", "v玉", "銀将の弟子 against base", "log likelihood",
		"[-2.", keys)
	w.keys(t, "p")
	w.shows(t, " live · paused · ", "pause: done")
	w.keys(t, "r")
	w.shows(t, " live · playing · ", "resume: done")
	w.tmux(t, "resize-window", "-x", "200", "-y", "50")
	w.fills(t, 50, "+----+----+", "stored games", keys)
	w.tmux(t, "resize-window", "-x", "60", "-y", "20")
	w.shows(t, "60 × 20 cells are too few")
	w.tmux(t, "resize-window", "-x", "80", "-y", "24")
	w.shows(t, keys)
	w.keys(t, "q")
	w.restored(t, 0)

	w.watch(t, command)
	w.shows(t, keys)
	w.keys(t, "C-c")
	w.restored(t, 0)

	w.watch(t, command)
	w.shows(t, keys)
	w.kill(t, syscall.SIGTERM)
	w.restored(t, cli.Interrupted)

	w.suspended(t, command)

	w.watch(t, "watchpanic")
	if shown := w.restored(t, 2); !strings.Contains(shown, "goroutine") {
		t.Errorf("the panic is not to be read:\n%s", shown)
	}

	w.watch(t, "gogi watch other --db games.db")
	w.shows(t, "no process on this machine plays it", "gogi report, gogi serve")
	w.restored(t, 1)

	w.watch(t, command)
	w.shows(t, keys)
	w.keys(t, "s")
	w.shows(t, "Stop gives up the games in play")
	w.keys(t, "s")
	shown := w.restored(t, 0)
	testutil.Check(t, strings.Contains(shown, "live: the session has ended; ") &&
		strings.Contains(shown, "銀将の弟子 against base"),
		"the end says:\n%s", shown)
}

// awaitSocket waits until gogi watch can follow the run.
func awaitSocket(t *testing.T, dir string) {
	t.Helper()
	testutil.Eventually(t, "there is a socket", func() bool {
		_, err := os.Stat(socket.Path(filepath.Join(dir, "games.db"), "live"))
		return err == nil
	})
}
