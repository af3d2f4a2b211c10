package identities_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/configs"
	"gogi/configs/identities"
	"gogi/match"
	"gogi/usi"
)

// scripted is a plan whose engine A is a script, with these keys of its own, after its engines
// were greeted.
func scripted(t *testing.T, env identities.Env, keys string) (*match.Plan, []string) {
	t.Helper()
	p, _ := plan(t, strings.Replace(two, "./dev\"", "./dev\"\n"+keys, 1), configs.Flags{}, env)
	done, warnings, err := identities.Complete(p, []usi.Greeting{greeting(t, fairy), greeting(t, fairy)})
	if err != nil {
		t.Fatal(err)
	}
	return done, texts(warnings)
}

// What the user lists belongs to the identity of a script: a run is another one when it has
// changed, and does not go on.
func TestListedFiles(t *testing.T) {
	env := machine(t)
	fill(t, env.WorkDir, map[string]string{"dev": "#!/bin/sh\nexec ./target\n", "target": "one", "nets/a/nn.bin": "net"})
	const listed = `files = ["./target", "nets"]`
	before, warnings := scripted(t, env, listed)
	if diff := cmp.Diff([]string{"binary", "file ./target", "file nets/a/nn.bin"}, roles(before.Players[0])); diff != "" || warnings != nil {
		t.Errorf("%q, -want +got\n%s", warnings, diff)
	}
	greetings := []usi.Greeting{greeting(t, fairy), greeting(t, fairy)}
	if err := identities.VerifyIdentity(before, greetings); err != nil {
		t.Error(err)
	}
	again, _, err := identities.Complete(before, greetings) // as of a plan that goes on
	if err != nil || again.Digest() != before.Digest() {
		t.Errorf("completed again it is another: %v", err)
	}
	for _, file := range []string{"target", "nets/a/nn.bin"} {
		old, err := os.ReadFile(filepath.Join(env.WorkDir, file))
		if err != nil {
			t.Fatal(err)
		}
		fill(t, env.WorkDir, map[string]string{file: "another"})
		if after, _ := scripted(t, env, listed); after.Digest() == before.Digest() {
			t.Errorf("another %s has the same digest", file)
		}
		if err := identities.VerifyIdentity(before, greetings); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("another %s: %v", file, err)
		}
		fill(t, env.WorkDir, map[string]string{file: string(old)})
	}
	if unlisted, _ := scripted(t, env, ""); unlisted.Digest() == before.Digest() {
		t.Error("the files are no part of the digest")
	}
}

// A script whose user says nothing of what it runs is warned of once.
func TestAScriptIsWarnedOf(t *testing.T) {
	env := machine(t)
	fill(t, env.WorkDir, map[string]string{"dev": "#!/bin/sh\nexec ./target\n", "target": "one"})
	want := "engine A: " + env.WorkDir + "/dev is a script: the engine's identity covers the script, and not the programs that it runs; " +
		`files = ["./engine", "eval"] in its table lists them`
	for keys, warned := range map[string][]string{
		"":                       {want},
		`files = ["target"]`:     nil,
		`identity = "target v1"`: nil,
	} {
		if _, got := scripted(t, env, keys); !cmp.Equal(got, warned) {
			t.Errorf("%s: %q", keys, got)
		}
	}
	fill(t, env.WorkDir, map[string]string{"dev": "\x7fELF"})
	if _, got := scripted(t, env, ""); got != nil {
		t.Errorf("a program: %q", got)
	}
	missing := strings.Replace(two, "./dev\"", "./dev\"\nfiles = [\"none\"]", 1)
	f, err := configs.Parse([]byte(missing), "match.toml")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Plan("", env); err == nil || !strings.Contains(err.Error(), "match.toml:6") || !strings.Contains(err.Error(), "engine A: files: "+env.WorkDir+"/none: no such file") {
		t.Error(err)
	}
}
