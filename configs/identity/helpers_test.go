package identity_test

import (
	"os"
	"path/filepath"
	"testing"

	"gogi/configs"
	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/internal/testutil"
	"gogi/match"
)

// machine is an Env in a new folder, with the programs that files of these
// tests name (they cannot run, and need not).
func machine(t *testing.T) identity.Env {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	for _, program := range []string{"dev", "base", "bin/fairy-stockfish", "bin/gpsusi", "bin/nice", "bin/ssh", "bin/node"} {
		path := filepath.Join(dir, program)
		testutil.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		testutil.OK(t, os.WriteFile(path, []byte(program), 0o700))
	}
	return identity.Env{Self: "/opt/gogi", BuiltinVersion: "sparring-1", NumCPU: 8, Path: bin, WorkDir: dir}
}

// two is a file of two engines that resolves as it is.
const two = `games = 2
limits = "8+0.08"
[[engine]]
name = "A"
cmd = "./dev"
[[engine]]
name = "B"
cmd = "./base"
`

// plan resolves a file and flags that must be good.
func plan(t *testing.T, text string, flags configs.Flags, env identity.Env) (*match.Plan, []string) {
	t.Helper()
	f := testutil.Must(configs.Parse([]byte(text), "match.toml"))(t)
	testutil.OK(t, f.Apply(flags))
	p, warnings, err := f.Plan("", env)
	testutil.OK(t, err)
	return p, texts(warnings)
}

// texts are warnings as they are shown; nil where there are none.
func texts(warnings []advice.Warning) []string {
	var list []string
	for _, w := range warnings {
		list = append(list, w.String())
	}
	return list
}
