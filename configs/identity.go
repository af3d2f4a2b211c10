package configs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/unfit"
	"gogi/match"
)

// How the roles of files begin, apart from match.BinaryRole, those in a folder, which
// are OPTION/NAME, and those of optionFiles in the working directory.
const (
	argumentRole = "argument " // and its number, from 1: what a wrapper is given
	optionRole   = "option "   // and its name
	besideRole   = "binary's " // and the file's name: in the binary's folder
)

// identify finds what a program is, as far as its command tells. byHand is the
// identity key.
func (r *resolver) identify(byHand string, p *match.Player) error {
	if p.Builtin {
		p.Identity.Fixed = r.env.BuiltinVersion
		return nil
	}
	if err := checkProgram(p.Command[0]); err != nil {
		return unfit.Wrap(p.Name, err)
	}
	if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("engine %s: its working directory %s is no folder", p.Name, p.Dir)
	}
	switch {
	case byHand != "":
		p.Identity.Fixed = byHand
		return nil
	case isRemote(p.Command):
		return fmt.Errorf("engine %s: what runs behind ssh cannot be hashed from here: expected identity = \"…\", such as its version or the SHA-256 of its binary", p.Name)
	}
	return unfit.Wrap(p.Name, r.hashes.command(p))
}

// hasher remembers the SHA-256 of files by path: engines share networks.
type hasher map[string]string

// sum is a file's SHA-256 in lower-case hexadecimal.
func (h hasher) sum(path string) (string, error) {
	if sum, ok := h[path]; ok {
		return sum, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	defer file.Close() //nolint:errcheck // only read
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	h[path] = hex.EncodeToString(hash.Sum(nil))
	return h[path], nil
}

// add hashes a file into an identity.
func (h hasher) add(p *match.Player, role, path string) error {
	sum, err := h.sum(path)
	if err != nil {
		return err
	}
	p.Identity.Files = append(p.Identity.Files, match.FileHash{Role: role, Path: path, SHA256: sum})
	return nil
}

// command hashes the binary and, of a wrapper, the files it is given.
func (h hasher) command(p *match.Player) error {
	if err := h.add(p, match.BinaryRole, p.Command[0]); err != nil || !isWrapper(p.Command) {
		return err
	}
	for i, word := range p.Command[1:] {
		path := absolute(p.Dir, word)
		if !isFile(path) {
			continue
		}
		if err := h.add(p, argumentRole+strconv.Itoa(i+1), path); err != nil {
			return err
		}
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// folder hashes every file in a folder and below it, in order, as role/NAME.
// Links to files are followed (networks are often linked), links to folders
// are not (they may go round).
func (h hasher) folder(p *match.Player, role, path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("%s: %w", role, err)
	}
	for _, e := range entries {
		inner, name := filepath.Join(path, e.Name()), role+"/"+e.Name()
		switch {
		case e.IsDir():
			err = h.folder(p, name, inner)
		case isFile(inner):
			err = h.add(p, name, inner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// How duplicates looks at working directories.
const (
	sameFolder   = true  // before the greeting: other folders may hold other files
	otherFolders = false // after it: the files are known
)

// duplicates warns of players that are one and the same engine.
func duplicates(players []match.Player, folder bool) []Warning {
	var warnings []Warning
	for j := range players {
		for i := range j {
			a, b := players[i], players[j]
			if (a.Dir == b.Dir) == folder && reflect.DeepEqual(essence(a), essence(b)) {
				warnings = append(warnings, warning(
					"engines %s and %s are the same: binary, arguments, options and limits are equal", a.Name, b.Name))
			}
		}
	}
	return warnings
}

// essence is a player without its name and paths.
func essence(p match.Player) match.Player {
	p.Name, p.Dir = "", ""
	p.Command = slices.Clone(p.Command[min(1, len(p.Command)):])
	p.Identity.Files = slices.Clone(p.Identity.Files)
	for i := range p.Identity.Files {
		p.Identity.Files[i].Path = ""
	}
	p.Options = slices.SortedFunc(slices.Values(p.Options), func(a, b match.Option) int { return strings.Compare(a.Name, b.Name) })
	return p
}
