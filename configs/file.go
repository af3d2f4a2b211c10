package configs

import (
	"time"

	"gogi/configs/position"
	"gogi/match"
	"gogi/stats"
)

// File has the settings of a match as the user wrote them in a file and in flags. A nil pointer, an empty
// string or an empty list means that the user did not give the key. The zero File is an empty file, ready for
// Apply.
//
// The toml tags are the only list of keys. The tag option "short" marks the key that a plain value sets
// instead of a table: limits = "8+0.08" means limits = {tc = "8+0.08"}.
type File struct {
	Run   string  `toml:"run"`   // name of the run; default: the name of the file without ".toml"
	Games *int    `toml:"games"` // largest number of games; required
	Seed  *uint64 `toml:"seed"`  // seed of everything random; default 1
	// number of games at the same time, each of a different pair; default: half of the CPUs
	Concurrency *Concurrency `toml:"concurrency"`
	Design      *Design      `toml:"design"` // how players are paired; default "match"
	Swap        *bool        `toml:"swap"`   // each pair has two games with swapped colours; default true
	// players; default: every engine and council that is not a member of a council
	Players  []string         `toml:"players"`
	Rules    *Rules           `toml:"rules"`    // default match.DefaultRules
	Openings *Openings        `toml:"openings"` // default openings.BuiltinOpenings
	Limits   *Limits          `toml:"limits"`   // limits of engines without their own limits
	ByColour *ByColour        `toml:"limits_by_colour"`
	Resign   *Resign          `toml:"resign"` // default off
	Draw     *Draw            `toml:"draw"`   // default off
	Mate     *Mate            `toml:"mate"`   // mate solver for mate adjudication; default none
	Gate     *Gate            `toml:"gate"`   // sequential test that stops the match; default none
	Ponder   match.PonderMode `toml:"ponder"` // default "off"
	Slowed   match.Policy     `toml:"slowed"` // default "count"
	// number of moves stored of each principal variation; default 12
	PVPlies *int `toml:"pv_plies"`
	// largest number of engines that start at the same time; default match.DefaultStartParallel
	StartParallel *int `toml:"start_parallel"`
	// number of slots that share a GPU, for {gpu} in an engine's env; default 1
	SlotsPerGPU  *int           `toml:"slots_per_gpu"`
	Transcript   *bool          `toml:"transcript"`     // store every line of the dialogues with engines; default false
	CPUs         *CPUs          `toml:"cpus"`           // cores to which engines are bound; default "off"
	CoresPerSlot *int           `toml:"cores_per_slot"` // cores for each thinking player; default: its number of threads
	Store        *Store         `toml:"store"`          // settings for storing games; not part of the plan
	Options      Options        `toml:"options"`        // options of every engine that does not set the same option
	Profile      string         `toml:"profile"`        // option profile of engines without their own profile
	Restart      match.Restart  `toml:"restart"`        // restart of engines without their own value; default "never"
	QuitTimeout  *time.Duration `toml:"quit_timeout"`   // quit → end, of engines without their own value, default 2s
	Engines      []Engine       `toml:"engine"`
	Councils     []Council      `toml:"council"`
	Tune         *Tune          `toml:"tune"`     // see TakeTune
	Params       []TuneParam    `toml:"param"`    // parameters of a tune
	Selfplay     *Selfplay      `toml:"selfplay"` // see PlanSelfplay; not used in a match

	between bool                      // see Between
	name    string                    // name of the file, for errors
	ready   bool                      // a built-in series, which is not a file on disk
	places  map[string]position.Place // place of each key in the file, for errors
	flags   map[string]string         // the flag that set a key; errors then name the flag instead of the place
}

// Design has the settings that decide the pairings. The keys other than kind and anchor are for designs whose
// pairings depend on results; docs/matches.md explains them.
type Design struct {
	Kind       match.DesignKind `toml:"kind,short"`
	Rounds     *int             `toml:"rounds"`      // number of rounds of a Swiss, instead of games
	MatchPairs *int             `toml:"match_pairs"` // pairs in a match of a Swiss or a knockout; default 1
	// largest number of extra pairs for a tied match of a knockout; default 4
	Tiebreaks  *int  `toml:"tiebreaks"`
	ThirdPlace *bool `toml:"third_place"` // the losers of a knockout's semifinals play for third place; default false
	// order of the start numbers of a Swiss or a knockout: given (as in players) or lot; default "given"
	Seeding string `toml:"seeding"`
	// number of pairs that an adaptive design selects at a time; default 16, or the number of players if that is more
	Block  *int   `toml:"block"`
	Anchor string `toml:"anchor"` // the player with rating 0; default none
}

// Engine is one [[engine]] table of a file: a program that can play, with its settings.
type Engine struct {
	Name            string         `toml:"name"`
	Cmd             string         `toml:"cmd"`     // one string, split by shellwords.Split
	Command         []string       `toml:"command"` // the command as a list of words, instead of cmd
	Dir             string         `toml:"dir"`     // working directory; default: see Plan
	Env             Environ        `toml:"env"`     // added to the environment
	Options         Options        `toml:"options"`
	Limits          *Limits        `toml:"limits"`
	Profile         string         `toml:"profile"`
	Restart         match.Restart  `toml:"restart"`
	GreetingTimeout *time.Duration `toml:"greeting_timeout"` // usi → usiok, default 1m
	ReadyTimeout    *time.Duration `toml:"ready_timeout"`    // isready → readyok, default 10m
	QuitTimeout     *time.Duration `toml:"quit_timeout"`     // quit → end of the process, default 2s
	// start the engine once alone before the run, because its first start fills a cache
	WarmUp bool `toml:"warm_up"`
	// device that it shares, such as "gpu{gpu}": engines with the same device search one at a time
	Device string `toml:"device"`
	// an identity that the user gives, instead of the binary's SHA-256; or a list of files whose SHA-256 belong to it,
	// instead of the files that a script names
	Identity ByHand `toml:"identity"`
	Scale    *Scale `toml:"scale"` // scale of its scores, if it is a member of a council
	Book     string `toml:"book"`  // a book file that gogi uses before the engine searches; default none
}

// Clock is a time control, as a short text such as "8+0.08" or as separate keys.
type Clock struct {
	TC        *TimeControl   `toml:"tc,short"`
	Main      *time.Duration `toml:"main"`
	Byoyomi   *time.Duration `toml:"byoyomi"`
	Increment *time.Duration `toml:"increment"`
}

// Limits has the limits of a player's searches. If an engine sets any of Clock, MoveTime, Nodes, Depth and
// Self, its limits replace all five of the file's common limits. Margin and Stall each replace only the
// common value of the same key.
type Limits struct {
	Clock
	MoveTime *time.Duration `toml:"movetime"`
	Nodes    *uint64        `toml:"nodes"`
	Depth    *int           `toml:"depth"`
	Self     *bool          `toml:"self"` // no limits are sent; the engine itself ends its searches
	Margin   *time.Duration `toml:"margin"`
	Stall    *time.Duration `toml:"stall"`
}

// ByColour has clocks for Black and White. The player of the colour has that clock, whichever engine it is.
type ByColour struct {
	Black *Clock `toml:"black"`
	White *Clock `toml:"white"`
}

// Rules is a profile of match.RulesProfiles with the user's changes.
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

// Gate has the settings of a sequential test (SPRT); see stats.SPRT.
type Gate struct {
	SPRT     *match.SPRT    `toml:"sprt,short"` // elo0 and elo1; required; the long form may also set the other keys
	Alpha    *float64       `toml:"alpha"`      // default match.DefaultAlpha
	Beta     *float64       `toml:"beta"`       // default match.DefaultBeta
	Model    stats.EloModel `toml:"model"`      // default stats.ModelLogistic
	Boundary string         `toml:"boundary"`   // "ratio", the default, or "bounded"
}

// Store has the settings of the storage of games.
type Store struct {
	Durable *bool `toml:"durable"` // a stored pair survives a power failure; default false
}

// Durable reports whether each stored pair must survive a power failure (key store.durable).
func (f *File) Durable() bool { return f.Store != nil && or(f.Store.Durable, false) }

// Openings has the source of the openings: exactly one of File, Handicap and List.
type Openings struct {
	File     string   `toml:"file,short"` // see openings.Read and openings.Builtin
	Handicap string   `toml:"handicap"`   // name of a handicap, see shogi.FindHandicap
	List     []string `toml:"list"`       // openings in the notation of an opening file
	Plies    *int     `toml:"plies"`      // number of moves that are played from each opening; default all
}

// Options are engine options in the order in which they were written.
type Options []match.Option

// Environ is a list of KEY=VALUE.
type Environ []string

// ByHand is the part of an engine's identity that the user gives: a text instead of the hashes, or the files to hash
// instead of those that a script names.
type ByHand struct {
	Text  string   // "": gogi calculates the identity
	Files []string // such as the program that a script starts
}
