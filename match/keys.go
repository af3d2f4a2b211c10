package match

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Key is the SHA-256 of a canonical text that describes a player or the conditions of games. Equal keys
// mean the same player or the same conditions in every run and database. docs/ratings.md lists
// the fields of the texts.
type Key [sha256.Size]byte

// String returns the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Short returns the first 8 hexadecimal digits, for names such as A@1f0c37aa.
func (k Key) Short() string { return hex.EncodeToString(k[:4]) }

// keyVersion is the version of the canonical texts. Another version gives other keys.
const keyVersion = 1

// keyOf returns the SHA-256 of a canonical text: a first line with kind and keyVersion, and then value as JSON.
func keyOf(kind string, value any) Key {
	text, err := json.Marshal(value)
	if err != nil {
		// Only strings, numbers and slices of them: Marshal has no way to fail.
		panic(fmt.Sprintf("match: canonical %s: %v", kind, err))
	}
	return sha256.Sum256(append([]byte("gogi "+kind+" "+strconv.Itoa(keyVersion)+"\n"), text...))
}

// PlayerKeys has two keys of a player: Exact with the options in effect, and Sent with the options that the user
// set. The options in effect are the values of all options of the engine, including default values. Both keys are
// zero if there is no player.
type PlayerKeys struct {
	// Exact covers the options in effect. It is zero if these options are unknown, as in runs of an earlier gogi
	// and in runs of a farm. Only players with equal exact keys play the same moves.
	Exact Key
	// Sent covers the options that the user set and the name of the profile instead. It is always known.
	Sent Key
}

// playerText is the canonical text of a player. It has no paths, time margin, stall limit or setting for restarts. It
// has the player's name only if the program is unknown.
type playerText struct {
	Name      string            `json:"name,omitempty"` // only if the program is unknown
	Identity  map[string]string `json:"identity"`       // SHA-256 by role, or "fixed"
	Arguments []string          `json:"arguments,omitempty"`
	Env       []string          `json:"env,omitempty"`
	// sorted by name; all options in effect, or those that were sent
	Options []Option     `json:"options,omitempty"`
	Profile string       `json:"profile,omitempty"` // only with the options that were sent
	Limits  string       `json:"limits"`
	Council *councilText `json:"council,omitempty"`
}

// councilText is the canonical text of a council. It differs from CanonicalCouncil only in the texts of the members.
type councilText struct {
	CanonicalCouncil

	Members []playerText `json:"members"`
}

// Keys returns the keys of a player of a stored plan. inEffect has the options in effect of each engine of the
// player, as Player.InEffect returns them; nil means that they are unknown.
func (p *CanonicalPlayer) Keys(inEffect [][]Option) PlayerKeys {
	keys := PlayerKeys{Sent: keyOf("player", p.keyText(nil))}
	if engines := p.engines(); len(inEffect) == engines && engines > 0 {
		keys.Exact = keyOf("player", p.keyText(&inEffect))
	}
	return keys
}

// engines returns the number of engines of a player: 1, or the engines of all members of a council.
func (p *CanonicalPlayer) engines() int {
	if p.Council == nil {
		return 1
	}
	n := 0
	for i := range p.Council.Members {
		n += p.Council.Members[i].engines()
	}
	return n
}

// keyText returns the canonical text of a player. inEffect has the options in effect, one element for each engine:
// first the engines of this player, then those of later players. keyText removes the elements of this player. If
// inEffect is nil, the text has the options that the user set.
func (p *CanonicalPlayer) keyText(inEffect *[][]Option) playerText {
	t := playerText{Identity: p.Identity, Arguments: p.Arguments, Env: placeless(p.Env), Limits: p.Limits}
	if c := p.Council; c != nil {
		t.Council = &councilText{CanonicalCouncil: *c}
		for i := range c.Members {
			t.Council.Members = append(t.Council.Members, c.Members[i].keyText(inEffect))
		}
		return t
	}
	if len(p.Identity) == 0 {
		t.Name = p.Name
	}
	if inEffect == nil {
		t.Options, t.Profile = sorted(p.Options), p.Profile
		return t
	}
	t.Options, *inEffect = sorted((*inEffect)[0]), (*inEffect)[1:]
	return t
}

// sorted returns options by name. Options of one name keep their order, because the last one counts.
func sorted(options []Option) []Option {
	out := slices.Clone(options)
	slices.SortStableFunc(out, func(a, b Option) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// placeless returns an environment without the variables that only choose a GPU or a slot.
func placeless(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		return strings.HasPrefix(v, "CUDA_VISIBLE_DEVICES=") || strings.Contains(v, "{gpu}") || strings.Contains(v, "{slot}")
	})
}

// InEffect returns the options in effect (the values of all options, including defaults) of each engine of the
// player, in the order of Plan.Engines. It leaves out the paths of files that the identity covers. It returns nil
// if the options of an engine are unknown.
func (p *Player) InEffect() [][]Option {
	list := [][]Option{}
	known := true
	p.each(func(e *Player) {
		known = known && e.Effect != nil
		list = append(list, e.identified(e.Effect))
	})
	if !known {
		return nil
	}
	return list
}

// Keys returns the keys of player i of the plan.
func (p *Plan) Keys(i int) PlayerKeys {
	c := p.Players[i].canonical()
	return c.Keys(p.Players[i].InEffect())
}

// conditionsText is the canonical text of the conditions. It has no seed, design, openings, names or number of
// pairs.
type conditionsText struct {
	Rules        CanonicalRules    `json:"rules"`
	Adjudication *Adjudication     `json:"adjudication,omitempty"`
	Mate         *CanonicalMate    `json:"mate,omitempty"`
	Ponder       PonderMode        `json:"ponder"`
	Slowed       Policy            `json:"slowed"`
	Clocks       map[string]string `json:"clocks,omitempty"`
	Scaling      *Scaling          `json:"scaling,omitempty"`
	// time margins of the players that have a time limit, each once
	Margins []string `json:"margins,omitempty"`
}

// Conditions returns the key of the conditions of the plan's games: rules, adjudication, pondering, clocks by
// colour and the policy for delayed moves. With a time limit it covers the time margins, too.
func (c *CanonicalPlan) Conditions() Key {
	t := conditionsText{
		Rules: c.Rules, Adjudication: c.Adjudication, Mate: c.Mate, Ponder: cmp.Or(c.Ponder, PonderOff),
		Slowed: cmp.Or(c.Slowed, PolicyCount),
		Clocks: c.Clocks, Scaling: c.Scaling,
	}
	if c.Mate != nil && c.Mate.Solver != nil {
		mate, solver := *c.Mate, *c.Mate.Solver
		solver.Name, mate.Solver, t.Mate = "", &solver, &mate
	}
	for i := range c.Players {
		if c.Timed(i) {
			t.Margins = append(t.Margins, c.Players[i].Margin)
		}
	}
	slices.Sort(t.Margins)
	t.Margins = slices.Compact(t.Margins)
	return keyOf("conditions", t)
}

// Timed reports whether a player, or a member of a council, has a time limit in the plan's games. Limits that
// this program cannot read count as a time limit.
func (c *CanonicalPlan) Timed(player int) bool { return len(c.Clocks) > 0 || c.Players[player].timed() }

func (p *CanonicalPlayer) timed() bool {
	limits, err := p.limits()
	if err != nil || limits.Timed() {
		return true
	}
	return p.Council != nil && slices.ContainsFunc(p.Council.Members, func(m CanonicalPlayer) bool { return m.timed() })
}
