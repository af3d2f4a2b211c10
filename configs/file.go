package configs

import (
	"time"

	"gogi/configs/position"
	"gogi/match"
)

// File is a match as the user wrote it, by file and flags together. A nil pointer, an empty string or an
// empty list means that the key was not given. The zero File is an empty file, ready for Apply.
//
// The tags are the only list of keys. "short" marks the key for a plain value in place of a table: limits
// = "8+0.08" is limits = {tc = "8+0.08"}.
type File struct {
	Run           string           `toml:"run"`         // the run's name; default: the file's name without ".toml"
	Games         *int             `toml:"games"`       // how many at most; needed
	Seed          *uint64          `toml:"seed"`        // seed of everything random; default 1
	Concurrency   *Concurrency     `toml:"concurrency"` // games at a time, each of another pair; default half of the CPUs
	Design        *Design          `toml:"design"`      // how players are paired; default "match"
	Swap          *bool            `toml:"swap"`        // pairs of two legs with colours swapped; default true
	Players       []string         `toml:"players"`     // players; default: every engine and council that is not a member of a council
	Rules         *Rules           `toml:"rules"`       // default match.DefaultRules
	Openings      *Openings        `toml:"openings"`    // default openings.BuiltinOpenings
	Limits        *Limits          `toml:"limits"`      // limits of engines that name none
	ByColour      *ByColour        `toml:"limits_by_colour"`
	Resign        *Resign          `toml:"resign"`         // default off
	Draw          *Draw            `toml:"draw"`           // default off
	Mate          *Mate            `toml:"mate"`           // a mate solver that ends games by proof; default none
	Gate          *Gate            `toml:"gate"`           // a sequential test that stops the series; default none
	Ponder        match.PonderMode `toml:"ponder"`         // default "off"
	Slowed        match.Policy     `toml:"slowed"`         // default "count"
	PVPlies       *int             `toml:"pv_plies"`       // stored moves of a principal variation; default 12
	StartParallel *int             `toml:"start_parallel"` // engines that may be starting at a time; default match.DefaultStartParallel
	SlotsPerGPU   *int             `toml:"slots_per_gpu"`  // slots that share a GPU, for {gpu} in an env; default 1
	Transcript    *bool            `toml:"transcript"`     // keep every line of the dialogues with engines; default false
	CPUs          *CPUs            `toml:"cpus"`           // cores that engines are bound to; default "off"
	CoresPerSlot  *int             `toml:"cores_per_slot"` // cores for each player that thinks; default its threads
	Store         *Store           `toml:"store"`          // how games are stored; no part of the plan
	Options       Options          `toml:"options"`        // options of every engine that does not set the same option
	Profile       string           `toml:"profile"`        // profile of engines that name none
	Restart       match.Restart    `toml:"restart"`        // restart of engines that name none; default "never"
	Engines       []Engine         `toml:"engine"`
	Councils      []Council        `toml:"council"`
	Tune          *Tune            `toml:"tune"`     // see TakeTune
	Params        []TuneParam      `toml:"param"`    // parameters of a tune
	Selfplay      *Selfplay        `toml:"selfplay"` // see PlanSelfplay; no part of a series

	name   string                    // name of the file, for errors
	ready  bool                      // a ready series, which is no file on disk
	places map[string]position.Place // place of each key in the file
	flags  map[string]string         // which flag gave a key; beats places
}

// Design is how players are paired. The keys other than kind and anchor are for the designs that pair by
// results; docs/matches.md explains them.
type Design struct {
	Kind       match.DesignKind `toml:"kind,short"`
	Rounds     *int             `toml:"rounds"`      // rounds of a Swiss, in place of games
	MatchPairs *int             `toml:"match_pairs"` // pairs in a match of a Swiss or a knockout; default 1
	Tiebreaks  *int             `toml:"tiebreaks"`   // further pairs at most if a knockout's match is tied; default 4
	ThirdPlace *bool            `toml:"third_place"` // a knockout's semifinals' losers play, too; default false
	Seeding    string           `toml:"seeding"`     // the start numbers of a Swiss or a knockout: given (as in players) or lot; default "given"
	Block      *int             `toml:"block"`       // pairs that an adaptive design draws at a time; default 16, or one for each player if that is more
	Anchor     string           `toml:"anchor"`      // the player from whom ratings are measured; default none
}

// Engine is one program that can play.
type Engine struct {
	Name            string         `toml:"name"`
	Cmd             string         `toml:"cmd"`     // one string, split by shellwords.Split
	Command         []string       `toml:"command"` // the same as a list of words
	Dir             string         `toml:"dir"`     // working directory; default: see Plan
	Env             Environ        `toml:"env"`     // added to the environment
	Options         Options        `toml:"options"`
	Limits          *Limits        `toml:"limits"`
	Profile         string         `toml:"profile"`
	Restart         match.Restart  `toml:"restart"`
	GreetingTimeout *time.Duration `toml:"greeting_timeout"` // usi → usiok, default 1m
	ReadyTimeout    *time.Duration `toml:"ready_timeout"`    // isready → readyok, default 10m
	WarmUp          bool           `toml:"warm_up"`          // start it once alone before the run: its first start fills a cache
	Identity        string         `toml:"identity"`         // by hand, instead of the binary's SHA-256
	Scale           *Scale         `toml:"scale"`            // scale of its scores, if it is a member of a council
	Book            string         `toml:"book"`             // a file of package book, asked before the engine; default none
}

// Clock is a time control, by shorthand or in parts.
type Clock struct {
	TC        *TimeControl   `toml:"tc,short"`
	Main      *time.Duration `toml:"main"`
	Byoyomi   *time.Duration `toml:"byoyomi"`
	Increment *time.Duration `toml:"increment"`
}

// Limits limit a player's moves. An engine that names any of Clock, MoveTime, Nodes, Depth and Self
// replaces all five of the global ones; Margin and Stall replace theirs one by one.
type Limits struct {
	Clock
	MoveTime *time.Duration `toml:"movetime"`
	Nodes    *uint64        `toml:"nodes"`
	Depth    *int           `toml:"depth"`
	Self     *bool          `toml:"self"` // the engine ends its searches by itself
	Margin   *time.Duration `toml:"margin"`
	Stall    *time.Duration `toml:"stall"`
}

// ByColour holds clocks that belong to the colour, for either player.
type ByColour struct {
	Black *Clock `toml:"black"`
	White *Clock `toml:"white"`
}

// Rules is a profile of match.RulesProfiles with its changes.
type Rules struct {
	Name             string    `toml:"name,short"`
	Declaration      string    `toml:"declaration"`
	ImpasseDraw      *bool     `toml:"impasse_draw"`
	MaxPlies         *int      `toml:"max_plies"`
	MateAtLimitDraws *bool     `toml:"mate_at_limit_draws"`
	DeclareAtLimit   *bool     `toml:"declare_at_limit"`
	ExtendInCheck    *bool     `toml:"extend_in_check"`
	RepetitionPoints []float64 `toml:"repetition_points"` // for Black and White
}

// Gate is a sequential test, see match.Gate.
type Gate struct {
	SPRT     *match.SPRT     `toml:"sprt,short"` // elo0 and elo1; needed. It may set all other keys
	Alpha    *float64        `toml:"alpha"`      // default match.DefaultAlpha
	Beta     *float64        `toml:"beta"`       // default match.DefaultBeta
	Model    match.GateModel `toml:"model"`      // default match.GateLogistic
	Boundary string          `toml:"boundary"`   // "ratio", the default, or "bounded"
}

// Store has the settings of the storage of games.
type Store struct {
	Durable *bool `toml:"durable"` // an acknowledged pair outlives a power cut; default false
}

// Durable reports whether the user wants stored pairs to outlive a power cut.
func (f *File) Durable() bool { return f.Store != nil && or(f.Store.Durable, false) }

// Openings is the source of the openings: one of File, Handicap and List.
type Openings struct {
	File     string   `toml:"file,short"` // see openings.Read and openings.Builtin
	Handicap string   `toml:"handicap"`   // see shogi.FindHandicap
	List     []string `toml:"list"`       // lines as in a file
	Plies    *int     `toml:"plies"`      // keep the first so many moves; default all
}

// Options are engine options in the order in which they were written.
type Options []match.Option

// Environ is a list of KEY=VALUE.
type Environ []string
