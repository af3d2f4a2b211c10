package identity

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

	"gogi/configs/advice"
	"gogi/internal/disk"
	"gogi/match"
)

// How the roles of files begin, apart from match.BinaryRole, those in a folder, which
// are OPTION/NAME, and those of optionFiles in the working directory.
const (
	argumentRole = "argument " // and its number, from 1: an argument of a wrapper
	optionRole   = "option "   // and its name
	besideRole   = "binary's " // and the file's name: in the binary's folder
)

// Hasher remembers the SHA-256 of files by path: engines share networks.
type Hasher map[string]string

// sum returns a file's SHA-256 in lower-case hexadecimal.
func (h Hasher) sum(path string) (string, error) {
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

// Add hashes a file into a player's identity, under a role.
func (h Hasher) Add(p *match.Player, role, path string) error {
	sum, err := h.sum(path)
	if err != nil {
		return err
	}
	p.Identity.Files = append(p.Identity.Files, match.FileHash{Role: role, Path: path, SHA256: sum})
	return nil
}

// Command hashes, into the player's identity, the binary and, of a wrapper, the files it is given.
func (h Hasher) Command(p *match.Player) error {
	if err := h.Add(p, match.BinaryRole, p.Command[0]); err != nil || !IsWrapper(p.Command) {
		return err
	}
	for i, word := range p.Command[1:] {
		path := disk.Absolute(p.Dir, word)
		if !isFile(path) {
			continue
		}
		if err := h.Add(p, argumentRole+strconv.Itoa(i+1), path); err != nil {
			return err
		}
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// folder hashes every file in a folder and below it, in order, as role/NAME. Links to files are followed
// (networks are often linked), links to folders are not (they may go round).
func (h Hasher) folder(p *match.Player, role, path string) error {
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
			err = h.Add(p, name, inner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// How Duplicates looks at working directories.
const (
	SameFolder   = true  // before the greeting: other folders may hold other files
	otherFolders = false // after it: the files are known
)

// Duplicates warns of players that are one and the same engine, of those in one working
// directory (SameFolder) or of those in several.
func Duplicates(players []match.Player, folder bool) []advice.Warning {
	var warnings []advice.Warning
	for j := range players {
		for i := range j {
			a, b := players[i], players[j]
			if (a.Dir == b.Dir) == folder && reflect.DeepEqual(essence(a), essence(b)) {
				warnings = append(warnings, advice.Of(
					"engines %s and %s are the same: binary, arguments, options and limits are equal", a.Name, b.Name))
			}
		}
	}
	return warnings
}

// essence returns a player without its name and paths.
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
