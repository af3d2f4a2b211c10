package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// place writes files into a new folder.
func place(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range files {
		path := filepath.Join(dir, filepath.FromSlash(file))
		testutil.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		testutil.OK(t, os.WriteFile(path, []byte(file), 0o400))
	}
	return dir
}

// said is what go list would say.
func said(t *testing.T, packages ...listed) *strings.Reader {
	t.Helper()
	var text strings.Builder
	for _, p := range packages {
		testutil.OK(t, json.NewEncoder(&text).Encode(p))
	}
	return strings.NewReader(text.String())
}

// written are the files below a folder, and what the index says.
func written(t *testing.T, dir string) (files []string, index string) {
	t.Helper()
	testutil.OK(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	}))
	text := testutil.Must(os.ReadFile(filepath.Join(dir, "MODULES")))(t)
	return files, string(text)
}

func TestGather(t *testing.T) {
	goes := place(t, "LICENSE", "PATENTS", "src/net/http/x.go", "src/fmt/x.go")
	one := place(t, "LICENSE.txt", "NOTICE", "licence.go", "deep/part/COPYING", "deep/part/x.go", "unused/LICENSE", "license/x.go")
	two := place(t, "Unlicense", "x.go")
	own := place(t, "cmd/x.go")
	mod1, mod2 := &module{Path: "example.org/one", Version: "v1.2.3", Dir: one}, &module{
		Path: "example.org/two/v2", Version: "v2.0.0", Dir: "nowhere", Replace: &module{Path: "../two", Version: "v2.0.1", Dir: two},
	}
	to := t.TempDir()
	testutil.OK(t, run([]string{to}, said(t,
		listed{ImportPath: "net/http", Dir: filepath.Join(goes, "src", "net", "http"), Standard: true},
		listed{ImportPath: "fmt", Dir: filepath.Join(goes, "src", "fmt"), Standard: true},
		listed{ImportPath: "example.org/one/deep/part", Dir: filepath.Join(one, "deep", "part"), Module: mod1},
		listed{ImportPath: "example.org/one", Dir: one, Module: mod1},
		listed{ImportPath: "example.org/two/v2", Dir: two, Module: mod2},
		listed{ImportPath: "own/cmd", Dir: filepath.Join(own, "cmd"), Module: &module{Path: "own", Dir: own, Main: true}},
	)))
	files, index := written(t, to)
	want := []string{
		"MODULES", "example.org/one/LICENSE.txt", "example.org/one/NOTICE", "example.org/one/deep/part/COPYING",
		"example.org/two/v2/Unlicense", "go/LICENSE", "go/PATENTS",
	}
	testutil.Diff(t, want, files)
	lines := strings.Split(index, "\n")
	if len(lines) != 4 || lines[0] != "example.org/one v1.2.3" || lines[1] != "example.org/two/v2 v2.0.1" || !strings.HasPrefix(lines[2], "go go1.") {
		t.Errorf("MODULES:\n%s", index)
	}
}

func TestRefused(t *testing.T) {
	bare := place(t, "NOTICE", "x.go", "part/LICENSE", "part/x.go")
	m := &module{Path: "example.org/bare", Version: "v1.0.0", Dir: bare}
	for want, input := range map[string]*strings.Reader{
		"module example.org/bare: there is no licence in " + bare: said(t, listed{ImportPath: m.Path + "/part", Dir: filepath.Join(bare, "part"), Module: m}),
		"has no package of a module":                              strings.NewReader(""),
		"the output of go list: ":                                 strings.NewReader("go: no such package"),
		"is not in ":                                              said(t, listed{ImportPath: m.Path, Dir: t.TempDir(), Module: m}),
	} {
		testutil.Fails(t, run([]string{t.TempDir()}, input), want)
	}
	if err := run(nil, strings.NewReader("")); err == nil {
		t.Error("no folder is no error")
	}
}
