// Command licences collects the licences of all modules that a program contains:
//
//	go list -deps -json=ImportPath,Dir,Standard,Module PACKAGE | licences FOLDER
//
// It copies them from the module cache and from Go itself to FOLDER/MODULE/, and writes the
// modules with their versions to FOLDER/MODULES. A module without a licence is an error.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// legal matches the names of files that must accompany a copy of a program. licence matches the names of
// licence files. Each module needs at least one of them.
var (
	legal   = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents|authors)([-.].*)?$`)
	licence = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)([-.].*)?$`)
)

const standard = "go"

// A module is a module in the output of go list, or the standard library.
type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

type listed struct {
	ImportPath, Dir string
	Standard        bool
	Module          *module
}

func run(args []string, list io.Reader) error {
	if len(args) != 1 {
		return errors.New("expected one argument, the folder to write to")
	}
	found, err := gather(list)
	if err != nil {
		return err
	}
	var index strings.Builder
	for _, name := range slices.Sorted(maps.Keys(found)) {
		m := found[name]
		if err := m.check(name); err != nil {
			return err
		}
		for _, file := range m.files {
			if err := clone(filepath.Join(m.dir, file), filepath.Join(args[0], filepath.FromSlash(name), file)); err != nil {
				return err
			}
		}
		fmt.Fprintf(&index, "%s %s\n", name, m.version)
	}
	return os.WriteFile(filepath.Join(args[0], "MODULES"), []byte(index.String()), 0o644) //nolint:gosec // for everybody to read
}

// texts are the licence files of a module, as sorted paths below its folder.
type texts struct {
	dir, version string
	files        []string
}

// check returns an error if the top folder of a module has no licence.
func (t *texts) check(name string) error {
	if !slices.ContainsFunc(t.files, licence.MatchString) {
		return fmt.Errorf("module %s: there is no licence in %s", name, t.dir)
	}
	return nil
}

// gather finds the licence files of each package in list, by module. It looks in the package's folder and in
// all folders above it in the module, because parts of a module may have other authors.
func gather(list io.Reader) (map[string]*texts, error) {
	found := map[string]*texts{}
	for d := json.NewDecoder(list); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			if len(found) == 0 {
				return nil, errors.New("expected the output of go list -deps -json on the standard input, which has no package of a module")
			}
			return found, nil
		case err != nil:
			return nil, fmt.Errorf("the output of go list: %w", err)
		}
		name, m := p.home()
		if name == "" {
			continue
		}
		t := found[name]
		if t == nil {
			t = &texts{dir: m.Dir, version: m.Version}
			found[name] = t
		}
		if err := t.add(p.Dir); err != nil {
			return nil, fmt.Errorf("%s: %w", p.ImportPath, err)
		}
	}
}

// home returns the module of a package and its name. The name is "" for the program's own packages.
func (p *listed) home() (name string, m module) {
	switch {
	case p.Standard:
		return standard, module{Dir: goroot(p), Version: runtime.Version()}
	case p.Module == nil || p.Module.Main:
		return "", module{}
	case p.Module.Replace != nil:
		m = *p.Module.Replace
	default:
		m = *p.Module
	}
	return p.Module.Path, m
}

// goroot returns the folder of Go, above src, from the folder of one of its packages.
func goroot(p *listed) string {
	return filepath.Dir(strings.TrimSuffix(filepath.ToSlash(p.Dir), "/"+p.ImportPath))
}

// add adds the licence files of a folder, and of the folders above it up to the module's.
func (t *texts) add(dir string) error {
	for {
		rel, err := filepath.Rel(t.dir, dir)
		if err != nil || strings.HasPrefix(rel, "..") {
			return fmt.Errorf("%s is not in %s", dir, t.dir)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			file := filepath.Join(rel, e.Name())
			if at, there := slices.BinarySearch(t.files, file); !there && e.Type().IsRegular() && legal.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") {
				t.files = slices.Insert(t.files, at, file)
			}
		}
		if rel == "." {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

// clone copies a file. Files of the module cache are read-only; the copies are not.
func clone(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // public files
		return err
	}
	return os.WriteFile(to, text, 0o644) //nolint:gosec // a public file
}
