package farm

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// A Recipe is a named build recipe with the git repositories for which tests may use it. It is the request of
// the verb recipe, with which an admin stores a recipe. An empty text removes the recipe. The answer is a
// list of all recipes.
type Recipe struct {
	Name string `cbor:"name" json:"name"`
	Text string `cbor:"text" json:"text"` // see ParseRecipe
	// URLs of the repositories that workers may build with the recipe
	Repositories []string `cbor:"repositories" json:"repositories"`
	By           string   `cbor:"by" json:"by"` // the key of the admin
}

// Check returns an error if the recipe has no repository, or a text or a name that is not valid. It accepts
// an empty text, which removes the recipe.
func (r *Recipe) Check() error {
	if r.Text == "" {
		return nil
	}
	_, err := ParseRecipe(r.Text)
	switch {
	case err != nil:
		return err
	case strings.Trim(r.Name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || len(r.Name) > 40:
		return fmt.Errorf("the name %.80q of a recipe: expected 1 to 40 of a-z, 0-9, - and _", r.Name)
	case len(r.Repositories) == 0:
		return errors.New("a recipe needs a repository")
	}
	return nil
}

// RecipeNamed returns the recipe with a name from a list, or an error if the list has none.
func RecipeNamed(list []Recipe, name string) (Recipe, error) {
	i := slices.IndexFunc(list, func(r Recipe) bool { return r.Name == name })
	if i < 0 {
		return Recipe{}, fmt.Errorf("the farm has no recipe %.80q; see gogi farm recipe", name)
	}
	return list[i], nil
}

// RecipeSum returns the SHA-256 of a recipe's text in hexadecimal.
func RecipeSum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// A BuildRecipe describes how a worker builds an engine from a git commit. It is a TOML text in the plan
// (match.Source), and it is part of the engine's identity: another text means another engine. The commands
// are lines of the shell sh, which run in the folder of the checkout. They get the environment variables
// GOGI_ISA (the instruction set), GOGI_ARCH (the architecture, as GOARCH) and GOGI_JOBS (the number of
// parallel jobs).
type BuildRecipe struct {
	Build    []string      `toml:"build"`    // builds the engine
	Output   string        `toml:"output"`   // path of the built program
	Bench    string        `toml:"bench"`    // prints the bench
	Nodes    string        `toml:"nodes"`    // regular expression whose group is the node count; the last match counts
	Compiler string        `toml:"compiler"` // prints the compiler's version
	ISA      []string      `toml:"isa"`      // instruction sets for which the recipe builds; empty means all
	Timeout  time.Duration `toml:"timeout"`  // of the build and the bench together
	Network  bool          `toml:"network"`  // whether the build has the network

	nodes *regexp.Regexp
}

// ParseRecipe parses the TOML text of a build recipe and sets the defaults of missing keys. It returns an
// error for an unknown key or an invalid value.
func ParseRecipe(text string) (*BuildRecipe, error) {
	r := &BuildRecipe{Compiler: "c++ --version", Timeout: 20 * time.Minute}
	meta, err := toml.Decode(text, r)
	if err == nil {
		r.nodes, err = regexp.Compile(r.Nodes)
	}
	switch {
	case err != nil:
	case len(meta.Undecoded()) > 0:
		err = fmt.Errorf("unknown key %q", meta.Undecoded()[0])
	case len(text) > 8<<10:
		err = fmt.Errorf("%d bytes: expected at most %d", len(text), 8<<10)
	case len(r.Build) == 0 || slices.Contains(r.Build, "") || r.Bench == "":
		err = errors.New(`build and bench: expected commands, such as build = ["make"] and bench = "./engine bench"`)
	case !filepath.IsLocal(r.Output) || filepath.Clean(r.Output) == ".":
		err = fmt.Errorf("output: %q: expected the path of a file inside the checkout", r.Output)
	case r.nodes.NumSubexp() != 1:
		err = fmt.Errorf("nodes: %q: expected one group, such as 'Nodes searched *: ([0-9]+)'", r.Nodes)
	case r.Timeout < time.Second || r.Timeout > 2*time.Hour:
		err = fmt.Errorf("timeout: %v: expected 1s to 2h", r.Timeout)
	}
	if err != nil {
		return nil, fmt.Errorf("recipe: %w", err)
	}
	return r, nil
}

// BestISA returns the first instruction set in the list of a machine for which the recipe builds. The machine
// lists the best one first.
func (r *BuildRecipe) BestISA(machine []string) (string, error) {
	for _, isa := range append(slices.Clone(machine), "") {
		if len(r.ISA) == 0 || slices.Contains(r.ISA, isa) {
			return isa, nil
		}
	}
	return "", fmt.Errorf("the recipe builds for %s, and this machine has %s", strings.Join(r.ISA, ", "),
		strings.Join(machine, ", "))
}

// NodesIn returns the node count in text, the output of the recipe's bench command. If the expression Nodes
// matches several times, the last match counts.
func (r *BuildRecipe) NodesIn(text string) (uint64, error) {
	all := r.nodes.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return 0, fmt.Errorf("the bench prints nothing that matches %q", r.Nodes)
	}
	return strconv.ParseUint(all[len(all)-1][1], 10, 64)
}
