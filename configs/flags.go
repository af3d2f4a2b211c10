package configs

import (
	"encoding"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gogi/configs/located"
	"gogi/ensemble/voting"

	"gogi/match"
	"gogi/usi"
)

// Flags is the command line of a series. A zero field was not given. Each flag
// stands for the key of the same name in a File; the exceptions say so.
type Flags struct {
	Run           string
	Engine        []string // "A=CMD": adds engine A, or replaces its command
	Council       []string // "C=RULE:A,B": adds council C, or replaces its rule and members
	Option        []string // "A.NAME=VALUE"; "all.NAME=VALUE" for every engine
	Players       []string
	Games         *int
	MaxGames      *int // another name for Games
	Seed          *uint64
	Concurrency   string // a number, or "cpus"
	Design        string // design.kind
	Rounds        *int   // design.rounds
	MatchPairs    *int   // design.match_pairs
	Tiebreaks     *int   // design.tiebreaks
	ThirdPlace    *bool  // design.third_place
	Seeding       string // design.seeding
	Block         *int   // design.block
	Anchor        string // design.anchor
	Swap          *bool
	Rules         string   // the name of a profile
	MaxPlies      *int     // rules.max_plies
	Openings      string   // openings.file
	OpeningPlies  *int     // openings.plies
	Handicap      string   // openings.handicap
	TC            []string // "8+0.08"; "black=300+2" by colour; "A=…" by engine
	Main          []string // of everybody, or "A=…" by engine, or by colour as TC; likewise:
	Byoyomi       []string
	Increment     []string
	Movetime      []string // not by colour; likewise:
	Nodes         []string
	Depth         []string
	Self          bool
	Margin        []string
	Stall         []string
	Resign        string
	Draw          string
	Mate          string // mate.engine
	SPRT          string // "0,4"
	Ponder        string
	Slowed        string
	PVPlies       *int
	Transcript    *bool
	StartParallel *int
	SlotsPerGPU   *int
	CPUs          string // "off", "auto", or a list
	CoresPerSlot  *int
	Profile       string
	Restart       string
	Durable       *bool // store.durable
}

// Apply lets flags win over the file. All errors are reported together; after
// one the File is of no more use.
func (f *File) Apply(flags Flags) error {
	a := applier{file: f, flags: flags}
	if f.flags == nil {
		f.flags = map[string]string{}
	}
	a.plain()
	a.design()
	a.games()
	a.openings()
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

// give sets a key when its flag was given.
func give[T comparable](a *applier, path, flag string, value T, into *T) {
	var none T
	if value != none {
		*into = value
		a.won(path, flag)
	}
}

// giveText is give for a key that reads its own text.
func giveText[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](a *applier, path, flag, text string, into **T) {
	if text == "" {
		return
	}
	value := new(T)
	if err := P(value).UnmarshalText([]byte(text)); err != nil {
		a.fail(flag, "%v", err)
		return
	}
	*into = value
	a.won(path, flag)
}

func (a *applier) plain() {
	f, flags := a.file, &a.flags
	give(a, "run", "--run", flags.Run, &f.Run)
	give(a, "seed", "--seed", flags.Seed, &f.Seed)
	give(a, "swap", "--swap", flags.Swap, &f.Swap)
	give(a, "ponder", "--ponder", match.PonderMode(flags.Ponder), &f.Ponder)
	give(a, "slowed", "--slowed", match.Policy(flags.Slowed), &f.Slowed)
	give(a, "pv_plies", "--pv-plies", flags.PVPlies, &f.PVPlies)
	give(a, "start_parallel", "--start-parallel", flags.StartParallel, &f.StartParallel)
	give(a, "slots_per_gpu", "--slots-per-gpu", flags.SlotsPerGPU, &f.SlotsPerGPU)
	give(a, "transcript", "--transcript", flags.Transcript, &f.Transcript)
	give(a, "cores_per_slot", "--cores-per-slot", flags.CoresPerSlot, &f.CoresPerSlot)
	giveText(a, "cpus", "--cpus", flags.CPUs, &f.CPUs)
	give(a, "profile", "--profile", flags.Profile, &f.Profile)
	give(a, "restart", "--restart", match.Restart(flags.Restart), &f.Restart)
	giveText(a, "concurrency", "--concurrency", flags.Concurrency, &f.Concurrency)
	giveText(a, "resign", "--resign", flags.Resign, &f.Resign)
	giveText(a, "draw", "--draw", flags.Draw, &f.Draw)
	if flags.Mate != "" {
		mate := or(f.Mate, Mate{})
		give(a, "mate.engine", "--mate", flags.Mate, &mate.Engine)
		f.Mate = &mate
	}
	if flags.SPRT != "" {
		gate := or(f.Gate, Gate{})
		giveText(a, "gate.sprt", "--sprt", flags.SPRT, &gate.SPRT)
		gate.without(gate.SPRT)
		f.Gate = &gate
	}
	if flags.Durable != nil {
		store := or(f.Store, Store{})
		give(a, "store.durable", "--durable", flags.Durable, &store.Durable)
		f.Store = &store
	}
	if flags.Rules != "" {
		f.Rules = &Rules{Name: flags.Rules}
		a.won("rules", "--rules")
	}
	if flags.MaxPlies != nil {
		rules := or(f.Rules, Rules{})
		give(a, "rules.max_plies", "--max-plies", flags.MaxPlies, &rules.MaxPlies)
		f.Rules = &rules
	}
	if flags.Players != nil {
		f.Players = flags.Players
		a.won("players", "--players")
	}
}

// design changes the file's design key by key; another kind takes the keys of the old one
// with it.
func (a *applier) design() {
	flags, d := &a.flags, or(a.file.Design, Design{})
	if flags.Design != "" && match.DesignKind(flags.Design) != d.Kind {
		d = Design{Anchor: d.Anchor}
	}
	give(a, "design", "--design", match.DesignKind(flags.Design), &d.Kind)
	give(a, "design.rounds", "--rounds", flags.Rounds, &d.Rounds)
	give(a, "design.match_pairs", "--match-pairs", flags.MatchPairs, &d.MatchPairs)
	give(a, "design.tiebreaks", "--tiebreaks", flags.Tiebreaks, &d.Tiebreaks)
	give(a, "design.third_place", "--third-place", flags.ThirdPlace, &d.ThirdPlace)
	give(a, "design.seeding", "--seeding", flags.Seeding, &d.Seeding)
	give(a, "design.block", "--block", flags.Block, &d.Block)
	give(a, "design.anchor", "--anchor", flags.Anchor, &d.Anchor)
	if d != (Design{}) {
		a.file.Design = &d
	}
}

func (a *applier) games() {
	games, most := a.flags.Games, a.flags.MaxGames
	if games != nil && most != nil && *games != *most {
		a.fail("--games", "--games %d and --max-games %d differ: expected one of them", *games, *most)
	}
	give(a, "games", "--max-games", most, &a.file.Games)
	give(a, "games", "--games", games, &a.file.Games)
}

// openings replaces where the openings come from, and keeps the plies.
func (a *applier) openings() {
	f, flags := a.file, &a.flags
	if flags.Openings == "" && flags.Handicap == "" && flags.OpeningPlies == nil {
		return
	}
	o := Openings{}
	if f.Openings != nil {
		o = *f.Openings
	}
	if flags.Openings != "" || flags.Handicap != "" {
		o = Openings{Plies: o.Plies}
	}
	give(a, "openings.file", "--openings", flags.Openings, &o.File)
	give(a, "openings.handicap", "--handicap", flags.Handicap, &o.Handicap)
	give(a, "openings.plies", "--opening-plies", flags.OpeningPlies, &o.Plies)
	f.Openings = &o
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
		a.won(located.Element("engine", i), "--engine "+text)
	}
	e := &a.file.Engines[i]
	e.Cmd, e.Command, e.Identity = command, nil, ""
	a.won(located.Element("engine", i)+".cmd", "--engine "+text)
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
		a.won(located.Element("council", i), flag)
	}
	c := &a.file.Councils[i]
	c.Rule, c.Members, c.Vary = Rule(spec.String()), strings.Split(rest[colon+1:], ","), nil
	a.won(located.Element("council", i)+".members", flag)
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
			a.won(located.Element("engine", j)+".options."+name, flag)
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
