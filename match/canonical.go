package match

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// CanonicalPlan is what decides the distribution of a run's games: all of it,
// and nothing else (no paths, target, concurrency or stopping bounds). Its JSON is
// what the digest covers and what a store keeps of a plan, so in this type and in
// those below a field never changes its name or its place, and a new one stands at
// the end and is left out of the JSON where it has its zero value.
type CanonicalPlan struct {
	Version      int               `json:"version"`
	Design       DesignKind        `json:"design"`
	Swap         bool              `json:"swap"`
	Seed         uint64            `json:"seed"`
	Rules        CanonicalRules    `json:"rules"`
	Adjudication *Adjudication     `json:"adjudication,omitempty"`
	Ponder       PonderMode        `json:"ponder"`
	Slowed       Policy            `json:"slowed"`
	Clocks       map[string]string `json:"clocks,omitempty"`
	Players      []CanonicalPlayer `json:"players"`
	Openings     CanonicalOpenings `json:"openings"`
	Tournament   *Tournament       `json:"tournament,omitempty"`
	Anchor       string            `json:"anchor,omitempty"`
	Scaling      *Scaling          `json:"scaling,omitempty"`
	Tune         json.RawMessage   `json:"tune,omitempty"`
	Mate         *CanonicalMate    `json:"mate,omitempty"`
	Selfplay     json.RawMessage   `json:"selfplay,omitempty"`
}

// CanonicalRules are Rules without their name, which decides nothing.
type CanonicalRules struct {
	Declaration      string     `json:"declaration"`
	ImpasseDraw      bool       `json:"impasse_draw"`
	MaxPlies         int        `json:"max_plies"`
	MateAtLimitDraws bool       `json:"mate_at_limit_draws"`
	DeclareAtLimit   bool       `json:"declare_at_limit"`
	ExtendInCheck    bool       `json:"extend_in_check"`
	RepetitionPoints [2]float64 `json:"repetition_points"`
}

// CanonicalPlayer is what of a Player decides how it plays: no paths, and in the
// place of one whose contents are in the identity, "(see identity)".
type CanonicalPlayer struct {
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
	Council   *CanonicalCouncil `json:"council,omitempty"`
}

// CanonicalOpenings is the book.
type CanonicalOpenings struct {
	Count  int    `json:"count"`
	SHA256 string `json:"sha256"` // of their lines in order
}

// CanonicalCouncil is what of a Council decides how it plays.
type CanonicalCouncil struct {
	Rule         string            `json:"rule"`
	Ties         []string          `json:"ties,omitempty"`
	Stop         string            `json:"stop,omitempty"`
	Quorum       float64           `json:"quorum,omitempty"`
	ResignQuorum float64           `json:"resign_quorum,omitempty"`
	MinAlive     int               `json:"min_alive,omitempty"`
	Restarts     int               `json:"restarts,omitempty"`
	Split        bool              `json:"split,omitempty"`
	Jitter       float64           `json:"node_jitter,omitempty"`
	Noise        float64           `json:"score_noise,omitempty"`
	Veto         *Veto             `json:"veto,omitempty"`
	Scales       []Scale           `json:"scales,omitempty"`
	Clamps       []float64         `json:"clamps,omitempty"`
	Own          []bool            `json:"own,omitempty"`
	Members      []CanonicalPlayer `json:"members"`
}

// canonicalVersion is the version of the texts that Canonical writes.
const canonicalVersion = 1

// ParseCanonical reads what Canonical wrote, also of an older or newer gogi; what
// this one does not know of it is left out.
func ParseCanonical(text []byte) (*CanonicalPlan, error) {
	var c CanonicalPlan
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("match: reading a plan's canonical text: %w", err)
	}
	if c.Version < 1 || c.Version > canonicalVersion {
		return nil, fmt.Errorf("match: a plan's canonical text has version %d, this program knows %d", c.Version, canonicalVersion)
	}
	return &c, nil
}

// Canonical is the JSON text of what decides the distribution of the run's
// games. Equal plans have equal texts.
func (p *Plan) Canonical() []byte {
	c := CanonicalPlan{
		Version: canonicalVersion, Design: p.Design.Kind, Swap: p.Design.Swap, Seed: p.Seed, Rules: p.Rules.canonical(),
		Ponder: p.Ponder, Slowed: p.Slowed, Clocks: p.canonicalClocks(), Openings: OpeningsHash(p.Openings),
		Anchor: p.Design.Anchor, Tune: canonicalJSON(p.Tune), Mate: p.Mate.canonical(),
	}
	if p.Design.Kind == DesignSelfplay {
		c.Selfplay = p.Design.Selfplay.canonical()
	}
	if p.Design.Tournament != (Tournament{}) {
		c.Tournament = &p.Design.Tournament
	}
	if p.Adjudication != (Adjudication{}) {
		c.Adjudication = &p.Adjudication
	}
	if !p.Scaling.IsZero() {
		c.Scaling = &p.Scaling
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

// canonicalJSON is the text of a tune's settings; one that is no JSON, which Check refuses, as a
// string.
func canonicalJSON(settings string) json.RawMessage {
	text := json.RawMessage(settings)
	if settings != "" && !json.Valid(text) {
		text = fmt.Appendf(nil, "%q", settings)
	}
	return text
}

func (r Rules) canonical() CanonicalRules {
	return CanonicalRules{
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

func (p *Player) canonical() CanonicalPlayer {
	c := CanonicalPlayer{
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
	for _, f := range p.Identity.Covered() {
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

// bookLine is what the hash over a book covers of an opening.
func (o Opening) bookLine() []byte { return fmt.Appendf(nil, "%s\t%s\n", o.ID, o) }

// OpeningsHash returns what a digest covers of a list of openings.
func OpeningsHash(openings []Opening) CanonicalOpenings {
	h := sha256.New()
	for _, o := range openings {
		h.Write(o.bookLine())
	}
	return CanonicalOpenings{len(openings), hex.EncodeToString(h.Sum(nil))}
}

// canonical leaves the shadows out: they change no move.
func (c *Council) canonical() *CanonicalCouncil {
	if c == nil {
		return nil
	}
	out := &CanonicalCouncil{
		Rule: c.Rule, Ties: c.Ties, Stop: c.Stop, Quorum: c.Quorum, ResignQuorum: c.ResignQuorum, MinAlive: c.MinAlive,
		Restarts: c.Restarts, Split: c.Split, Jitter: c.Jitter, Noise: c.Noise,
	}
	if slices.ContainsFunc(c.Clamps, func(x float64) bool { return x != 0 }) {
		out.Clamps = c.Clamps
	}
	if slices.ContainsFunc(c.Scales, func(s Scale) bool { return s != Scale{} }) {
		out.Scales = c.Scales
	}
	if slices.Contains(c.Own, true) {
		out.Own = c.Own
	}
	if c.Veto != (Veto{}) {
		out.Veto = &c.Veto
	}
	for i := range c.Members {
		out.Members = append(out.Members, c.Members[i].canonical())
	}
	return out
}
