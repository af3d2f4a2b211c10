package configs

import (
	"encoding"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gogi/configs/position"
	"gogi/ensemble/voting"

	"gogi/match"
	"gogi/usi"
)

// Flags has the command-line flags of a match. A command embeds this type. A field with the zero value means
// that the user did not give the flag. The tags are the only list of flags. The tag "name" is the name of the
// flag, and "key" the path of the key in File that the flag replaces. A flag without "key" has its own
// syntax. "more" marks a flag that only --help-all shows. Package kong, which parses the command line,
// defines the other tags.
type Flags struct {
	Engine  []string `group:"engines" name:"engine" sep:"none" placeholder:"A=CMD" help:"Engine named A that gogi starts by the command CMD, split into words as a shell does; the CMD builtin is the built-in engine."`
	Council []string `group:"engines" name:"council" sep:"none" placeholder:"C=RULE:A,B" more:"" help:"Council: engines A and B vote by a rule, such as majority or adoption."`
	Option  []string `group:"engines" name:"option" sep:"none" placeholder:"A.NAME=VALUE" help:"Option of engine A; all.NAME sets it for every engine."`
	Profile string   `group:"engines" name:"profile" key:"profile" placeholder:"NAME" help:"Preset option values for a family of engines. The only preset is yaneuraou."`
	Restart string   `group:"engines" name:"restart" key:"restart" placeholder:"WHEN" more:"" help:"Restart of engines: never, before each pair (pair) or before each game (game)."`

	QuitTimeout *time.Duration `group:"engines" name:"quit-timeout" key:"quit_timeout" placeholder:"DUR" more:"" help:"Maximum wait for the end of an engine after quit (default 2s)."`

	TC        []string `group:"limits" name:"tc" key:"limits.tc" sep:"none" placeholder:"8+0.08" help:"Time control in seconds: main+increment or main/byoyomi; black=… for one colour, A=… for engine A."`
	Main      []string `group:"limits" name:"main" key:"limits.main" sep:"none" placeholder:"DUR" more:"" help:"Main time, such as 5m; black=… for one colour, A=… for engine A."`
	Byoyomi   []string `group:"limits" name:"byoyomi" key:"limits.byoyomi" sep:"none" placeholder:"DUR" more:"" help:"Byoyomi, such as 1s; black=… for one colour, A=… for engine A."`
	Increment []string `group:"limits" name:"increment" key:"limits.increment" sep:"none" placeholder:"DUR" more:"" help:"Fischer increment, such as 100ms; black=… for one colour, A=… for engine A."`
	Movetime  []string `group:"limits" name:"movetime" key:"limits.movetime" sep:"none" placeholder:"DUR" help:"Fixed time for each move, such as 500ms; A=… for engine A."`
	Nodes     []string `group:"limits" name:"nodes" key:"limits.nodes" sep:"none" placeholder:"N" help:"Number of nodes for each move; A=… for engine A."`
	Depth     []string `group:"limits" name:"depth" key:"limits.depth" sep:"none" placeholder:"N" more:"" help:"Search depth of each move; A=… for engine A."`
	Self      bool     `group:"limits" name:"self" key:"limits.self" more:"" help:"Send the engines no time, node or depth limit; they decide themselves when to move."`
	Margin    []string `group:"limits" name:"margin" key:"limits.margin" sep:"none" placeholder:"DUR" more:"" help:"Time margin: tolerated overrun of a move (default 100ms); A=… for engine A."`
	Stall     []string `group:"limits" name:"stall" key:"limits.stall" sep:"none" placeholder:"DUR" more:"" help:"Maximum wait for a move of an engine that has no clock (default 60s); A=… for engine A."`

	Run           string   `group:"series" name:"run" key:"run" placeholder:"NAME" help:"Name of the run (default: the name in the file)."`
	Games         *int     `group:"series" name:"games" key:"games" placeholder:"N" help:"Number of games; it must be even, because gogi plays each opening twice."`
	Players       []string `group:"series" name:"players" key:"players" placeholder:"A,B" more:"" help:"Names of the engines and councils that play (default: all except council members)."`
	Design        string   `group:"series" name:"design" key:"design" placeholder:"NAME" help:"Tournament format: match, round_robin, gauntlet, swiss, knockout or adaptive."`
	Rounds        *int     `group:"series" name:"rounds" key:"design.rounds" placeholder:"N" more:"" help:"Number of rounds of a Swiss tournament, instead of --games."`
	MatchPairs    *int     `group:"series" name:"match-pairs" key:"design.match_pairs" placeholder:"N" more:"" help:"Number of pairs for each meeting of two players in a Swiss or knockout tournament (default 1)."`
	Tiebreaks     *int     `group:"series" name:"tiebreaks" key:"design.tiebreaks" placeholder:"N" more:"" help:"Maximum number of extra pairs for a tied knockout match (default 4)."`
	ThirdPlace    *bool    `group:"series" name:"third-place" key:"design.third_place" negatable:"" more:"" help:"Play a match for third place in a knockout tournament."`
	Seeding       string   `group:"series" name:"seeding" key:"design.seeding" placeholder:"HOW" more:"" help:"Seeding of a Swiss or knockout tournament: order of the players (given) or random order (lot)."`
	Block         *int     `group:"series" name:"block" key:"design.block" placeholder:"N" more:"" help:"Number of pairs for each step of an adaptive tournament."`
	Anchor        string   `group:"series" name:"anchor" key:"design.anchor" placeholder:"NAME" more:"" help:"Player with rating 0. An adaptive tournament finds the players that are stronger than this one."`
	Swap          *bool    `group:"series" name:"swap" key:"swap" negatable:"" more:"" help:"Play each opening twice with swapped colours (default yes)."`
	Seed          *uint64  `group:"series" name:"seed" key:"seed" placeholder:"N" more:"" help:"Seed of all random choices (default 1)."`
	Concurrency   string   `group:"series" name:"concurrency" key:"concurrency" placeholder:"N" help:"Number of games at a time, or cpus for one per CPU (default: half of the CPUs)."`
	StartParallel *int     `group:"series" name:"start-parallel" key:"start_parallel" placeholder:"N" more:"" help:"Maximum number of engines that start at the same time (default 4)."`
	SlotsPerGPU   *int     `group:"series" name:"slots-per-gpu" key:"slots_per_gpu" placeholder:"N" more:"" help:"Number of games at a time on each GPU; {gpu} in an engine's env becomes the GPU's number (default 1)."`
	CPUs          string   `group:"series" name:"cpus" key:"cpus" placeholder:"LIST" more:"" help:"CPUs to which gogi binds the games: auto, a list such as 2-7,10, or off (default)."`
	CoresPerSlot  *int     `group:"series" name:"cores-per-slot" key:"cores_per_slot" placeholder:"N" more:"" help:"With --cpus: number of cores for each thinking player (default: its number of threads)."`
	Openings      string   `group:"series" name:"openings" key:"openings.file" placeholder:"FILE" help:"Opening file with lines \"startpos moves …\" or \"sfen …\" (also .gz, .zip, .epd), or a built-in set: builtin (12 to 16 moves, the default), builtin-1000, builtin-short (2 moves), builtin-64."`
	OpeningPlies  *int     `group:"series" name:"opening-plies" key:"openings.plies" placeholder:"N" more:"" help:"Number of moves that gogi plays from each opening (default: all)."`
	Handicap      string   `group:"series" name:"handicap" key:"openings.handicap" placeholder:"NAME" more:"" help:"Handicap of the first position, such as two-piece."`
	Rules         string   `group:"series" name:"rules" key:"rules" placeholder:"NAME" help:"Rules: default, wcsc, denryu or floodgate."`
	MaxPlies      *int     `group:"series" name:"max-plies" key:"rules.max_plies" placeholder:"N" help:"Maximum number of plies, opening included; 0: no limit (default: from the rules)."`
	Resign        string   `group:"series" name:"resign" key:"resign" placeholder:"2000x3" help:"Resign adjudication: 2000x3 ends a game when a player's score is -2000 or less for 3 moves in a row and the opponent's scores agree; 1:2000x3 needs no agreement."`
	Draw          string   `group:"series" name:"draw" key:"draw" placeholder:"10x8@40" help:"Draw adjudication: 10x8@40 ends a game as a draw after 8 moves of each side with scores within ±10, from ply 40."`
	Mate          string   `group:"series" name:"mate" key:"mate.engine" placeholder:"ENGINE" more:"" help:"Mate adjudication: solver that gogi asks for mates, or builtin. gogi proves each mate before it ends a game."`
	SPRT          string   `group:"series" name:"sprt" key:"gate.sprt" placeholder:"0,4" help:"Stop when an SPRT of elo0 and elo1 decides; --games is the maximum. The long form is elo0=0,elo1=4 with any of these keys, here with their defaults: alpha=0.05,beta=0.05,model=logistic,boundary=ratio. Other values: model=normalized, boundary=bounded."`
	Ponder        string   `group:"series" name:"ponder" key:"ponder" placeholder:"MODE" more:"" help:"Pondering: off (default), standard or early (gogi sends the new clocks with ponderhit)."`
	Slowed        string   `group:"series" name:"slowed" key:"slowed" placeholder:"POLICY" more:"" help:"Treatment of pairs in which the machine delayed a move: count or void (play again)."`
	Durable       *bool    `group:"series" name:"durable" key:"store.durable" negatable:"" more:"" help:"Wait until each stored pair is on the disk (default no: after a power cut gogi plays the last pairs again)."`
	PVPlies       *int     `group:"series" name:"pv-plies" key:"pv_plies" placeholder:"N" more:"" help:"Number of moves of each principal variation that gogi stores (default 12)."`
	Transcript    *bool    `group:"series" name:"transcript" key:"transcript" negatable:"" more:"" help:"Write the USI dialogue of each game to a file of its own."`
}

// Read reads a match file, or a built-in series by its name, and applies the flags. If name is "" and flags
// give engines, Read starts with an empty file. If name is "" and no flag gives an engine, Read uses the
// default series. dir is the base folder of relative paths in the file.
func (flags *Flags) Read(name string) (file *File, dir string, err error) {
	switch {
	case name != "":
		file, dir, err = Find(name)
	case len(flags.Engine) == 0:
		file, dir, err = Find("default")
	default:
		file = &File{}
		dir, err = filepath.Abs(".")
	}
	if err == nil {
		err = file.Apply(*flags)
	}
	return file, dir, err
}

// Apply replaces keys of the file by the values of flags. It returns all errors together. After an error, do
// not use the File.
func (f *File) Apply(flags Flags) error {
	a := applier{file: f, flags: flags}
	if f.flags == nil {
		f.flags = map[string]string{}
	}
	a.plain()
	for i, text := range flags.Engine {
		a.engine(text, flags.Engine[:i])
	}
	for _, text := range flags.Council {
		a.council(text)
	}
	a.limits()
	for _, all := range []bool{true, false} { // options for one engine come last and replace options for all engines
		for _, text := range flags.Option {
			if strings.HasPrefix(text, "all.") == all {
				a.option(text)
			}
		}
	}
	return errors.Join(a.errs...)
}

type applier struct {
	file  *File
	flags Flags
	errs  []error
}

func (a *applier) fail(flag, format string, args ...any) {
	a.errs = append(a.errs, &Problem{Flag: flag, Cause: fmt.Errorf(format, args...)})
}

// setBy records that a flag set the key at path. Errors and the base folder of relative paths depend on this.
func (a *applier) setBy(path, flag string) { a.file.flags[path] = flag }

type aFlag struct {
	name, key string
	value     reflect.Value
}

// Given returns the names of the flags that have a value, such as "--games", except the names in the list but.
func (flags *Flags) Given(but ...string) (given []string) {
	v := reflect.ValueOf(flags).Elem()
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("name"); !v.Field(i).IsZero() && !slices.Contains(but, name) {
			given = append(given, "--"+name)
		}
	}
	return given
}

// keyed returns all flags that replace a key, even those without a value: flags for limits in limits, the
// others in plain.
func (flags *Flags) keyed() (plain, limits []aFlag) {
	v := reflect.ValueOf(flags).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		flag := aFlag{"--" + tag.Get("name"), tag.Get("key"), v.Field(i)}
		switch {
		case strings.HasPrefix(flag.key, "limits."):
			limits = append(limits, flag)
		case flag.key != "":
			plain = append(plain, flag)
		}
	}
	return plain, limits
}

func (a *applier) plain() {
	a.replace()
	plain, _ := a.flags.keyed()
	for _, f := range plain {
		if f.value.IsZero() {
			continue
		}
		into := keyAt(reflect.ValueOf(a.file).Elem(), f.key)
		switch {
		case into.Type() == f.value.Type():
			into.Set(f.value)
		case into.Kind() == reflect.String:
			into.SetString(f.value.String())
		default:
			if err := setText(into, f.value.String()); err != nil {
				a.fail(f.name, "%v", err)
				continue
			}
		}
		a.setBy(f.key, f.name)
	}
	if a.flags.SPRT != "" {
		a.file.Gate.without(a.file.Gate.SPRT)
	}
}

// replace clears the tables that a flag replaces. A new kind of design clears the keys of the old design. New
// rules clear the changes to the old profile. A new source of openings clears the old source.
func (a *applier) replace() {
	f, flags := a.file, &a.flags
	if flags.Rules != "" {
		f.Rules = nil
	}
	if d := f.Design; d != nil && flags.Design != "" && match.DesignKind(flags.Design) != d.Kind {
		f.Design = &Design{Anchor: d.Anchor}
	}
	if o := f.Openings; o != nil && (flags.Openings != "" || flags.Handicap != "") {
		f.Openings = &Openings{Plies: o.Plies}
	}
}

// keyAt returns the value of the key at a path, so that the caller can set it. It copies the tables on the path. If
// the path is that of a table with a short key, keyAt returns the value of the short key.
func keyAt(table reflect.Value, path string) reflect.Value {
	name, rest, deeper := strings.Cut(path, ".")
	known := fields(table)
	into := known[slices.IndexFunc(known, func(f field) bool { return f.key == name })].value
	if into.Kind() != reflect.Pointer || into.Type().Elem().Kind() != reflect.Struct {
		return into
	}
	inner := reflect.New(into.Type().Elem())
	if !into.IsNil() {
		inner.Elem().Set(into.Elem())
	}
	keys := fields(inner.Elem())
	short := slices.IndexFunc(keys, func(f field) bool { return f.short })
	switch {
	case deeper:
		into.Set(inner)
		return keyAt(inner.Elem(), rest)
	case short >= 0:
		into.Set(inner)
		return keys[short].value
	}
	return into
}

func setText(into reflect.Value, text string) (err error) {
	value := reflect.New(into.Type().Elem())
	switch target := value.Interface().(type) {
	case encoding.TextUnmarshaler:
		err = target.UnmarshalText([]byte(text))
	case *time.Duration:
		*target, err = parseDuration(text)
	case *uint64:
		err = fromOne(text, target)
	case *int:
		err = fromOne(text, target)
	}
	if err == nil {
		into.Set(value)
	}
	return err
}

func fromOne[T int | uint64](text string, into *T) error {
	n, err := strconv.ParseUint(text, 10, 62)
	if *into = T(n); err != nil || n == 0 {
		return fmt.Errorf("%q: expected a whole number from 1", text)
	}
	return nil
}

// engine applies a flag --engine "A=CMD". text is the value of the flag, and before has the values of the earlier
// flags. engine reports an error if two flags have the same name. It also clears the engine's identity key, because
// the identity belonged to the replaced command.
func (a *applier) engine(text string, before []string) {
	name, command, ok := strings.Cut(text, "=")
	if !ok || name == "" || strings.TrimSpace(command) == "" {
		a.fail("--engine "+text, "expected NAME=COMMAND")
		return
	}
	for _, other := range before {
		if strings.HasPrefix(other, name+"=") {
			a.fail("--engine "+text, "engine name %q is taken by --engine %s; give each engine its own name", name, other)
			return
		}
	}
	i := a.file.engine(name)
	if i < 0 {
		i = len(a.file.Engines)
		a.file.Engines = append(a.file.Engines, Engine{Name: name})
		a.setBy(position.Element("engine", i), "--engine "+text)
	}
	e := &a.file.Engines[i]
	e.Cmd, e.Command, e.Identity = command, nil, ByHand{}
	a.setBy(position.Element("engine", i)+".cmd", "--engine "+text)
}

// council applies the flag --council "C=RULE:A,B". The rule may have keys after another colon:
// "C=adoption:reward=voters:A,B".
func (a *applier) council(text string) {
	flag := "--council " + text
	name, rest, ok := strings.Cut(text, "=")
	colon := strings.LastIndex(rest, ":")
	if !ok || name == "" || colon < 0 || rest[colon+1:] == "" {
		a.fail(flag, "expected NAME=RULE:MEMBER,MEMBER")
		return
	}
	spec, err := voting.ParseSpec(rest[:colon])
	if err != nil {
		a.fail(flag, "%v", err)
		return
	}
	i := a.file.council(name)
	if i < 0 {
		i = len(a.file.Councils)
		a.file.Councils = append(a.file.Councils, Council{Name: name})
		a.setBy(position.Element("council", i), flag)
	}
	c := &a.file.Councils[i]
	c.Rule, c.Members, c.Vary = Rule(spec.String()), strings.Split(rest[colon+1:], ","), nil
	a.setBy(position.Element("council", i)+".members", flag)
}

func (f *File) engine(name string) int {
	return slices.IndexFunc(f.Engines, func(e Engine) bool { return e.Name == name })
}

// option applies the flag --option "A.NAME=VALUE". NAME may contain blanks and dots.
func (a *applier) option(text string) {
	flag := "--option " + text
	whose, rest, ok := strings.Cut(text, ".")
	name, value, hasValue := strings.Cut(rest, "=")
	if !ok || !hasValue || whose == "" || name == "" {
		a.fail(flag, "expected ENGINE.NAME=VALUE or all.NAME=VALUE")
		return
	}
	i := a.file.engine(whose)
	if i < 0 && whose != "all" {
		a.fail(flag, "there is no engine %q (%s)", whose, a.file.engineNames())
		return
	}
	for j := range a.file.Engines {
		if j == i || whose == "all" {
			e := &a.file.Engines[j]
			e.Options = e.Options.with(match.Option{Name: name, Value: value})
			a.setBy(position.Element("engine", j)+".options."+name, flag)
		}
	}
}

// with returns the options with one option set. It replaces the value of an existing option in its place, or
// adds a new option at the end.
func (o Options) with(option match.Option) Options {
	list := slices.Clone(o)
	i := slices.IndexFunc(list, func(x match.Option) bool { return usi.SameOption(x.Name, option.Name) })
	if i < 0 {
		return append(list, option)
	}
	list[i] = option
	return list
}

func (f *File) engineNames() string {
	if len(f.Engines) == 0 {
		return "there are no engines; expected [[engine]] in a file or --engine NAME=COMMAND"
	}
	names := f.names()
	for i := range names {
		names[i] = strconv.Quote(names[i])
	}
	return "expected " + strings.Join(names, " or ")
}
