// Package tuning prepares a tune, which is a run that optimises the parameters of an engine, and reports its
// results. It reads the parameters from a file and from the engine's options. It makes the plan of the tuning
// games ([Play]), and the plan of the match that validates the candidate ([Validation]). [Read] returns the
// [Account] of a stored tune; [Print] and [Export] write it. Package match/tune has the algorithms.
package tuning

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gogi/configs"
	"gogi/configs/advice"
	"gogi/internal/disk"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/tune"
	"gogi/stats"
	"gogi/usi"
)

// Request has the settings for a tune from its file and from flags.
type Request struct {
	*configs.TuneSettings
	Dir   string   // base directory of the file's paths
	Globs []string // patterns of further engine options to tune
	// Inflight is the stored value of a resumed tune, for use if the file has none. It is 0 for a new tune.
	Inflight int
	// Wide is the stored value of a resumed tune. It is nil for a new tune.
	Wide *float64
	// From is the name of a finished tune that this tune continues, or "". Starts has the final values of
	// that tune.
	From   string
	Starts []match.Option
}

// Begun prepares a request to resume a tune with the stored settings s. It copies Inflight and Wide from s,
// for use if the file does not set them.
func (w *Request) Begun(s *tune.Settings) {
	w.Inflight, w.Wide = s.Inflight, &s.Wide
}

// Resolve returns the plan of the tune, and warnings. base is the plan of a match in which both players are
// the same engine. declared has the options that the engine declares. Resolve does not change base, because
// the validation also uses it.
func (w *Request) Resolve(base *match.Plan, declared []usi.Option) (*tune.Plan, []advice.Warning, error) {
	params, err := w.params(base, declared)
	if err != nil {
		return nil, nil, err
	}
	s, err := w.settings(base)
	if err != nil {
		return nil, nil, err
	}
	s.Params = params
	if s.StartWide(); w.Wide != nil {
		s.Wide = *w.Wide
	}
	p := &tune.Plan{Settings: s, From: w.From}
	all := w.validations(base)
	p.Validate, p.Also = &all[0], all[1:]
	if len(p.Also) == 0 {
		p.Also = nil
	}
	if _, err := w.forfeits(); err != nil {
		return nil, nil, err
	}
	warnings, err := w.warnings(base, p)
	if err == nil {
		err = s.Check()
	}
	if err == nil && s.Retired() {
		err = tune.ErrRetired
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the tune: %w", err)
	}
	text, err := p.Text()
	if err == nil {
		_, err = tune.ParsePlan(text) // also checks values that only the validation uses
	}
	return p, warnings, err
}

// Forfeits reports whether a player loses the game if the engine fails with the player's parameter values. If
// it returns false, too many such failures end the tune.
func (w *Request) Forfeits() bool {
	yes, _ := w.forfeits() // Resolve checks the error
	return yes
}

func (w *Request) forfeits() (bool, error) {
	switch w.Faults {
	case "", "stop":
		return false, nil
	case "forfeit":
		return true, nil
	}
	return false, fmt.Errorf("faults = %q: expected stop or forfeit", w.Faults)
}

// override sets a value to the value in the file, if the file has one.
func override[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func (w *Request) settings(base *match.Plan) (tune.Settings, error) {
	s := tune.Defaults(cmp.Or(w.Method, tune.SPSA), base.Pairs)
	s.Seed, s.Stages = base.Seed, w.Stages
	s.Block = min(s.Block, max(1, base.Pairs/20))
	override(&s.Block, w.Block)
	s.Inflight = cmp.Or(w.Inflight, max(s.Block, min(3*base.Concurrency, base.Pairs/5)))
	override(&s.Inflight, w.TuneSettings.Inflight)
	override(&s.Spread, w.Spread)
	override(&s.Probes, w.Probes)
	override(&s.A, w.A)
	override(&s.Alpha, w.Alpha)
	override(&s.Gamma, w.Gamma)
	override(&s.Average, w.Average)
	if s.Spread == 0 && w.Probes == nil {
		s.Probes = 0
	}
	if w.REnd != "" && w.REnd != "auto" {
		x, err := strconv.ParseFloat(string(w.REnd), 64)
		if err != nil || x <= 0 {
			return s, fmt.Errorf("r_end = %q: expected a number above 0, or \"auto\"", w.REnd)
		}
		s.REnd = x
	}
	return s, nil
}

// These are the defaults of a validation. They are strict enough for a release.
const (
	defaultElo1 = 3
	seedOffset  = 0x9e37 // difference between a tune's seed and the seed of its validation
)

// validations returns the validations of the file, or one default validation. Validations with the shortest
// games come first.
func (w *Request) validations(base *match.Plan) []tune.Validation {
	var list []tune.Validation
	for i := range w.Validate {
		list = append(list, w.validation(base, i))
	}
	if list == nil {
		list = append(list, w.validation(base, -1))
	}
	length := func(v tune.Validation) float64 { return gameLength(*cmp.Or(v.Limits, &base.Players[0].Limits)) }
	slices.SortStableFunc(list, func(a, b tune.Validation) int {
		if x, y := length(a), length(b); x*y > 0 { // both lengths have the same unit.
			return cmp.Compare(math.Abs(x), math.Abs(y))
		}
		return 0
	})
	return list
}

// gameLength returns a measure of the length of games with the limits l. It is in seconds if positive, and in
// nodes or plies of depth if negative. It is 0 if unknown.
func gameLength(l match.Limits) float64 {
	const moves = 60 // number of moves of one side in a long game
	switch {
	case !l.Clock.IsZero():
		return (l.Clock.Main + moves*(l.Clock.Increment+l.Clock.Byoyomi)).Seconds()
	case l.MoveTime > 0:
		return moves * l.MoveTime.Seconds()
	case l.Nodes > 0:
		return -float64(l.Nodes)
	}
	return 0
}

// validation returns validation number index of the tune file, counted from 0. With -1 it returns the default
// validation.
func (w *Request) validation(base *match.Plan, index int) tune.Validation {
	v := tune.Validation{
		Elo1: defaultElo1, Alpha: match.DefaultAlpha, Beta: match.DefaultBeta, Pairs: base.Pairs,
		Seed: base.Seed + seedOffset*uint64(max(index, 0)+1), Openings: tune.FreshOpenings,
	}
	if len(base.Openings) < leastBook {
		v.Openings = tune.SameOpenings
	}
	if index < 0 {
		return v
	}
	from := &w.Validate[index]
	override(&v.Alpha, from.Alpha)
	override(&v.Beta, from.Beta)
	if from.SPRT != nil {
		g := from.SPRT.Complete(stats.SPRT{Alpha: v.Alpha, Beta: v.Beta})
		v.Elo0, v.Elo1, v.Alpha, v.Beta = g.Elo0, g.Elo1, g.Alpha, g.Beta
	}
	if from.Games != nil {
		v.Pairs = *from.Games / base.Legs()
	}
	override(&v.Seed, from.Seed)
	v.Openings, v.Limits = cmp.Or(from.Openings, v.Openings), w.Limits[index]
	return v
}

// startAt sets a parameter's start to its final value in the previous tune.
func (w *Request) startAt(p *tune.Param) error {
	for _, o := range w.Starts {
		if !usi.SameOption(o.Name, p.Name) {
			continue
		}
		x, err := p.Value(o.Value)
		if err != nil {
			return fmt.Errorf("parameter %s starts at the final value of %s: %w", p.Name, w.From, err)
		}
		p.Start = x
	}
	return nil
}

// leastBook is the smallest number of openings that gogi divides between the tune and its validation.
const leastBook = 20

// params returns the parameters of the tune file, of a parameter file, and of the options that match the patterns.
func (w *Request) params(base *match.Plan, declared []usi.Option) ([]tune.Param, error) {
	list, err := w.readParams()
	if err != nil {
		return nil, err
	}
	for i := range w.List {
		p, err := ofList(&w.List[i], base.Players[0].Options, declared)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	for _, glob := range w.Globs {
		found, err := ofGlob(glob, list, base.Players[0].Options, declared)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	for i := range list {
		if err := w.startAt(&list[i]); err != nil {
			return nil, err
		}
		if err := fits(&list[i], declared); err != nil {
			return nil, err
		}
		list[i].Unused = list[i].Unused || !chosen(list[i].Name, w.Only)
	}
	if len(list) == 0 {
		return nil,
			errors.New("no parameter to tune: expected [[param]] in the file, params = \"FILE\" in [tune], or --param 'GLOB' of the engine's options")
	}
	return list, nil
}

// readParams returns the parameters from the parameter file. It returns none if there is no such file.
func (w *Request) readParams() ([]tune.Param, error) {
	file := w.Params
	if file == "" {
		return nil, nil
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(w.Dir, file)
	}
	f, err := disk.Open(file)
	if err != nil {
		return nil, fmt.Errorf("tune.params: %w", err)
	}
	params, err := tune.ReadParams(f, filepath.Base(file))
	return params, errors.Join(err, f.Close())
}

func chosen(name string, only []string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(glob string) bool { return matches(glob, name) })
}

func matches(glob, name string) bool {
	ok, err := path.Match(glob, name)
	return ok && err == nil
}

// ofList returns the parameter for an entry in the tune file's list. set has the options that the user has set for the
// engine, and declared the options that the engine declares.
func ofList(from *configs.TuneParam, set []match.Option, declared []usi.Option) (tune.Param, error) {
	o, found := usi.FindOption(declared, from.Name)
	if !found {
		_, err := usi.Resolve(declared, []usi.Setting{{Name: from.Name}})
		return tune.Param{}, fmt.Errorf("[[param]]: %w", err)
	}
	p := tune.Param{Name: o.Name, Kind: tune.Kind(from.Kind), Levels: from.Levels, Min: float64(o.Min),
		Max: float64(o.Max)}
	p.Kind = cmp.Or(p.Kind, kindOf(o))
	if p.Kind == tune.Choice {
		return choice(p, o, cmp.Or(string(from.Start), startOf(o, set)))
	}
	override(&p.Min, from.Min)
	override(&p.Max, from.Max)
	override(&p.Scale, from.Scale)
	if from.Scale != nil && *from.Scale == 0 {
		return p,
			fmt.Errorf("[[param]] %s: scale = 0 never changes the value; remove the parameter, or leave out scale for an eighth of the range", p.Name)
	}
	start := cmp.Or(string(from.Start), startOf(o, set))
	x, err := strconv.ParseFloat(start, 64)
	if err != nil {
		return p, fmt.Errorf("[[param]] %s: start = %q: expected a number", p.Name, start)
	}
	p.Start = x
	if o.Type != usi.Spin && (from.Min == nil || from.Max == nil) {
		return p, fmt.Errorf("[[param]] %s: the engine declares no bounds: expected min and max", p.Name)
	}
	return p, p.Check()
}

func kindOf(o usi.Option) tune.Kind {
	switch o.Type {
	case usi.Combo, usi.Check:
		return tune.Choice
	case usi.String, usi.Filename:
		return tune.Float
	case usi.Spin, usi.Button:
	}
	return tune.Int
}

// choice returns a parameter whose values are words, such as the values of a combo or check option.
func choice(p tune.Param, o usi.Option, start string) (tune.Param, error) {
	if len(p.Levels) == 0 {
		if p.Levels = o.Vars; o.Type == usi.Check {
			p.Levels = []string{"false", "true"}
		}
	}
	i := slices.Index(p.Levels, start)
	if i < 0 {
		return p, fmt.Errorf("[[param]] %s: start %q is none of its levels (%s)", p.Name, start, strings.Join(p.Levels, ", "))
	}
	p.Start, p.Min, p.Max = float64(i), 0, float64(len(p.Levels)-1)
	return p, p.Check()
}

// startOf returns the start value of an option for which the user sets no start: the value set in the
// player's options, else the option's default.
func startOf(o usi.Option, set []match.Option) string {
	for _, s := range set {
		if usi.SameOption(s.Name, o.Name) {
			return s.Value
		}
	}
	return o.Default
}

// ofGlob returns parameters for the declared options that match a pattern and are not in have. It returns
// only numeric options, except if the pattern is the full name of an option.
func ofGlob(glob string, have []tune.Param, set []match.Option, declared []usi.Option) (list []tune.Param, err error) {
	if _, err := path.Match(glob, ""); err != nil {
		return nil, fmt.Errorf("--param %q: %w", glob, err)
	}
	matched := false
	for _, o := range declared {
		if !matches(glob, o.Name) || o.Type != usi.Spin && glob != o.Name {
			continue
		}
		matched = true
		if o.Type == usi.Spin && glob != o.Name && !takes(&o) {
			continue
		}
		if slices.ContainsFunc(have, func(p tune.Param) bool { return p.Name == o.Name }) {
			continue
		}
		p, err := ofList(&configs.TuneParam{Name: o.Name}, set, declared)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	if !matched {
		return nil, fmt.Errorf("--param %q: the engine declares no number of that name; %s", glob, numbers(glob, declared))
	}
	return list, nil
}

// numbers describes the numbers that an engine declares, those whose names are like name first, or at most twenty.
func numbers(name string, declared []usi.Option) string {
	var names []string
	for _, o := range declared {
		if o.Type == usi.Spin {
			names = append(names, o.Name)
		}
	}
	if near := usi.Nearest(name, names, 3); len(near) > 0 {
		names = near
	}
	switch most := 20; {
	case len(names) == 0:
		return "it declares no numbers (see gogi check)"
	case len(names) > most:
		return fmt.Sprintf("its numbers are %s and %d more (see gogi tune init)", strings.Join(names[:most], ", "),
			len(names)-most)
	}
	return "expected one of its numbers, such as " + strings.Join(names, ", ")
}

// fits sets a parameter's name to the engine's spelling. It returns an error if the engine does not accept the
// parameter's bounds.
func fits(p *tune.Param, declared []usi.Option) error {
	texts := []float64{p.Start, p.Min, p.Max}
	if p.Kind == tune.Choice {
		texts = texts[:0]
		for i := range p.Levels {
			texts = append(texts, float64(i))
		}
	}
	for _, x := range texts {
		sent, err := usi.Resolve(declared, []usi.Setting{{Name: p.Name, Value: p.Text(x)}})
		if err != nil {
			return fmt.Errorf("parameter %s: %w", p.Name, err)
		}
		p.Name = sent[0].Name
	}
	return nil
}

// timeOptions returns the names of options about time. They have no effect with limits that do not use time.
// With other limits they have an effect mainly through losses on time.
func timeOptions() []string {
	return []string{"MoveOverhead", "Move Overhead", "NetworkDelay", "NetworkDelay2", "SlowMover", "Slow Mover",
		"MinimumThinkingTime", "Minimum Thinking Time"}
}

// farShare is the limit of a warning: the tune learns late if more than 1/20 of its pairs are in flight.
const farShare = 20

func (w *Request) warnings(base *match.Plan, p *tune.Plan) (list []advice.Warning, err error) {
	warn := func(phrase string, args ...any) {
		list = append(list, advice.Warning{Text: i18n.Of(phrase, args...)})
	}
	limits := base.Players[0].Limits
	for _, param := range p.Settings.Params {
		if param.Unused {
			continue
		}
		if slices.ContainsFunc(timeOptions(), func(name string) bool { return usi.SameOption(name, param.Name) }) {
			if limits.Clock.IsZero() && limits.MoveTime == 0 {
				return nil, fmt.Errorf("%s is about time, and the limits (%s) have none: it cannot be tuned by them", param.Name,
					limits)
			}
			warn("%s is about time: losses on time decide between its values", param.Name)
		}
	}
	if p.Settings.Inflight*farShare > p.Settings.Pairs && p.Settings.Inflight > p.Settings.Block {
		warn("%d of %d pairs are in flight: new values use few results", p.Settings.Inflight, p.Settings.Pairs)
	}
	if slices.ContainsFunc(p.Validations(), func(v tune.Validation) bool { return v.Openings == tune.SameOpenings }) {
		warn("the validation plays the openings of the tune: the book has %d, too few for both", len(base.Openings))
	}
	return list, nil
}

// Play returns the plan of the tune's games.
func Play(base *match.Plan, p *tune.Plan) (*match.Plan, error) {
	text, err := p.Text()
	if err != nil {
		return nil, err
	}
	plan := *base
	plan.Tune = text
	plan.Openings = half(base, p, 0)
	return &plan, plan.Check()
}

// half returns the openings for the tune (0) or for its validation (1). If the two must have no common opening, each
// gets every second opening, in an order that depends on the tune's seed.
func half(base *match.Plan, p *tune.Plan, which int) []match.Opening {
	if !slices.ContainsFunc(p.Validations(), func(v tune.Validation) bool { return v.Openings == tune.FreshOpenings }) {
		return base.Openings
	}
	order := rand.New(rand.NewPCG(p.Settings.Seed, uint64(len(base.Openings)))).Perm(len(base.Openings))
	var list []match.Opening
	for i, at := range order {
		if i%2 == which {
			list = append(list, base.Openings[at])
		}
	}
	return list
}

// Validation returns the plan of a match between the candidate c (the tuned values) and the start values.
// which is the index in Plan.Validations.
func Validation(base *match.Plan, p *tune.Plan, which int, c match.TuneCandidate) *match.Plan {
	v := p.Validations()[which]
	plan := *base
	plan.Run, plan.Tune, plan.Seed = ValidationRuns(p, c.Run)[which], "", v.Seed+uint64(c.Number)
	plan.Gate, plan.Pairs, plan.Openings = v.Gate(c.Number), v.Pairs, base.Openings
	if v.Openings == tune.FreshOpenings {
		plan.Openings = half(base, p, 1)
	}
	plan.Players = slices.Clone(base.Players)
	for i, with := range [][]match.Option{c.Point, p.Settings.Options(p.Settings.Start())} {
		player := &plan.Players[i]
		player.Name = []string{"tuned", "start"}[i]
		player.Options = slices.DeleteFunc(slices.Clone(player.Options), func(o match.Option) bool {
			return slices.ContainsFunc(with, func(x match.Option) bool { return usi.SameOption(x.Name, o.Name) })
		})
		player.Options = append(player.Options, with...)
		if v.Limits != nil {
			player.Limits = *v.Limits
		}
	}
	return &plan
}

// ValidationRun returns the name of the first run that validates a candidate. tune is the name of the tune,
// and number the number of the candidate.
func ValidationRun(tune string, number int) string {
	return fmt.Sprintf("%s-validation-%d", tune, number)
}

// ValidationRuns returns the names of all runs that validate a candidate. first is the name of the first of
// these runs.
func ValidationRuns(p *tune.Plan, first string) []string {
	runs := []string{first}
	for i := range p.Also {
		runs = append(runs, fmt.Sprintf("%s-%d", first, i+2))
	}
	return runs
}
