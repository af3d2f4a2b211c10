package identity

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gogi/internal/disk"
	"gogi/usi/process"
)

// A place is a file or folder that a script names.
type place struct {
	path     string // absolute
	absolute bool   // the script names it, or a folder of it, by an absolute path
}

func (a place) same(b file) bool { return a.path == b.path }

// A file is a file that a script names.
type file struct {
	place
	work []place // the folders in which the script may start it
}

// inFolders returns the places that a name may mean in these folders.
func inFolders(folders []place, name string) (list []place) {
	if filepath.IsAbs(name) {
		return []place{{filepath.Clean(name), true}}
	}
	for _, f := range folders {
		list = append(list, place{filepath.Join(f.path, name), f.absolute})
	}
	return list
}

// A mention is a file that a shell script names.
type mention struct {
	file
	use use
}

// use is the use of a file by a script.
type use int

const (
	mentioned use = iota // anything else: gogi hashes programs only
	argument             // an argument of the engine
	started              // the script starts it
	replaced             // the same, with exec: it may be a program of the system
)

// A shellScan collects the files that a shell script names.
type shellScan struct {
	script
	lexer    shellLexer
	now      []place   // the working folders
	stack    [][]place // the working folders outside of the subshells
	lost     bool      // the script changed to a folder that gogi does not know
	blind    bool
	mentions []mention
	written  map[string]bool // files that the script writes
}

// namedByShell returns the files that a shell script starts, the arguments of its engine, and the programs that it
// names otherwise. It leaves out files that the script writes, unless the script starts them.
func (s script) namedByShell(text string) (found []file, blind bool) {
	scan := shellScan{script: s, now: s.work, written: map[string]bool{}}
	scan.lexer = shellLexer{own: filepath.Base(s.path), vars: map[string]string{"HOME": os.Getenv("HOME")}}
	scan.lexer.shellCommands(text, scan.command)
	for _, m := range scan.mentions {
		switch {
		case m.use < started && scan.written[m.path], m.use == mentioned && disk.CheckProgram(m.path) != nil:
			continue
		case counts(m.path, m.use == replaced) && !slices.ContainsFunc(found, m.same):
			found = append(found, m.file)
		}
	}
	return found, scan.blind
}

// places returns the places that a word of the script may mean.
func (s *shellScan) places(word string) []place {
	if word == "" {
		return nil
	}
	folders := s.now
	var rest string
	switch {
	case strings.HasPrefix(word, ownFolder):
		folders, rest = []place{{path: filepath.Dir(s.path)}}, word[1:]
	case strings.HasPrefix(word, workDir):
		rest = word[1:]
	case strings.HasPrefix(word, unknown+"/"): // often the folder of the script
		folders, rest = append(slices.Clone(s.now), place{path: filepath.Dir(s.path)}), word[1:]
	case strings.HasPrefix(word, "~/"):
		return s.places(os.Getenv("HOME") + word[1:])
	default:
		if strings.ContainsAny(word, unknown+ownFolder+workDir) {
			return nil
		}
		return inFolders(s.now, word)
	}
	if rest != "" && rest[0] != '/' || strings.ContainsAny(rest, unknown+ownFolder+workDir) {
		return nil
	}
	return inFolders(folders, "."+rest)
}

// command notes the files of a command.
func (s *shellScan) command(c shellCommand) {
	if c.closes {
		defer func() {
			if n := len(s.stack); n > 0 {
				s.now, s.stack = s.stack[n-1], s.stack[:n-1]
			}
		}()
	}
	if c.opens {
		defer func() { s.stack = append(s.stack, s.now) }()
	}
	for _, w := range c.writes {
		s.writes(w)
	}
	for _, w := range c.assigned {
		s.mention(w, mentioned)
	}
	if s.run(c.words, false) {
		for _, w := range c.reads {
			s.mention(w, argument)
		}
	}
}

func (s *shellScan) writes(word string) {
	for _, at := range s.places(word) {
		s.written[at.path] = true
	}
}

// mention notes a file, and the files in the parts of a word such as --net=nn.bin.
func (s *shellScan) mention(word string, as use) (found bool) {
	if as == argument && strings.HasSuffix(word, ".log") {
		return false // the engine writes this file
	}
	parts := []string{word}
	if as < started {
		parts = append(parts, strings.FieldsFunc(word, func(r rune) bool { return r == ',' || r == '=' })...)
	}
	for _, part := range parts {
		for _, at := range s.places(part) {
			if isFile(at.path) {
				s.mentions = append(s.mentions, mention{file{at, s.now}, as})
				found = true
			}
		}
	}
	return found
}

// run notes the files of a command's words. exec means that the command replaces the script. run reports whether the
// command is an engine, as far as gogi can see.
func (s *shellScan) run(words []string, exec bool) (engine bool) {
	if len(words) == 0 {
		return false
	}
	name, rest := filepath.Base(words[0]), words[1:]
	switch name {
	case "exec", "command", "builtin", "nohup", "setsid", "sudo", "eval":
		for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
			rest = rest[min(len(rest), map[bool]int{true: 2, false: 1}[rest[0] == "-a"]):]
		}
		return s.run(rest, exec || name == "exec")
	case "cd", "pushd":
		s.change(rest)
		return false
	case "export", "readonly", "local", "declare", "typeset":
		for _, w := range rest {
			if assignment.MatchString(w) {
				s.lexer.set(w)
				s.mention(w, mentioned)
			}
		}
		return false
	case ".", "source":
		for _, w := range rest[:min(1, len(rest))] {
			s.mention(w, started)
		}
		return false
	case "rm", "touch", "tee", "mkdir", "mktemp", "truncate":
		for _, w := range rest {
			s.writes(w)
		}
		return false
	case "cp", "mv", "ln", "install":
		for _, w := range rest[max(0, len(rest)-1):] {
			s.copied(rest, w)
		}
		return false
	case "dd":
		for _, w := range rest {
			if to, ok := strings.CutPrefix(w, "of="); ok {
				s.writes(to)
			}
		}
		return false
	}
	if IsWrapper([]string{name}) {
		return s.wrapped(name, rest, exec)
	}
	return s.start(words, exec)
}

// copied notes the target of cp, or the files in it if it is a folder. A program that the script copies is noted,
// because the copy is as old as the last start.
func (s *shellScan) copied(words []string, target string) {
	s.writes(target)
	for _, w := range words[:len(words)-1] {
		s.mention(w, mentioned)
		s.writes(target + "/" + filepath.Base(w))
	}
}

// change follows cd. An unknown folder leaves the old ones, but gogi then does not rely on relative names. A folder
// that does not exist changes nothing.
func (s *shellScan) change(words []string) {
	for len(words) > 1 && strings.HasPrefix(words[0], "-") {
		words = words[1:]
	}
	if len(words) == 0 || words[0] == "-" {
		s.lost = true
		return
	}
	to := s.places(words[0])
	folders := slices.DeleteFunc(slices.Clone(to), func(p place) bool {
		info, err := os.Stat(p.path)
		return err != nil || !info.IsDir()
	})
	vague := strings.Contains(words[0], unknown)
	switch {
	case len(folders) > 0:
		s.now = folders
		s.lost = vague || s.lost && !filepath.IsAbs(words[0]) && !strings.HasPrefix(words[0], ownFolder)
	case vague:
		s.lost = true
	}
}

// wrapped notes the files of a wrapper's arguments. The first of them that is a program or a file is the command that
// it starts.
func (s *shellScan) wrapped(name string, words []string, exec bool) (engine bool) {
	for i, w := range words {
		switch {
		case w == "-c" && i+1 < len(words) && slices.Contains(shells, name):
			inner := shellLexer{own: s.lexer.own, vars: maps.Clone(s.lexer.vars)}
			inner.shellCommands(words[i+1], s.command)
			return true
		case strings.HasPrefix(w, "-"), strings.Trim(w, "0123456789") == "":
			continue
		case strings.Contains(w, unknown) || s.exists(w):
			return s.run(words[i:], exec)
		}
	}
	return false
}

// exists reports whether a word is a program in the PATH or a file.
func (s *shellScan) exists(word string) bool {
	if !strings.Contains(word, "/") {
		if _, err := process.LookPath(word); err == nil {
			return true
		}
	}
	return slices.ContainsFunc(s.places(word), func(at place) bool { return isFile(at.path) })
}

// start notes the program and the arguments of a command.
func (s *shellScan) start(words []string, replaces bool) (engine bool) {
	as := started
	if replaces {
		as = replaced
	}
	word := words[0]
	known := s.program(word, as)
	vague := strings.HasPrefix(word, unknown) || s.lost && strings.Contains(word, "/") && !filepath.IsAbs(word) &&
		!strings.HasPrefix(word, ownFolder)
	if vague && (!known || s.lost || word == unknown) {
		s.blind = true
	}
	engine = known || replaces || vague
	for _, w := range words[1:] {
		as := mentioned
		if engine {
			as = argument
		}
		s.mention(w, as)
	}
	return engine
}

// program notes a program, and reports whether it exists and is no program of the system. A name without a slash is in
// the PATH. An interpreter also takes a file in the working folder.
func (s *shellScan) program(word string, as use) (engine bool) {
	if strings.Contains(word, "/") {
		return s.mention(word, as) && slices.ContainsFunc(s.places(word), func(at place) bool {
			return counts(at.path, as == replaced)
		})
	}
	if found, err := process.LookPath(word); err == nil && filepath.IsAbs(found) {
		s.mentions = append(s.mentions, mention{file{place{found, true}, s.now}, as})
		return counts(found, as == replaced)
	}
	return s.mention(word, as)
}
