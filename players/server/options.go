package server

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gogi/ensemble"
	"gogi/ensemble/voting"
	"gogi/internal/lists"
	"gogi/players/builtin"
	"gogi/shogi"
	"gogi/usi"
)

// A councilOption is an option of the council itself. apply writes a value other than the default into the
// configuration. If apply is nil, the code that needs the value reads the option itself.
type councilOption struct {
	usi.Option
	apply func(config *ensemble.Config, value string) error
}

// declare returns the council's own options. Their defaults are the values of the file. An option with its default
// value changes nothing, so a value of the file stays exact although the declared default is rounded. No name, choice
// or default has a space.
func (s *council) declare() []councilOption {
	c := s.player.Council
	veto := c.Veto
	veto.Margin = cmp.Or(veto.Margin, ensemble.DefaultVetoMargin)
	quorum := cmp.Or(c.Quorum, ensemble.DefaultQuorum)
	name, keys, _ := strings.Cut(c.Rule, ":")
	return []councilOption{
		{combo("Rule", name, voting.RuleNames()), nil},
		{usi.Option{Name: "RuleKeys", Type: usi.String, Default: keys}, nil},
		{combo("Stop", c.Stop, ensemble.StopNames()), func(x *ensemble.Config, v string) error {
			x.Stop = ensemble.StopPolicy(v)
			return nil
		}},
		// It is rounded down, because two of three are more than 66% and less than 67%.
		{spin("QuorumPct", int(math.Floor(quorum*100)), 1, 100),
			wholeNumber(func(x *ensemble.Config, n int) { x.Quorum = float64(n) / 100 })},
		{usi.Option{Name: "TieBreak", Type: usi.String, Default: strings.Join(s.ties(), ",")},
			func(x *ensemble.Config, v string) (err error) {
				x.Settings.Ties, err = voting.ParseTies(v)
				return err
			}},
		{spin("MinAlive", max(1, c.MinAlive), 1, len(c.Members)),
			wholeNumber(func(x *ensemble.Config, n int) { x.MinAlive = n })},
		{spin("ResignQuorumPct", wholePercent(c.ResignQuorum, 0.5), 1, 100),
			wholeNumber(func(x *ensemble.Config, n int) { x.Settings.ResignQuorum = float64(n) / 100 })},
		{spin("VetoMs", int(veto.Time.Milliseconds()), 0, 60_000), wholeNumber(func(x *ensemble.Config, n int) {
			x.Veto.Time, x.Veto.Nodes = time.Duration(n)*time.Millisecond, 0
		})},
		{spin("VetoCp", int(veto.Margin), 1, 10_000),
			wholeNumber(func(x *ensemble.Config, n int) { x.Veto.Margin = float64(n) })},
		{combo("EnteringKingRule", s.opener.Plan.Rules.Declaration.String(), builtin.RuleNames()),
			func(x *ensemble.Config, v string) (err error) {
				x.Settings.Declaration, err = shogi.ParseDeclarationRule(v)
				return err
			}},
		{combo("ShowMembers", showWinner, []string{showWinner, showAll, showNone}), nil},
		{usi.Option{Name: "VoteLog", Type: usi.Filename}, nil},
		{spin("MultiPV", 1, 1, 100), nil},
		{spin("MarginMs", 200, 0, 60_000), nil},
		{check("USI_Ponder", false), nil},
		{check("EarlyPonder", false), nil},
		{spin("USI_Hash", s.hashInForce(), 1, 1<<25), nil},
		{check("KeepAlive", true), nil},
	}
}

func combo(name, value string, choices []string) usi.Option {
	return usi.Option{Name: name, Type: usi.Combo, Default: value, Vars: defaultFirst(value, choices)}
}

// defaultFirst moves value, the default, to the front of choices. The adapter uci2wb takes the first choice as the
// default and sends it to the engine.
func defaultFirst(value string, choices []string) []string {
	i := slices.IndexFunc(choices, func(c string) bool { return strings.EqualFold(c, value) })
	if i < 0 {
		return choices
	}
	return slices.Concat(choices[i:i+1], choices[:i], choices[i+1:])
}

func spin(name string, value, least, most int) usi.Option {
	return usi.Option{Name: name, Type: usi.Spin, Default: strconv.Itoa(value), Min: int64(least), Max: int64(most)}
}

func check(name string, value bool) usi.Option {
	return usi.Option{Name: name, Type: usi.Check, Default: strconv.FormatBool(value)}
}

// wholeNumber returns an apply function for a whole number. usi.Server has checked the range.
func wholeNumber(apply func(*ensemble.Config, int)) func(*ensemble.Config, string) error {
	return func(x *ensemble.Config, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil {
			return errors.New("expected a whole number")
		}
		apply(x, n)
		return nil
	}
}

func wholePercent(share, def float64) int {
	share = cmp.Or(share, def)
	return max(1, int(math.Round(share*100)))
}

// ties returns the list of tie-breaks in the file, or the default list.
func (s *council) ties() []string {
	if len(s.player.Council.Ties) > 0 {
		return s.player.Council.Ties
	}
	return lists.Map(voting.DefaultTies(), func(t voting.Tie) string { return string(t) })
}

// value returns the value that the GUI sent, or the default.
func (s *council) value(name string) string {
	if v, ok := s.chosen[name]; ok {
		return v
	}
	for _, o := range s.options {
		if o.Name == name {
			return o.Default
		}
	}
	return ""
}

// whole returns the value of a spin option. usi.Server has checked the range.
func (s *council) whole(name string) int {
	n, err := strconv.Atoi(s.value(name))
	if err != nil {
		return 0
	}
	return n
}

// rule returns the voting rule that the options select. Each rule has its own keys. If the GUI selects another rule
// than the file, rule ignores the keys of the file's rule, although the GUI sends them.
func (s *council) rule(file voting.Spec) (voting.Spec, error) {
	name, another := s.chosen["Rule"]
	keys, typed := s.chosen["RuleKeys"]
	switch {
	case !another && !typed:
		return file, nil
	case another && !typed:
		return voting.ParseSpec(name)
	case !another:
		name = file.Name
	}
	rule, err := voting.ParseSpec(name + ":" + keys)
	if err != nil {
		return rule, fmt.Errorf("options Rule and RuleKeys: %w", err)
	}
	return rule, nil
}

// hashInForce returns the sum of the hash sizes, in MiB, that the file sets for the engines whose options are known.
func (s *council) hashInForce() int {
	sum := 0
	for _, e := range s.engines {
		e.mu.Lock()
		if o, ok := usi.FindOption(e.declared, "USI_Hash"); ok {
			if n, err := strconv.Atoi(e.inForce(o)); err == nil {
				sum += max(0, n)
			}
		}
		e.mu.Unlock()
	}
	return max(1, sum)
}

// hashParts divides USI_Hash evenly among the engines that have a hash, rounded down, with at least 1 MiB for
// each engine. It counts an engine with unknown options as one with a hash, because too little memory is
// better than too much. It returns "" for an engine whose hash size does not change.
func (s *council) hashParts() []string {
	parts := make([]string, len(s.engines))
	if _, ok := s.chosen["USI_Hash"]; !ok {
		return parts
	}
	var with []int
	for i, e := range s.engines {
		e.mu.Lock()
		if _, ok := usi.FindOption(e.declared, "USI_Hash"); ok || !e.known {
			with = append(with, i)
		}
		e.mu.Unlock()
	}
	for _, i := range with {
		parts[i] = strconv.Itoa(max(1, s.whole("USI_Hash")/len(with)))
	}
	return parts
}
