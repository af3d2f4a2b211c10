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

// Flags is the command line of a series: a command embeds it. A zero field was not given.
// The tags are the one list of flags there is. "name" is the flag's, "key" the path of the
// key that it stands for in a File; a flag without one has a syntax of its own. The others
// are of kong, which reads the command line.
type Flags struct {
	Run           string   `group:"series" name:"run" key:"run" placeholder:"NAME" help:"Name of the run (default: the file's)."`
	Games         *int     `group:"series" name:"games" key:"games" placeholder:"N" help:"How many games; even where pairs have two legs."`
	Players       []string `group:"series" name:"players" key:"players" placeholder:"A,B" help:"Who plays (default: every engine)."`
	Design        string   `group:"series" name:"design" key:"design" placeholder:"NAME" help:"match, round_robin, gauntlet, swiss, knockout or adaptive."`
	Rounds        *int     `group:"series" name:"rounds" key:"design.rounds" placeholder:"N" help:"Rounds of a Swiss, in place of --games."`
	MatchPairs    *int     `group:"series" name:"match-pairs" key:"design.match_pairs" placeholder:"N" help:"Pairs in a match of a Swiss or a knockout (default 1)."`
	Tiebreaks     *int     `group:"series" name:"tiebreaks" key:"design.tiebreaks" placeholder:"N" help:"Further pairs at most for a knockout's match that is tied (default 4)."`
	ThirdPlace    *bool    `group:"series" name:"third-place" key:"design.third_place" negatable:"" help:"The losers of a knockout's semifinals play, too."`
	Seeding       string   `group:"series" name:"seeding" key:"design.seeding" placeholder:"HOW" help:"Start numbers of a Swiss or a knockout: given or lot."`
	Block         *int     `group:"series" name:"block" key:"design.block" placeholder:"N" help:"Pairs that an adaptive design draws at a time."`
	Anchor        string   `group:"series" name:"anchor" key:"design.anchor" placeholder:"NAME" help:"The player from whom ratings are measured; an adaptive design asks who is above it."`
	Swap          *bool    `group:"series" name:"swap" key:"swap" negatable:"" help:"Pairs of two games with colours swapped (default yes)."`
	Seed          *uint64  `group:"series" name:"seed" key:"seed" placeholder:"N" help:"Seed of everything random."`
	Concurrency   string   `group:"series" name:"concurrency" key:"concurrency" placeholder:"N" help:"Games at a time, each of another pair, or cpus (default: half of the CPUs)."`
	StartParallel *int     `group:"series" name:"start-parallel" key:"start_parallel" placeholder:"N" help:"Engines that may be starting at a time (default 4)."`
	SlotsPerGPU   *int     `group:"series" name:"slots-per-gpu" key:"slots_per_gpu" placeholder:"N" help:"Slots that share a GPU, for {gpu} in an engine's env."`
	CPUs          string   `group:"series" name:"cpus" key:"cpus" placeholder:"LIST" help:"Bind each slot to cores of its own: auto, of these (2-7,10), or off (default)."`
	CoresPerSlot  *int     `group:"series" name:"cores-per-slot" key:"cores_per_slot" placeholder:"N" help:"With --cpus, cores for each player that thinks (default: as many as it has threads)."`
	Openings      string   `group:"series" name:"openings" key:"openings.file" placeholder:"FILE" help:"Lines \"startpos moves …\" or \"sfen …\", also .gz, .zip, .epd; or a built-in set: builtin (12 to 16 moves, the default), builtin-1000, builtin-short (2 moves), builtin-64."`
	OpeningPlies  *int     `group:"series" name:"opening-plies" key:"openings.plies" placeholder:"N" help:"Keep the first N moves of an opening."`
	Handicap      string   `group:"series" name:"handicap" key:"openings.handicap" placeholder:"NAME" help:"Start from a handicap, such as two-piece."`
	Rules         string   `group:"series" name:"rules" key:"rules" placeholder:"NAME" help:"default, wcsc, denryu or floodgate."`
	MaxPlies      *int     `group:"series" name:"max-plies" key:"rules.max_plies" placeholder:"N" help:"The most moves of both sides, openings' included; what the rules say of them by default, 0 for no limit."`
	Resign        string   `group:"series" name:"resign" key:"resign" placeholder:"2000x3" help:"End by score: score × moves, both sides agreeing; 1: before it for one side."`
	Draw          string   `group:"series" name:"draw" key:"draw" placeholder:"10x8@40" help:"Draw by score: score × moves @ first ply."`
	Mate          string   `group:"series" name:"mate" key:"mate.engine" placeholder:"ENGINE" help:"End games by proof: ask this engine, which does not play, for mates (builtin: the built-in one); only what the rules prove ends a game."`
	SPRT          string   `group:"series" name:"sprt" key:"gate.sprt" placeholder:"0,4" help:"Stop when an SPRT of these two Elo differences decides; --games is then the maximum. elo0=0,elo1=4,alpha=0.05,beta=0.05,model=logistic,boundary=ratio sets every key (these are the defaults)."`
	Ponder        string   `group:"series" name:"ponder" key:"ponder" placeholder:"MODE" help:"off, standard or early."`
	Slowed        string   `group:"series" name:"slowed" key:"slowed" placeholder:"POLICY" help:"Pairs with a move that the machine slowed: count or void."`
	Durable       *bool    `group:"series" name:"durable" key:"store.durable" negatable:"" help:"A stored pair outlives a power cut, too: each commit waits for the disk (default no: the last pairs may have to be played again)."`
	PVPlies       *int     `group:"series" name:"pv-plies" key:"pv_plies" placeholder:"N" help:"How much of each principal variation to store."`
	Transcript    *bool    `group:"series" name:"transcript" key:"transcript" negatable:"" help:"Keep every line that engines are sent and say, a file for each game."`

	Engine  []string `group:"engines" name:"engine" sep:"none" placeholder:"A=CMD" help:"An engine; CMD is split as a shell splits it. The word builtin is the built-in one."`
	Council []string `group:"engines" name:"council" sep:"none" placeholder:"C=RULE:A,B" help:"A council: engines A and B vote by a rule, such as majority or adoption."`
	Option  []string `group:"engines" name:"option" sep:"none" placeholder:"A.NAME=VALUE" help:"An engine's option; all. for every engine."`
	Profile string   `group:"engines" name:"profile" key:"profile" placeholder:"NAME" help:"Option profile: yaneuraou."`
	Restart string   `group:"engines" name:"restart" key:"restart" placeholder:"WHEN" help:"A fresh process: never, pair or game."`

	TC        []string `group:"limits" name:"tc" key:"limits.tc" sep:"none" placeholder:"8+0.08" help:"Clock in seconds: main+increment or main/byoyomi; black=… by colour, A=… by engine."`
	Main      []string `group:"limits" name:"main" key:"limits.main" sep:"none" placeholder:"DUR" help:"Main time, such as 5m; black=… by colour, A=… by engine."`
	Byoyomi   []string `group:"limits" name:"byoyomi" key:"limits.byoyomi" sep:"none" placeholder:"DUR" help:"Byoyomi, such as 1s; likewise."`
	Increment []string `group:"limits" name:"increment" key:"limits.increment" sep:"none" placeholder:"DUR" help:"Fischer increment; likewise."`
	Movetime  []string `group:"limits" name:"movetime" key:"limits.movetime" sep:"none" placeholder:"DUR" help:"Fixed time a move; A=… by engine."`
	Nodes     []string `group:"limits" name:"nodes" key:"limits.nodes" sep:"none" placeholder:"N" help:"Nodes a move; A=… by engine."`
	Depth     []string `group:"limits" name:"depth" key:"limits.depth" sep:"none" placeholder:"N" help:"Depth of a search; A=… by engine."`
	Self      bool     `group:"limits" name:"self" key:"limits.self" help:"The engines end their searches by themselves."`
	Margin    []string `group:"limits" name:"margin" key:"limits.margin" sep:"none" placeholder:"DUR" help:"Tolerated overrun (default 100ms); A=… by engine."`
	Stall     []string `group:"limits" name:"stall" key:"limits.stall" sep:"none" placeholder:"DUR" help:"Longest wait for a move without a clock (default 60s); A=… by engine."`
}

// Read reads a series, by its file or by the name of a ready one, and lets the flags win
// over it. "" is no file if engines are named by flags, else the series that is
// played by default. dir is the folder that the file's paths are relative to.
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

// Apply lets flags win over the file. All errors are reported together; after
// one the File is of no more use.
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
	for _, text := range specificLast(flags.Option) {
		a.option(text)
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

// won notes that a flag gave a key.
func (a *applier) won(path, flag string) { a.file.flags[path] = flag }

// aFlag is a flag that stands for a key.
type aFlag struct {
	name, key string
	value     reflect.Value
}

// Given returns the flags that have a value, as they are typed, but for those named.
func (flags *Flags) Given(but ...string) (given []string) {
	v := reflect.ValueOf(flags).Elem()
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("name"); !v.Field(i).IsZero() && !slices.Contains(but, name) {
			given = append(given, "--"+name)
		}
	}
	return given
}

// keyed lists the flags of these that stand for a key, those of limits apart from the others.
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

// plain gives keys the values of their flags.
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
		a.won(f.key, f.name)
	}
	if a.flags.SPRT != "" {
		a.file.Gate.without(a.file.Gate.SPRT)
	}
}

// replace empties the tables that a flag gives anew: another kind of design takes the keys
// of the old one with it, other rules those that differ from the profile, and another source
// of openings the old one.
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

// keyAt is the value of a key by its path, within copies of the tables on its way. The path
// of a table that has a short key means that key.
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

// setText sets a pointer to the value that a flag's text means.
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

// fromOne reads a number from 1.
func fromOne[T int | uint64](text string, into *T) error {
	n, err := strconv.ParseUint(text, 10, 62)
	if *into = T(n); err != nil || n == 0 {
		return fmt.Errorf("%q: expected a whole number from 1", text)
	}
	return nil
}

// engine reads "A=CMD". An identity that the file gives by hand belonged to
// the command that is replaced, so it goes too. A name that an earlier flag has
// given is refused.
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
		a.won(position.Element("engine", i), "--engine "+text)
	}
	e := &a.file.Engines[i]
	e.Cmd, e.Command, e.Identity = command, nil, ""
	a.won(position.Element("engine", i)+".cmd", "--engine "+text)
}

// council reads "C=RULE:A,B". The rule may have keys after a colon of its own:
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
		a.won(position.Element("council", i), flag)
	}
	c := &a.file.Councils[i]
	c.Rule, c.Members, c.Vary = Rule(spec.String()), strings.Split(rest[colon+1:], ","), nil
	a.won(position.Element("council", i)+".members", flag)
}

// engine is the index of an engine by name, or -1.
func (f *File) engine(name string) int {
	return slices.IndexFunc(f.Engines, func(e Engine) bool { return e.Name == name })
}

// specificLast puts what is for every engine first, so that what is for one
// engine wins.
func specificLast(options []string) []string {
	sorted := slices.Clone(options)
	slices.SortStableFunc(sorted, func(x, y string) int {
		return rank(x) - rank(y)
	})
	return sorted
}

func rank(option string) int {
	if strings.HasPrefix(option, "all.") {
		return 0
	}
	return 1
}

// option reads "A.NAME=VALUE"; NAME may contain blanks and dots.
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
			a.won(position.Element("engine", j)+".options."+name, flag)
		}
	}
}

// with sets one option: in its place when it is there, else at the end.
func (o Options) with(option match.Option) Options {
	list := slices.Clone(o)
	i := slices.IndexFunc(list, func(x match.Option) bool { return usi.SameOption(x.Name, option.Name) })
	if i < 0 {
		return append(list, option)
	}
	list[i] = option
	return list
}

// engineNames lists the engines for an error.
func (f *File) engineNames() string {
	if len(f.Engines) == 0 {
		return "there are no engines; expected [[engine]] in a file or --engine NAME=COMMAND"
	}
	var names []string
	for _, e := range f.Engines {
		names = append(names, strconv.Quote(e.Name))
	}
	for _, c := range f.Councils {
		names = append(names, strconv.Quote(c.Name))
	}
	return "expected " + strings.Join(names, " or ")
}
