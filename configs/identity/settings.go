package identity

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gogi/configs/advice"
	"gogi/internal/disk"
	"gogi/internal/i18n"
	"gogi/internal/shellwords"
	"gogi/match"
	"gogi/shogi"
	"gogi/usi"
)

type profile struct {
	family []usi.Setting // options that only engines of this family have
	shared []usi.Setting // options that other engines also have, perhaps with a different meaning
}

// settings returns the settings of the profile for an engine that declares these options. It returns nothing if the
// engine declares no option of the profile's family, because then it is an engine of another family.
func (p profile) settings(declared []usi.Option) []usi.Setting {
	for _, s := range p.family {
		if _, ok := usi.FindOption(declared, s.Name); ok {
			return slices.Concat(p.family, p.shared)
		}
	}
	return nil
}

// profiles returns the profiles by name. leastValue means the smallest value that the engine declares.
func profiles() map[string]profile {
	return map[string]profile{
		// YaneuraOu's defaults suit online games with clocks of whole seconds, and waste time in short games.
		"yaneuraou": {
			family: []usi.Setting{
				{Name: "NetworkDelay", Value: "0"},
				{Name: "NetworkDelay2", Value: "0"},
				{Name: "MinimumThinkingTime", Value: leastValue},
				{Name: "RoundUpToFullSecond", Value: "false"},
			},
			shared: []usi.Setting{
				noOwnBook,
				{Name: "BookFile", Value: noBook},
				{Name: "Threads", Value: "1"}, // with several threads a search takes more nodes than its limit, and does not repeat
			},
		},
	}
}

// noOwnBook is the setting of a profile that turns the engine's book off. gogi does not send it if the user names a
// book.
var noOwnBook = usi.Setting{Name: "USI_OwnBook", Value: "false"}

// namesBook reports whether the user's settings name a book.
func namesBook(user []usi.Setting) bool {
	return slices.ContainsFunc(user, func(s usi.Setting) bool {
		return isBook(s.Name) && s.Value != "" && s.Value != "<empty>" && s.Value != noBook
	})
}

const (
	leastValue = "<least>"
	noBook     = "no_book"
)

// NoProfile is the name of the option profile that sets no options.
const NoProfile = "none"

// IsProfile reports whether an option profile with this name exists. A profile has option values for a family
// of engines, such as YaneuraOu.
func IsProfile(name string) bool {
	_, ok := profiles()[name]
	return ok
}

// ProfileNames returns the names of all option profiles as a text for errors.
func ProfileNames() string {
	names := slices.Sorted(maps.Keys(profiles()))
	return strings.Join(append(names, NoProfile), " or ")
}

// Settings returns the options that gogi sends to an engine. declared are the options that the engine
// declared. gogi sends the automatic options first, and then the user's options in the user's order. The
// automatic options follow from pondering, the rules, and the player's option profile. Settings omits an
// automatic option that the user has set, or for which the engine declares no fitting value. It sends USI_Ponder to an
// engine that does not declare it, if the plan has pondering.
func Settings(p match.Player, plan *match.Plan, declared []usi.Option) (automatic, user []usi.Setting) {
	for _, o := range p.Options {
		user = append(user, usi.Setting(o))
	}
	wanted := slices.Concat(ownSettings(plan), profiles()[p.Profile].settings(declared))
	for _, s := range wanted {
		if settingNamed(user, s.Name) != nil || s == noOwnBook && namesBook(user) {
			continue
		}
		if fitted, ok := fit(declared, s); ok {
			automatic = append(automatic, fitted)
		} else if _, known := usi.FindOption(declared, s.Name); !known && s == pondering() {
			automatic = append(automatic, s) // an engine need not declare it
		}
	}
	return automatic, user
}

// pondering returns the setting that tells an engine that it will ponder.
func pondering() usi.Setting { return usi.Setting{Name: "USI_Ponder", Value: "true"} }

// ownSettings returns the settings that follow from the plan's pondering and rules.
func ownSettings(plan *match.Plan) []usi.Setting {
	ponder := usi.Setting{Name: "USI_Ponder", Value: strconv.FormatBool(plan.Ponder != match.PonderOff)}
	return append([]usi.Setting{ponder}, ruleSettings(plan)...)
}

// ruleSettings returns the engine options for the plan's rules. The ply limit is MaxMovesToDraw for YaneuraOu
// and related engines and Draw_Ply for dlshogi; in both, 0 means no limit.
func ruleSettings(plan *match.Plan) []usi.Setting {
	plies := strconv.Itoa(plan.Rules.MaxPlies)
	return []usi.Setting{
		{Name: "EnteringKingRule", Value: plan.Rules.Declaration.String()},
		{Name: "MaxMovesToDraw", Value: plies},
		{Name: "Draw_Ply", Value: plies},
	}
}

// fit returns a setting for an option that the engine declares: the declared name, and a value that the engine
// accepts. ok is false if the engine has no such option or value.
func fit(declared []usi.Option, s usi.Setting) (usi.Setting, bool) {
	o, ok := usi.FindOption(declared, s.Name)
	if !ok {
		return s, false
	}
	if s.Value == leastValue {
		s.Value = strconv.FormatInt(o.Min, 10)
	}
	value, err := o.Accept(s.Value)
	return usi.Setting{Name: o.Name, Value: value}, err == nil
}

// settingNamed returns the last setting of the option with this name, or nil if there is none.
func settingNamed(settings []usi.Setting, name string) *usi.Setting {
	for i := range slices.Backward(settings) {
		if usi.SameOption(settings[i].Name, name) {
			return &settings[i]
		}
	}
	return nil
}

func contradictions(p match.Player, plan *match.Plan) []error {
	var errs []error
	for _, rule := range ruleSettings(plan) {
		for _, o := range p.Options {
			if usi.SameOption(o.Name, rule.Name) && !strings.EqualFold(o.Value, rule.Value) {
				errs = append(errs,
					fmt.Errorf("engine %s: option %s = %s contradicts the rules %q, which say %s: expected it without the option, or with other rules",
						p.Name, o.Name, o.Value, plan.Rules.Name, rule.Value))
			}
		}
	}
	return errs
}

// Lint returns warnings about options that change a match although the user did not set them. These are
// options that make the engine save or waste time in timed games, and the engine's own books.
func Lint(p match.Player, plan *match.Plan, declared []usi.Option) []advice.Warning {
	in := inForce(p, plan, declared)
	var warnings []advice.Warning
	if traps := in.timeTraps(); len(traps) > 0 && timed(p, plan) {
		warnings = append(warnings, advise(p.Name, traps))
	}
	if books := in.books(); len(books) > 0 {
		warnings = append(warnings, advice.Warning{
			Engine: p.Name, Text: i18n.Of("%s: after the opening the engine plays from its own book", strings.Join(books, ", ")),
		})
	}
	if _, user := Settings(p, plan, declared); namesBook(user) {
		warnings = append(warnings, in.namedBook(p.Name)...)
	}
	return warnings
}

// namedBook returns warnings about a book that the user names: the engine does not use it, or it ignores a part of it.
func (o options) namedBook(engine string) []advice.Warning {
	if o.noBook() {
		return []advice.Warning{{
			Engine: engine, Text: i18n.Of("the engine does not use its book, because USI_OwnBook is false"),
			Advice: i18n.Of("the option USI_OwnBook = true turns the book on"),
		}}
	}
	depth, set, ok := o.value("BookDepthLimit")
	if !ok || set || depth == "0" {
		return nil
	}
	return []advice.Warning{{
		Engine: engine,
		Text:   i18n.Of("BookDepthLimit %s: the engine ignores book moves with a smaller depth; a book made from lines has no depths", depth),
		Advice: i18n.Of("the option BookDepthLimit = 0 uses all moves"),
	}}
}

// timed reports whether a player has a clock as Black or as White.
func timed(p match.Player, plan *match.Plan) bool {
	return p.Limits.Timed() || plan.ColourClocks[shogi.Black] != nil || plan.ColourClocks[shogi.White] != nil
}

// options has the options that an engine declares, with their current values. The current value is the value
// that gogi sends, or else the declared default.
type options struct {
	declared []usi.Option
	sent     []usi.Setting
}

func inForce(p match.Player, plan *match.Plan, declared []usi.Option) options {
	automatic, user := Settings(p, plan, declared)
	return options{declared, append(automatic, user...)}
}

// value returns the current value of an option. set is true if gogi sends the value. ok is false if the
// engine does not declare the option.
func (o options) value(name string) (value string, set, ok bool) {
	option, ok := usi.FindOption(o.declared, name)
	if !ok {
		return "", false, false
	}
	if s := settingNamed(o.sent, name); s != nil {
		if s.Value == "<empty>" {
			return "", true, true
		}
		return s.Value, true, true
	}
	return option.Default, false, true
}

// effect returns the declared options with their current values, in the declared order. It leaves out files that
// the engine writes, and buttons that gogi does not press. It also leaves out the options in follow, unless the
// user has set them. follow has the options that pondering and the rules set. The user's options that the engine does
// not declare come last.
func (o options) effect(follow []usi.Setting, user []match.Option) []match.Option {
	list := []match.Option{}
	for _, d := range o.declared {
		byUser := slices.ContainsFunc(user, func(u match.Option) bool { return usi.SameOption(u.Name, d.Name) })
		value, set, _ := o.value(d.Name)
		if !byUser && settingNamed(follow, d.Name) != nil || isOutput(d.Name) || d.Type == usi.Button && !set {
			continue
		}
		list = append(list, match.Option{Name: d.Name, Value: value})
	}
	for _, u := range user { // USI_Hash or USI_Ponder, which an engine need not declare
		if _, ok := usi.FindOption(o.declared, u.Name); !ok {
			list = append(list, u)
		}
	}
	return list
}

// A timeTrap is a time margin whose default distorts short games and which the user did not set.
type timeTrap struct {
	name, value string
	harmless    string // the value to set
	profile     bool   // the profile yaneuraou sets it
}

// timeTraps returns the time margins that have a harmful default and that the user did not set.
func (o options) timeTraps() (traps []timeTrap) {
	for _, d := range o.declared {
		harmless, profile, ok := advice.TimeMargin(d.Name)
		if ok && harmless == "" {
			harmless = leastOf(d)
		}
		if value, set, _ := o.value(d.Name); ok && !set && value != "" && value != harmless {
			traps = append(traps, timeTrap{d.Name, value, harmless, profile})
		}
	}
	slices.SortFunc(traps, func(a, b timeTrap) int { return strings.Compare(a.name, b.name) })
	return traps
}

// leastOf returns the least value of an option that saves time: the declared minimum, or 0.
func leastOf(o usi.Option) string {
	switch {
	case o.Type == usi.Check:
		return "false"
	case o.Min == math.MinInt64:
		return "0"
	}
	return strconv.FormatInt(max(0, o.Min), 10)
}

// advise returns a warning about time margins. Its advice is the profile if the profile sets all of them, and the
// options of the command line otherwise.
func advise(player string, traps []timeTrap) advice.Warning {
	var names, flags []string
	profile := true
	for _, t := range traps {
		names = append(names, t.name+" "+t.value)
		flags = append(flags, "--option "+shellwords.Quote(player+"."+t.name+"="+t.harmless))
		profile = profile && t.profile
	}
	w := advice.Warning{
		Engine: player, Text: i18n.Of("%s: made for play over networks, they distort short games", strings.Join(names, ", ")),
		Advice: i18n.Of("%s uses more of the clock", strings.Join(flags, " ")),
	}
	if profile {
		w.Advice = i18n.Of("profile = \"yaneuraou\" sets them")
	}
	return w
}

// books returns the book options that are on by default and that the user did not set.
func (o options) books() []string {
	if o.noBook() {
		return nil
	}
	var on []string
	for _, name := range []string{"USI_OwnBook", "OwnBook", "BookDepth"} {
		value, set, ok := o.value(name)
		if ok && !set && value != "false" && value != "0" && value != "" {
			on = append(on, name+" "+value)
		}
	}
	return on
}

// noBook reports whether an option turns the engine's book off, by its sent or its declared value.
func (o options) noBook() bool {
	for _, name := range []string{"USI_OwnBook", "OwnBook"} {
		if value, _, ok := o.value(name); ok && value == "false" {
			return true
		}
	}
	value, _, ok := o.value("BookFile")
	return ok && value == noBook
}

// isBook reports whether an option is a book file: BookFile or Book_File.
func isBook(name string) bool {
	return strings.EqualFold(strings.ReplaceAll(name, "_", ""), "BookFile")
}

// isOutput reports whether an option is a file that the engine writes, such as a log. Such a file does not
// change the engine's play and differs from run to run.
func isOutput(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "log") || name == "csafile"
}

// folderOf returns the value of a folder option as an absolute path; a relative value is relative to base. path is
// "" if the option names no folder. set is true if gogi sends the value.
func (o options) folderOf(name, base string) (path string, set bool) {
	value, set, ok := o.value(name)
	if !ok || cmp.Or(value, internalEval) == internalEval {
		return "", false
	}
	return disk.Absolute(base, value), set
}

// internalEval is the value of YaneuraOu's EvalDir for a network inside the binary.
const internalEval = "<internal>"
