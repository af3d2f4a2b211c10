package gogi_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

type row struct {
	name string
	may  []string
}

// groups is the table of ARCHITECTURE.md, lowest level first: each top-level directory
// and the other directories that it may import. Every group may import internal.
var groups = []row{
	{"shogi", nil},
	{"stats", nil},
	{"internal", nil},
	{"usi", []string{"shogi"}},
	{"match", []string{"shogi", "stats", "usi"}},
	{"ensemble", []string{"shogi", "stats", "usi"}},
	{"runner", []string{"shogi", "stats", "usi", "match", "ensemble"}},
	{"results", []string{"shogi", "stats", "usi", "match"}},
	{"configs", []string{"shogi", "stats", "usi", "match", "ensemble", "runner"}},
	{"players", []string{"shogi", "stats", "usi", "match", "ensemble", "runner", "configs"}},
	{"farm", []string{"shogi", "stats", "usi", "match", "ensemble", "runner", "results", "configs", "players"}},
	{"report", []string{"shogi", "stats", "usi", "match", "ensemble", "runner", "results", "configs", "players"}},
	{"ui", []string{"shogi", "stats", "usi", "match", "ensemble", "runner", "results", "report"}},
	{"lab", []string{"shogi", "stats", "usi", "match", "results", "players", "report"}},
	{"cmd", []string{"shogi", "stats", "usi", "match", "ensemble", "runner", "results", "configs", "players", "farm",
		"report", "ui", "lab"}},
}

func mayImport(from, to string) bool {
	i := slices.IndexFunc(groups, func(r row) bool { return r.name == from })
	return i >= 0 && (from == to || to == "internal" || slices.Contains(groups[i].may, to))
}

// TestImportDirections checks all imports against the table. A row names only rows above it, so that groups cannot
// import each other in a circle.
func TestImportDirections(t *testing.T) {
	for i, g := range groups {
		for _, to := range g.may {
			testutil.Check(t, slices.ContainsFunc(groups[:i], func(lower row) bool { return lower.name == to }),
				"%s: %s is not a row above it", g.name, to)
		}
	}
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	testutil.OK(t, err, "go list")
	seen := 0
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		from, _ := group(p.ImportPath)
		for _, i := range p.Imports {
			to, ours := group(i)
			if ours && !mayImport(from, to) {
				t.Errorf("%s must not import %s: group %s may not import %s", p.ImportPath, i, from, to)
			}
			if ours && to == "lab" && !inLab(p.ImportPath) {
				t.Errorf("%s must not import %s: only lab and cmd/gogi-lab may", p.ImportPath, i)
			}
		}
	}
	testutil.Check(t, seen >= 100, "go list found only %d packages", seen)
}

// inLab reports whether a package is a part of gogi-lab and not of gogi.
func inLab(path string) bool {
	return strings.HasPrefix(path, "gogi/lab/") || path == "gogi/cmd/gogi-lab" ||
		strings.HasPrefix(path, "gogi/cmd/gogi-lab/")
}

// TestLinkedPackages: no package that is linked into gogi is a part of gogi-lab or of the NATS server, also not by an
// import of another package. With the server gogi would have 11 MB more.
func TestLinkedPackages(t *testing.T) {
	server := func(path string) bool { return strings.HasPrefix(path, "github.com/nats-io/nats-server/") }
	for program, want := range map[string]struct{ lab, server bool }{
		"./cmd/gogi": {}, "./cmd/gogi-farm": {server: true}, "./cmd/gogi-lab": {lab: true},
	} {
		out, err := exec.Command("go", "list", "-deps", program).Output()
		testutil.OK(t, err, "go list")
		linked := strings.Fields(string(out))
		testutil.Check(t, len(linked) >= 100, "go list found only %d packages", len(linked))
		testutil.Equal(t, slices.ContainsFunc(linked, inLab), want.lab, "%s has packages of gogi-lab", program)
		testutil.Equal(t, slices.ContainsFunc(linked, server), want.server, "%s has the NATS server", program)
	}
}

// group returns the top-level directory of one of our packages.
func group(path string) (name string, ours bool) {
	rest, ours := strings.CutPrefix(path, "gogi/")
	name, _, _ = strings.Cut(rest, "/")
	return name, ours
}

// TestArchitectureTable compares the table of ARCHITECTURE.md with groups.
func TestArchitectureTable(t *testing.T) {
	text := testutil.Must(os.ReadFile("ARCHITECTURE.md"))(t)
	pattern := regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| [^|]+ \\| ([^|]+) \\|$")
	rows := pattern.FindAllStringSubmatch(string(text), -1)
	testutil.Require(t, len(rows) == len(groups), "ARCHITECTURE.md has %d rows, expected %d", len(rows), len(groups))
	for i, g := range groups {
		want := "–"
		if len(g.may) > 0 {
			want = strings.Join(g.may, ", ")
		}
		if rows[i][1] != g.name || rows[i][2] != want {
			t.Errorf("ARCHITECTURE.md: row %d is %s: %s, expected %s: %s", i+1, rows[i][1], rows[i][2], g.name, want)
		}
	}
}

// mostMethods is the largest number of methods that a type may have. A type with more has several owners' work in it.
const mostMethods = 40

// TestMethods counts the methods of all types by their names, so that files for several systems count once.
func TestMethods(t *testing.T) {
	methods := map[string]map[string]bool{}
	receiver := regexp.MustCompile(`(?m)^func \((?:\w+ )?\*?(\w+)(?:\[[^\]]*\])?\) (\w+)`)
	testutil.OK(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		body, err := os.ReadFile(path)
		for _, m := range receiver.FindAllStringSubmatch(string(body), -1) {
			name := filepath.Dir(path) + "." + m[1]
			if methods[name] == nil {
				methods[name] = map[string]bool{}
			}
			methods[name][m[2]] = true
		}
		return err
	}))
	testutil.Check(t, len(methods) > 500, "found %d types with methods", len(methods))
	for name, of := range methods {
		testutil.Check(t, len(of) <= mostMethods, "%s has %d methods, at most %d are allowed: split the type", name, len(of),
			mostMethods)
	}
}
