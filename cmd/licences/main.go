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

// legal are the names of files that a copy of a program must be given with; a licence is what
// must be there.
var (
	legal   = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents|authors)([-.].*)?$`)
	licence = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)([-.].*)?$`)
)

// standard is the name under which Go itself is listed.
const standard = "go"

// module is what go list says of one; the standard library is one, too.
type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// listed is what go list says of a package.
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

// texts are a module's, as paths below its folder, sorted.
type texts struct {
	dir, version string
	files        []string
}

// check demands a licence at the top of a module.
func (t *texts) check(name string) error {
	if !slices.ContainsFunc(t.files, licence.MatchString) {
		return fmt.Errorf("module %s: there is no licence in %s", name, t.dir)
	}
	return nil
}

// gather looks for the texts that hold for each package: those of its folder and of all above
// it in its module, since parts of a module may have another author.
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

// home is the module that a package is of, "" for the program's own, whose licence is no
// other's.
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

// goroot is the folder of Go, which has src below it, by where a package of it is.
func goroot(p *listed) string {
	return filepath.Dir(strings.TrimSuffix(filepath.ToSlash(p.Dir), "/"+p.ImportPath))
}

// add takes the texts of a folder, and of those above it as far as the module's.
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

// clone copies a file; those of the module cache are read-only, and the copies are not.
func clone(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // for everybody to read
		return err
	}
	return os.WriteFile(to, text, 0o644) //nolint:gosec // for everybody to read
}
