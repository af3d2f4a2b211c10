package gogi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

const longPath = `"gogi/internal/testutil"`

// TestLongForms: the Makefile lists exactly the tests that have a long form. A script has a long form if it has a
// [long] condition.
func TestLongForms(t *testing.T) {
	makefile := testutil.Must(os.ReadFile("Makefile"))(t)
	listed := func(name string) []string {
		m := regexp.MustCompile(`(?m)^` + name + ` = (.+)$`).FindSubmatch(makefile)
		testutil.Require(t, m != nil, "Makefile has no %s", name)
		return strings.Fields(string(m[1]))
	}
	folders, tests := map[string]bool{}, map[string]bool{}
	for folder, files := range filesThatImportLong(t) {
		for _, test := range longTests(files) {
			folders["./"+folder], tests[test] = true, true
		}
	}
	scripts, err := filepath.Glob("cmd/gogi/testdata/script/*.txtar")
	testutil.OK(t, err)
	for _, script := range scripts {
		text := testutil.Must(os.ReadFile(script))(t)
		if regexp.MustCompile(`(?m)^\[!?long\]`).Match(text) {
			tests["TestScripts/"+strings.TrimSuffix(filepath.Base(script), ".txtar")] = true
		}
	}
	delete(tests, "TestScripts") // it only defines the condition
	for what, want := range map[string]map[string]bool{"LONG_IN": folders, "LONG": tests} {
		if got, want := listed(what), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
			t.Errorf("Makefile: %s is\n%s\nexpected\n%s", what, strings.Join(got, " "), strings.Join(want, " "))
		}
	}
}

// filesThatImportLong returns the test files of each folder in which at least one file imports longPath.
func filesThatImportLong(t *testing.T) map[string][]*ast.File {
	t.Helper()
	all, found := map[string][]*ast.File{}, map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		all[folder] = append(all[folder], file)
		for _, i := range file.Imports {
			found[folder] = found[folder] || i.Path.Value == longPath
		}
		return nil
	})
	testutil.OK(t, err)
	maps.DeleteFunc(all, func(folder string, _ []*ast.File) bool { return !found[folder] })
	return all
}

// longTests returns the tests of a folder that call testutil.Long, ByLength or OnlyLong. They may call it through a
// function or method that they name.
func longTests(files []*ast.File) (tests []string) {
	names, asks := map[string]map[string]bool{}, map[string]bool{}
	for _, file := range files {
		imports := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == longPath })
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			used := map[string]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && imports && x.Name == "testutil" &&
						slices.Contains([]string{"Long", "ByLength", "OnlyLong"}, n.Sel.Name) {
						asks[f.Name.Name] = true
					}
				case *ast.Ident:
					used[n.Name] = true
				}
				return true
			})
			names[f.Name.Name] = used
		}
	}
	for again := true; again; {
		again = false
		for f, used := range names {
			for other := range used {
				if asks[other] && !asks[f] {
					asks[f], again = true, true
				}
			}
		}
	}
	for f := range asks {
		if strings.HasPrefix(f, "Test") && f != "TestMain" {
			tests = append(tests, f)
		}
	}
	return tests
}
