package configs

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gogi/usi"
)

//go:embed *.toml
var ready embed.FS

//go:embed starter/match.toml
var template []byte

// Template returns a copy of the commented starter file, from which a user can write a new match file.
func Template() []byte { return slices.Clone(template) }

// Find loads a match file by its path, or a built-in series by its name, with or without ".toml". dir is the
// base folder for Plan: the folder of the file, or "" for a built-in series.
func Find(nameOrPath string) (f *File, dir string, err error) {
	info, err := os.Stat(nameOrPath)
	isFolder := err == nil && info.IsDir()
	if err == nil && !isFolder || strings.Contains(nameOrPath, "/") {
		f, err = Load(nameOrPath)
		return f, filepath.Dir(nameOrPath), err
	}
	name := strings.TrimSuffix(nameOrPath, ".toml") + ".toml"
	data, err := ready.ReadFile(name)
	switch {
	case err != nil && isFolder:
		return nil, "", fmt.Errorf("%s is a folder; give the path of a match file in it", nameOrPath)
	case err != nil:
		return nil, "", notFound(nameOrPath)
	}
	if f, err = Parse(data, name); err == nil {
		f.ready = true
	}
	return f, "", err
}

func notFound(name string) error {
	entries, _ := ready.ReadDir(".") // the folder is embedded in the binary
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	if near := usi.Nearest(strings.TrimSuffix(name, ".toml"), names, 3); len(near) > 0 {
		names = near
	}
	return fmt.Errorf("%s not found; give the path of a match file, or the name of a ready-made match: %s", name,
		strings.Join(names, ", "))
}
