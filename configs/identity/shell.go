package identity

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// These bytes stand in a word of a shell script for a text that gogi does not know, because only the shell expands it.
const (
	unknown   = "\x00" // any text
	ownFolder = "\x01" // the folder of the script
	workDir   = "\x02" // the folder in which the shell works
)

// A shellCommand is one simple command of a shell script.
type shellCommand struct {
	assigned []string // NAME=VALUE before the first word
	words    []string
	reads    []string // files of "<"
	writes   []string // files of ">"
	opens    bool     // "(" follows: the next commands are in a subshell
	closes   bool     // ")" follows
}

// A shellLexer splits the text of a shell script into commands. It respects quotes, backslashes, comments, redirections
// and here-documents. It knows the values that the script assigns to variables.
type shellLexer struct {
	rest    string
	own     string // base name of the script, for $0
	vars    map[string]string
	command shellCommand
	word    strings.Builder
	open    bool   // a word has begun
	plain   bool   // no part of the word is quoted or expanded
	target  string // the operator of which the next word is the file: "<", ">", "<<" or "<<<"
	heres   []string
	emit    func(shellCommand)
}

// shellCommands calls emit for each command of a script, in the order of the text. emit may set variables.
func (l *shellLexer) shellCommands(text string, emit func(shellCommand)) {
	l.rest, l.emit, l.plain = text, emit, true
	for l.rest != "" {
		l.step()
	}
	l.endCommand()
}

func (l *shellLexer) next() byte {
	c := l.rest[0]
	l.rest = l.rest[1:]
	return c
}

func (l *shellLexer) step() {
	switch c := l.next(); c {
	case ' ', '\t', '\r':
		l.endWord()
	case '\n':
		l.endCommand()
		l.skipHeres()
	case ';', '|':
		l.endCommand()
	case '&':
		if !strings.HasPrefix(l.rest, ">") { // &> redirects
			l.endCommand()
		}
	case '(':
		l.endWord()
		l.command.opens = true
		l.endCommand()
	case ')':
		l.endWord()
		l.command.closes = true
		l.endCommand()
	case '<', '>':
		l.redirect(c)
	case '#':
		if l.open {
			l.add("#")
		} else if n := strings.IndexByte(l.rest, '\n'); n >= 0 {
			l.rest = l.rest[n:]
		} else {
			l.rest = ""
		}
	case '\'':
		l.single()
	case '"':
		l.double()
	case '\\':
		l.escaped("")
	case '$', '`':
		l.plain = false
		for i, field := range strings.FieldsFunc(" "+l.expansion(c)+" ", blank) { // the shell splits a value without quotes
			if i > 0 {
				l.endWord()
			}
			l.add(field)
		}
	default:
		l.add(string(c))
	}
}

func blank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

func (l *shellLexer) add(text string) {
	l.word.WriteString(text)
	l.open = true
}

// escaped reads the character after a backslash. If special is not "", the backslash is literal before other
// characters.
func (l *shellLexer) escaped(special string) {
	l.plain = false
	if l.rest == "" {
		return
	}
	switch c := l.next(); {
	case c == '\n': // it continues the line
	case special != "" && !strings.Contains(special, string(c)):
		l.add(`\` + string(c))
	default:
		l.add(string(c))
	}
}

func (l *shellLexer) single() {
	text, rest, _ := strings.Cut(l.rest, "'")
	l.rest, l.plain = rest, false
	l.add(text)
}

func (l *shellLexer) double() {
	l.plain = false
	l.add("")
	for l.rest != "" {
		switch c := l.next(); c {
		case '"':
			return
		case '\\':
			l.escaped("\"\\$`\n")
		case '$', '`':
			l.add(l.expansion(c))
		default:
			l.add(string(c))
		}
	}
}

// redirect reads an operator that begins with c. A number before it is a descriptor and no word.
func (l *shellLexer) redirect(c byte) {
	if l.open && l.plain && strings.Trim(l.word.String(), "0123456789") == "" {
		l.word.Reset()
		l.open = false
	}
	l.endWord()
	l.target = string(c)
	for c == '<' && len(l.target) < 3 && strings.HasPrefix(l.rest, "<") {
		l.target += string(l.next())
	}
	if strings.HasPrefix(l.rest, "(") { // the file is the output of a command
		l.target = ""
		return
	}
	l.rest = strings.TrimLeft(l.rest, ">|&-")
}

func (l *shellLexer) endWord() {
	text, plain, open := l.word.String(), l.plain, l.open
	l.word.Reset()
	l.open, l.plain = false, true
	if !open {
		return
	}
	target := l.target
	l.target = ""
	switch target {
	case "<":
		l.command.reads = append(l.command.reads, text)
	case ">":
		l.command.writes = append(l.command.writes, text)
	case "<<":
		l.heres = append(l.heres, text)
	case "<<<":
	default:
		if len(l.command.words) == 0 && assignment.MatchString(text) {
			l.command.assigned = append(l.command.assigned, text)
			l.set(text)
			return
		}
		if len(l.command.words) == 0 && plain && slices.Contains(reserved, text) {
			return
		}
		l.command.words = append(l.command.words, text)
	}
}

var (
	assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	reserved   = []string{"if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "fi", "done", "esac"}
)

// set gives a variable the value of the text NAME=VALUE.
func (l *shellLexer) set(text string) {
	if name, value, ok := strings.Cut(text, "="); ok {
		l.vars[name] = value
	}
}

func (l *shellLexer) endCommand() {
	l.endWord()
	c := l.command
	l.command, l.target = shellCommand{}, ""
	l.emit(c)
}

// skipHeres skips the here-documents that the last line began.
func (l *shellLexer) skipHeres() {
	for _, end := range l.heres {
		for l.rest != "" {
			line, rest, _ := strings.Cut(l.rest, "\n")
			l.rest = rest
			if line = strings.TrimLeft(line, "\t"); line == end || "-"+line == end {
				break
			}
		}
	}
	l.heres = nil
}

// expansion reads what follows a $ or a backquote, and returns the text to which the shell expands it, as far as gogi
// knows it.
func (l *shellLexer) expansion(c byte) string {
	if c == '`' {
		text, rest, _ := strings.Cut(l.rest, "`")
		l.rest = rest
		return l.output(text)
	}
	switch {
	case strings.HasPrefix(l.rest, "("):
		return l.output(l.enclosed('(', ')'))
	case strings.HasPrefix(l.rest, "{"):
		return l.variable(l.enclosed('{', '}'))
	}
	name := variableName.FindString(l.rest)
	l.rest = l.rest[len(name):]
	if name == "" {
		return "$"
	}
	return l.variable(name)
}

var variableName = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])`)

// enclosed reads a text in brackets, with inner brackets, and returns it without the outer ones.
func (l *shellLexer) enclosed(left, right byte) string {
	depth := 0
	for i := range len(l.rest) {
		switch l.rest[i] {
		case left:
			depth++
		case right:
			depth--
		}
		if depth == 0 {
			text := l.rest[1:i]
			l.rest = l.rest[i+1:]
			return text
		}
	}
	text := l.rest[1:]
	l.rest = ""
	return text
}

// variable returns the value of NAME, or of NAME with an operator, as in ${NAME:-DEFAULT}.
func (l *shellLexer) variable(text string) string {
	name := variableName.FindString(text)
	after := text[len(name):]
	value, known := l.vars[name]
	switch {
	case name == "0", name == "BASH_SOURCE":
		value, known = ownFolder+"/"+l.own, true
		after = strings.TrimPrefix(after, "[0]")
	case name == "PWD" && !known:
		value, known = workDir, true
	}
	other, hasOther := strings.CutPrefix(strings.TrimPrefix(after, ":"), "-")
	if !hasOther {
		other, hasOther = strings.CutPrefix(after, ":=")
	}
	switch {
	case known && (after == "" || hasOther):
		return value
	case known && strings.HasPrefix(after, "%/*"):
		return folderOf(value)
	case hasOther:
		return l.literal(other)
	}
	return unknown
}

// folderOf is dirname: the text without the part after the last slash.
func folderOf(text string) string {
	if i := strings.LastIndex(text, "/"); i > 0 {
		return text[:i]
	}
	return path.Dir(text)
}

// literal returns a text with its quotes and variables expanded.
func (l *shellLexer) literal(text string) string {
	inner := shellLexer{own: l.own, vars: l.vars}
	var words []string
	inner.shellCommands(text, func(c shellCommand) { words = append(append(words, c.assigned...), c.words...) })
	return strings.Join(words, " ")
}

// output returns what a command prints, if it is one of the usual commands that find a folder or a program.
func (l *shellLexer) output(text string) string {
	result := ""
	inner := shellLexer{own: l.own, vars: l.vars}
	folder := workDir
	inner.shellCommands(text, func(c shellCommand) {
		words := c.words
		if len(words) == 0 {
			return
		}
		last := words[len(words)-1]
		switch words[0] {
		case "cd":
			folder = joined(folder, last)
		case "pwd":
			result = folder
		case "dirname":
			result = folderOf(last)
		case "realpath", "readlink", "which", "echo", "command":
			result = last
		default:
			result = unknown
		}
	})
	if result == "" {
		return unknown
	}
	return result
}

// joined returns the folder to which cd changes from another folder.
func joined(from, to string) string {
	if to == "" || strings.HasPrefix(to, "/") || strings.ContainsAny(to[:1], unknown+ownFolder+workDir) {
		return to
	}
	return from + "/" + to
}
