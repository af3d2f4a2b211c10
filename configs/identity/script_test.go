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
	"gogi/internal/lists"
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
		"another folder":        {"./run", sh + "cd sub || exit 1\nexec ./real nn.bin\n", "sub/real sub/nn.bin", false},
		"a script of a script":  {"./run", sh + "exec ./second\n", "second real", false},
		"a loop of scripts":     {"./run", sh + "exec ./loop\n", "loop", true},
		"a shell with a script": {"sh ./run", sh + "exec ./real\n", "real", false},
		"env":                   {"./run", "#!/usr/bin/env bash\nexec ./real book.db\n", "real book.db", false},
		"a shell, its folder":   {"sh sub/run", sh + "exec \"$(dirname \"$0\")/real\"\n", "sub/real", false},
		"files that it writes":  {"./run", sh + "./real 2>book.db >>sub/nn.bin | tee -a second\n", "real", false},
		"a log":                 {"./run", sh + "./real --log=game.log\n", "real", false},
		"a comment":             {"./run", sh + "  # exec ./sub/real\nexec ./real\n", "real", false},
		"nothing":               {"./run", sh + "exec $ENGINE\n", "", true},
		"no program":            {"./run", sh + "exec \"$ENGINE\" book.db\n", "book.db", true},
		"Python, a program":     {"./run", "#!/usr/bin/env python3\nsubprocess.run(['./real', 'book.db'])\n", "real", false},
		"Python, an engine":     {"./run", "#!/usr/bin/env python3\nopen('book.db', 'w')\n", "", false},
		"no script":             {"./real", "", "", false},
		// Blanks, quotes and backslashes. "real" beside the script is another program.
		"a folder with a blank": {"./run", sh + "cd \"$(dirname \"$0\")/a b\"\nexec ./real\n", "a b/real", false},
		"a path with a blank":   {"./run", sh + "exec \"DIR/a b/real\"\n", "a b/real", false},
		"a backslash":           {"./run", sh + "exec a\\ b/real\n", "a b/real", false},
		"single quotes":         {"./run", sh + "exec 'a b/real' --net='a b/nn.bin'\n", "a b/real a b/nn.bin", false},
		"a variable with a blank": {"./run", sh + "HERE=`dirname $0`\nENGINE=\"$HERE/a b/real\"\nexec \"$ENGINE\"\n",
			"a b/real", false},
		"the folder by cd and pwd": {"./run", sh + "HERE=$(cd \"$(dirname \"$0\")/sub\" && pwd)\nexec \"$HERE/real\"\n",
			"sub/real", false},
		"the parent": {"sh sub/run", sh + "cd \"$(dirname \"$(readlink -f \"$0\")\")/..\"\nexec ./real\n",
			"real", false},
		"a subshell":                {"./run", sh + "(cd sub; touch x)\nexec ./real\n", "real", false},
		"a default":                 {"./run", sh + "exec \"${ENGINE:-sub/real}\"\n", "sub/real", false},
		"Python, a blank":           {"./run", "#!/usr/bin/env python3\nsubprocess.run(['a b/real'])\n", "a b/real", false},
		"a shell's -c":              {"./run", sh + "exec sh -c 'cd sub; exec ./real'\n", "sub/real", false},
		"a here-document":           {"./run", sh + "cat <<END\nit's ./sub/real\nEND\nexec ./real\n", "real", false},
		"an unknown folder":         {"./run", sh + "cd \"$ELSEWHERE\"\nexec ./real\n", "real", true},
		"an unknown program":        {"./run", sh + "./second\nexec \"$ENGINE\"\n", "second real", true},
		"words of another program":  {"./run", sh + "test -f book.db && echo sub/nn.bin\nexec ./real\n", "real", false},
		"an assignment of no use":   {"./run", sh + "LOG=book.db\nexec ./real\n", "real", false},
		"a redirection by variable": {"./run", sh + "LOG=book.db\nexec ./real 2>>\"$LOG\"\n", "real", false},
		"touch, rm, cp": {"./run",
			sh + "touch book.db\nrm -f sub/nn.bin\ncp second 'a b/nn.bin'\nexec ./real book.db sub/nn.bin 'a b/nn.bin'\n",
			"second real", false},
		"dd, tee, mktemp": {"./run", sh +
			"dd if=/dev/null of=book.db\necho | tee sub/nn.bin\nmktemp 'a b/nn.bin'\nexec ./real book.db sub/nn.bin 'a b/nn.bin'\n", "real", false},
		"a copied program": {"./run", sh + "rm -f real\ncp sub/real real\nexec ./real\n", "sub/real real", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, map[string]string{
				"run": strings.ReplaceAll(c.script, "DIR", dir), "sub/run": c.script, "real": "\x7fELF", "sub/real": "\x7fELF2",
				"sub/nn.bin": "net", "a b/real": "\x7fELF3", "a b/nn.bin": "net2", "book.db": "book",
				"second": sh + "exec ./real\n", "loop": sh + "exec ./run\nexec ./loop\n", "game.log": "x",
			})
			for _, program := range []string{"run", "real", "sub/real", "a b/real", "second", "loop"} {
				testutil.OK(t, os.Chmod(filepath.Join(dir, program), 0o700))
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
			bare := plan.WithEngines(func(_ int, p *match.Player) {
				p.Identity.Files = slices.DeleteFunc(slices.Clone(p.Identity.Files), func(f match.FileHash) bool {
					return identity.IsScriptRole(f.Role)
				})
			})
			older, appeared := identity.WithoutNew(plan, bare.Canonical())
			testutil.Equal(t, len(appeared), len(names), "new files")
			if older != nil {
				testutil.Equal(t, older.Digest(), bare.Digest(), "digest of the stored plan")
				testutil.Check(t, older.Digest() != plan.Digest(), "the files are not in the digest")
				left := slices.DeleteFunc(slices.Clone(plan.Players[0].Identity.Files), func(f match.FileHash) bool {
					return strings.HasPrefix(f.Role, "script ")
				})
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
	testutil.OK(t, os.Chmod(filepath.Join(dir, "run"), 0o700))
	without, warned := scripted(t, dir, "./run", "")
	testutil.Equal(t, len(warned), 1, "warnings: %q", warned)
	plan, warned := scripted(t, dir, "./run", `identity = ["real", "libs/a.so"]`)
	testutil.Equal(t, len(warned), 0, "warnings: %q", warned)
	testutil.Check(t, plan.Digest() != without.Digest(), "the files are not in the digest")
	greetings := []usi.Greeting{{}, {}}
	testutil.OK(t, identity.VerifyIdentity(plan, greetings))
	fill(t, dir, map[string]string{"libs/a.so": "another library"})
	testutil.Fails(t, identity.VerifyIdentity(plan, greetings),
		"file 2 ("+filepath.Join(dir, "libs/a.so")+") has SHA-256 ")
	changed, _ := scripted(t, dir, "./run", `identity = ["real", "libs/a.so"]`)
	testutil.Check(t, changed.Digest() != plan.Digest(), "a change of a file does not change the digest")
	for text, want := range map[string]string{
		`identity = [""]`:               "engine A: identity: the list has an empty name; remove it, or name a file",
		`identity = ["/dev/zero"]`:      "engine A: identity: /dev/zero: it is a folder, a device or a pipe; name a regular file",
		`identity = ["libs"]`:           "engine A: identity: libs: it is a folder, a device or a pipe; name a regular file",
		`identity = ["real", "./real"]`: "engine A: identity: ./real: it is in the list twice; remove one of them",
		`identity = ["gone"]`:           "engine A: identity: gone: no such file or directory", `identity = [1]`: "a string",
		`identity = 5`: `a text such as "v1.2", or a list of files`, `identity = ""`: "a list of files",
	} {
		f, err := configs.Parse([]byte("limits = {nodes = 10}\ngames = 2\n[[engine]]\nname = \"A\"\ncmd = \"./run\"\n"+text+
			"\n[[engine]]\nname = \"B\"\ncmd = \"./run\"\n"), "match.toml")
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
	fill(t, dir, map[string]string{"near": "#!/bin/sh\nexec bin/real\n", "far": "#!/bin/sh\nexec " + outside + "\n",
		"bin/real": "program"})
	for _, program := range []string{filepath.Join(dir, "near"), filepath.Join(dir, "far"), filepath.Join(dir, "bin/real"),
		outside} {
		testutil.OK(t, os.Chmod(program, 0o700))
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
	testutil.Check(t, !strings.HasPrefix(near.Players[0].Identity.Files[1].Path, dir), "%v",
		near.Players[0].Identity.Files)
	testutil.OK(t, identity.VerifyIdentity(near, greetings))
	far := testutil.Must(placed("./far", ""))(t)
	testutil.OK(t, identity.VerifyIdentity(far, greetings))
	testutil.OK(t, os.WriteFile(outside, []byte("changed"), 0o600))
	testutil.Fails(t, identity.VerifyIdentity(far, greetings), "script "+outside+" ("+outside+") has SHA-256 ")
	testutil.OK(t, os.Remove(outside))
	testutil.Fails(t, identity.VerifyIdentity(far, greetings), "script "+outside+" is not here")
	fill(t, other, map[string]string{"lib.so": "library"})
	testutil.Fails(t, testutil.Err(placed("./near", fmt.Sprintf("identity = [%q]", filepath.Join(other, "lib.so")))),
		"outside of the engine's folder")
	testutil.OK(t, identity.VerifyIdentity(testutil.Must(placed("./near", `identity = ["bin/real"]`))(t), greetings))
}

// TestListReplacesScan: identity = [...] decides which files gogi compares, also if the script names others.
func TestListReplacesScan(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, map[string]string{"run": "#!/bin/sh\nexec ./real learned.bin\n", "real": "program", "learned.bin": "1"})
	testutil.OK(t, os.Chmod(filepath.Join(dir, "run"), 0o700))
	testutil.OK(t, os.Chmod(filepath.Join(dir, "real"), 0o700))
	plan, _ := scripted(t, dir, "./run", `identity = ["real"]`)
	roles := lists.Map(plan.Players[0].Identity.Files, func(f match.FileHash) string { return f.Role })
	testutil.Equal(t, strings.Join(roles, ", "), "binary, file 1", "files")
	fill(t, dir, map[string]string{"learned.bin": "2"})
	greetings := []usi.Greeting{{}, {}}
	testutil.OK(t, identity.VerifyIdentity(plan, greetings))
	testutil.OK(t, os.WriteFile(filepath.Join(dir, "real"), []byte("another program"), 0o600))
	testutil.Fails(t, identity.VerifyIdentity(plan, greetings), "file 1 (")
}

// TestNewFile: a file that appears after the first start leaves the names of the other files, and the plan without it
// is the stored plan. A changed file is another plan.
func TestNewFile(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, map[string]string{"run": "#!/bin/sh\nexec ./real learned.bin nn.bin\n", "real": "program",
		"nn.bin": "net"})
	testutil.OK(t, os.Chmod(filepath.Join(dir, "run"), 0o700))
	testutil.OK(t, os.Chmod(filepath.Join(dir, "real"), 0o700))
	first, _ := scripted(t, dir, "./run", "")
	fill(t, dir, map[string]string{"learned.bin": "1"})
	second, _ := scripted(t, dir, "./run", "")
	testutil.Check(t, first.Digest() != second.Digest(), "the new file is not in the digest")
	testutil.OK(t, identity.VerifyIdentity(first, []usi.Greeting{{}, {}}))
	older, paths := identity.WithoutNew(second, first.Canonical())
	testutil.Equal(t, strings.Join(paths, " "), filepath.Join(dir, "learned.bin"), "new files")
	testutil.Equal(t, older.Digest(), first.Digest(), "digest without the new file")
	fill(t, dir, map[string]string{"nn.bin": "another net"})
	third, _ := scripted(t, dir, "./run", "")
	older, _ = identity.WithoutNew(third, first.Canonical())
	testutil.Check(t, older.Digest() != first.Digest(), "a changed network is in the stored plan")
}
