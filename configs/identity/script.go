package identity

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gogi/configs/advice"
	"gogi/internal/disk"
	"gogi/match"
)

const (
	scriptRole = "script " // a file that a script names; its number in the order of the text follows, from 1
	fileRole   = "file "   // a file that the user named with identity = [...]; its number follows, from 1

	maxScript  = 1 << 20 // bytes; gogi does not read a larger file as a script
	maxScripts = 50      // scripts of one engine, because scripts may name each other
	maxNamed   = 1000    // files that the scripts of one engine name
)

// scripts adds the files that an engine's scripts name to the player's identity: those of its program, and those of
// the scripts among its arguments and among the named files. So a script that starts an engine does not hide a
// change of the engine. Programs of the system that start others (see IsWrapper) do not count.
func (h Hasher) scripts(p *match.Player) error {
	waiting, known := []string{}, map[string]bool{}
	for _, f := range p.Identity.Files {
		known[f.Path] = !strings.HasPrefix(f.Role, fileRole) // the user's files come later at first, and earlier if gogi verifies a plan
		if f.Role == match.BinaryRole || strings.HasPrefix(f.Role, argumentRole) {
			waiting = append(waiting, f.Path)
		}
	}
	n := 0
	for read := 0; len(waiting) > 0 && read < maxScripts; read++ {
		text, shell := scriptOf(waiting[0])
		for _, path := range named(text, shell, p.Dir, filepath.Dir(waiting[0])) {
			if known[path] || n == maxNamed {
				continue
			}
			known[path] = true
			n++
			if err := h.Add(p, scriptRole+strconv.Itoa(n), path); err != nil {
				return err
			}
			waiting = append(waiting, path)
		}
		waiting = waiting[1:]
	}
	return nil
}

// scriptOf returns the text of a script, a file with a #! line, and whether a shell executes it. It returns "" for other
// files.
func scriptOf(path string) (text string, shell bool) {
	file, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer file.Close() //nolint:errcheck // the file was only read
	all, err := io.ReadAll(io.LimitReader(file, maxScript+1))
	if err != nil || len(all) > maxScript || !bytes.HasPrefix(all, []byte("#!")) {
		return "", false
	}
	first, rest, _ := strings.Cut(string(all), "\n")
	return rest, slices.ContainsFunc(strings.Fields(strings.TrimPrefix(first, "#!")), func(word string) bool {
		return slices.Contains([]string{"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "busybox"}, filepath.Base(word))
	})
}

// named returns the absolute paths of the files that a script names and that exist, in the order of the text. A relative
// name may be relative to the working folder dir, to the script's folder own, or to a folder to which the script
// changes. If no shell executes the script, named returns programs only: such a script may be an engine itself, and may
// name files that it writes.
func named(text string, shell bool, dir, own string) (paths []string) {
	bases := []string{dir, own}
	add := func(path string, command bool) {
		if !slices.Contains(paths, path) && counts(path, command) && (shell || disk.CheckProgram(path) == nil) {
			paths = append(paths, path)
		}
	}
	for line := range strings.Lines(text) {
		words := scriptWords(line)
		for i, w := range words {
			before := ""
			if i > 0 {
				before = words[i-1]
			}
			if w == "tee" {
				break // it writes the files of the other words
			}
			if before == ">" || strings.HasSuffix(w, ".log") {
				continue // the script writes this file
			}
			command := before == "exec"
			for _, path := range places(w, bases) {
				add(path, command)
				if info, err := os.Stat(path); before == "cd" && err == nil && info.IsDir() {
					bases = append(bases, path)
				}
			}
			if (command || i == 0) && shell && !strings.Contains(w, "/") {
				if found, err := exec.LookPath(w); err == nil && filepath.IsAbs(found) {
					add(found, command)
				}
			}
		}
	}
	return paths
}

// scriptWords splits a line of a script into words at blanks, quotes and operators. A word such as --net=nn.bin is there
// as a whole and in parts. It leaves out a comment. Each redirection of output becomes the word ">".
func scriptWords(line string) (words []string) {
	if strings.HasPrefix(strings.TrimSpace(line), "#") {
		return nil
	}
	line = strings.NewReplacer(">>", " > ", ">&", " > ", ">|", " > ", ">", " > ").Replace(line)
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;|&<(){}[]", r) }) {
		words = append(words, w)
		if parts := strings.FieldsFunc(w, func(r rune) bool { return r == ',' || r == '=' }); len(parts) > 0 && parts[0] != w {
			words = append(words, parts...)
		}
	}
	return words
}

// places returns the absolute paths that a word of a script may mean. A word that begins with a variable, such as
// $DIR/engine, may begin with any of the bases. So may the rest of $(dirname "$0")/engine, which is /engine here.
func places(word string, bases []string) (paths []string) {
	rest := word
	if strings.HasPrefix(word, "$") {
		_, after, ok := strings.Cut(word, "/")
		if !ok {
			return nil
		}
		rest = "/" + after
	} else if filepath.IsAbs(word) {
		paths = append(paths, filepath.Clean(word))
	}
	for _, base := range bases {
		paths = append(paths, filepath.Join(base, rest))
	}
	return paths
}

// counts reports whether a path belongs to an identity: it is a file, and no program that starts others. A file of the
// system belongs to it only as the command after exec.
func counts(path string, command bool) bool {
	return isFile(path) && !IsWrapper([]string{path}) && (command || !ofSystem(path))
}

// ofSystem reports whether a path is in a folder of the operating system.
func ofSystem(path string) bool {
	return slices.ContainsFunc([]string{"/bin/", "/sbin/", "/lib", "/usr/bin/", "/usr/sbin/", "/usr/lib", "/usr/share/", "/etc/", "/dev/", "/proc/", "/sys/", "/run/"},
		func(folder string) bool { return strings.HasPrefix(path, folder) })
}

// unseen returns a warning if an engine's program is a script of a shell, and gogi has found no program in it.
func unseen(p *match.Player) []advice.Warning {
	if p.Builtin || p.Identity.Fixed != "" || IsRemote(p.Command) {
		return nil
	}
	script := ""
	for _, f := range p.Identity.Files {
		_, shell := scriptOf(f.Path)
		named := strings.HasPrefix(f.Role, scriptRole) || strings.HasPrefix(f.Role, fileRole)
		switch {
		case shell && script == "":
			script = f.Path
		case named && !shell && disk.CheckProgram(f.Path) == nil, strings.HasPrefix(f.Role, fileRole):
			return nil
		}
	}
	if script == "" {
		return nil
	}
	w := advice.Of("%s is a script, and gogi sees no program that it starts: a changed program would not be noticed; name its files with identity = [\"FILE\", …]", script)
	w.Engine = p.Name
	return []advice.Warning{w}
}

// UserFile adds a file that the user named with identity = [...] to the player's identity. Its number is the number of
// such files before it, plus one.
func (h Hasher) UserFile(p *match.Player, path string) error {
	n := 1
	for _, f := range p.Identity.Files {
		if strings.HasPrefix(f.Role, fileRole) {
			n++
		}
	}
	return h.Add(p, fileRole+strconv.Itoa(n), path)
}

// WithoutScripts returns a copy of a plan without the files that scripts name, as gogi made plans before it read
// scripts. It returns nil if the plan has no such files.
func WithoutScripts(plan *match.Plan) *match.Plan {
	has := false
	out := plan.WithEngines(func(_ int, p *match.Player) {
		all := len(p.Identity.Files)
		p.Identity.Files = slices.DeleteFunc(slices.Clone(p.Identity.Files), func(f match.FileHash) bool { return strings.HasPrefix(f.Role, scriptRole) })
		has = has || len(p.Identity.Files) < all
	})
	if !has {
		return nil
	}
	return out
}
