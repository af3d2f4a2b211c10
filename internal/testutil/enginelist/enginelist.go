// Package enginelist reads lists of engines that are on one machine only, such as builds from source. `make engines
// ENGINES=FILE` measures the engines of such a list and plays against them. Read is the entry point.
package enginelist

import (
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/BurntSushi/toml"

	"gogi/internal/testutil"
)

var file = flag.String("engines", "",
	"file with a list of engines that the test measures instead of the packaged engines")

// An Engine is an entry of a list.
type Engine struct {
	Name    string    `toml:"name"`    // its row in docs/engines.md
	Version string    `toml:"version"` // the cell of the row, instead of the name that the engine sends
	Command []string  `toml:"command"` // the program with its whole path, and its arguments
	Keys    string    `toml:"keys"`    // more keys of its [[engine]] in a match file
	Limits  [2]string `toml:"limits"`  // limits that it keeps: without a clock, and with a clock
	Own     [2]string `toml:"own"`     // limits of the built-in engine in these matches, if they differ from the default
}

// Read returns the engines of the list that the flag -engines names. It returns nil without the flag. It ends the test
// if the list cannot be read.
func Read(t *testing.T) []Engine {
	t.Helper()
	if *file == "" {
		return nil
	}
	return testutil.Must(read(*file))(t)
}

func read(name string) ([]Engine, error) {
	var list struct {
		Engine []Engine `toml:"engine"`
	}
	meta, err := toml.DecodeFile(name, &list)
	if err != nil {
		return nil, fmt.Errorf("-engines %s: %w", name, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("-engines %s: unknown keys %v", name, unknown)
	}
	for _, e := range list.Engine {
		if e.Name == "" || len(e.Command) == 0 || !filepath.IsAbs(e.Command[0]) {
			return nil, fmt.Errorf("-engines %s: an engine needs a name, and a command with a whole path: %+v", name, e)
		}
	}
	return list.Engine, nil
}
