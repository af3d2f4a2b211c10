package configs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gogi/configs/identity"
	"gogi/configs/position"
	"gogi/internal/disk"
	"gogi/internal/fail"
	"gogi/internal/shellwords"
	"gogi/match"
)

type engineResolver struct {
	*resolver
	*Engine
	at string // path of the engine's table, such as engine[1]
	i  int
}

func (r *resolver) engineAt(i int) engineResolver {
	return engineResolver{resolver: r, Engine: &r.file.Engines[i], at: position.Element("engine", i), i: i}
}

func (r *resolver) player(i int) match.Player {
	e := r.engineAt(i)
	return e.resolve(e.limits())
}

func (e engineResolver) resolve(limits match.Limits) match.Player {
	p := match.Player{
		Name:     e.Name,
		Env:      e.environ(),
		Options:  e.options(),
		Limits:   limits,
		Profile:  e.profile(),
		Greeting: e.timeout(e.at+".greeting_timeout", e.GreetingTimeout, defaultGreeting),
		Ready:    e.timeout(e.at+".ready_timeout", e.ReadyTimeout, defaultReady),
		WarmUp:   e.WarmUp,
		Device:   e.Device,
	}
	if own, path := e.QuitTimeout, e.at+".quit_timeout"; own != nil {
		p.Quit = e.timeout(path, own, 0)
	} else if common := e.file.QuitTimeout; common != nil {
		p.Quit = e.timeout("quit_timeout", common, 0)
	}
	p.Restart = e.restart(e.at+".restart", e.Restart)
	if err := e.program(&p); err != nil {
		e.fail(e.commandPath(), "%w", err)
	}
	councils{e.resolver}.book(e.at+".book", "engine", e.Book, &p)
	return p
}

// commandPath returns the path of the key with the engine's command, cmd or command, for errors.
func (e engineResolver) commandPath() string {
	if len(e.Command) > 0 {
		return e.at + ".command"
	}
	return e.at + ".cmd"
}

// program sets the command, the working directory and the identity of the engine. Its errors name the engine.
// An error about a program that cannot be started is a fail.EngineError.
func (e engineResolver) program(p *match.Player) error {
	words, err := commandWords(e.Engine)
	if err != nil {
		return fmt.Errorf("engine %s: %w", e.Name, err)
	}
	base := e.file.base(e.commandPath(), e.baseDir, e.env.WorkDir)
	p.Dir = base
	if path := identity.SplitPath(base, words); e.Cmd != "" && path != "" {
		return fmt.Errorf("engine %s: the command is split at blanks, but %q is one file; quote the path: cmd = \"'%s'\" in a file, \"'%s'\" as an argument, or NAME='PATH' in quotes with --engine NAME=CMD", e.Name, path, path, path)
	}
	if err := e.misread(base, words); err != nil {
		return err
	}
	switch {
	case words[0] == builtinWord:
		p.Builtin = true
		p.Command = append([]string{e.env.Self, builtinVerb}, words[1:]...)
	case strings.Contains(words[0], "/"):
		p.Command = append([]string{disk.Absolute(base, words[0])}, words[1:]...)
		if !identity.IsWrapper(p.Command) {
			p.Dir = filepath.Dir(p.Command[0])
		}
	default:
		found, err := findProgram(words[0], e.env.Path)
		if err != nil {
			return fail.Engine(e.Name, err)
		}
		p.Command = append([]string{found}, words[1:]...)
	}
	if e.Dir != "" {
		path := e.at + ".dir"
		p.Dir = disk.Absolute(e.file.base(path, e.baseDir, e.env.WorkDir), e.Dir)
	}
	return e.identify(p)
}

// windowsPath matches the begin of an absolute path of Windows with backslashes.
var windowsPath = regexp.MustCompile(`^[A-Za-z]:\\[^ ]`)

// barePath matches the begin of an absolute path of Windows whose backslashes a shell has removed.
var barePath = regexp.MustCompile(`^[A-Za-z]:[^/\\ ]`)

// misread returns an error for a command that splitting has changed: a path of Windows lost its backslashes, or a path
// with blanks became several words.
func (e engineResolver) misread(base string, words []string) error {
	switch _, err := os.Stat(disk.Absolute(base, words[0])); {
	case e.Cmd == "":
		return nil
	case windowsPath.MatchString(e.Cmd):
		quoted := fmt.Sprintf("cmd = \"'%s'\"", strings.ReplaceAll(e.Cmd, `\`, `\\`))
		if flag, _ := e.file.where(e.at + ".cmd"); flag != "" {
			quoted = fmt.Sprintf("--engine \"%s='%s'\"", e.Name, e.Cmd)
		}
		return fail.Engine(e.Name,
			fmt.Errorf("%s: gogi reads a backslash as a shell does; write / instead of \\, or quote the path: %s", e.Cmd,
				quoted))
	case len(words) > 1 && strings.Contains(words[0], "/") && errors.Is(err, fs.ErrNotExist):
		return fail.Engine(e.Name,
			fmt.Errorf("%s not found; check the path. Quote a path with blanks: cmd = \"'/my engines/dev'\" in a file, \"'/my engines/dev'\" as an argument, or \"NAME='/my engines/dev'\" with --engine NAME=CMD", words[0]))
	}
	return nil
}

func commandWords(e *Engine) ([]string, error) {
	words := e.Command
	switch {
	case e.Cmd != "" && len(e.Command) > 0:
		return nil, errors.New("both cmd and command are given: expected one of them")
	case e.Cmd != "":
		var err error
		if words, err = shellwords.Split(e.Cmd); err != nil {
			return nil, fmt.Errorf("command %q: %w", e.Cmd, err)
		}
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New(`there is no command: expected cmd = "./engine" or command = ["./engine"]`)
	}
	if i := slices.IndexFunc(words, func(w string) bool { return strings.Contains(w, "\x00") }); i >= 0 {
		return nil, fmt.Errorf("word %d of the command has a NUL character in it", i+1)
	}
	return words, nil
}

// findProgram finds a command without a slash in the folders of path, then in Debian's folder for
// engines. It skips an empty element of path, which means the working directory.
func findProgram(name, path string) (string, error) {
	for _, folder := range append(filepath.SplitList(path), gamesFolder) {
		if !filepath.IsAbs(folder) {
			continue
		}
		candidate := filepath.Join(folder, name)
		if disk.CheckProgram(candidate) == nil {
			return candidate, nil
		}
	}
	if barePath.MatchString(name) {
		return "",
			fmt.Errorf("%q not found; if the path had backslashes, the shell removed them: write / instead of \\, or put the argument in quotes", name)
	}
	return "", fmt.Errorf("%q is neither in PATH nor in %s: expected a program there, or a path with a slash such as ./%s",
		name, gamesFolder, name)
}

func (e engineResolver) environ() []string {
	for _, v := range e.Env {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" || strings.Contains(v, "\x00") {
			e.fail(e.at+".env", "engine %s: env: %q: expected NAME=VALUE", e.Name, v)
		}
	}
	return e.Env
}

func (e engineResolver) options() []match.Option {
	e.checkOptions("options", "options", e.file.Options)
	e.checkOptions(e.at+".options", "engine "+e.Name+": options", e.Options)
	merged := e.file.Options
	for _, o := range e.Options {
		merged = merged.with(o)
	}
	return merged
}

func (e engineResolver) limits() match.Limits {
	return e.limitsOf("engine "+e.Name, limitsPath("engine", e.i, e.Engine.Limits), e.Engine.Limits)
}

// profile returns the name of the engine's option profile: its own, or the profile of the file. It returns ""
// without a profile.
func (e engineResolver) profile() string {
	name, path := e.Profile, e.at+".profile"
	if name == "" {
		name, path = e.file.Profile, "profile"
	}
	if name == "" || name == identity.NoProfile {
		return ""
	}
	if !identity.IsProfile(name) {
		e.fail(path, "engine %s: there is no profile %s: expected %s", e.Name, strconv.Quote(name), identity.ProfileNames())
	}
	return name
}

// identify sets the part of the player's identity that follows from its command and from the key identity.
func (e engineResolver) identify(p *match.Player) error {
	if p.Builtin {
		p.Identity.Fixed = e.env.BuiltinVersion
		return nil
	}
	if err := disk.CheckProgram(p.Command[0]); err != nil {
		return fail.Engine(p.Name, err)
	}
	if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("engine %s: its working directory %s is no folder", p.Name, p.Dir)
	}
	switch {
	case e.Identity.Text != "":
		p.Identity.Fixed = e.Identity.Text
		return nil
	case identity.IsRemote(p.Command):
		return fmt.Errorf("engine %s: what runs behind ssh cannot be hashed from here: expected identity = \"…\", such as its version or the SHA-256 of its binary", p.Name)
	}
	if err := e.hashes.Command(p); err != nil {
		return fail.Engine(p.Name, err)
	}
	if len(e.Identity.Files) == 0 {
		return fail.Engine(p.Name, e.hashes.Scripts(p))
	}
	key := e.at + ".identity"
	for _, name := range e.Identity.Files {
		if name == "" {
			return fmt.Errorf("engine %s: identity: the list has an empty name; remove it, or name a file", e.Name)
		}
		if err := e.hashes.UserFile(p, disk.Absolute(e.file.base(key, e.baseDir, e.env.WorkDir), name)); err != nil {
			return fmt.Errorf("engine %s: identity: %s: %w", e.Name, name, disk.Reason(err))
		}
	}
	return nil
}
