package configs

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"gogi/configs/position"
	"gogi/internal/disk"
)

const maxFile = 1 << 20

// ReadFile returns the bytes of a match file. It returns an error if the file is too large.
func ReadFile(path string) ([]byte, error) { return disk.ReadFile(path, maxFile) }

// Load reads a match file from disk and parses it with Parse.
func Load(path string) (*File, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a series: %w", err)
	}
	return Parse(data, path)
}

// Parse reads TOML strictly. name is the file's name for errors, which begin with "name:line: ". Unknown
// keys and values of the wrong type are errors; Parse reports the first twenty in the order of the file.
// Plan checks the meaning of the values.
func Parse(data []byte, name string) (*File, error) {
	f, err := parse(data, name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// parse does the work of Parse. If the TOML is valid but a key or value is wrong, it also returns the valid
// part of the file.
func parse(data []byte, name string) (*File, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: %d bytes are too many for a series: expected at most %d", name, len(data), maxFile)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if line, err := position.CheckShape(text); err != nil {
		return nil, &Problem{File: name, Line: line, Cause: err}
	}
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		return nil, syntaxError(err, text, name)
	}
	f := &File{name: name, places: position.Locate(text)}
	d := decoder{file: f}
	d.table("", values, reflect.ValueOf(f).Elem())
	return f, d.err()
}

func syntaxError(err error, text, name string) error {
	if p, ok := errors.AsType[toml.ParseError](err); ok {
		if header, _, _ := strings.Cut(lineAt(text, p.Position.Line), "#"); strings.HasPrefix(header, "[") {
			if key := strings.Trim(header, "[] \t\r"); isTables(key) && !strings.HasPrefix(header, "[[") {
				return &Problem{File: name, Line: p.Position.Line, Cause: errors.New(doubleBrackets(key))}
			}
		}
		return &Problem{File: name, Line: p.Position.Line, Cause: errors.New(p.Message)}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// lineAt returns line n of a text, counted from 1, without blanks around it. It returns "" if the text has
// fewer lines.
func lineAt(text string, n int) string {
	lines := strings.Split(text, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[n-1])
}

// where returns the flag that set a key, or the line of the key in the file (0: unknown). If flags set only parts of a
// table, where returns these flags. For a key that the user did not give, where returns the place of its table.
func (f *File) where(path string) (flag string, line int) {
	if within := f.flagsWithin(path); within != "" && f.flags[path] == "" {
		return within, 0
	}
	for p := path; p != ""; p = parent(p) {
		if flag := f.flags[p]; flag != "" {
			return flag, 0
		}
		if place, ok := f.places[p]; ok {
			return "", place.Line
		}
	}
	return "", 0
}

func (f *File) flagsWithin(table string) string {
	var flags []string
	for path, flag := range f.flags {
		if strings.HasPrefix(path, table+".") {
			flags = append(flags, flag)
		}
	}
	slices.Sort(flags)
	return strings.Join(slices.Compact(flags), ", ")
}

func (f *File) title() string {
	if f.name == "" {
		return "command line"
	}
	return f.name
}

func parent(path string) string {
	return path[:max(0, strings.LastIndexAny(path, ".["))]
}

// base returns the base folder for a relative path at a key: workDir, the working directory, if a flag set the key,
// or else fileDir, the folder of the file.
func (f *File) base(path, fileDir, workDir string) string {
	if _, ok := f.flags[path]; ok {
		return workDir
	}
	return fileDir
}
