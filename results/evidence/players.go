// Package evidence finds the same players and the same pairs in many runs, whatever the names of runs and players are.
// [PlayersOf] finds the players of runs. [FindKnown] finds the pairs of a plan that other runs have already stored.
// [FindStored] finds all stored pairs between some players.
// [match.Key] defines equal players and equal conditions.
package evidence

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gogi/internal/lists"
	"gogi/match"
	"gogi/results"
)

// Player is one player of several runs: the same program with the same settings. It may have other names in other
// runs.
type Player struct {
	// Key is the exact key of the player. If the options in effect are unknown in all its runs, it is the key of the
	// sent options, and Inferred is true.
	Key      match.Key
	Inferred bool
	Name     string   // its name in the newest run
	Names    []string // all its names, the oldest first
	Label    string   // Name, or Name@KEY if other players have this name; KEY is the short key
	Traits   []Trait  // the settings that the key covers; the most useful ones for a reader come first
}

// Trait is one setting of a player: its limits, an option, its identity.
type Trait struct{ Name, Value string }

// Players has the players of several runs, each once.
type Players struct {
	List []Player        // in the order of the runs and their plans
	of   map[int64][]int // by run ID: for each player of the plan, its index in List
}

// Numbers returns the index in List of each player of a run. The keys of the map are the players' names in this
// run.
func (p *Players) Numbers(run *results.RunInfo) map[string]int {
	numbers := map[string]int{}
	for i, name := range run.Players {
		numbers[name] = p.of[run.ID][i]
	}
	return numbers
}

// Labels returns the label of each player of a run, in the order of the run's plan.
func (p *Players) Labels(run *results.RunInfo) (labels []string) {
	return lists.Map(p.of[run.ID], func(n int) string { return p.List[n].Label })
}

// entry is a player of one run.
type entry struct {
	run  *results.RunInfo
	plan *match.CanonicalPlan
	at   int // index in the plan
	match.PlayerKeys
}

// identity identifies a player over several runs: entries with equal identities are one player. Two players of one
// run are never one player, even if their keys are equal. For such keys the name is a part of the identity in all
// runs.
type identity struct {
	key  match.Key
	name string // "" unless a run has several players with this key
}

// PlayersOf returns the players of runs. Two runs have the same player if its options in effect (the values of all
// options, including defaults) and its other settings are equal. If the options in effect are unknown in a run,
// PlayersOf compares the options that gogi sent. If exactly one player with known options in effect has the same
// sent options, it is the same player. Otherwise all players with unknown options in effect and the same sent
// options are one player.
func PlayersOf(infos []results.RunInfo) (*Players, error) {
	entries, err := entriesOf(infos)
	if err != nil {
		return nil, err
	}
	resolve(entries)
	twins := twinsOf(entries)
	p := &Players{of: map[int64][]int{}}
	numbers := map[identity]int{}
	for _, e := range entries {
		id := identity{key: e.Exact}
		if twins[e.Exact] {
			id.name = e.name()
		}
		n, known := numbers[id]
		if !known {
			n = len(p.List)
			numbers[id] = n
			p.List = append(p.List, Player{Key: e.Exact, Inferred: e.Exact == e.Sent, Traits: e.traits()})
		}
		p.of[e.run.ID] = append(p.of[e.run.ID], n)
	}
	p.nameAll(entries)
	return p, nil
}

func entriesOf(infos []results.RunInfo) (list []entry, err error) {
	read := map[int64]bool{}
	for i := range infos {
		if read[infos[i].ID] {
			continue
		}
		read[infos[i].ID] = true
		plan, err := infos[i].ParsePlan()
		if err != nil {
			return nil, err
		}
		for at := range plan.Players {
			list = append(list, entry{&infos[i], plan, at, infos[i].Keys(plan, at)})
		}
	}
	return list, nil
}

// resolve sets the exact key of the entries without one: the only exact key with the same sent options, or else the
// key of the sent options.
func resolve(entries []entry) {
	exact := map[match.Key][]match.Key{}
	for _, e := range entries {
		if e.Exact != (match.Key{}) && !slices.Contains(exact[e.Sent], e.Exact) {
			exact[e.Sent] = append(exact[e.Sent], e.Exact)
		}
	}
	for i := range entries {
		e := &entries[i]
		if e.Exact != (match.Key{}) {
			continue
		}
		e.Exact = e.Sent
		if known := exact[e.Sent]; len(known) == 1 {
			e.Exact = known[0]
		}
	}
}

// twinsOf returns the keys that several players of one run have.
func twinsOf(entries []entry) map[match.Key]bool {
	type place struct {
		run int64
		key match.Key
	}
	seen, twins := map[place]bool{}, map[match.Key]bool{}
	for _, e := range entries {
		at := place{e.run.ID, e.Exact}
		twins[e.Exact] = twins[e.Exact] || seen[at]
		seen[at] = true
	}
	return twins
}

func (p *Players) nameAll(entries []entry) {
	oldest := slices.Clone(entries)
	slices.SortStableFunc(oldest, func(a, b entry) int { return cmp.Compare(a.run.ID, b.run.ID) })
	for _, e := range oldest {
		player := &p.List[p.of[e.run.ID][e.at]]
		player.Name = e.name()
		player.Names = append(slices.DeleteFunc(player.Names, func(name string) bool { return name == player.Name }),
			player.Name)
	}
	bearers := map[string]int{}
	for i := range p.List {
		bearers[p.List[i].Name]++
	}
	for i := range p.List {
		player := &p.List[i]
		if player.Label = player.Name; bearers[player.Name] > 1 {
			player.Label += "@" + player.Key.Short()
		}
	}
}

func (e *entry) name() string { return e.plan.Players[e.at].Name }

// traits returns the settings that the player's key covers.
func (e *entry) traits() (list []Trait) {
	p := &e.plan.Players[e.at]
	add := func(name, value string) { list = append(list, Trait{name, value}) }
	add("limits", e.plan.LimitsText(e.at))
	options, inEffect := p.Options, e.run.Engines[e.at].InEffect
	if p.Council == nil && len(inEffect) == 1 {
		options = inEffect[0]
	} else if p.Profile != "" {
		add("profile", p.Profile)
	}
	for _, o := range slices.SortedFunc(slices.Values(options), func(a, b match.Option) int {
		return cmp.Compare(a.Name, b.Name)
	}) {
		add(o.Name, o.Value)
	}
	if len(p.Arguments) > 0 {
		add("arguments", strings.Join(p.Arguments, " "))
	}
	if len(p.Env) > 0 {
		add("env", strings.Join(p.Env, " "))
	}
	if p.Council != nil {
		text, err := json.Marshal([]any{p.Council, inEffect})
		if err != nil {
			text = []byte(err.Error()) // cannot happen: only strings, numbers and slices of them
		}
		add("council", fmt.Sprintf("%x", sha256.Sum256(text))[:8])
	}
	add("identity", e.run.Engines[e.at].Identity.String())
	return list
}
