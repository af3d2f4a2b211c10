// Package identity determines an engine's identity and its options. The identity has the SHA-256 of every
// file that changes the engine's play. The options are those that gogi sends to the engine. [Complete] adds
// both to a plan after the USI handshakes. [Settings] returns the options of one engine. [Place] prepares the
// engine files for a plan that another machine sent. Option profiles ([ProfileNames]) have the rules for
// particular families of engines.
package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
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

// A role names the purpose of a file in an identity. These are the prefixes of roles. Roles without a prefix are
// match.BinaryRole, OPTION/NAME for a file in a folder, and the names in optionFiles for files in the working
// directory.
const (
	argumentRole = "argument " // an argument of a wrapper; its number follows, from 1
	optionRole   = "option "   // the file of an option; the option's name follows
	besideRole   = "binary's " // a file in the folder of the binary; the file's name follows
)

// Hasher caches the SHA-256 of files by path, because several engines may use the same network file.
type Hasher map[string]string

// sum returns a file's SHA-256 in lower-case hexadecimal.
func (h Hasher) sum(path string) (string, error) {
	if sum, ok := h[path]; ok {
		return sum, nil
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // a device has no end, and a pipe blocks
		return "", &os.PathError{Op: "hashing", Path: path,
			Err: errors.New("it is a folder, a device or a pipe; name a regular file")}
	}
	if err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	defer file.Close() //nolint:errcheck // the file was only read
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("hashing: %w", err)
	}
	h[path] = hex.EncodeToString(hash.Sum(nil))
	return h[path], nil
}

// Add adds a file to a player's identity, with its SHA-256. role names the purpose of the file, such as
// "option BookFile".
func (h Hasher) Add(p *match.Player, role, path string) error {
	sum, err := h.sum(path)
	if err != nil {
		return err
	}
	p.Identity.Files = append(p.Identity.Files, match.FileHash{Role: role, Path: path, SHA256: sum})
	return nil
}

// Command adds the binary to the player's identity. If the command is a wrapper (see IsWrapper), it also adds
// the files among the arguments.
func (h Hasher) Command(p *match.Player) error {
	if err := h.Add(p, match.BinaryRole, p.Command[0]); err != nil {
		return err
	}
	if IsWrapper(p.Command) {
		for i, word := range p.Command[1:] {
			path := disk.Absolute(p.Dir, word)
			if !isFile(path) {
				continue
			}
			if err := h.Add(p, argumentRole+strconv.Itoa(i+1), path); err != nil {
				return err
			}
		}
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// folder adds every file in a folder and its subfolders to the player's identity, sorted by name, with the
// role role/NAME. It follows links to files, because networks are often links. It does not follow links to
// folders, because they may form a loop.
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

// These are the values of the parameter folder of Duplicates.
const (
	SameFolder   = true  // compare only players with the same working directory; for use before the USI handshake
	otherFolders = false // compare only players with different working directories; for use after the handshake
)

// Duplicates returns a warning for any two players that are the same engine with the same settings. If folder
// is true (SameFolder), it compares only players with the same working directory; otherwise it compares only
// players with different working directories.
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

// essence returns a copy of a player without its name and paths, and with sorted options. Equal copies mean the
// same engine with the same settings.
func essence(p match.Player) match.Player {
	p.Name, p.Dir = "", ""
	p.Command = slices.Clone(p.Command[min(1, len(p.Command)):])
	p.Identity.Files = slices.Clone(p.Identity.Files)
	for i := range p.Identity.Files {
		p.Identity.Files[i].Path = ""
	}
	p.Options = slices.SortedFunc(slices.Values(p.Options), func(a, b match.Option) int {
		return strings.Compare(a.Name, b.Name)
	})
	return p
}

// Env describes this machine and this program, for making a plan.
type Env struct {
	Self           string // absolute path of this program, which is also the built-in engine
	BuiltinVersion string // identifies the play of the built-in engine
	NumCPU         int    // number of CPUs; a value below 2 counts as 1
	Path           string // the PATH in which gogi searches for commands without a slash
	WorkDir        string // absolute; relative paths in flags start here

	// The other fields are only used for plans from other machines; see [Place].
	OS, Arch string   // of this machine, as in GOOS and GOARCH
	ISAs     []string // instruction sets of this machine, the best first: x86-64-v3, x86-64-v2, …
	Engines  string   // absolute; the folder in which Place makes the engines' folders
}
