//go:build linux

package wine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
)

// waitLimit bounds every wait for a program.
const waitLimit = 2 * time.Minute

// world holds the folder of the tests, which contains the Wine prefix, and the programs for both systems.
var world struct {
	dir    string
	native system
	wine   system
}

// system is one of the two systems that run the same command lines.
type system struct {
	run     []string // words before the program
	program string
	fake    string // path of the fake engine, as the system writes it
}

func TestMain(m *testing.M) {
	if os.Getenv("GOGI_WINE") != "required" {
		fmt.Println("skipped: GOGI_WINE=required plays under Wine (make wine)")
		return
	}
	os.Exit(within(m))
}

// within runs the tests in a temporary folder that contains all of Wine, and removes it afterwards.
func within(m *testing.M) int {
	var err error
	if world.dir, err = os.MkdirTemp("", "gogi-wine-"); err == nil {
		defer os.RemoveAll(world.dir) // a temporary folder
		err = build()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer exec.Command("wineserver", "-k").Run()
	return m.Run()
}

// build compiles the programs and makes the Wine prefix.
func build() error {
	dir := world.dir
	prefix := filepath.Join(dir, "prefix")
	for key, value := range map[string]string{
		"WINEPREFIX": prefix, "WINEARCH": "win64", "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml=",
	} {
		if err := os.Setenv(key, value); err != nil {
			return err
		}
	}
	// as in make dist, to use its build cache
	windows := []string{"CGO_ENABLED=1", "GOOS=windows", "GOARCH=amd64", "CC=x86_64-w64-mingw32-gcc", "GOFLAGS=-trimpath"}
	for _, step := range []struct {
		env  []string
		line string
	}{
		{nil, "go build -o " + dir + "/ gogi/cmd/gogi gogi/cmd/gogi-farm"},
		{nil, "go build -o " + dir + "/fakeusi gogi/usi/usitest/fakeusi"},
		{windows, "go build -o " + dir + "/ gogi/cmd/gogi gogi/cmd/gogi-farm"},
		{windows, "go build -o " + dir + "/fakeusi.exe gogi/usi/usitest/fakeusi"},
		{nil, "wineboot --init"},
		{nil, "x86_64-w64-mingw32-gcc -shared -O2 -o " + prefix +
			"/drive_c/windows/system32/bcryptprimitives.dll testdata/bcryptprimitives.c -ladvapi32"},
	} {
		words := strings.Fields(step.line)
		cmd := exec.Command(words[0], words[1:]...) // a build has no time limit
		cmd.Env = append(os.Environ(), step.env...)
		cmd.Stderr = os.Stderr // a file, because Wine's services live on and would keep a pipe open
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", step.line, err)
		}
	}
	world.native = system{nil, dir + "/gogi", dir + "/fakeusi"}
	world.wine = system{[]string{"wine"}, dir + "/gogi.exe", "Z:" + dir + "/fakeusi.exe"} // Z: is / in Wine
	return nil
}

// outcome is the output and exit code of a command.
type outcome struct {
	out, err string
	code     int
}

// command returns the command that runs gogi with args. In args, FAKE is replaced with the path of the fake engine.
func (s system) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	words := append(append([]string{}, s.run...), s.program)
	for _, arg := range args {
		words = append(words, strings.ReplaceAll(arg, "FAKE", s.fake))
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second // Wine's own children may hold the pipes
	return cmd
}

// gogi runs a command to its end.
func (s system) gogi(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	cmd := s.command(ctx, dir, args...)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	failed := cmd.Run()
	if ctx.Err() != nil || cmd.ProcessState == nil {
		t.Fatalf("%v: %v\n%s%s", args, failed, out.String(), err.String())
	}
	return outcome{out.String(), err.String(), cmd.ProcessState.ExitCode()}
}

// must runs gogi, requires the exit code and returns the standard output.
func (s system) must(t *testing.T, code int, dir string, args ...string) string {
	t.Helper()
	o := s.gogi(t, dir, args...)
	testutil.Require(t, o.code == code, "%v: exit code %d, want %d\n%s%s", args, o.code, code, o.out, o.err)
	return o.out
}

// engines returns the process IDs of the running fake engines for Windows.
func engines(t *testing.T) (pids []string) {
	t.Helper()
	return processes(t, "fakeusi.exe")
}

// processes returns the process IDs of a running program for Windows. It omits zombies, which a container without an
// init keeps, because they have no command line.
func processes(t *testing.T, name string) (pids []string) {
	t.Helper()
	lines := testutil.Must(filepath.Glob("/proc/[0-9]*/cmdline"))(t)
	for _, file := range lines {
		program, _, _ := strings.Cut(readAll(file), "\x00")
		if strings.HasSuffix(program, filepath.Base(world.dir)+"/"+name) ||
			strings.HasSuffix(program, filepath.Base(world.dir)+`\`+name) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

// readAll returns the text of a file, or "" on an error, such as a file of /proc whose process has ended.
func readAll(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(b)
}

// nothingLeft waits until no engine runs.
func nothingLeft(t *testing.T) {
	t.Helper()
	testutil.Eventually(t, "all engines ended", func() bool { return len(engines(t)) == 0 })
}
