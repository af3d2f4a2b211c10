package match

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// canonicalPlan is what decides the distribution of a run's games: all of it,
// and nothing else (no paths, target, concurrency or stopping bounds). The
// field order is the order of the JSON, which is hashed: only ever append.
type canonicalPlan struct {
	Version      int               `json:"version"`
	Design       DesignKind        `json:"design"`
	Swap         bool              `json:"swap"`
	Seed         uint64            `json:"seed"`
	Rules        canonicalRules    `json:"rules"`
	Adjudication *Adjudication     `json:"adjudication,omitempty"`
	Ponder       PonderMode        `json:"ponder"`
	Slowed       Policy            `json:"slowed"`
	Clocks       map[string]string `json:"clocks,omitempty"`
	Players      []canonicalPlayer `json:"players"`
	Openings     canonicalOpenings `json:"openings"`
}

type canonicalRules struct {
	Declaration      string     `json:"declaration"`
	ImpasseDraw      bool       `json:"impasse_draw"`
	MaxPlies         int        `json:"max_plies"`
	MateAtLimitDraws bool       `json:"mate_at_limit_draws"`
	DeclareAtLimit   bool       `json:"declare_at_limit"`
	ExtendInCheck    bool       `json:"extend_in_check"`
	RepetitionPoints [2]float64 `json:"repetition_points"`
}

type canonicalPlayer struct {
	Name      string            `json:"name"`
	Identity  map[string]string `json:"identity"`
	Arguments []string          `json:"arguments,omitempty"`
	Env       []string          `json:"env,omitempty"`
	Options   []Option          `json:"options,omitempty"`
	Profile   string            `json:"profile,omitempty"`
	Limits    string            `json:"limits"`
	Margin    string            `json:"margin"`
	Stall     string            `json:"stall"`
	Restart   Restart           `json:"restart"`
	Council   *canonicalCouncil `json:"council,omitempty"`
}

type canonicalOpenings struct {
	Count  int    `json:"count"`
	SHA256 string `json:"sha256"` // of their lines in order
}

// Canonical is the JSON text of what decides the distribution of the run's
// games. Equal plans have equal texts.
func (p *Plan) Canonical() []byte {
	c := canonicalPlan{
		Version: 1, Design: p.Design.Kind, Swap: p.Design.Swap, Seed: p.Seed, Rules: p.Rules.canonical(),
		Ponder: p.Ponder, Slowed: p.Slowed, Clocks: p.canonicalClocks(), Openings: canonicalBook(p.Openings),
	}
	if p.Adjudication != (Adjudication{}) {
		c.Adjudication = &p.Adjudication
	}
	for i := range p.Players {
		c.Players = append(c.Players, p.Players[i].canonical())
	}
	text, err := json.Marshal(c)
	if err != nil {
		// Only strings, numbers and slices of them: Marshal has no way to fail.
		panic(fmt.Sprintf("match: canonical plan: %v", err))
	}
	return text
}

// Digest is the SHA-256 of Canonical in hexadecimal. Pairs of one digest and
// one ID are the same pair.
func (p *Plan) Digest() string {
	sum := sha256.Sum256(p.Canonical())
	return hex.EncodeToString(sum[:])
}

func (r Rules) canonical() canonicalRules {
	return canonicalRules{
		r.Declaration.String(), r.ImpasseDraw, r.MaxPlies, r.MateAtLimitDraws, r.DeclareAtLimit, r.ExtendInCheck, r.RepetitionPoints,
	}
}

func (p *Plan) canonicalClocks() map[string]string {
	clocks := map[string]string{}
	for i, name := range []string{"black", "white"} {
		if c := p.ColourClocks[i]; c != nil {
			clocks[name] = c.String()
		}
	}
	return clocks
}

func (p *Player) canonical() canonicalPlayer {
	c := canonicalPlayer{
		Name: p.Name, Identity: map[string]string{}, Env: p.Env, Options: p.hashedOptions(), Profile: p.Profile,
		Limits: p.Limits.String(), Margin: p.Limits.Margin.String(), Stall: p.Limits.Stall.String(), Restart: p.Restart,
		Council: p.Council.canonical(),
	}
	for i, word := range p.Command[min(1, len(p.Command)):] {
		if p.Identity.has("argument " + strconv.Itoa(i+1)) {
			word = hashed
		}
		c.Arguments = append(c.Arguments, word)
	}
	for _, f := range p.Identity.Files {
		c.Identity[f.Role] = strings.TrimSpace(c.Identity[f.Role] + " " + f.SHA256)
	}
	if p.Identity.Fixed != "" {
		c.Identity["fixed"] = p.Identity.Fixed
	}
	return c
}

// hashed stands for a path whose contents are in the identity: a folder that
// was moved is the same evaluation.
const hashed = "(see identity)"

func (p *Player) hashedOptions() []Option {
	options := slices.Clone(p.Options)
	for i, o := range options {
		if p.Identity.has("option "+o.Name) || p.Identity.has(o.Name+"/") {
			options[i].Value = hashed
		}
	}
	return options
}

// has reports whether a file has the role, or one that begins with it where it
// names a folder; engines do not tell upper from lower case in option names.
func (i Identity) has(role string) bool {
	return slices.ContainsFunc(i.Files, func(f FileHash) bool {
		if strings.HasSuffix(role, "/") && len(f.Role) > len(role) {
			return strings.EqualFold(f.Role[:len(role)], role)
		}
		return strings.EqualFold(f.Role, role)
	})
}

func canonicalBook(openings []Opening) canonicalOpenings {
	h := sha256.New()
	for _, o := range openings {
		h.Write(fmt.Appendf(nil, "%s\t%s\n", o.ID, o))
	}
	return canonicalOpenings{len(openings), hex.EncodeToString(h.Sum(nil))}
}

// Differences compares two canonical texts and says, a line each and in order,
// which values differ: "players.A.options.Threads: 1 before, 2 now".
func Differences(before, now []byte) []string {
	a, b := flatten(before), flatten(now)
	keys := slices.Collect(maps.Keys(a))
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var lines []string
	for _, k := range keys {
		was, is := orAbsent(a, k), orAbsent(b, k)
		if was != is && (!strings.HasSuffix(k, orderSuffix) || reordered(was, is)) {
			lines = append(lines, fmt.Sprintf("%s: %s before, %s now", k, was, is))
		}
	}
	return lines
}

func orAbsent(m map[string]string, key string) string {
	switch v, ok := m[key]; {
	case !ok:
		return "absent"
	case v == "":
		return `""`
	default:
		return v
	}
}

// orderSuffix ends the key under which flatten keeps the order of a list of
// named elements.
const orderSuffix = " (order)"

// reordered reports whether two lists of names have the same names in another
// order; names that came or went have lines of their own.
func reordered(was, is string) bool {
	a, b := strings.Split(was, ", "), strings.Split(is, ", ")
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// flatten turns JSON into dotted keys; list elements with a name are keyed by
// it, so that a changed order of options does not look like changed options.
func flatten(text []byte) map[string]string {
	var value any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return map[string]string{"plan": string(text)}
	}
	out := map[string]string{}
	flattenInto(out, nil, value)
	return out
}

func flattenInto(out map[string]string, path []string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for k, child := range v {
			flattenInto(out, append(slices.Clone(path), k), child)
		}
	case []any:
		var names []string
		for i, child := range v {
			key, named := elementKey(i, child)
			if named {
				names = append(names, key)
			}
			flattenInto(out, append(slices.Clone(path), key), child)
		}
		if names != nil {
			out[strings.Join(path, ".")+orderSuffix] = strings.Join(names, ", ")
		}
	default:
		if len(path) > 1 && path[len(path)-1] == "value" {
			path = path[:len(path)-1]
		}
		out[strings.Join(path, ".")] = fmt.Sprint(v)
	}
}

// elementKey is the name of a list's element, which it takes out of the element,
// or its index.
func elementKey(i int, child any) (key string, named bool) {
	if m, ok := child.(map[string]any); ok {
		if name, ok := m["name"].(string); ok {
			delete(m, "name")
			return name, true
		}
	}
	return strconv.Itoa(i), false
}
