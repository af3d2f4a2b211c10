package configs

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/configs/openings"
	"gogi/configs/position"
	"gogi/internal/disk"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/shogi"
	"gogi/stats"
)

const (
	defaultRun     = "default"
	defaultSeed    = 1
	defaultPVPlies = 12
	maxPVPlies     = 1000
	maxParallel    = 10_000 // largest value of keys that only make sense with small numbers
)

// Plan returns the plan of the match. It sets the default of each missing key and checks all values. Relative
// paths in the file are relative to baseDir. A relative baseDir is relative to the working directory, and ""
// is the working directory. Plan reads the openings, and the engines' binaries for their identities.
// identity.Complete completes the identities after the USI handshakes. The caller should show the warnings to
// the user. Plan returns all errors together.
//
// If a command's first word contains a slash, it is a path. "builtin" is the built-in engine. Any other word
// is searched in PATH and then in /usr/games. An engine's default working directory is the folder of its
// binary (YaneuraOu reads eval/ and book/ from there). For the built-in engine, commands found in PATH and
// wrappers (see identity.IsWrapper), the default is baseDir.
func (f *File) Plan(baseDir string, env identity.Env) (plan *match.Plan, warnings []advice.Warning, err error) {
	if f.Tune != nil || len(f.Params) > 0 {
		return nil, nil, fmt.Errorf("%s: %w", f.title(), errTune)
	}
	r := f.resolver(baseDir, env)
	p := r.common()
	r.series(p)
	if f.Selfplay != nil {
		r.fail("selfplay", "selfplay: a series has none: expected no such table, or gogi selfplay in the place of gogi match")
	}
	if len(r.errs) > 0 {
		return nil, nil, errors.Join(r.errs...)
	}
	r.idleFlags()
	return p, append(append(r.warnings, identity.Clocks(p.Players)...),
		identity.Duplicates(p.Players, identity.SameFolder)...), nil
}

func (f *File) resolver(baseDir string, env identity.Env) *resolver {
	return &resolver{file: f, baseDir: disk.Absolute(env.WorkDir, baseDir), env: env, hashes: identity.Hasher{}}
}

// common returns the part of a plan that does not depend on the design.
func (r *resolver) common() *match.Plan {
	f := r.file
	return &match.Plan{
		Run:           r.run(),
		Seed:          or(f.Seed, defaultSeed),
		Rules:         r.rules(),
		Concurrency:   r.concurrency(),
		PVPlies:       r.inRange("pv_plies", f.PVPlies, defaultPVPlies, 0, maxPVPlies),
		StartParallel: r.inRange("start_parallel", f.StartParallel, match.DefaultStartParallel, 1, maxParallel),
		SlotsPerGPU:   r.inRange("slots_per_gpu", f.SlotsPerGPU, 1, 1, maxParallel),
		CPUs:          or(f.CPUs, CPUs{}).String(),
		CoresPerSlot:  r.coresPerSlot(),
		Ponder:        choose(r, "ponder", f.Ponder, match.PonderOff, match.PonderStandard, match.PonderEarly),
	}
}

// series adds the settings of a match to the plan. These are the design, the openings, the number of games,
// and the conditions for an early end of games and of the match.
func (r *resolver) series(p *match.Plan) {
	f := r.file
	p.Adjudication = f.adjudication()
	p.Gate = r.gate()
	p.Design = match.Design{Kind: choose(r, "design", or(f.Design, Design{}).Kind, match.DesignKinds()...),
		Swap: or(f.Swap, true)}
	p.Slowed = choose(r, "slowed", f.Slowed, match.PolicyCount, match.PolicyVoid)
	by := or(f.ByColour, ByColour{})
	r.clocks = [2]*match.TimeControl{r.colourClock("limits_by_colour.black", by.Black),
		r.colourClock("limits_by_colour.white", by.White)}
	p.ColourClocks = r.clocks
	p.Players = r.players()
	r.checkPlayerCount(p)
	r.design(p)
	if !p.Gate.IsZero() && (p.Design.Kind != match.DesignMatch || len(p.Players) != 2) {
		r.fail("gate", "gate: a sequential test is about two players: expected design = \"match\" and two of them")
	}
	p.Mate = r.mate(p.Ponder)
	r.checkDevices(p)
	p.Openings = r.openings(p.Rules)
	p.Pairs = r.pairs(p)
}

type resolver struct {
	file     *File
	baseDir  string
	env      identity.Env
	hashes   identity.Hasher
	clocks   [2]*match.TimeControl // by colour
	seats    []seat                // the players
	errs     []error
	warnings []advice.Warning
}

func (r *resolver) fail(path, format string, args ...any) {
	r.errs = append(r.errs, r.file.problem(path, fmt.Errorf(format, args...)))
}

// checkDevices reports an engine that cannot wait for its device.
func (r *resolver) checkDevices(p *match.Plan) {
	if err := p.CheckDevices(); err != nil {
		r.fail("", "%w", err)
	}
}

func (r *resolver) gate() stats.SPRT {
	f := r.file.Gate
	if f == nil {
		return stats.SPRT{}
	}
	if f.SPRT == nil {
		r.fail("gate", "gate: no hypotheses: expected sprt = \"0,4\", the rating differences elo0 and elo1")
		return stats.SPRT{}
	}
	if key := f.twice(); key != "" {
		r.fail("gate."+key, "gate.%s: gate.sprt sets %s, too; remove one", key, key)
		return stats.SPRT{}
	}
	defaults := match.DefaultGate()
	defaults.Alpha, defaults.Beta = or(f.Alpha, defaults.Alpha), or(f.Beta, defaults.Beta)
	defaults.Model = choose(r, "gate.model", f.Model, stats.ModelLogistic, stats.ModelNormalized)
	defaults.Boundary = stats.BoundaryOf(choose(r, "gate.boundary", f.Boundary, stats.BoundaryRatio.String(),
		stats.BoundaryBounded.String()))
	g := f.SPRT.Complete(defaults)
	if err := match.CheckGate(g); err != nil {
		r.fail("gate", "gate: %w", err)
	}
	return g
}

// choose returns value if it is one of the choices, and the first choice if value is empty. It reports an
// error for any other value.
func choose[T ~string](r *resolver, path string, value T, choices ...T) T {
	if value == "" {
		return choices[0]
	}
	if !slices.Contains(choices, value) {
		r.fail(path, "%s: %q is not one of %s", label(path), value, joined(choices, ", "))
	}
	return value
}

// RunName returns the name of the run in the file, or else the name of the file without ".toml". A file without both
// has the name "default".
func (f *File) RunName() string {
	switch {
	case f.Run != "":
		return f.Run
	case f.name == "":
		return defaultRun
	}
	return strings.TrimSuffix(filepath.Base(f.name), ".toml")
}

func (r *resolver) run() string {
	name := r.file.RunName()
	if err := match.CheckRunName(name); err != nil {
		r.fail("run", "run: %w", err)
	}
	return name
}

func (r *resolver) concurrency() int {
	cpus := max(1, r.env.NumCPU)
	if list := or(r.file.CPUs, CPUs{}).List; len(list) > 0 {
		cpus = len(list)
	}
	switch c := or(r.file.Concurrency, 0); c {
	case 0:
		return max(1, cpus/2)
	case AllCPUs:
		return cpus
	default:
		return int(c)
	}
}

// coresPerSlot returns the checked value of the key cores_per_slot. It returns 0 if the key is missing; then
// each player's number of threads decides.
func (r *resolver) coresPerSlot() int {
	f := r.file
	if f.CoresPerSlot == nil {
		return 0
	}
	if !or(f.CPUs, CPUs{}).On {
		r.fail("cores_per_slot",
			"cores_per_slot: no slot has cores of its own: expected cpus = \"auto\", or a list of CPUs, beside it")
	}
	return r.inRange("cores_per_slot", f.CoresPerSlot, 1, 1, maxParallel)
}

// inRange returns the value of a key, or def if value is nil. It reports an error for a value outside least
// to most.
func (r *resolver) inRange(key string, value *int, def, least, most int) int {
	n := or(value, def)
	if n < least || n > most {
		r.fail(key, "%s: %d is outside %d to %d", key, n, least, most)
	}
	return n
}

func (r *resolver) rules() match.Rules {
	want := or(r.file.Rules, Rules{})
	name := cmp.Or(want.Name, match.DefaultRules)
	profile, err := match.RulesByName(name)
	if err != nil {
		r.fail("rules", "rules: %w", err)
		return profile
	}
	rules := profile
	rules.ImpasseDraw = or(want.ImpasseDraw, rules.ImpasseDraw)
	rules.MaxPlies = or(want.MaxPlies, rules.MaxPlies)
	rules.MateAtLimitDraws = or(want.MateAtLimitDraws, rules.MateAtLimitDraws)
	rules.DeclareAtLimit = or(want.DeclareAtLimit, rules.DeclareAtLimit)
	rules.ExtendInCheck = or(want.ExtendInCheck, rules.ExtendInCheck)
	if want.Declaration != "" {
		if rules.Declaration, err = shogi.ParseDeclarationRule(want.Declaration); err != nil {
			r.fail("rules.declaration", "rules.declaration: %w", err)
		}
	}
	if rules.MaxPlies < 0 {
		r.fail("rules.max_plies", "rules.max_plies: %d is negative: expected a number of plies, or 0 for no limit",
			rules.MaxPlies)
		rules.MaxPlies = profile.MaxPlies // the check of the openings needs it
	}
	if list := want.RepetitionPoints; list != nil {
		if len(list) != 2 || slices.ContainsFunc(list, func(x float64) bool { return !(x >= 0 && x <= 1) }) {
			r.fail("rules.repetition_points",
				"rules.repetition_points: expected two numbers from 0 to 1, for Black and White, such as [0.4, 0.6]")
		}
		copy(rules.RepetitionPoints[:], list)
	}
	if rules != profile {
		rules.Name = "custom"
	}
	return rules
}

func (r *resolver) colourClock(path string, clock *Clock) *match.TimeControl {
	if clock == nil {
		return nil
	}
	control, err := clock.control()
	if err == nil && control.IsZero() {
		err = errors.New("there is no time in it: expected tc, main, byoyomi or increment")
	}
	if err != nil {
		r.fail(path, "%s: %w", path, err)
		return nil
	}
	return &control
}

// checkPlayerCount reports an error unless a match has two players, or another design at least two.
func (r *resolver) checkPlayerCount(p *match.Plan) {
	n := len(r.seats)
	switch {
	case n < 2:
		r.fail("players", "players: expected at least 2, found %d (engines: %s)", n, r.file.enginesFound())
	case n > 2 && p.Design.Kind == match.DesignMatch:
		r.fail("players", "players: %d are too many for design match: expected 2, or another design, such as %q or %q",
			n, match.DesignRoundRobin, match.DesignGauntlet)
	}
}

// names returns the names of all engines, then of all councils, each in the order of the file.
func (f *File) names() (list []string) {
	for _, e := range f.Engines {
		list = append(list, e.Name)
	}
	for _, c := range f.Councils {
		list = append(list, c.Name)
	}
	return list
}

// enginesFound returns the names of the engines and councils of the file as a text for errors. Without the
// key players, the text lists the members of councils separately, because they play only if the key names
// them.
func (f *File) enginesFound() string {
	names, members := f.names(), []string(nil)
	if len(names) == 0 {
		return "none; add [[engine]] to a file or --engine NAME=COMMAND"
	}
	if f.Players == nil {
		members = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !f.memberOfAny(name) })
		names = slices.DeleteFunc(names, f.memberOfAny)
	}
	found := strings.Join(names, ", ")
	if len(members) > 0 {
		found += "; members of councils play only where players names them: " + strings.Join(members, ", ")
	}
	return found
}

// limitsPath returns the TOML key of a player's limits, for error messages. kind is "engine" or "council", and i
// the index of the player's table. The key is that of the player's own limits, or of the file's common limits if
// own is nil.
func limitsPath(kind string, i int, own *Limits) string {
	if own != nil {
		return position.Element(kind, i) + ".limits"
	}
	return "limits"
}

func (r *resolver) pairs(p *match.Plan) int {
	if pairs, ok := r.tournamentPairs(p); ok {
		return pairs
	}
	if r.file.Games == nil {
		r.fail("games", "games is missing: expected how many to play, such as games = 100 or --games 100")
		return 0
	}
	games, legs := *r.file.Games, p.Legs()
	switch {
	case games < 1:
		r.fail("games", "games: %d is too few: expected at least %d", games, legs)
	case games/legs > match.MaxPairs:
		r.fail("games", "games: %d are too many: expected at most %d", games, match.MaxPairs*legs)
	case games%legs != 0:
		less := ""
		if games > 2 {
			less = strconv.Itoa(games-1) + " or "
		}
		r.fail("games", "games: %d is odd, but each pair has two games with colours swapped: expected %s%d, or swap = false",
			games, less, games+1)
	}
	if round := p.Pairings(); round > 0 && games/legs%round != 0 && p.Design.Kind != match.DesignMatch &&
		!p.Design.Kind.ByResults() {
		r.warnings = append(r.warnings, advice.Of(
			"%d games are no whole number of rounds of %d pairs: some players play more than others", games, round))
	}
	return games / legs
}

// idleFlags warns about flags that have no effect, because all players set the same value in their own tables.
func (r *resolver) idleFlags() {
	own := map[string]func(e Engine) bool{
		"limits":  func(e Engine) bool { return e.Limits != nil && e.Limits.search() },
		"profile": func(e Engine) bool { return e.Profile != "" },
		"restart": func(e Engine) bool { return e.Restart != "" },
	}
	var idle []i18n.Message
	for path, flag := range r.file.flags {
		key, rest, _ := strings.Cut(path, ".")
		has := own[key]
		if has == nil || rest == "margin" || rest == "stall" {
			continue
		}
		if !slices.ContainsFunc(r.seats, func(s seat) bool { return s.council || !has(r.file.Engines[s.index]) }) {
			idle = append(idle, i18n.Of("%s has no effect: every player has its own %s", flag, key))
		}
	}
	slices.SortFunc(idle, func(a, b i18n.Message) int { return strings.Compare(a.String(), b.String()) })
	for _, text := range idle {
		r.warnings = append(r.warnings, advice.Warning{Text: text})
	}
	for i, e := range r.file.Engines {
		if r.file.between {
			break
		}
		if _, added := r.file.flags[position.Element("engine", i)]; added && !slices.Contains(r.seats, seat{i, false}) &&
			!r.file.memberOfAny(e.Name) && !r.file.solves(e.Name) {
			r.warnings = append(r.warnings, advice.Of("engine %s does not play: it is not among the players", e.Name))
		}
	}
}

// PlanPlayer returns a plan with one player of the file, an engine or a council, for uses other than a match.
// The plan has no design, no pairs and no clocks by colour. PlanPlayer ignores keys about games between
// players. The player needs limits, as in a match. For baseDir, the warnings and the errors, see Plan.
func (f *File) PlanPlayer(name, baseDir string, env identity.Env) (*match.Plan, []advice.Warning, error) {
	alone := *f
	alone.Players = []string{name}
	if alone.Openings == nil { // most callers use no openings, and gogi reads the small set quickly
		alone.Openings = &Openings{File: openings.BuiltinNamed}
	}
	r := alone.resolver(baseDir, env)
	p := r.common()
	p.Players = r.players()
	p.Openings = r.openings(p.Rules)
	r.checkDevices(p)
	if len(r.errs) > 0 {
		return nil, nil, errors.Join(r.errs...)
	}
	return p, r.warnings, nil
}

// PlanCouncil returns a plan with one council of the file, like PlanPlayer. name may be empty if the file has
// exactly one council that is not a member of another council. The council does not ponder. By default it has
// no search limits (self = true). PlanCouncil does not connect to engines behind ssh to get their identity.
func (f *File) PlanCouncil(name, baseDir string, env identity.Env) (*match.Plan, []advice.Warning, error) {
	name, err := f.councilName(name)
	if err != nil {
		return nil, nil, err
	}
	alone := *f
	alone.Engines = slices.Clone(f.Engines)
	alone.takeRemoteAsKnown(func(command string) string { return "remote: " + command })
	alone.Ponder = match.PonderOff
	if f.Limits == nil || !f.Limits.search() {
		self, limits := true, or(f.Limits, Limits{})
		limits.Self = &self
		alone.Limits = &limits
	}
	return alone.PlanPlayer(name, baseDir, env)
}

// councilName returns name if the file has a council with this name. If name is empty, it returns the only
// council that is not a member of another council.
func (f *File) councilName(name string) (string, error) {
	all := f.names()[len(f.Engines):]
	alone := slices.DeleteFunc(slices.Clone(all), f.memberOfAny)
	switch {
	case len(all) == 0:
		return "", fmt.Errorf("%s: there is no council in it: expected a [[council]] with a rule and members", f.title())
	case name == "" && len(alone) == 1:
		return alone[0], nil
	case name == "" && len(alone) == 0:
		return "", errors.New("every council is a member of another one: expected the name of one of " +
			strings.Join(all, ", "))
	case name == "":
		return "", errors.New("there are several councils: expected the name of one of " + strings.Join(alone, ", "))
	case !slices.Contains(all, name):
		return "", fmt.Errorf("there is no council %q: expected one of %s", name, strings.Join(all, ", "))
	}
	return name, nil
}
