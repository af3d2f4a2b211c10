// Package series runs many matches of a known truth through the command line of gogi, and counts how often each figure
// that gogi prints was true. [Read] reads a plan, [Runner.Run] runs it, and [Count] makes the table.
package series

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"gogi/lab/truth"
)

// A Plan names the series to run.
type Plan struct {
	Seed   uint64  `toml:"seed"` // changes everything that is random
	Groups []Group `toml:"series"`
}

// A Group is a set of conditions: all combinations of its lists. Each list that is absent has one value, the zero
// value.
type Group struct {
	Kind  string `toml:"kind"`            // one of the names of kinds
	Runs  int    `toml:"runs"`            // series of each condition
	Model string `toml:"model,omitempty"` // scale of elo: normalized, or Elo if empty

	Pairs []int     `toml:"pairs,omitempty"` // pairs of a match, or the most pairs of a test
	Elo   []float64 `toml:"elo,omitempty"`   // true differences
	// instead of elo: true differences with 0 for elo0 and 1 for elo1 of the test
	At       []float64 `toml:"at,omitempty"`
	Draws    []float64 `toml:"draws,omitempty"`    // draw rates between equal players
	Openings []int     `toml:"openings,omitempty"` // number of openings; 0: one for each pair
	Bias     []float64 `toml:"bias,omitempty"`
	Liking   []float64 `toml:"liking,omitempty"`
	Black    []float64 `toml:"black,omitempty"`
	Session  []float64 `toml:"session,omitempty"`
	Sessions []int     `toml:"sessions,omitempty"` // number of sessions of the kind sessions
	Repeat   []bool    `toml:"repeat,omitempty"`
	SPRT     []string  `toml:"sprt,omitempty"` // tests, as in the flag --sprt
	// Players is the number of players of a tournament, a ladder or a hunt. In a tournament and a ladder elo is the
	// difference between one player and the next. In a hunt it is what the middle version loses.
	Players []int     `toml:"players,omitempty"`
	Margin  []float64 `toml:"margin,omitempty"` // margins of comparisons, as in --not-worse; 0: none
	// Wait is the time in milliseconds that player a takes before it resigns, and Think the one that a player thinks in
	// half of its games, in which it gains Tempo Elo. With one of them games have a time limit.
	Wait        []int     `toml:"wait,omitempty"`
	Think       []int     `toml:"think,omitempty"`
	Tempo       []float64 `toml:"tempo,omitempty"`
	Concurrency []int     `toml:"concurrency,omitempty"` // games at a time; 0: one
}

// A Condition is one combination of a group's values.
type Condition struct {
	Kind     string
	Runs     int
	Model    string
	Pairs    int
	Elo      float64
	Draws    float64
	Openings int
	Bias     float64
	Liking   float64
	Black    float64
	Session  float64
	Sessions int
	Repeat   bool
	SPRT     string
	Players  int
	Margin   float64

	Wait, Think, Concurrency int
	Tempo                    float64
}

// Read reads a plan from a TOML file.
func Read(path string) (*Plan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	plan := &Plan{}
	meta, err := toml.Decode(string(text), plan)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s: %s: no such key of a plan", path, unknown[0])
	}
	for i, g := range plan.Groups {
		if err := g.check(); err != nil {
			return nil, fmt.Errorf("%s: series %d: %w", path, i+1, err)
		}
	}
	if len(plan.Groups) == 0 {
		return nil, fmt.Errorf("%s: no series; add a section [[series]]", path)
	}
	return plan, nil
}

func (g *Group) check() error {
	switch {
	case kinds[g.Kind].play == nil:
		return fmt.Errorf("kind = %q: expected one of %s", g.Kind, strings.Join(kindNames(), ", "))
	case g.Runs < 1:
		return errors.New("runs: expected a number from 1")
	case kinds[g.Kind].test != (len(g.SPRT) > 0):
		return fmt.Errorf("sprt: a series of kind %s %s", g.Kind,
			map[bool]string{true: "needs a test", false: "has no test"}[kinds[g.Kind].test])
	case len(g.At) > 0 && (len(g.Elo) > 0 || len(g.SPRT) == 0):
		return errors.New("at: it needs sprt, and replaces elo")
	}
	for _, pairs := range g.Pairs {
		if pairs < 1 {
			return errors.New("pairs: expected numbers from 1")
		}
	}
	return nil
}

// hypotheses returns elo0 and elo1 of a test, and whether they are normalised Elo.
func hypotheses(test string) (elo0, elo1 float64, normalized bool, err error) {
	seen := 0
	for _, part := range strings.Split(test, ",") {
		key, value, named := strings.Cut(part, "=")
		var at *float64
		switch {
		case key == "elo0" || !named && seen == 0:
			at = &elo0
		case key == "elo1" || !named && seen == 1:
			at = &elo1
		case key == "model":
			normalized = value == "normalized"
			continue
		default:
			continue
		}
		if !named {
			value = key
		}
		if *at, err = strconv.ParseFloat(value, 64); err != nil {
			return 0, 0, false, fmt.Errorf("sprt = %q: %w", test, err)
		}
		seen++
	}
	if seen != 2 {
		return 0, 0, false, fmt.Errorf("sprt = %q: expected elo0=…,elo1=…", test)
	}
	return elo0, elo1, normalized, nil
}

// Conditions returns the conditions of the plan, in its order.
func (p *Plan) Conditions() ([]Condition, error) {
	var list []Condition
	for _, g := range p.Groups {
		some, err := g.conditions()
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	return list, nil
}

func (g *Group) conditions() ([]Condition, error) {
	list := []Condition{{Kind: g.Kind, Runs: g.Runs, Model: g.Model, Pairs: 100}}
	list = spread(list, g.Pairs, func(c *Condition, v int) { c.Pairs = v })
	list = spread(list, g.Draws, func(c *Condition, v float64) { c.Draws = v })
	list = spread(list, g.Openings, func(c *Condition, v int) { c.Openings = v })
	list = spread(list, g.Bias, func(c *Condition, v float64) { c.Bias = v })
	list = spread(list, g.Liking, func(c *Condition, v float64) { c.Liking = v })
	list = spread(list, g.Black, func(c *Condition, v float64) { c.Black = v })
	list = spread(list, g.Session, func(c *Condition, v float64) { c.Session = v })
	list = spread(list, g.Sessions, func(c *Condition, v int) { c.Sessions = v })
	list = spread(list, g.Repeat, func(c *Condition, v bool) { c.Repeat = v })
	list = spread(list, g.SPRT, func(c *Condition, v string) { c.SPRT = v })
	list = spread(list, g.Players, func(c *Condition, v int) { c.Players = v })
	list = spread(list, g.Margin, func(c *Condition, v float64) { c.Margin = v })
	list = spread(list, g.Wait, func(c *Condition, v int) { c.Wait = v })
	list = spread(list, g.Think, func(c *Condition, v int) { c.Think = v })
	list = spread(list, g.Tempo, func(c *Condition, v float64) { c.Tempo = v })
	list = spread(list, g.Concurrency, func(c *Condition, v int) { c.Concurrency = v })
	list = spread(list, g.Elo, func(c *Condition, v float64) { c.Elo = v })
	if len(g.At) == 0 {
		return list, nil
	}
	for _, c := range list {
		if _, _, _, err := hypotheses(c.SPRT); err != nil {
			return nil, err
		}
	}
	return spread(list, g.At, func(c *Condition, v float64) {
		elo0, elo1, normalized, _ := hypotheses(c.SPRT)
		c.Elo = elo0 + v*(elo1-elo0)
		if normalized {
			c.Model = "normalized"
		}
	}), nil
}

// group returns a group with this condition alone.
func (c Condition) group() Group {
	g := Group{
		Kind: c.Kind, Runs: c.Runs, Model: c.Model, Pairs: []int{c.Pairs}, Elo: []float64{c.Elo}, Draws: []float64{c.Draws},
		Openings: []int{c.Openings}, Bias: []float64{c.Bias}, Liking: []float64{c.Liking}, Black: []float64{c.Black},
		Session: []float64{c.Session}, Sessions: []int{c.Sessions},
		Repeat: []bool{c.Repeat}, Players: []int{c.Players}, Margin: []float64{c.Margin},
		Wait: []int{c.Wait}, Think: []int{c.Think}, Tempo: []float64{c.Tempo}, Concurrency: []int{c.Concurrency},
	}
	if c.SPRT != "" {
		g.SPRT = []string{c.SPRT}
	}
	return g
}

// Failed returns a plan with those conditions of p in which a figure fell short or gogi failed. Its series are the
// same, because a series depends on the seed of the plan and on its condition.
func (p *Plan) Failed(c *Counted) (*Plan, error) {
	failed := map[string]bool{}
	for _, r := range c.Falls() {
		failed[r.Condition] = true
	}
	for _, r := range c.Errors {
		failed[r.Condition] = true
	}
	conditions, err := p.Conditions()
	if err != nil {
		return nil, err
	}
	short := &Plan{Seed: p.Seed}
	for _, some := range conditions {
		if failed[some.Key()] {
			short.Groups = append(short.Groups, some.group())
		}
	}
	return short, nil
}

// Write writes the plan to a TOML file.
func (p *Plan) Write(path string) error {
	text, err := toml.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644) // the file has no secrets
}

// spread returns each condition with each of the values, or the conditions themselves without values.
func spread[V any](list []Condition, values []V, set func(*Condition, V)) []Condition {
	if len(values) == 0 {
		return list
	}
	var out []Condition
	for _, c := range list {
		for _, v := range values {
			next := c
			set(&next, v)
			out = append(out, next)
		}
	}
	return out
}

// timed reports whether the games have a time limit.
func (c Condition) timed() bool { return c.Wait > 0 || c.Think > 0 }

// Key returns the name of the condition, which has all of it except the number of runs.
func (c Condition) Key() string {
	words := []string{c.Kind, fmt.Sprintf("pairs=%d", c.Pairs), fmt.Sprintf("elo=%g", c.Elo)}
	add := func(set bool, format string, value any) {
		if set {
			words = append(words, fmt.Sprintf(format, value))
		}
	}
	add(c.Model != "", "model=%s", c.Model)
	add(c.Draws != 0, "draws=%g", c.Draws)
	add(c.Openings != 0, "openings=%d", c.Openings)
	add(c.Bias != 0, "bias=%g", c.Bias)
	add(c.Liking != 0, "liking=%g", c.Liking)
	add(c.Black != 0, "black=%g", c.Black)
	add(c.Session != 0, "session=%g", c.Session)
	add(c.Sessions != 0, "sessions=%d", c.Sessions)
	add(c.Repeat, "repeat=%v", c.Repeat)
	add(c.SPRT != "", "sprt=%s", c.SPRT)
	add(c.Players != 0, "players=%d", c.Players)
	add(c.Margin != 0, "margin=%g", c.Margin)
	add(c.Wait != 0, "wait=%d", c.Wait)
	add(c.Think != 0, "think=%d", c.Think)
	add(c.Tempo != 0, "tempo=%g", c.Tempo)
	add(c.Concurrency != 0, "concurrency=%d", c.Concurrency)
	return strings.Join(words, " ")
}

// law returns the law of the condition's games, without the players.
func (c Condition) law() *truth.Law {
	return &truth.Law{Draws: c.Draws, Black: c.Black, Bias: c.Bias, Liking: c.Liking, Session: c.Session, Repeat: c.Repeat,
		Tempo: c.Tempo, Think: c.Think}
}

// two returns the law of a match of players a and b, whose true difference is the condition's.
func two(c Condition) *truth.Law {
	l := c.law()
	l.Players = []truth.Player{{Name: "a", Wait: c.Wait}, {Name: "b"}}
	measure := l.Elo
	if c.Model == "normalized" {
		measure = l.Normalized
	}
	l.Solve(0, 1, c.Elo, measure)
	return l
}

// versions returns the law of players v01, v02, …, of which each next one is stronger by the condition's difference.
func versions(c Condition) *truth.Law {
	l := c.law()
	for i := range max(2, c.Players) {
		l.Players = append(l.Players, truth.Player{Name: fmt.Sprintf("v%02d", i+1), Elo: float64(i) * c.Elo})
	}
	return l
}

// culprit returns the number of the version that lost Elo in a hunt.
func (c Condition) culprit() int { return max(2, c.Players) / 2 }

// regression returns the law of a hunt: the versions from the culprit on are weaker by the condition's difference.
func regression(c Condition) *truth.Law {
	l := versions(c)
	for i := range l.Players {
		l.Players[i].Elo = 0
		if i >= c.culprit() {
			l.Players[i].Elo = -c.Elo
		}
	}
	return l
}

// three returns the law of a comparison: an opponent and two versions, the newer one stronger by the condition's
// difference.
func three(c Condition) *truth.Law {
	l := c.law()
	l.Players = []truth.Player{{Name: "new"}, {Name: "base"}, {Name: "old"}}
	l.Solve(0, 1, c.Elo, l.Elo)
	return l
}

func kindNames() []string {
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
