package voting

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/lists"
)

// A Spec is a voting rule with its settings, the keys. The keys are choices that the papers about the rule
// leave open. The text form is the rule's name with the keys that differ from their defaults, such as
// "adoption:reward=voters,decay=0.9". ParseSpec reads the text form.
type Spec struct {
	Name string

	// The keys of adoption and evaluation.
	Initial float64 // initial: every member's first weight, default 1
	Tally   string  // tally: weight (default: values are sums of weights), or count (weights only break ties)
	// reset: game (default: weights begin again in each game), or never (weights last as long as the council)
	Reset string

	// Keys of adoption.
	// reward: the n voters for the move gain weight (voters), or the first n of the ranking (top, default)
	Reward string
	// order: the order of members with equal records: member (default), before (the order at the last decision), recent
	// (last adopted first), random
	Order string
	Book  bool // book: whether a decision counts if no member searched, default true
	// absent: a member that did not vote stays in the ranking but gains nothing (keep, default), or is left out (drop)
	Absent string
	// overrides: a decision without a vote changes no weight (skip, default), or counts like other decisions (count)
	Overrides string
	Ponder    bool    // ponder: whether the vote on the expected reply also changes weights, default false
	Decay     float64 // decay: the factor of a weight's part above the initial weight at each decision, default 1
	Cap       float64 // cap: the largest weight, 0 (default) for no cap
	// placebo: a control that shuffles the weights among the members: off (default), once a game (game), or at each
	// decision (decision)
	Placebo string

	// Keys of evaluation.
	// mode: accumulate (default: the leader's weight grows by 1), or bonus (the leader has 1 more while it leads)
	Mode string
	// searched: the members that must have searched for weights to change: any (default), majority, all, leader
	Searched string
	Window   int // window: the number of decisions in each sum, 0 (default) for the whole game
	// max: evaluations are limited to ±max centipawns, so that one mate does not decide the sum; default 2000
	Max   float64
	Scale string // scale: cp (default), or winprob (the win probability minus one half)
	Apply string // apply: the new leader's weight counts after this decision (after, default), or already in it (before)

	// Keys of weighted, borda and the pools.
	Weights []float64 // weights: one weight for each member, such as 1/2/0.5; default 1 for all

	// Keys of the pools.
	// impute: a move that a member does not list gets the win probability of its worst listed move minus impute, default
	// 0.02
	Impute   float64
	MinDepth int // min_depth: the least depth in plies of a secondary line that counts, default 5
}

// DefaultSpec returns a rule with every key at its default. If the original paper states a value, the default
// follows the paper.
func DefaultSpec(name string) Spec {
	return Spec{
		Name: name, Initial: 1, Tally: "weight", Reset: "game",
		Reward: "top", Order: "member", Book: true, Absent: "keep", Overrides: "skip", Decay: 1, Placebo: "off",
		Mode: "accumulate", Searched: "any", Max: 2000, Scale: "cp", Apply: "after",
		Impute: 0.02, MinDepth: 5,
	}
}

// field is one key of a Spec: its destination and its allowed values. The table of rules defines the rules
// that have the key.
type field struct {
	key     string
	at      any      // *string, *float64, *bool, *int or *[]float64
	choices []string // for a *string
	min     float64  // for a number
	max     float64
}

// fields returns all keys. Only this list defines them.
func (s *Spec) fields() []field {
	const large = 1e9
	return []field{
		{key: "initial", at: &s.Initial, max: large},
		{key: "tally", at: &s.Tally, choices: []string{"weight", "count"}},
		{key: "reset", at: &s.Reset, choices: []string{"game", "never"}},
		{key: "reward", at: &s.Reward, choices: []string{"top", "voters"}},
		{key: "order", at: &s.Order, choices: []string{"member", "before", "recent", "random"}},
		{key: "book", at: &s.Book},
		{key: "absent", at: &s.Absent, choices: []string{"keep", "drop"}},
		{key: "overrides", at: &s.Overrides, choices: []string{"skip", "count"}},
		{key: "ponder", at: &s.Ponder},
		{key: "decay", at: &s.Decay, max: 1},
		{key: "cap", at: &s.Cap, max: large},
		{key: "placebo", at: &s.Placebo, choices: []string{"off", "game", "decision"}},
		{key: "mode", at: &s.Mode, choices: []string{"accumulate", "bonus"}},
		{key: "searched", at: &s.Searched, choices: []string{"any", "majority", "all", "leader"}},
		{key: "window", at: &s.Window, max: large},
		{key: "max", at: &s.Max, min: 1, max: 32000},
		{key: "scale", at: &s.Scale, choices: []string{"cp", "winprob"}},
		{key: "apply", at: &s.Apply, choices: []string{"after", "before"}},
		{key: "weights", at: &s.Weights, max: large},
		{key: "impute", at: &s.Impute, max: 1},
		{key: "min_depth", at: &s.MinDepth, max: 1000},
	}
}

// ParseSpec parses the text form of a rule. For an unknown name, key or value it returns an error that lists
// the known ones.
func ParseSpec(text string) (Spec, error) {
	name, rest, _ := strings.Cut(text, ":")
	name = strings.TrimSpace(name)
	if _, known := kindOf(name); !known {
		return Spec{}, errNoRule(name)
	}
	s := DefaultSpec(name)
	for part := range strings.SplitSeq(rest, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return Spec{}, fmt.Errorf("rule %s: %q: expected KEY=VALUE", name, part)
		}
		if err := s.Set(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return Spec{}, err
		}
	}
	return s, nil
}

func errNoRule(name string) error {
	return fmt.Errorf("there is no rule %q: expected one of %s", name, strings.Join(RuleNames(), ", "))
}

// own returns the keys that this rule has, see the table of rules.
func (s *Spec) own() []field {
	k, _ := kindOf(s.Name)
	return slices.DeleteFunc(s.fields(), func(f field) bool { return !slices.Contains(k.keys, f.key) })
}

// Set sets a key of the rule to a value in text form. It returns an error for an unknown key or value.
func (s *Spec) Set(key, value string) error {
	var keys []string
	for _, f := range s.own() {
		keys = append(keys, f.key)
		if f.key != key {
			continue
		}
		if err := f.set(value); err != nil {
			return fmt.Errorf("rule %s: %s = %q: %w", s.Name, key, value, err)
		}
		return nil
	}
	if len(keys) == 0 {
		return fmt.Errorf("rule %s: %q: the rule has no keys", s.Name, key)
	}
	return fmt.Errorf("rule %s: there is no key %q: expected one of %s", s.Name, key, strings.Join(keys, ", "))
}

func (f field) set(value string) error {
	switch at := f.at.(type) {
	case *string:
		if !slices.Contains(f.choices, value) {
			return fmt.Errorf("expected one of %s", strings.Join(f.choices, ", "))
		}
		*at = value
	case *bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return errors.New("expected true or false")
		}
		*at = b
	case *int:
		n, err := strconv.Atoi(value)
		if err != nil || float64(n) < f.min || float64(n) > f.max {
			return fmt.Errorf("expected a whole number from %v to %v", f.min, f.max)
		}
		*at = n
	case *float64:
		x, err := f.number(value)
		*at = x
		return err
	case *[]float64:
		return f.setList(at, value)
	}
	return nil
}

func (f field) number(value string) (float64, error) {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x >= f.min && x <= f.max) {
		return 0, fmt.Errorf("expected a number from %v to %v", f.min, f.max)
	}
	return x, nil
}

func (f field) setList(at *[]float64, value string) error {
	*at = nil
	for part := range strings.SplitSeq(value, "/") {
		x, err := f.number(part)
		if err != nil {
			return fmt.Errorf("%q: %w, in a list such as 1/2/0.5", part, err)
		}
		*at = append(*at, x)
	}
	return nil
}

func (f field) text() string {
	switch at := f.at.(type) {
	case *string:
		return *at
	case *bool:
		return strconv.FormatBool(*at)
	case *int:
		return strconv.Itoa(*at)
	case *float64:
		return strconv.FormatFloat(*at, 'g', -1, 64)
	case *[]float64:
		return strings.Join(lists.Map(*at, func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }), "/")
	}
	return ""
}

// String returns the text form. Equal rules have the same text.
func (s Spec) String() string {
	def := DefaultSpec(s.Name)
	defaults := def.own()
	var keys []string
	for i, f := range s.own() {
		if value := f.text(); value != defaults[i].text() {
			keys = append(keys, f.key+"="+value)
		}
	}
	if len(keys) == 0 {
		return s.Name
	}
	return s.Name + ":" + strings.Join(keys, ",")
}

// Check returns an error if a value does not fit a council with this number of members.
func (s *Spec) Check(members int) error {
	if len(s.Weights) != 0 && len(s.Weights) != members {
		return fmt.Errorf("rule %s: %d weights for %d members: expected one each", s.Name, len(s.Weights), members)
	}
	if s.Name == Weighted && len(s.Weights) == 0 {
		return errors.New("rule weighted: there are no weights: expected weights=1/2/0.5, one for each member")
	}
	if s.Cap > 0 && s.Cap < s.Initial {
		return fmt.Errorf("rule %s: cap=%v is below initial=%v: nobody could gain", s.Name, s.Cap, s.Initial)
	}
	if len(s.Weights) > 0 && slices.Max(s.Weights) == 0 {
		return fmt.Errorf("rule %s: all weights are 0", s.Name)
	}
	return nil
}
