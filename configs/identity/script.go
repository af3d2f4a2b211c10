package identity

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gogi/configs/advice"
	"gogi/internal/disk"
	"gogi/match"
)

const (
	scriptRole = "script " // a file that a script names; its name follows, see place.name
	fileRole   = "file "   // a file that the user named with identity = [...]; its number follows, from 1

	maxScript  = 1 << 20 // bytes; gogi does not read a larger file as a script
	maxScripts = 50      // scripts of one engine, because scripts may name each other
	maxNamed   = 1000    // files that the scripts of one engine name
)

// A script is a file that gogi reads as a script.
type script struct {
	path string
	work []place // the folders in which it may be started
}

// Scripts adds the files that an engine's scripts name to the player's identity: those of its program, and those of
// the scripts among its arguments. So a script that starts an engine does not hide a change of the engine. Programs of
// the system that start others (see IsWrapper) do not count. If the user named files, Scripts adds none.
func (h Hasher) Scripts(p *match.Player) error {
	if byUser(p) {
		return nil
	}
	for _, f := range scan(p).found {
		if err := h.Add(p, scriptRole+f.name(p), f.path); err != nil {
			return err
		}
	}
	return nil
}

func byUser(p *match.Player) bool {
	return slices.ContainsFunc(p.Identity.Files, func(f match.FileHash) bool {
		return strings.HasPrefix(f.Role, fileRole)
	})
}

// A scanned has the results of reading the scripts of an engine.
type scanned struct {
	shell string  // the first script of a shell, "" without one
	found []place // the files that the scripts name
	blind bool    // a shell script starts a program that gogi cannot find
}

// scan reads the scripts of an engine, and the scripts that these name.
func scan(p *match.Player) (s scanned) {
	var waiting []script
	known := map[string]bool{}
	for _, f := range p.Identity.Files {
		if f.Role == match.BinaryRole || strings.HasPrefix(f.Role, argumentRole) {
			known[f.Path] = true
			waiting = append(waiting, script{f.Path, []place{{path: p.Dir}}})
		}
	}
	for read := 0; len(waiting) > 0 && read < maxScripts; read++ {
		now := waiting[0]
		waiting = waiting[1:]
		text, shell := scriptOf(now.path)
		found, blind := now.named(text, shell)
		s.blind = s.blind || blind
		if shell && s.shell == "" {
			s.shell = now.path
		}
		for _, f := range found {
			if known[f.path] || len(s.found) == maxNamed {
				continue
			}
			known[f.path] = true
			s.found = append(s.found, f.place)
			waiting = append(waiting, script{f.path, f.work})
		}
	}
	return s
}

// name returns the name of a file in a role. It does not depend on other files, so a new file changes no other name. It
// is relative to the engine's working directory or to the folder of its program, so that a moved engine has the
// same names. A file that the script names by an absolute path has this path as its name.
func (f place) name(p *match.Player) string {
	if rel, ok := below(p.Dir, f.path); ok {
		return filepath.ToSlash(rel)
	}
	if rel, ok := below(filepath.Dir(p.Command[0]), f.path); ok && !IsWrapper(p.Command) {
		return besideRole + filepath.ToSlash(rel)
	}
	if rel, err := filepath.Rel(p.Dir, f.path); err == nil && !f.absolute {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(f.path)
}

var shells = []string{"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "busybox"}

// scriptOf returns the text of a script, a file with a #! line, and whether a shell executes it. It returns "" for
// other files.
func scriptOf(path string) (text string, shell bool) {
	file, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer file.Close()              //nolint:errcheck // the file was only read
	mark := make([]byte, len("#!")) // read first, because most engines are programs of many megabytes
	if _, err := io.ReadFull(file, mark); err != nil || string(mark) != "#!" {
		return "", false
	}
	all, err := io.ReadAll(io.LimitReader(file, maxScript+1))
	if err != nil || len(mark)+len(all) > maxScript {
		return "", false
	}
	first, rest, _ := strings.Cut(string(all), "\n")
	return rest, slices.ContainsFunc(strings.Fields(first), func(word string) bool {
		return slices.Contains(shells, filepath.Base(word))
	})
}

// named returns the files that a script names and that exist, in the order of the text. If no shell executes the
// script, named returns programs only: such a script may be an engine itself, and may name files that it writes. blind
// reports that a shell script starts a program that gogi cannot find.
func (s script) named(text string, shell bool) (found []file, blind bool) {
	if shell {
		return s.namedByShell(text)
	}
	bases := append(slices.Clone(s.work), place{path: filepath.Dir(s.path)})
	for line := range strings.Lines(text) {
		for _, w := range quotedWords(line) {
			for _, at := range inFolders(bases, w) {
				if counts(at.path, false) && disk.CheckProgram(at.path) == nil && !slices.ContainsFunc(found, at.same) {
					found = append(found, file{at, s.work})
				}
			}
		}
	}
	return found, false
}

// quotedWords splits a line of a program into the texts in quotes, and into the words outside and inside of quotes. It
// leaves out a comment.
func quotedWords(line string) (words []string) {
	if strings.HasPrefix(strings.TrimSpace(line), "#") {
		return nil
	}
	words = strings.FieldsFunc(line, func(r rune) bool { return r == '"' || r == '\'' || r == '\n' })
	return append(words, strings.FieldsFunc(line,
		func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;|&<>(){}[],=", r) })...)
}

// counts reports whether a path belongs to an identity: it is a file that gogi can read, and no program that starts
// others. A file of the system belongs to it only as the command after exec.
func counts(path string, command bool) bool {
	return isFile(path) && readable(path) && !IsWrapper([]string{path}) && (command || !ofSystem(path))
}

func readable(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	_ = file.Close() // the file was only opened
	return true
}

// ofSystem reports whether a path is in a folder of the operating system. Programs on disks below /run/media, and below
// the user's folder in /run/user, are not.
func ofSystem(path string) bool {
	within := func(folder string) bool { return strings.HasPrefix(path, folder) }
	return !within("/run/media/") && !within("/run/user/") && slices.ContainsFunc([]string{
		"/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/", "/libx32/", "/usr/bin/", "/usr/sbin/", "/usr/lib/", "/usr/lib32/",
		"/usr/lib64/",
		"/usr/libx32/", "/usr/share/", "/etc/", "/dev/", "/proc/", "/sys/", "/run/",
	}, within)
}

// unseen returns a warning if an engine's program is a script of a shell, and gogi does not find the program that it
// starts.
func unseen(p *match.Player) []advice.Warning {
	if p.Builtin || p.Identity.Fixed != "" || IsRemote(p.Command) || byUser(p) {
		return nil
	}
	s := scan(p)
	program := func(f place) bool {
		_, shell := scriptOf(f.path)
		return !shell && disk.CheckProgram(f.path) == nil
	}
	if s.shell == "" || !s.blind && slices.ContainsFunc(s.found, program) {
		return nil
	}
	w := advice.Of("%s is a script, and gogi cannot see which program it starts: a changed program would not be noticed; name its files with identity = [\"FILE\", …]", s.shell)
	w.Engine = p.Name
	return []advice.Warning{w}
}

// UserFile adds a file that the user named with identity = [...] to the player's identity. Its number is the number of
// such files before it, plus one. It returns an error if the file is there already.
func (h Hasher) UserFile(p *match.Player, path string) error {
	n := 1
	for _, f := range p.Identity.Files {
		if !strings.HasPrefix(f.Role, fileRole) {
			continue
		}
		if f.Path == path {
			return errors.New("it is in the list twice; remove one of them")
		}
		n++
	}
	return h.Add(p, fileRole+strconv.Itoa(n), path)
}

// WithoutNew returns a copy of a plan without the files of scripts and of wrappers' arguments that the stored plan of
// the same run does not have, and the paths of these files. canonical is the stored plan's canonical text. So a file
// that appears after the first start does not change a stored plan. It returns nil if the plan has no such files.
func WithoutNew(plan *match.Plan, canonical []byte) (out *match.Plan, paths []string) {
	fresh := map[string]bool{}
	for _, d := range match.Differences(canonical, plan.Canonical()) {
		if n := len(d.Path); n > 2 && d.Before == nil && d.Path[n-2] == "identity" {
			fresh[d.Path[n-3]+"\x00"+d.Path[n-1]] = true
		}
	}
	out = plan.WithEngines(func(_ int, p *match.Player) {
		p.Identity.Files = slices.DeleteFunc(slices.Clone(p.Identity.Files), func(f match.FileHash) bool {
			remove := mayAppear(f) && fresh[p.Name+"\x00"+f.Role]
			if remove && !slices.Contains(paths, f.Path) {
				paths = append(paths, f.Path)
			}
			return remove
		})
	})
	if paths == nil {
		return nil, nil
	}
	return out, paths
}

// MayAppear reports whether a plan has files that WithoutNew may remove.
func MayAppear(plan *match.Plan) bool {
	return slices.ContainsFunc(plan.Engines(), func(p match.Player) bool {
		return slices.ContainsFunc(p.Identity.Files, mayAppear)
	})
}

func mayAppear(f match.FileHash) bool {
	return IsScriptRole(f.Role) || strings.HasPrefix(f.Role, argumentRole)
}

// IsScriptRole reports whether a role is that of a file that a script names.
func IsScriptRole(role string) bool { return strings.HasPrefix(role, scriptRole) }
