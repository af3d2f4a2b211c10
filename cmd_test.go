package gogi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers are the files of the command, the lowest first. A file refers to files of the
// layers below its own only: verbs do not know each other. What is in no layer is a
// verb.
var layers = [][]string{
	{"gate_exit.go"},
	{"expectation.go", "hooks.go"},
	{"progress.go", "pages.go", "dryrun.go", "check_text.go"},
	{"bisect_step.go"},
	{"the verbs"},
	{"bisect.go"},
	{"replay.go"},
	{"cli.go"},
	{"main.go"},
}

func layerOf(file string) int {
	for i, files := range layers {
		if slices.Contains(files, file) {
			return i
		}
	}
	return slices.IndexFunc(layers, func(files []string) bool { return files[0] == "the verbs" })
}

// TestCommandOrder holds the order of the files within cmd/gogi. What a file cannot
// resolve by itself is a name of another file, an import or a word of the language.
func TestCommandOrder(t *testing.T) {
	const dir = "cmd/gogi"
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files, home, set := map[string]*ast.File{}, map[string]string{}, token.NewFileSet()
	for _, path := range names {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(set, path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = f
		for declared := range f.Scope.Objects {
			home[declared] = name
		}
	}
	for _, list := range layers {
		for _, name := range list {
			if files[name] == nil && name != "the verbs" {
				t.Errorf("layer of %s: there is no such file", name)
			}
		}
	}
	references := 0
	for name, f := range files {
		for _, word := range f.Unresolved {
			to, ours := home[word.Name]
			if !ours || to == name {
				continue
			}
			references++
			if layerOf(to) >= layerOf(name) {
				t.Errorf("%s: %s is in %s, which is not below it", set.Position(word.Pos()), word.Name, to)
			}
		}
	}
	if references < 30 {
		t.Errorf("only %d references were found", references)
	}
}
