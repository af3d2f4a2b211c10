// Package configstest has helpers for tests that make plans from match files. [Machine] returns a machine
// with dummy programs, [Two] is a match file, and [Plan] makes a plan from a file and flags.
package configstest

import (
	"os"
	"path/filepath"
	"testing"

	"gogi/configs"
	"gogi/configs/identity"
	"gogi/internal/testutil"
	"gogi/match"
)

// Machine returns an Env with a new temporary working directory. The directory has dummy files for the
// programs of the built-in series and of Two; these programs cannot run.
func Machine(t *testing.T) identity.Env {
	t.Helper()
	dir := t.TempDir()
	for _, program := range []string{"dev", "base", "bin/fairy-stockfish", "bin/gpsusi", "bin/nice", "bin/ssh",
		"bin/node"} {
		path := filepath.Join(dir, program)
		testutil.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		testutil.OK(t, os.WriteFile(path, []byte(program), 0o700))
	}
	return identity.Env{Self: "/opt/gogi", BuiltinVersion: "sparring-1", NumCPU: 8, Path: filepath.Join(dir, "bin"),
		WorkDir: dir}
}

// Two is a match file with two engines whose programs Machine provides.
const Two = `games = 2
limits = "8+0.08"
[[engine]]
name = "A"
cmd = "./dev"
[[engine]]
name = "B"
cmd = "./base"
`

// Plan returns the plan of a file with flags, and the warnings as texts. It fails the test on an error.
func Plan(t *testing.T, text string, flags configs.Flags, env identity.Env) (*match.Plan, []string) {
	t.Helper()
	f := testutil.Must(configs.Parse([]byte(text), "match.toml"))(t)
	testutil.OK(t, f.Apply(flags))
	p, warnings, err := f.Plan("", env)
	testutil.OK(t, err)
	return p, testutil.Texts(warnings)
}
