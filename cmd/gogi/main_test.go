package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"gogi/farm/worker/builder"
	"gogi/internal/testutil"
	"gogi/results"
)

// TestMain lets this binary also run as the program watchpanic. Most tests wait for processes, so at least 8 run at a
// time, unless -parallel sets another number.
func TestMain(m *testing.M) {
	if slices.Equal(os.Args[1:], []string{"guard"}) { // the guard of a run that a test plays in this process
		main()
	}
	if err := flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err) // this version of Go does not have the flag
	}
	testscript.Main(withPrograms{m}, map[string]func(){"watchpanic": watchPanic})
}

// memory makes the programs of the tests collect no garbage, because most of them end soon.
var memory = map[string]string{"GOGC": "off", "GOMEMLIMIT": "500MiB"}

// withPrograms runs the tests with gogi, gogi-farm, gogi-lab and the fake engine, built as for users. The tests start
// them more than a thousand times, and this binary needs 50% more time to start.
type withPrograms struct{ tests *testing.M }

// Run builds the programs into the first folder of PATH, which testscript has made, and runs the tests.
func (w withPrograms) Run() int {
	folder, _, _ := strings.Cut(os.Getenv("PATH"), string(os.PathListSeparator))
	// One build, because go needs most of a second to find out what is built.
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-race="+strconv.FormatBool(raced()), "-o",
		folder+string(filepath.Separator), "gogi/cmd/gogi", "gogi/cmd/gogi-farm", "gogi/cmd/gogi-lab",
		"gogi/usi/usitest/fakeusi")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	if err := os.Rename(filepath.Join(folder, "fakeusi"), filepath.Join(folder, "fakeengine")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for name, value := range memory {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	return w.tests.Run()
}

// raced reports whether this binary has the race detector. If so, the programs have it, too.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == "-race" && s.Value == "true"
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			for name, value := range memory {
				e.Setenv(name, value)
			}
			e.Setenv("BUILDS", testutil.Must(filepath.Abs("testdata/builds"))(t))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"damage":    damage,
			"mkzip":     mkzip,
			"waitpairs": waitPairs,
			"waitfor":   waitFor,
			"json":      newDocumentation(t).checkStdout,
		},
		Condition: func(what string) (bool, error) {
			switch what {
			case "long":
				return testutil.Long(), nil
			case "sandbox": // bubblewrap and compilers, for builds of engines
				err := noBuilds()
				if os.Getenv("GOGI_SANDBOX") == "required" {
					return true, err
				}
				return err == nil, nil
			}
			return false, fmt.Errorf("%s is no condition", what)
		},
	})
}

// noBuilds returns the reason why this machine cannot build the engines of testdata/builds, or nil.
func noBuilds() error {
	for _, name := range []string{"gcc", "g++", "make", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			return err
		}
	}
	s, err := builder.NewSandbox(context.Background(), "sandbox", nil)
	if err == nil && s.Kind == "off" {
		err = errors.New(s.Why)
	}
	return err
}

// mkzip ARCHIVE FILE packs one file.
func mkzip(ts *testscript.TestScript, _ bool, args []string) {
	archive, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer archive.Close()
	w := zip.NewWriter(archive)
	entry, err := w.Create(args[1])
	ts.Check(err)
	_, err = entry.Write([]byte(ts.ReadFile(args[1])))
	ts.Check(err)
	ts.Check(w.Close())
}

// waitFor FILE TEXT waits until a file contains the text.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	deadline := time.Now().Add(time.Minute)
	for tick := time.NewTicker(50 * time.Millisecond); time.Now().Before(deadline); <-tick.C {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(text), args[1]) {
			return
		}
	}
	ts.Fatalf("%s never said %q", args[0], args[1])
}

// damage DB flips a bit in the last word "checkmate" or "resignation" of a database file, which ends a stored game.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	text := []byte(ts.ReadFile(args[0]))
	at := max(bytes.LastIndex(text, []byte("checkmate")), bytes.LastIndex(text, []byte("resignation")))
	if at < 0 {
		ts.Fatalf("%s: no game ended by a checkmate or a resignation", args[0])
	}
	text[at] ^= 4
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o600))
}

// waitPairs DB N waits until the newest run of a database has at least N pairs.
func waitPairs(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	deadline := time.Now().Add(time.Minute)
	for tick := time.NewTicker(50 * time.Millisecond); time.Now().Before(deadline); <-tick.C {
		store, err := results.OpenExisting(context.Background(), ts.MkAbs(args[0]))
		if err != nil {
			continue // the database does not exist yet
		}
		info, err := store.DefaultRun(context.Background(), "")
		store.Close()
		if err == nil && info.Finished >= want {
			return
		}
	}
	ts.Fatalf("%s never had %d pairs", args[0], want)
}
