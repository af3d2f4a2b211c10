package planning

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gogi/configs"
	"gogi/configs/openings"
	"gogi/match"
	"gogi/match/gate"
)

// limitFlags are the flags of limits.
func limitFlags() []string {
	return []string{"tc", "main", "byoyomi", "increment", "movetime", "nodes", "depth", "self", "margin", "stall"}
}

// Off is a value of the flags --sprt, --resign and --draw. It removes the setting of that flag from a repeated plan.
const Off = "off"

// Builtin returns the plan of the default match, in which the built-in engine plays itself. It starts no engine.
func Builtin() (*match.Plan, error) {
	file, dir, err := configs.Find("default")
	if err != nil {
		return nil, err
	}
	file.DefaultOpenings(openings.BuiltinFew)
	plan, _, err := Plan(file, dir, nil)
	return plan, err
}

// Repeat returns a copy of the plan old with the changes that the flags request. It reads no file of the engines and
// starts no engine. It returns an error for a flag that would require this, such as --engine, and for a plan of a
// tune or of self-play. If --openings is given, it must be a built-in set.
func Repeat(old *match.Plan, flags configs.Flags) (*match.Plan, error) {
	may := append(limitFlags(), "run", "games", "seed", "openings", "opening-plies", "rules", "max-plies", "resign",
		"draw", "sprt", "ponder", "slowed", "option")
	switch wrong := flags.Given(may...); {
	case len(wrong) > 0:
		return nil, fmt.Errorf("%s: a repeated test cannot change it; submit a new test", strings.Join(wrong, ", "))
	case old.Tune != "" || old.Design.Kind == match.DesignSelfplay:
		return nil, fmt.Errorf("%s is no match; submit the file of its tune or self-play again", old.Run)
	case flags.Openings != "" && !openings.IsBuiltin(flags.Openings):
		return nil, fmt.Errorf("--openings %s: a repeated test plays its own openings or a built-in set, such as %s",
			flags.Openings, openings.BuiltinFew)
	case flags.OpeningPlies != nil && flags.Openings == "":
		return nil, fmt.Errorf("--opening-plies: it needs --openings")
	}
	if len(old.Councils()) > 0 && givenOf(flags, limitFlags()...) {
		return nil, fmt.Errorf("a repeated test cannot change the limits of a council; submit a new test")
	}
	fresh, err := skeleton(old, flags)
	if err != nil {
		return nil, err
	}
	out := graft(old, fresh, flags)
	for _, text := range flags.Option {
		if err := setOption(out, text); err != nil {
			return nil, err
		}
	}
	prospect, err := gate.NewProspect(out)
	if err == nil {
		err = prospect.Check()
	}
	return out, err
}

func givenOf(flags configs.Flags, names ...string) bool {
	return slices.ContainsFunc(flags.Given(), func(flag string) bool {
		return slices.Contains(names,
			strings.TrimPrefix(flag, "--"))
	})
}

// skeleton returns a plan made from the flags, from which graft takes values. Its players have the names of the
// players of the plan old, but all of them are the built-in engine. If a flag changes limits, the players have the
// limits of the old plan with this change, as after a change of a match file.
func skeleton(old *match.Plan, flags configs.Flags) (*match.Plan, error) {
	flags.Option, flags.Engine = nil, nil
	file := &configs.File{}
	for _, p := range old.Players {
		file.Engines = append(file.Engines, configs.Engine{Name: p.Name, Cmd: "builtin"})
	}
	if givenOf(flags, limitFlags()...) {
		file.TakeLimits(old, flags)
	} else {
		flags.Nodes = []string{"1"}
	}
	if flags.Games == nil {
		games := old.Games()
		flags.Games = &games
	}
	flags.Openings = cmp.Or(flags.Openings, openings.BuiltinNamed)
	flags.Swap, flags.Design = &old.Design.Swap, string(old.Design.Kind)
	for _, value := range []*string{&flags.SPRT, &flags.Resign, &flags.Draw} {
		if *value == Off {
			*value = ""
		}
	}
	if err := file.Apply(flags); err != nil {
		return nil, err
	}
	plan, _, err := Plan(file, "", nil)
	return plan, err
}

// graft returns a copy of the plan old. For each setting that the user changes with a flag, the copy has the value in
// the plan fresh.
func graft(old, fresh *match.Plan, flags configs.Flags) *match.Plan {
	out := *old
	out.Players = slices.Clone(old.Players)
	take := func(do func(), names ...string) {
		if givenOf(flags, names...) {
			do()
		}
	}
	take(func() { out.Run = fresh.Run }, "run")
	take(func() { out.Pairs = fresh.Pairs }, "games")
	take(func() { out.Seed = fresh.Seed }, "seed")
	take(func() { out.Openings = fresh.Openings }, "openings")
	take(func() { out.Ponder = fresh.Ponder }, "ponder")
	take(func() { out.Slowed = fresh.Slowed }, "slowed")
	take(func() { out.Gate = fresh.Gate }, "sprt")
	take(func() { out.Rules = fresh.Rules }, "rules")
	take(func() { out.Rules.MaxPlies = fresh.Rules.MaxPlies }, "max-plies")
	a, b := &out.Adjudication, &fresh.Adjudication
	take(func() { a.ResignScore, a.ResignMoves, a.OneSided = b.ResignScore, b.ResignMoves, b.OneSided }, "resign")
	take(func() { a.DrawScore, a.DrawMoves, a.DrawFrom = b.DrawScore, b.DrawMoves, b.DrawFrom }, "draw")
	take(func() {
		out.ColourClocks = fresh.ColourClocks
		for i := range out.Players {
			out.Players[i].Limits = fresh.Players[i].Limits
		}
	}, limitFlags()...)
	return &out
}

// setOption sets the option that a text such as A.Hash=64 names. It rejects an option that names a file, because
// the farm may not have the new file.
func setOption(plan *match.Plan, text string) error {
	name, value, ok := strings.Cut(text, "=")
	who, option, dot := strings.Cut(name, ".")
	if !ok || !dot || who == "" || option == "" {
		return fmt.Errorf("--option %s: expected ENGINE.NAME=VALUE", text)
	}
	found := false
	for i := range plan.Players {
		p := &plan.Players[i]
		if p.Council != nil || who != "all" && who != p.Name {
			continue
		}
		found = true
		if slices.ContainsFunc(p.Identity.Files,
			func(f match.FileHash) bool { return f.Role == "option "+option }) || option == "EvalDir" || option == "BookDir" {
			return fmt.Errorf("--option %s: it names a file of the engine; submit a new test", text)
		}
		p.Options = slices.DeleteFunc(slices.Clone(p.Options), func(o match.Option) bool { return o.Name == option })
		p.Options = append(p.Options, match.Option{Name: option, Value: value})
	}
	if !found {
		return fmt.Errorf("--option %s: the test has no engine %s", text, who)
	}
	return nil
}

// Renamed returns values of --option in which the old names of replaced players are their new names. renamed has the
// new name by the old one.
func Renamed(options []string, renamed map[string]string) []string {
	out := slices.Clone(options)
	for i, text := range out {
		if who, rest, ok := strings.Cut(text, "."); ok && renamed[who] != "" {
			out[i] = renamed[who] + "." + rest
		}
	}
	return out
}

// TakeEngine returns a copy of plan with one player replaced. The parameter name is the name of the replaced
// player. The new player is the player engine of another plan, from. It keeps its name, and gets the limits
// of the replaced player.
func TakeEngine(plan *match.Plan, name string, from *match.Plan, engine string) (*match.Plan, error) {
	i := slices.IndexFunc(plan.Players, func(p match.Player) bool { return p.Name == name })
	j := slices.IndexFunc(from.Players, func(p match.Player) bool { return p.Name == engine })
	switch {
	case i < 0:
		return nil, fmt.Errorf("%s has no player %s", plan.Run, name)
	case j < 0:
		return nil, fmt.Errorf("%s has no player %s", from.Run, engine)
	case slices.ContainsFunc(plan.Players, func(p match.Player) bool { return p.Name == engine && p.Name != name }):
		return nil, fmt.Errorf("%s has another player %s", plan.Run, engine)
	}
	out := *plan
	out.Players = slices.Clone(plan.Players)
	out.Players[i] = from.Players[j]
	out.Players[i].Limits = plan.Players[i].Limits
	return &out, nil
}
