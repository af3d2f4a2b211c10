package configs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gogi/internal/unfit"
	"gogi/match"
	"gogi/shogi"
	"gogi/usi"
)

const (
	defaultGreeting = time.Minute
	defaultReady    = 10 * time.Minute

	builtinWord  = "builtin" // the command that means the built-in engine
	builtinVerb  = "engine"  // the verb of this program that is it
	gamesFolder  = "/usr/games"
	noProfile    = "none"
	reservedFull = "all" // of --option
)

// players resolves the engines that play, in the order of players.
func (r *resolver) players() []match.Player {
	r.checkNames()
	r.choosePlayers()
	var players []match.Player
	for _, s := range r.seats {
		if s.council {
			players = append(players, r.council(s.index, nil))
		} else {
			players = append(players, r.player(s.index))
		}
	}
	return players
}

// seat is who plays: an index into the file's engines, or its councils.
type seat struct {
	index   int
	council bool
}

func (r *resolver) checkNames() {
	seen := map[string]bool{}
	for i, e := range r.file.Engines {
		r.checkName(element("engine", i)+".name", "engine", e.Name, seen)
	}
	for i, c := range r.file.Councils {
		r.checkName(element("council", i)+".name", "council", c.Name, seen)
	}
}

// checkName refuses a name that flags could not say, or that is taken.
func (r *resolver) checkName(path, what, name string, seen map[string]bool) {
	if why := badName(name); why != "" {
		r.fail(path, "%s name %q %s", what, name, why)
	} else if seen[name] {
		r.fail(path, "%s name %q is taken: expected each %s to have its own", what, name, what)
	}
	seen[name] = true
}

func badName(name string) string {
	switch {
	case name == "":
		return "is empty: expected a name"
	case name == reservedFull || name == "black" || name == "white":
		return "means something else in flags: expected another name"
	case strings.ContainsAny(name, "=.,"):
		return "has one of = . , in it, which flags could not tell apart: expected a name without them"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "has a control character in it: expected a printable name"
	}
	return ""
}

// choosePlayers finds the engines and councils of players; by default all play
// that are no member of a council.
func (r *resolver) choosePlayers() {
	if r.file.Players == nil {
		r.chooseAll()
		return
	}
	for j, name := range r.file.Players {
		path := element("players", j)
		s := seat{r.file.engine(name), false}
		if s.index < 0 {
			s = seat{r.file.council(name), true}
		}
		switch {
		case s.index < 0:
			r.fail(path, "players: there is no engine %q (%s)", name, r.file.engineNames())
		case slices.Contains(r.seats, s):
			r.fail(path, "players: %q is there twice: expected a second [[engine]] with a name of its own", name)
		default:
			r.seats = append(r.seats, s)
		}
	}
}

func (r *resolver) chooseAll() {
	for i, e := range r.file.Engines {
		if !r.file.memberOfAny(e.Name) {
			r.seats = append(r.seats, seat{i, false})
		}
	}
	for i, c := range r.file.Councils {
		if !r.file.memberOfAny(c.Name) {
			r.seats = append(r.seats, seat{i, true})
		}
	}
}

// EnginesOf names the engines of the file's n-th player, counted from 0: itself, or
// who votes in it. It is empty where there is no such player.
func (f *File) EnginesOf(n int) []string {
	r := resolver{file: f}
	r.choosePlayers()
	switch {
	case n >= len(r.seats):
		return nil
	case !r.seats[n].council:
		return []string{f.Engines[r.seats[n].index].Name}
	}
	return f.voters(r.seats[n].index, nil)
}

// voters names the engines in a council, those in councils within it included.
// within are the councils that it is in: nothing but a mistake is in itself.
func (f *File) voters(council int, within []int) (names []string) {
	if slices.Contains(within, council) {
		return nil
	}
	for _, name := range f.Councils[council].Members {
		if i := f.council(name); i >= 0 && f.engine(name) < 0 {
			names = append(names, f.voters(i, append(slices.Clone(within), council))...)
		} else {
			names = append(names, name)
		}
	}
	return names
}

// player resolves an engine that plays.
func (r *resolver) player(i int) match.Player { return r.engine(i, r.limits(i)) }

// engine resolves one engine under the given limits.
func (r *resolver) engine(i int, limits match.Limits) match.Player {
	e, path := &r.file.Engines[i], element("engine", i)
	p := match.Player{
		Name:     e.Name,
		Env:      r.environ(i),
		Options:  r.options(i),
		Limits:   limits,
		Profile:  r.profile(i),
		Greeting: r.timeout(path+".greeting_timeout", e.GreetingTimeout, defaultGreeting),
		Ready:    r.timeout(path+".ready_timeout", e.ReadyTimeout, defaultReady),
		WarmUp:   e.WarmUp,
	}
	p.Restart = r.restart(path+".restart", e.Restart)
	if err := r.program(i, &p); err != nil {
		r.fail(r.commandPath(i), "%w", err)
	}
	return p
}

// restart is how long a player's processes live: its own key, or the series'.
func (r *resolver) restart(path string, own match.Restart) match.Restart {
	if own == "" {
		path, own = "restart", r.file.Restart
	}
	return choose(r, path, own, match.RestartNever, match.RestartPair, match.RestartGame)
}

// commandPath is the key that gave an engine's command, for where it came from.
func (r *resolver) commandPath(i int) string {
	if len(r.file.Engines[i].Command) > 0 {
		return element("engine", i) + ".command"
	}
	return element("engine", i) + ".cmd"
}

// program finds the command, its folder and what identifies it. Its errors name the
// engine, and those of a program that cannot be started are marked as its own.
func (r *resolver) program(i int, p *match.Player) error {
	e := &r.file.Engines[i]
	words, err := commandWords(e)
	if err != nil {
		return fmt.Errorf("engine %s: %w", e.Name, err)
	}
	base := r.file.base(r.commandPath(i), r.baseDir, r.env.WorkDir)
	p.Dir = base
	switch {
	case words[0] == builtinWord:
		p.Builtin = true
		p.Command = append([]string{r.env.Self, builtinVerb}, words[1:]...)
	case strings.Contains(words[0], "/"):
		p.Command = append([]string{absolute(base, words[0])}, words[1:]...)
		if !isWrapper(p.Command) {
			p.Dir = filepath.Dir(p.Command[0])
		}
	default:
		found, err := lookUp(words[0], r.env.Path)
		if err != nil {
			return unfit.Wrap(e.Name, err)
		}
		p.Command = append([]string{found}, words[1:]...)
	}
	if e.Dir != "" {
		path := element("engine", i) + ".dir"
		p.Dir = absolute(r.file.base(path, r.baseDir, r.env.WorkDir), e.Dir)
	}
	return r.identify(e.Identity, p)
}

func commandWords(e *Engine) ([]string, error) {
	words := e.Command
	switch {
	case e.Cmd != "" && len(e.Command) > 0:
		return nil, errors.New("both cmd and command are given: expected one of them")
	case e.Cmd != "":
		var err error
		if words, err = SplitWords(e.Cmd); err != nil {
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

// lookUp finds a bare command in PATH, then where Debian keeps its engines. An
// empty element of PATH is left out: it would mean wherever gogi was started.
func lookUp(name, path string) (string, error) {
	for _, folder := range append(filepath.SplitList(path), gamesFolder) {
		if !filepath.IsAbs(folder) {
			continue
		}
		candidate := filepath.Join(folder, name)
		if checkProgram(candidate) == nil {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("%q is neither in PATH nor in %s: expected a program there, or a path with a slash such as ./%s", name, gamesFolder, name)
}

// checkProgram says why a path cannot be started, or nil.
func checkProgram(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("%s cannot be started: %w", path, reason(err))
	case info.IsDir():
		return fmt.Errorf("%s cannot be started: it is a folder", path)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("%s cannot be started: it is not executable (chmod +x)", path)
	}
	return nil
}

// reason is what the system says, without the path that is already said.
func reason(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}

// isWrapper reports whether a command starts another program that its
// arguments name. Such a command is as good as its arguments: those that are
// files belong to its identity, and its own folder means nothing.
func isWrapper(command []string) bool {
	switch name := filepath.Base(command[0]); name {
	case "nice", "ionice", "taskset", "numactl", "chrt", "env", "stdbuf", "setpriv", "prlimit", "time", "timeout",
		"sh", "bash", "dash", "node", "java", "ruby", "perl", "mono", "dotnet", "wine", "wine64", "box64":
		return true
	default:
		return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "qemu-")
	}
}

// isRemote reports whether the program runs on another machine.
func isRemote(command []string) bool { return filepath.Base(command[0]) == "ssh" }

func (r *resolver) environ(i int) []string {
	path := element("engine", i) + ".env"
	for _, v := range r.file.Engines[i].Env {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" || strings.Contains(v, "\x00") {
			r.fail(path, "engine %s: env: %q: expected NAME=VALUE", r.file.Engines[i].Name, v)
		}
	}
	return r.file.Engines[i].Env
}

// options lays an engine's options over those of all engines.
func (r *resolver) options(i int) []match.Option {
	e := r.file.Engines[i]
	r.checkOptions("options", "options", r.file.Options)
	r.checkOptions(element("engine", i)+".options", "engine "+e.Name+": options", e.Options)
	merged := r.file.Options
	for _, o := range e.Options {
		merged = merged.with(o)
	}
	return merged
}

func (r *resolver) checkOptions(path, whose string, options Options) {
	for j, o := range options {
		at := join(path, o.Name)
		if strings.ContainsAny(o.Name+o.Value, "\r\n\x00") || strings.TrimSpace(o.Name) == "" {
			r.fail(at, "%s: %q = %q: expected a name, and no line breaks", whose, o.Name, o.Value)
		}
		same := func(x match.Option) bool { return usi.SameOption(x.Name, o.Name) }
		if first := slices.IndexFunc(options, same); first < j {
			r.fail(at, "%s: %s and %s are the same option: expected one of them", whose, options[first].Name, o.Name)
		}
	}
}

// limits lays an engine's limits over those of all.
func (r *resolver) limits(i int) match.Limits {
	e := &r.file.Engines[i]
	return r.limitsOf("engine "+e.Name, r.limitsPath(i), e.Limits)
}

// limitsOf lays somebody's limits over those of all, and checks them with each
// colour that it may have.
func (r *resolver) limitsOf(whose, path string, own *Limits) match.Limits {
	limits, err := or(r.file.Limits, Limits{}).override(or(own, Limits{})).resolve()
	as := ""
	plan := match.Plan{Players: []match.Player{{Limits: limits}}, ColourClocks: r.clocks}
	for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
		if err == nil {
			err = plan.LimitsOf(0, c).Check()
			if err != nil && r.clocks != [2]*match.TimeControl{} {
				as = " as " + c.String()
			}
		}
	}
	if err != nil {
		r.fail(path, "%s%s: limits: %w", whose, as, err)
	}
	return limits
}

func (r *resolver) profile(i int) string {
	e := r.file.Engines[i]
	name, path := e.Profile, element("engine", i)+".profile"
	if name == "" {
		name, path = r.file.Profile, "profile"
	}
	if name == "" || name == noProfile {
		return ""
	}
	if _, ok := profiles()[name]; !ok {
		r.fail(path, "engine %s: there is no profile %s: expected %s", e.Name, strconv.Quote(name), profileNames())
	}
	return name
}

func (r *resolver) timeout(path string, value *time.Duration, def time.Duration) time.Duration {
	d := or(value, def)
	if d <= 0 {
		r.fail(path, "%s: 0 leaves the engine no time: expected a duration such as %q", label(path), def)
	}
	return d
}
