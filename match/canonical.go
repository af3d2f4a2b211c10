package match

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gogi/shogi"
)

// CanonicalPlan has exactly the settings that affect how the games of a run are played. It has no paths, number of
// pairs, concurrency or stopping bounds. Plan.Digest hashes the JSON of a CanonicalPlan (the canonical text), and
// the store saves this JSON. A field of this type and of the other canonical types therefore never changes its
// name or its position. A new field comes at the end, and the JSON omits it if it has its zero value.
type CanonicalPlan struct {
	Version      int               `json:"version"`
	Design       DesignKind        `json:"design"`
	Swap         bool              `json:"swap"` // each pair has two games with colours swapped
	Seed         uint64            `json:"seed"`
	Rules        CanonicalRules    `json:"rules"`
	Adjudication *Adjudication     `json:"adjudication,omitempty"`
	Ponder       PonderMode        `json:"ponder"`           // how engines ponder: off, standard or early
	Slowed       Policy            `json:"slowed"`           // what happens to pairs with delayed moves: count or void
	Clocks       map[string]string `json:"clocks,omitempty"` // clock of each colour, if they differ
	Players      []CanonicalPlayer `json:"players"`
	Openings     CanonicalOpenings `json:"openings"` // the openings of the plan
	Tournament   *Tournament       `json:"tournament,omitempty"`
	Anchor       string            `json:"anchor,omitempty"` // player with a fixed rating
	Scaling      *Scaling          `json:"scaling,omitempty"`
	Tune         json.RawMessage   `json:"tune,omitempty"` // settings of a tune
	Mate         *CanonicalMate    `json:"mate,omitempty"`
	Selfplay     json.RawMessage   `json:"selfplay,omitempty"` // settings of self-play
}

// CanonicalRules has the fields of Rules without the name, because the name has no effect on a game.
type CanonicalRules struct {
	Declaration      string `json:"declaration"`         // rule of entering king
	ImpasseDraw      bool   `json:"impasse_draw"`        // an agreed impasse is a draw
	MaxPlies         int    `json:"max_plies"`           // number of plies after which the game is a draw; 0: no limit
	MateAtLimitDraws bool   `json:"mate_at_limit_draws"` // a mate with the last ply is a draw
	DeclareAtLimit   bool   `json:"declare_at_limit"`    // the side to move may declare at the limit
	ExtendInCheck    bool   `json:"extend_in_check"`     // the limit waits while the side to move is in check
	// points of the first and of the second player for a repetition
	RepetitionPoints [2]float64 `json:"repetition_points"`
}

// CanonicalPlayer has the settings of a Player that decide how it plays. It has no paths. If an option names a
// file or folder whose contents the identity covers (see Identity), the value of the option is "(see identity)".
type CanonicalPlayer struct {
	Name      string            `json:"name"`
	Identity  map[string]string `json:"identity"`            // hashes of the engine's files, by role
	Arguments []string          `json:"arguments,omitempty"` // arguments of the program
	Env       []string          `json:"env,omitempty"`       // additions to the environment
	Options   []Option          `json:"options,omitempty"`
	Profile   string            `json:"profile,omitempty"` // name of the profile whose options gogi sends
	Limits    string            `json:"limits"`            // search limits, as text
	Margin    string            `json:"margin"`            // time margin, as text
	Stall     string            `json:"stall"`             // longest time without an answer, as text
	Restart   Restart           `json:"restart"`           // when gogi restarts the engine: never, pair or game
	Council   *CanonicalCouncil `json:"council,omitempty"`
}

// CanonicalOpenings identifies the openings of a plan: how many they are, and one hash of all of them.
type CanonicalOpenings struct {
	Count  int    `json:"count"`
	SHA256 string `json:"sha256"` // SHA-256 of the openings' lines, in the order of the book
}

// CanonicalCouncil has the settings of a Council that decide how it plays. The fields have the same meaning as in
// Council.
type CanonicalCouncil struct {
	Rule         string   `json:"rule"`
	Ties         []string `json:"ties,omitempty"`          // tie-breaks, in order
	Stop         string   `json:"stop,omitempty"`          // when the council stops waiting for members
	Quorum       float64  `json:"quorum,omitempty"`        // share of the weights that decides early
	ResignQuorum float64  `json:"resign_quorum,omitempty"` // share of the members that must resign
	MinAlive     int      `json:"min_alive,omitempty"`     // least number of members with which the council plays
	Restarts     int      `json:"restarts,omitempty"`      // how often a member may be restarted in a game
	Split        bool     `json:"split,omitempty"`         // members share the council's nodes
	// random change of the members' node limits, as a share
	Jitter float64 `json:"node_jitter,omitempty"`
	// standard deviation of the noise that is added to scores, in centipawns
	Noise   float64           `json:"score_noise,omitempty"`
	Veto    *Veto             `json:"veto,omitempty"`
	Examine Examine           `json:"examine,omitzero"`
	Ponder  Spread            `json:"ponder,omitzero"`
	Ask     int               `json:"ask,omitempty"`    // number of members that are asked first; missing: all at once
	Scales  []Scale           `json:"scales,omitempty"` // scale of each member
	Clamps  []float64         `json:"clamps,omitempty"` // largest score of each member that counts, in centipawns
	Own     []bool            `json:"own,omitempty"`    // for each member: it searches under its own limits
	Members []CanonicalPlayer `json:"members"`
}

const canonicalVersion = 1

// ParseCanonical reads the text of Canonical, also from an older or newer gogi. It ignores unknown fields.
func ParseCanonical(text []byte) (*CanonicalPlan, error) {
	var c CanonicalPlan
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("match: reading a plan's canonical text: %w", err)
	}
	if c.Version < 1 || c.Version > canonicalVersion {
		return nil, fmt.Errorf("match: a plan's canonical text has version %d, this program knows %d", c.Version,
			canonicalVersion)
	}
	return &c, nil
}

// Canonical returns the JSON text of the settings that affect how the games of the run are played (CanonicalPlan).
// Equal plans have equal texts.
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

// canonicalJSON returns the settings of a tune as JSON. If the text is not valid JSON, canonicalJSON returns
// it as a JSON string; Check rejects such settings.
func canonicalJSON(settings string) json.RawMessage {
	text := json.RawMessage(settings)
	if settings != "" && !json.Valid(text) {
		text = fmt.Appendf(nil, "%q", settings)
	}
	return text
}

func (r Rules) canonical() CanonicalRules {
	return CanonicalRules{
		r.Declaration.String(), r.ImpasseDraw, r.MaxPlies, r.MateAtLimitDraws, r.DeclareAtLimit, r.ExtendInCheck,
		r.RepetitionPoints,
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
		Name: p.Name, Identity: map[string]string{}, Env: p.Env, Options: p.identified(p.Options), Profile: p.Profile,
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

// hashed replaces the path of a file or folder in the canonical text if the identity has the hash of the contents.
// The digest therefore does not change if the user moves the folder.
const hashed = "(see identity)"

// identified returns a copy of options. If an option names a file or folder that the identity covers, the copy has
// the value hashed instead of the path.
func (p *Player) identified(options []Option) []Option {
	options = slices.Clone(options)
	for i, o := range options {
		if p.Identity.has("option "+o.Name) || p.Identity.has(o.Name+"/") {
			options[i].Value = hashed
		}
	}
	return options
}

// has reports whether the identity has a file with this role. If role ends with a slash, it names a folder, and any
// file in that folder suffices. has ignores case, because engines ignore case in option names.
func (i Identity) has(role string) bool {
	return slices.ContainsFunc(i.Files, func(f FileHash) bool {
		if strings.HasSuffix(role, "/") && len(f.Role) > len(role) {
			return strings.EqualFold(f.Role[:len(role)], role)
		}
		return strings.EqualFold(f.Role, role)
	})
}

// appendBookLine appends to b the line of an opening that OpeningsHash hashes.
func (o Opening) appendBookLine(b []byte) []byte {
	b = append(append(b, o.ID...), '\t')
	return append(shogi.AppendLine(b, o.USIStart(), o.Moves), '\n')
}

// OpeningsHash returns the number of openings in a list and one SHA-256 of all of them, for the canonical text of
// a plan.
func OpeningsHash(openings []Opening) CanonicalOpenings {
	return hashOpenings(len(openings), func(i int) Opening { return openings[i] })
}

// hashOpenings is OpeningsHash of the openings at(0) to at(n-1).
func hashOpenings(n int, at func(int) Opening) CanonicalOpenings {
	h := sha256.New()
	var line []byte // one buffer for all lines: a run begins with the hash of ten thousand openings
	for i := range n {
		line = at(i).appendBookLine(line[:0])
		h.Write(line)
	}
	return CanonicalOpenings{n, hex.EncodeToString(h.Sum(nil))}
}

// canonical returns the settings of the council that decide its moves. It leaves out the shadow rules,
// because they change no move.
func (c *Council) canonical() *CanonicalCouncil {
	if c == nil {
		return nil
	}
	out := &CanonicalCouncil{
		Rule: c.Rule, Ties: c.Ties, Stop: c.Stop, Quorum: c.Quorum, ResignQuorum: c.ResignQuorum, MinAlive: c.MinAlive,
		Restarts: c.Restarts, Split: c.Split, Jitter: c.Jitter, Noise: c.Noise, Examine: c.Examine, Ponder: c.Ponder,
		Ask: c.Ask,
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

// Digest returns the SHA-256 of the plan's canonical text (see Canonical) in hexadecimal. If two plans have the
// same digest, their pairs with the same ID are the same pair.
func (p *Plan) Digest() string {
	sum := sha256.Sum256(p.Canonical())
	return hex.EncodeToString(sum[:])
}

// Hash returns a hash of the opening's start position and moves. It uses the text of Start, so "startpos" and the
// equivalent SFEN have different hashes. The hash does not cover the ID.
func (o Opening) Hash() uint64 {
	return movesHash(o.Start, len(o.Moves), func(i int) shogi.Move { return o.Moves[i] })
}

// MovesHash returns a hash of the game's start position and all its moves, including the opening's moves. The
// notation of the start position does not change the hash. MovesHash returns an error if it cannot read the
// start position.
func (r *Result) MovesHash() (uint64, error) {
	start, err := Opening{ID: "of the record", Start: r.Record.Start}.Position()
	if err != nil {
		return 0, err
	}
	return movesHash(start.SFEN(), len(r.Record.Moves), func(i int) shogi.Move { return r.Record.Moves[i].Move }), nil
}

// movesHash returns the first 64 bits of a SHA-256 over a start position and n moves. Stores save this hash,
// so its definition never changes.
func movesHash(start string, n int, move func(int) shogi.Move) uint64 {
	h := sha256.New()
	_, _ = io.WriteString(h, start) // a hash never fails
	text := []byte{0}
	for i := range n {
		text = binary.LittleEndian.AppendUint16(text, uint16(move(i)))
	}
	_, _ = h.Write(text)
	return binary.LittleEndian.Uint64(h.Sum(nil))
}
