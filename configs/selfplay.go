package configs

import (
	_ "embed" // the file to start from
	"errors"
	"slices"
	"strings"

	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/internal/disk"
	"gogi/match"
	"gogi/runner/selfplay"
	"gogi/shogi/kifu/packed"
)

//go:embed starter/selfplay.toml
var selfplayTemplate []byte

// SelfplayTemplate returns a copy of the commented starter file for making training data.
func SelfplayTemplate() []byte { return slices.Clone(selfplayTemplate) }

// Selfplay is the table [selfplay] with the settings for making training data. The rest of the file has the
// players, openings and rules. Package selfplay explains the keys.
type Selfplay struct {
	To string `toml:"to"` // folder of the data; required
	// the player that plays both sides; default: the only player that is not a member of a council
	Player string `toml:"player"`
	Block  *int   `toml:"block"` // number of games in a block; default 64

	RandomMin *int `toml:"random_min"` // default 4
	RandomMax *int `toml:"random_max"` // default 8, or random_min if that is more
	Window    *int `toml:"window"`     // default 600

	TemperaturePlies *int     `toml:"temperature_plies"` // default 0
	Temperature      *float64 `toml:"temperature"`       // default 50
	MultiPV          *int     `toml:"multipv"`           // default 8
	NoisePlies       *int     `toml:"noise_plies"`       // default 0
	Noise            *float64 `toml:"noise"`             // default 0.1
	NodeJitter       *float64 `toml:"node_jitter"`       // default 0
	Audit            *float64 `toml:"audit"`             // default 0.05

	Format      string  `toml:"format"`       // default psv
	Shard       *int    `toml:"shard"`        // number of positions in a file; default 10,000,000; 0: one file for all
	Shuffle     *bool   `toml:"shuffle"`      // default true
	ShuffleSeed *uint64 `toml:"shuffle_seed"` // default 1
	NoMate      *bool   `toml:"no_mate"`      // default false
	DistinctMiB *int    `toml:"distinct_mib"` // default 256; 0: duplicates are not removed
}

// SelfplayPlan has all settings for making training data, with every default filled in.
type SelfplayPlan struct {
	Plan   *match.Plan // a plan of match.DesignSelfplay; its pairs are the blocks
	Data   selfplay.Data
	Folder string // folder of the data, absolute

	Transcript bool // the dialogues with engines are stored
}

const (
	defaultBlock       = 64
	defaultRandomMin   = 4
	defaultRandomMax   = 8
	defaultWindow      = 600
	defaultTemperature = 50
	defaultLines       = 8
	defaultNoise       = 0.1
	defaultAudit       = 0.05
	defaultShard       = 10_000_000
	defaultDistinct    = 256
	maxDistinct        = 1 << 20
	maxSelfplayGames   = 1 << 40
)

// PlanSelfplay returns the settings for training data of a file with a table [selfplay]. Games begin at the
// usual start position unless the file gives openings. By default gogi plays one block per CPU at a time. A
// key that is only valid in a match between players is an error. For baseDir, the warnings and the other
// errors, see Plan.
func (f *File) PlanSelfplay(baseDir string, env identity.Env) (*SelfplayPlan, []advice.Warning, error) {
	alone := *f
	want := or(f.Selfplay, Selfplay{})
	r := alone.resolver(baseDir, env)
	if f.Selfplay == nil {
		r.fail("selfplay", "there is no [selfplay] in it: expected one with to = \"FOLDER\"")
	}
	if alone.Openings == nil {
		alone.Openings = &Openings{List: []string{"startpos"}}
	}
	if alone.Concurrency == nil {
		all := AllCPUs
		alone.Concurrency = &all
	}
	r.refuseSeries()
	alone.Players = r.selfplayer(want.Player)
	p := r.common()
	p.PVPlies = or(alone.PVPlies, 0) // training data do not have principal variations
	p.Adjudication = alone.adjudication()
	p.Players = r.players()
	p.Openings = r.openings(p.Rules)
	p.Design = match.Design{Kind: match.DesignSelfplay, Selfplay: r.selfplayDesign(&want)}
	out := &SelfplayPlan{Plan: p, Data: r.selfplayData(&want), Transcript: or(f.Transcript, false)}
	out.Folder = disk.Absolute(r.file.base("selfplay.to", r.baseDir, env.WorkDir), want.To)
	if f.Selfplay != nil && want.To == "" {
		r.fail("selfplay", "selfplay.to is missing: expected the folder of the data")
	}
	r.selfplayPlayer(p)
	p.Pairs = r.selfplayBlocks(p.Legs())
	r.checkDevices(p)
	if len(r.errs) > 0 {
		return nil, nil, errors.Join(r.errs...)
	}
	return out, r.warnings, nil
}

func (r *resolver) refuseSeries() {
	f := r.file
	for _, k := range []struct {
		key   string
		given bool
	}{
		{"design", f.Design != nil}, {"swap", f.Swap != nil}, {"players", f.Players != nil},
		{"limits_by_colour", f.ByColour != nil},
		{"gate", f.Gate != nil}, {"ponder", f.Ponder != "" && f.Ponder != match.PonderOff}, {"slowed", f.Slowed != ""},
		{"mate", f.Mate != nil},
	} {
		if k.given {
			r.fail(k.key, "%s: self-play has no such key; remove it", k.key)
		}
	}
}

func (r *resolver) selfplayer(name string) []string {
	all := r.file.names()
	alone := slices.DeleteFunc(slices.Clone(all), r.file.memberOfAny)
	switch {
	case name != "" && !slices.Contains(all, name):
		r.fail("selfplay.player", "selfplay.player: there is no %q: expected one of %s", name, strings.Join(all, ", "))
	case name != "":
		return []string{name}
	case len(alone) != 1:
		r.fail("selfplay", "selfplay.player is missing: expected who plays, of %s", r.file.enginesFound())
	default:
		return alone
	}
	return []string{}
}

func (r *resolver) selfplayDesign(want *Selfplay) match.Selfplay {
	d := match.Selfplay{
		Games:     or(want.Block, min(defaultBlock, max(1, or(r.file.Games, defaultBlock)))),
		RandomMin: or(want.RandomMin, defaultRandomMin), Window: or(want.Window, defaultWindow),
		TemperaturePlies: or(want.TemperaturePlies, 0), Temperature: or(want.Temperature, defaultTemperature),
		Lines:      or(want.MultiPV, defaultLines),
		NoisePlies: or(want.NoisePlies, 0), Noise: or(want.Noise, defaultNoise),
		NodeJitter: or(want.NodeJitter, 0), Audit: or(want.Audit, defaultAudit),
	}
	d.RandomMax = or(want.RandomMax, max(defaultRandomMax, d.RandomMin))
	for _, f := range d.Faults() {
		r.fail("selfplay."+f.Key, "selfplay.%s: %s", f.Key, f.Why)
	}
	return d
}

func (r *resolver) selfplayData(want *Selfplay) selfplay.Data {
	d := selfplay.Data{
		Positions: r.inRange("selfplay.shard", want.Shard, defaultShard, 0, maxSelfplayGames),
		Shuffle:   or(want.Shuffle, true), Seed: or(want.ShuffleSeed, 1),
		NoMate:   or(want.NoMate, false),
		Distinct: r.inRange("selfplay.distinct_mib", want.DistinctMiB, defaultDistinct, 0, maxDistinct),
	}
	name := choose(r, "selfplay.format", want.Format, packed.TrainingNames()...)
	format, err := packed.Find(name)
	if err == nil && format.Name == "pack" && d.NoMate {
		r.fail("selfplay.no_mate",
			"selfplay.no_mate: pack has games and leaves no position out: expected another format, or false")
	}
	d.Format = format
	return d
}

func (r *resolver) selfplayPlayer(plan *match.Plan) {
	if len(plan.Players) != 1 {
		return // already reported as an error
	}
	p, d := &plan.Players[0], &plan.Design.Selfplay
	if !p.Limits.Clock.IsZero() {
		r.fail("limits", "limits: a clock is for games between two: expected nodes, depth, movetime or self")
	}
	if d.NodeJitter > 0 && p.Limits.Nodes == 0 {
		r.fail("selfplay.node_jitter", "selfplay.node_jitter: %s plays by %s: expected limits with nodes", p.Name, p.Limits)
	}
	if d.TemperaturePlies == 0 {
		return
	}
	if p.Council != nil {
		r.fail("selfplay.temperature_plies",
			"selfplay.temperature_plies: moves are drawn among an engine's MultiPV, which the council %s has not: expected 0; random and noise plies need none", p.Name)
	}
	for _, o := range p.Options {
		if strings.EqualFold(o.Name, "MultiPV") || strings.EqualFold(o.Name, "USI_MultiPV") {
			r.fail("selfplay.multipv", "selfplay.multipv: the option %s of %s says otherwise: expected one of the two", o.Name,
				p.Name)
		}
	}
}

func (r *resolver) selfplayBlocks(block int) int {
	if r.file.Games == nil {
		r.fail("games", "games is missing: expected how many to play, such as games = 100000")
		return 0
	}
	games := *r.file.Games
	block = max(1, block)
	if games < 1 || games > maxSelfplayGames {
		r.fail("games", "games: %d is outside 1 to %d", games, maxSelfplayGames)
		return 0
	}
	blocks := (games + block - 1) / block
	if blocks*block != games {
		r.warnings = append(r.warnings,
			advice.Of("games: %d is no multiple of a block's %d: %d are played", games, block, blocks*block))
	}
	return blocks
}
