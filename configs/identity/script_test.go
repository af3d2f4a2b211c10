package identity_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gogi/configs"
	"gogi/configs/identity"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/usi"
)

// scripted returns the complete plan of a match whose two engines have the same command, and the first texts of its
// warnings about scripts. extra are further lines of the engine's table.
func scripted(t *testing.T, dir, command, extra string) (*match.Plan, []string) {
	t.Helper()
	text := "limits = {nodes = 10}\ngames = 2\n"
	for _, name := range []string{"A", "B"} {
		text += fmt.Sprintf("[[engine]]\nname = %q\ncmd = %q\n%s\n", name, command, extra)
	}
	f := testutil.Must(configs.Parse([]byte(text), "match.toml"))(t)
	plan, _, err := f.Plan(dir, identity.Env{Self: "/gogi", NumCPU: 1, WorkDir: dir, Path: os.Getenv("PATH")})
	testutil.OK(t, err)
	plan, warnings, err := identity.Complete(plan, []usi.Greeting{{}, {}})
	testutil.OK(t, err)
	var texts []string
	for _, w := range warnings {
		if strings.Contains(w.Text.String(), "is a script") && w.Engine == "A" {
			texts = append(texts, w.Text.String())
		}
	}
	return plan, texts
}

// TestScripts: the identity of an engine that is a script has the files that the script names. A change of the program
// behind the script is another player, and a file that the script writes is none of its files.
func TestScripts(t *testing.T) {
	const sh = "#!/bin/sh\n"
	for name, c := range map[string]struct {
		command, script string
		want            string // names of the files of scripts, relative to the folder
		warned          bool
	}{
		"exec":                  {"./run", sh + "exec ./real\n", "real", false},
		"exec, absolute":        {"./run", sh + "exec DIR/sub/real --x\n", "sub/real", false},
		"a wrapper before it":   {"./run", sh + "exec taskset -c 1 nice ./real\n", "real", false},
		"arguments":             {"./run", sh + "./real --net=sub/nn.bin book.db\n", "real sub/nn.bin book.db", false},
		"its own folder":        {"./run", sh + "exec \"$(dirname \"$0\")/real\"\n", "real", false},
		"its own folder, short": {"./run", sh + "exec \"${0%/*}/sub/real\"\n", "sub/real", false},
		"a variable":            {"./run", sh + "HERE=$(pwd)\nexec \"$HERE/sub/real\"\n", "sub/real", false},
		"an assignment":         {"./run", sh + "PROGRAM=sub/real\nexec $PROGRAM\n", "sub/real", false},
		"another folder":        {"./run", sh + "cd sub || exit 1\nexec ./real nn.bin\n", "real sub/real sub/nn.bin", false}, // also the file of this name in the first folder
		"a script of a script":  {"./run", sh + "exec ./second\n", "second real", false},
		"a loop of scripts":     {"./run", sh + "exec ./loop\n", "loop", true},
		"a shell with a script": {"sh ./run", sh + "exec ./real\n", "real", false},
		"env":                   {"./run", "#!/usr/bin/env bash\nexec ./real book.db\n", "real book.db", false},
		"a shell, its folder":   {"sh sub/run", sh + "exec \"$(dirname \"$0\")/real\"\n", "real sub/real", false},
		"files that it writes":  {"./run", sh + "./real 2>book.db >>sub/nn.bin | tee -a second\n", "real", false},
		"a log":                 {"./run", sh + "./real --log=game.log\n", "real", false},
		"a comment":             {"./run", sh + "  # exec ./sub/real\nexec ./real\n", "real", false},
		"nothing":               {"./run", sh + "exec $ENGINE\n", "", true},
		"no program":            {"./run", sh + "exec \"$ENGINE\" book.db\n", "book.db", true},
		"Python, a program":     {"./run", "#!/usr/bin/env python3\nsubprocess.run(['./real', 'book.db'])\n", "real", false},
		"Python, an engine":     {"./run", "#!/usr/bin/env python3\nopen('book.db', 'w')\n", "", false},
		"no script":             {"./real", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, map[string]string{
				"run": strings.ReplaceAll(c.script, "DIR", dir), "sub/run": c.script, "real": "\x7fELF", "sub/real": "\x7fELF2", "sub/nn.bin": "net", "book.db": "book",
				"second": sh + "exec ./real\n", "loop": sh + "exec ./run\nexec ./loop\n", "game.log": "x",
			})
			for _, program := range []string{"run", "real", "sub/real", "second", "loop"} {
				testutil.OK(t, os.Chmod(filepath.Join(dir, program), 0o700)) //nolint:gosec // a program
			}
			plan, warned := scripted(t, dir, c.command, "")
			var names []string
			for _, f := range plan.Players[0].Identity.Files {
				if strings.HasPrefix(f.Role, "script ") {
					rel := testutil.Must(filepath.Rel(dir, f.Path))(t)
					names = append(names, rel)
					sum := sha256.Sum256(testutil.Must(os.ReadFile(f.Path))(t))
					testutil.Equal(t, f.SHA256, fmt.Sprintf("%x", sum), "SHA-256 of %s", rel)
				}
			}
			testutil.Equal(t, strings.Join(names, " "), c.want, "files")
			testutil.Equal(t, len(warned) > 0, c.warned, "a warning: %q", warned)
			greetings := []usi.Greeting{{}, {}}
			testutil.OK(t, identity.VerifyIdentity(plan, greetings))
			older := identity.WithoutScripts(plan)
			testutil.Equal(t, older != nil, c.want != "", "it has files of scripts")
			if older != nil {
				testutil.Check(t, older.Digest() != plan.Digest(), "the files are not in the digest")
				left := slices.DeleteFunc(slices.Clone(plan.Players[0].Identity.Files), func(f match.FileHash) bool { return strings.HasPrefix(f.Role, "script ") })
				testutil.Equal(t, fmt.Sprint(older.Players[0].Identity.Files), fmt.Sprint(left), "the files of an older plan")
			}
			for _, name := range names {
				path := filepath.Join(dir, name)
				text := testutil.Must(os.ReadFile(path))(t)
				testutil.OK(t, os.WriteFile(path, append(text, "\n# changed\n"...), 0o600))
				testutil.Fails(t, identity.VerifyIdentity(plan, greetings), path+") has SHA-256 ", "%s was changed", name)
				testutil.OK(t, os.WriteFile(path, text, 0o600))
			}
		})
	}
}

// TestNamedFiles: identity = [...] adds files to the identity of an engine. A change of such a file is noticed, a
// missing file is an error, and there is no warning about a script.
func TestNamedFiles(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, map[string]string{"run": "#!/bin/sh\nexec $ENGINE\n", "real": "program", "libs/a.so": "library"})
	testutil.OK(t, os.Chmod(filepath.Join(dir, "run"), 0o700)) //nolint:gosec // a program
	without, warned := scripted(t, dir, "./run", "")
	testutil.Equal(t, len(warned), 1, "warnings: %q", warned)
	plan, warned := scripted(t, dir, "./run", `identity = ["real", "libs/a.so"]`)
	testutil.Equal(t, len(warned), 0, "warnings: %q", warned)
	testutil.Check(t, plan.Digest() != without.Digest(), "the files are not in the digest")
	greetings := []usi.Greeting{{}, {}}
	testutil.OK(t, identity.VerifyIdentity(plan, greetings))
	fill(t, dir, map[string]string{"libs/a.so": "another library"})
	testutil.Fails(t, identity.VerifyIdentity(plan, greetings), "file 2 ("+filepath.Join(dir, "libs/a.so")+") has SHA-256 ")
	changed, _ := scripted(t, dir, "./run", `identity = ["real", "libs/a.so"]`)
	testutil.Check(t, changed.Digest() != plan.Digest(), "a change of a file does not change the digest")
	for text, want := range map[string]string{
		`identity = ["gone"]`: "engine A: identity: gone: no such file or directory", `identity = [1]`: "a string", `identity = 5`: `a text such as "v1.2", or a list of files`, `identity = ""`: "a list of files",
	} {
		f, err := configs.Parse([]byte("limits = {nodes = 10}\ngames = 2\n[[engine]]\nname = \"A\"\ncmd = \"./run\"\n"+text+"\n[[engine]]\nname = \"B\"\ncmd = \"./run\"\n"), "match.toml")
		if err == nil {
			_, _, err = f.Plan(dir, identity.Env{Self: "/gogi", NumCPU: 1, WorkDir: dir})
		}
		testutil.Fails(t, err, want, "%s", text)
	}
}

// TestPlacedScripts: on another machine of a farm a script finds its program at the same relative path. A program with
// an absolute path must be on that machine, with the same content. A named file must be below the engine's folder.
func TestPlacedScripts(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	outside := filepath.Join(other, "real")
	fill(t, other, map[string]string{"real": "program"})
	fill(t, dir, map[string]string{"near": "#!/bin/sh\nexec bin/real\n", "far": "#!/bin/sh\nexec " + outside + "\n", "bin/real": "program"})
	for _, program := range []string{filepath.Join(dir, "near"), filepath.Join(dir, "far"), filepath.Join(dir, "bin/real"), outside} {
		testutil.OK(t, os.Chmod(program, 0o700)) //nolint:gosec // a program
	}
	greetings := []usi.Greeting{{}, {}}
	placed := func(command, extra string) (*match.Plan, error) {
		plan, _ := scripted(t, dir, command, extra)
		paths := map[string]string{}
		for _, f := range plan.Players[0].Identity.Files {
			paths[f.SHA256] = f.Path
		}
		find := func(sum string) (string, error) { return paths[sum], nil }
		return identity.Place(plan, find, identity.Env{Engines: t.TempDir(), WorkDir: dir})
	}
	near := testutil.Must(placed("./near", ""))(t)
	testutil.Check(t, !strings.HasPrefix(near.Players[0].Identity.Files[1].Path, dir), "%v", near.Players[0].Identity.Files)
	testutil.OK(t, identity.VerifyIdentity(near, greetings))
	far := testutil.Must(placed("./far", ""))(t)
	testutil.OK(t, identity.VerifyIdentity(far, greetings))
	testutil.OK(t, os.WriteFile(outside, []byte("changed"), 0o600))
	testutil.Fails(t, identity.VerifyIdentity(far, greetings), "script 1 ("+outside+") has SHA-256 ")
	testutil.OK(t, os.Remove(outside))
	testutil.Fails(t, identity.VerifyIdentity(far, greetings), "script 1 is not here")
	fill(t, other, map[string]string{"lib.so": "library"})
	testutil.Fails(t, testutil.Err(placed("./near", fmt.Sprintf("identity = [%q]", filepath.Join(other, "lib.so")))), "outside of the engine's folder")
	testutil.OK(t, identity.VerifyIdentity(testutil.Must(placed("./near", `identity = ["bin/real"]`))(t), greetings))
}
