package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/disk"
	"gogi/internal/fail"
	"gogi/internal/lists"
	"gogi/match"
)

// Place returns a copy of another machine's complete plan that can run on this machine. find returns the path
// of a file with a given SHA-256, and guarantees the content. Place makes a folder in env.Engines for each
// engine; engines with equal files share a folder. The folder has links to the files of the engine's
// identity, where the engine reads them. If the engine has variants, which are builds for different machines,
// Place selects the variant for this machine. The plan hash does not change. The plan may already be the
// result of Place on any machine. Place returns all errors together, each as an error of its engine.
//
// Place returns an error for an engine behind ssh and for an engine whose identity the user gave. It also
// returns an error if the plan hash includes the path of an option's file on the other machine. This can
// happen if the option has its default value or names a folder.
func Place(plan *match.Plan, find func(sha256 string) (path string, err error), env Env) (*match.Plan, error) {
	if !filepath.IsAbs(env.Engines) {
		return nil, fmt.Errorf("placing the plan: the folder for engines is %q: expected an absolute path", env.Engines)
	}
	var errs []error
	out := plan.WithEngines(func(_ int, p *match.Player) {
		if err := placeEngine(p, find, env); err != nil {
			errs = append(errs, fail.Engine(p.Name, fmt.Errorf("engine %s: placing it: %w", p.Name, err)))
		}
	})
	for _, c := range out.Councils() {
		if err := placeCouncil(c, find, env); err != nil {
			errs = append(errs, fail.Engine(c.Name, fmt.Errorf("council %s: placing it: %w", c.Name, err)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if was, is := plan.Digest(), out.Digest(); was != is {
		return nil, fmt.Errorf("placing the plan: its digest became %s from %s", is, was)
	}
	return out, nil
}

func placeCouncil(p *match.Player, find func(string) (string, error), env Env) error {
	if len(p.Identity.Files) == 0 {
		return nil
	}
	dir := p.Dir // the built-in engine does not run in its folder
	err := lay(p, find, env)
	p.Dir = dir
	return err
}

// placeEngine changes one engine so that it can run on this machine. For find, see Place. Afterwards the engine
// shares no memory with another plan.
func placeEngine(p *match.Player, find func(string) (string, error), env Env) error {
	switch {
	case p.Builtin && p.Identity.Fixed != env.BuiltinVersion:
		return fmt.Errorf("it is %q, and the built-in engine here %q", p.Identity.Fixed, env.BuiltinVersion)
	case len(p.Command) == 0:
		return errors.New("it has no command")
	case p.Builtin:
		return placeBuiltin(p, find, env)
	case IsRemote(p.Command):
		return errors.New("it runs behind ssh: expected a program with a SHA-256")
	case p.Identity.Fixed != "":
		return fmt.Errorf("its identity %q was given by hand: expected a SHA-256", p.Identity.Fixed)
	}
	if err := chooseVariant(p, env); err != nil {
		return err
	}
	return lay(p, find, env)
}

// placeBuiltin makes the player use the built-in engine of this program, with the same books. For find, see Place.
func placeBuiltin(p *match.Player, find func(string) (string, error), env Env) error {
	if len(p.Identity.Files) > 0 {
		if err := lay(p, find, env); err != nil {
			return err
		}
	} else {
		p.Dir = env.WorkDir
	}
	p.Command = slices.Concat([]string{env.Self}, p.Command[1:])
	return nil
}

// lay makes the player's folder, and changes the player to use the files in it. For find, see Place.
func lay(p *match.Player, find func(string) (string, error), env Env) error {
	l, err := layoutOf(p)
	if err != nil {
		return err
	}
	root := filepath.Join(env.Engines, l.key())
	if err := l.make(root, find); err != nil {
		return err
	}
	return l.enter(p, root)
}

// chooseVariant selects the variant for the best instruction set of this machine.
func chooseVariant(p *match.Player, env Env) error {
	if len(p.Identity.Variants) == 0 {
		return nil
	}
	for _, isa := range append(slices.Clone(env.ISAs), "") {
		for _, v := range p.Identity.Variants {
			if v.OS == env.OS && v.Arch == env.Arch && v.ISA == isa {
				p.Identity = p.Identity.WithVariant(v, p.Command[0])
				return nil
			}
		}
	}
	there := lists.Map(p.Identity.Variants, match.Variant.String)
	has := strings.Join(append([]string{env.OS + " " + env.Arch}, env.ISAs...), ", ")
	return fmt.Errorf("it was built for %s, and this machine is %s", strings.Join(there, "; "), has)
}

// layout describes where an engine's files are in its new folder.
type layout struct {
	files  []match.FileHash // files of the identity, as in the plan
	spots  []string         // the spot of each file: its new path, relative to the engine's new folder
	binary string           // the spot of the binary
}

// These are the subfolders of an engine's folder. Files below the working directory or next to the binary
// have the same relative places there, so that relative paths stay valid.
const (
	workSpot   = "dir"
	binarySpot = "bin"
	otherSpot  = "files"
)

func layoutOf(p *match.Player) (*layout, error) {
	l := &layout{files: p.Identity.Files}
	held := map[string]string{}
	for _, f := range l.files {
		if f.Role == match.BinaryRole {
			f.Path = p.Command[0]
		}
		spot := spotOf(p, f)
		if f.Role == match.BinaryRole {
			l.binary = spot
		}
		if !filepath.IsLocal(spot) {
			return nil, fmt.Errorf("%s: it cannot be laid out as %q", f.Role, spot)
		}
		if sum, taken := held[spot]; taken && sum != f.SHA256 {
			return nil, fmt.Errorf("%s: there are two files %s", f.Role, f.Path)
		}
		held[spot] = f.SHA256
		l.spots = append(l.spots, spot)
	}
	if l.binary == "" && !p.Builtin && p.Council == nil {
		return nil, errors.New("its binary has no SHA-256")
	}
	return l, nil
}

func spotOf(p *match.Player, f match.FileHash) string {
	if rel, ok := below(p.Dir, f.Path); ok {
		return filepath.Join(workSpot, rel)
	}
	if len(p.Command) > 0 {
		if rel, ok := below(filepath.Dir(p.Command[0]), f.Path); ok {
			return filepath.Join(binarySpot, rel)
		}
	}
	if _, inFolder := folderRole(f.Role); inFolder {
		return filepath.Join(otherSpot, f.Role)
	}
	if strings.HasPrefix(f.Role, scriptRole) { // the role has a path
		return filepath.Join(otherSpot, "script", f.SHA256, filepath.Base(f.Path))
	}
	return filepath.Join(otherSpot, f.Role, filepath.Base(f.Path))
}

func below(folder, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, path)
	return rel, err == nil && rel != "." && filepath.IsLocal(rel)
}

// folderRole parses a role of the form OPTION/NAME, for a file in a folder. It returns the option that names
// the folder.
func folderRole(role string) (option string, ok bool) {
	if slices.ContainsFunc([]string{optionRole, argumentRole, scriptRole}, func(prefix string) bool {
		return strings.HasPrefix(role, prefix)
	}) {
		return "", false
	}
	option, _, ok = strings.Cut(role, "/")
	return option, ok
}

// key returns the name of the engine's folder: a hash of the layout's files and places.
func (l *layout) key() string {
	lines := map[string]bool{}
	for i, f := range l.files {
		lines[l.spots[i]+"\t"+f.SHA256+"\n"] = true
	}
	h := sha256.New()
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		h.Write([]byte(line))
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

func (l *layout) make(root string, find func(string) (string, error)) error {
	if err := os.MkdirAll(filepath.Join(root, workSpot), 0o755); err != nil {
		return err
	}
	for i, f := range l.files {
		path, err := find(f.SHA256)
		if err == nil && !(filepath.IsAbs(path) && isFile(path)) {
			err = fmt.Errorf("%q is no file with an absolute path", path)
		}
		if err == nil && f.Role == match.BinaryRole {
			err = disk.CheckProgram(path)
		}
		if err == nil {
			err = link(path, filepath.Join(root, l.spots[i]))
		}
		if err != nil {
			return fmt.Errorf("%s, SHA-256 %s: %w", f.Role, f.SHA256, err)
		}
	}
	return nil
}

func link(path, name string) error {
	if there, err := os.Readlink(name); err == nil && there == path {
		return nil
	}
	folder := filepath.Dir(name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	own, err := os.MkdirTemp(folder, ".placing-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(own) }()
	fresh := filepath.Join(own, "link")
	if err := os.Symlink(path, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, name)
}

// enter changes the player so that it uses the files of the layout. root is the engine's new folder.
func (l *layout) enter(p *match.Player, root string) error {
	before := *p
	p.Dir = filepath.Join(root, workSpot)
	p.Command, p.Options = slices.Clone(p.Command), slices.Clone(p.Options)
	p.Identity.Files = slices.Clone(l.files)
	for i, f := range l.files {
		p.Identity.Files[i].Path = filepath.Join(root, l.spots[i])
		if err := l.point(p, &before, i, root); err != nil {
			return fmt.Errorf("%s: %w", f.Role, err)
		}
	}
	return nil
}

// point replaces the old path of the i-th file by its new path in the player p: in the command or in an option.
// before is the player with its old paths, and root the engine's new folder.
func (l *layout) point(p, before *match.Player, i int, root string) error {
	f, spot := l.files[i], l.spots[i]
	switch f.Role {
	case match.BinaryRole:
		p.Command[0] = filepath.Join(root, spot)
		return nil
	case match.BookRole: // gogi itself reads the book, from the path in the identity
		return nil
	}
	if strings.HasPrefix(f.Role, scriptRole) {
		return nil // the script finds it by a relative path, or VerifyIdentity looks for it where the script names it
	}
	if strings.HasPrefix(f.Role, fileRole) {
		if strings.HasPrefix(spot, otherSpot+string(filepath.Separator)) {
			return fmt.Errorf("%s is outside of the engine's folder, so another machine does not find it: expected a file below %s", f.Path, before.Dir)
		}
		return nil
	}
	if number, ok := strings.CutPrefix(f.Role, argumentRole); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n >= len(p.Command) {
			return errors.New("the command has no such argument")
		}
		p.Command[n], err = renamed(before, before.Command[n], f.Path, spot, root)
		return err
	}
	if name, ok := strings.CutPrefix(f.Role, optionRole); ok {
		return l.set(p, before, name, f.Path, spot, root)
	}
	if name, ok := folderRole(f.Role); ok {
		inner := f.Role[len(name):]
		folder, there := strings.CutSuffix(f.Path, inner)
		folderSpot, here := strings.CutSuffix(spot, inner)
		if !there || !here {
			return fmt.Errorf("%s is not where its role says", f.Path)
		}
		return l.set(p, before, name, folder, folderSpot, root)
	}
	return l.besides(f.Role, spot)
}

// besides returns an error unless the engine finds the file without an option. It finds option files (see
// optionFiles) in its working directory and next to its binary. spot is the file's new path in the engine's folder.
func (l *layout) besides(role, spot string) error {
	folder := workSpot
	name, beside := strings.CutPrefix(role, besideRole)
	if beside {
		folder = filepath.Dir(l.binary)
	}
	if !slices.Contains(optionFiles(), name) || spot != filepath.Join(folder, name) {
		return errors.New("this program does not know how the engine finds it")
	}
	return nil
}

// set changes an option of the player p to the new path of the option's file. name is the name of the option, and
// path the old path of the file. The new path is spot below root, the engine's new folder. before is the player
// with its old options. set keeps a relative value if the file stays below the working directory.
func (l *layout) set(p, before *match.Player, name, path, spot, root string) (err error) {
	kept := strings.HasPrefix(spot, workSpot+string(filepath.Separator))
	for i, o := range before.Options {
		if !strings.EqualFold(o.Name, name) {
			continue
		}
		if kept && !filepath.IsAbs(o.Value) {
			return nil // also for a book in the folder of another option
		}
		p.Options[i].Value, err = renamed(before, o.Value, path, spot, root)
		return err
	}
	if !kept {
		return fmt.Errorf("the engine finds %s by a default: expected option %s to be set, or the file to be below %s", path,
			name, before.Dir)
	}
	return nil
}

// renamed returns the new path of a file for a command or an option of a player. word is the part of the command or
// option that names the file now, and path the file's old absolute path. The new path is spot below root, the
// engine's new folder. If word is a relative path and the file is below the working directory, word stays valid,
// and renamed returns it unchanged. before is the player with its old paths.
func renamed(before *match.Player, word, path, spot, root string) (string, error) {
	switch {
	case disk.Absolute(before.Dir, word) != filepath.Clean(path):
		return "", fmt.Errorf("%q does not name %s by itself", word, path)
	case !filepath.IsAbs(word) && strings.HasPrefix(spot, workSpot+string(filepath.Separator)):
		return word, nil
	}
	return filepath.Join(root, spot), nil
}
