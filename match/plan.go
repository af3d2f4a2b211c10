package match

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"gogi/internal/sanitize"
	"gogi/shogi"
	"gogi/stats"
)

// CheckRunName returns an error if no run may have this name. A terminal must show a name unchanged. A name must not
// begin with a dash, because a command would read it as a flag.
func CheckRunName(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty; choose a name")
	case strings.HasPrefix(name, "-"):
		return fmt.Errorf("%q begins with a dash, like a flag; choose another name", name)
	case !sanitize.IsName(name):
		return fmt.Errorf("%q has a character that a terminal does not show; choose a printable name", name)
	}
	return nil
}

// Option is one engine option as the user wrote it.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"` // value of the option
}

// Restart decides when gogi restarts an engine's process.
type Restart string

// The choices of Restart.
const (
	RestartNever Restart = "never" // one process for all games of a slot
	RestartPair  Restart = "pair"
	RestartGame  Restart = "game"
)

// PonderMode decides whether engines think on the opponent's time, and how gogi sends their clocks.
type PonderMode string

// The choices of PonderMode.
const (
	PonderOff      PonderMode = "off"
	PonderStandard PonderMode = "standard" // gogi sends the clocks with "go ponder"
	PonderEarly    PonderMode = "early"    // gogi sends the clocks with "ponderhit" instead of "go ponder"
)

// Player is a player of a plan: one engine with everything that is needed to start it, or a council.
type Player struct {
	Name string `json:"Name"`
	// nil for an engine; if it is set, the fields Command to Env, Options and Profile are unused
	Council  *Council      `json:"Council"`
	Command  []string      `json:"Command"` // the program's absolute path and its arguments
	Builtin  bool          `json:"Builtin"` // Command is this program itself
	Dir      string        `json:"Dir"`     // working directory, absolute
	Env      []string      `json:"Env"`     // KEY=VALUE, added to the environment
	Options  []Option      `json:"Options"` // in the order in which they are sent
	Limits   Limits        `json:"Limits"`
	Identity Identity      `json:"Identity"`
	Profile  string        `json:"Profile"` // the option profile that was applied, or ""
	Restart  Restart       `json:"Restart"`
	Greeting time.Duration `json:"Greeting"` // longest time from "usi" to "usiok"
	Ready    time.Duration `json:"Ready"`    // longest time from "isready" to "readyok"
	// the engine fills a cache at its first start; gogi therefore starts it once alone before the run
	WarmUp bool `json:"WarmUp"`

	// Device is the name of a device, such as "gpu0". Players with the same device search one at a time, also in
	// different games. No clock runs while they wait. "": the player waits for nobody.
	Device string `json:"Device,omitempty"`
	// Quit is the longest time from "quit" to the end of the process, after which gogi ends it; 0: process.DefaultGrace.
	Quit time.Duration `json:"Quit,omitempty"`

	// Effect has the options in effect, except those that follow from the plan's rules and pondering. nil: unknown,
	// because the engine has made no handshake in this process. It is no part of an encoded plan.
	Effect []Option `json:"-"`
}

// DesignKind is the way in which a plan pairs its players.
type DesignKind string

// The designs whose pairings do not depend on results. All their pairs are known before the run.
const (
	DesignMatch      DesignKind = "match"       // the first player against the second
	DesignRoundRobin DesignKind = "round_robin" // every player against every other player
	DesignGauntlet   DesignKind = "gauntlet"    // the first player against each of the others
)

// The designs whose pairings depend on results. The plan and the results of earlier pairs decide the players
// of a pair. Package tournament implements these designs.
const (
	DesignSwiss    DesignKind = "swiss"    // rounds between players with similar scores
	DesignKnockout DesignKind = "knockout" // the loser of a match is eliminated
	DesignAdaptive DesignKind = "adaptive" // pairs between players whose ranking is least certain
)

// DesignImported is the design of runs with games that were not played by gogi, one game per pair. Each pair
// has its own players and start position. The players of such a plan have only names. A user cannot choose
// this design for a new run.
const DesignImported DesignKind = "imported"

// DesignSelfplay is the design of runs that make training data: one player plays both sides. A pair has
// Selfplay.Games games, each from its own random opening. A settings file chooses this design with its table
// [selfplay].
const DesignSelfplay DesignKind = "selfplay"

// DesignKinds returns the designs that a user can choose for games between several players. DesignImported and
// DesignSelfplay are not in the list.
func DesignKinds() []DesignKind {
	return []DesignKind{DesignMatch, DesignRoundRobin, DesignGauntlet, DesignSwiss, DesignKnockout, DesignAdaptive}
}

// ByResults reports whether the pairings of this design depend on results.
func (k DesignKind) ByResults() bool {
	return k == DesignSwiss || k == DesignKnockout || k == DesignAdaptive
}

// Design has the settings that decide which players play a pair.
type Design struct {
	Kind DesignKind `json:"Kind"`
	// pairs have two games with colours swapped; if false, the first player is always Black
	Swap       bool       `json:"Swap"`
	Tournament Tournament `json:"Tournament,omitzero"` // settings of the designs whose pairings depend on results
	// Anchor is the player whose rating is the zero point of the other ratings; "": no anchor. With an
	// anchor, an adaptive design measures which players are stronger than the anchor and which are weaker.
	Anchor   string   `json:"Anchor,omitempty"`
	Selfplay Selfplay `json:"Selfplay,omitzero"` // for DesignSelfplay
}

// Tournament has the settings of a design whose pairings depend on results. The canonical text contains its
// JSON. A field therefore never changes its name, and the JSON omits zero values.
type Tournament struct {
	// the seed decides the start numbers; if false, they follow the order of the players
	Lot        bool `json:"lot,omitempty"`
	MatchPairs int  `json:"match_pairs,omitempty"` // pairs in each match of a Swiss or a knockout, at least 1
	Tiebreaks  int  `json:"tiebreaks,omitempty"`   // largest number of extra pairs for a tied match of a knockout
	ThirdPlace bool `json:"third_place,omitempty"` // the losers of a knockout's semifinals play for third place
	Block      int  `json:"block,omitempty"`       // pairs that an adaptive design selects at a time, at least 1
}

// Check returns an error if the settings do not fit the design, or if the number of players is below two.
func (t Tournament) Check(kind DesignKind, players int) error {
	switch {
	case !kind.ByResults():
		if t != (Tournament{}) {
			return fmt.Errorf("design %s has no rounds, matches or blocks", kind)
		}
	case kind != DesignAdaptive && t.MatchPairs < 1:
		return fmt.Errorf("a match of %d pairs: expected at least 1", t.MatchPairs)
	case kind == DesignAdaptive && t.Block < 1:
		return fmt.Errorf("blocks of %d pairs: expected at least 1", t.Block)
	case min(t.MatchPairs, t.Tiebreaks, t.Block) < 0 || max(t.MatchPairs, t.Tiebreaks, t.Block) > maxTournament:
		return fmt.Errorf("a match of %d pairs, %d tie-breaks and blocks of %d: expected up to %d", t.MatchPairs, t.Tiebreaks,
			t.Block, maxTournament)
	case players < 2:
		return fmt.Errorf("%d players: expected two at least", players)
	}
	return nil
}

// maxTournament is the largest size of a match and of a block, so that the number of a pair fits an int.
const maxTournament = 1_000_000

// Policy decides what gogi does with a pair in which the machine delayed a move.
type Policy string

// The policies for delayed moves.
const (
	PolicyCount Policy = "count" // the pair counts, and its games are marked
	PolicyVoid  Policy = "void"  // the pair is played again, up to three times
)

// DefaultStartParallel is the default number of engines that start at the same time. If many large engines
// started together, the disk or a driver could make each of them exceed its time limit.
const DefaultStartParallel = 4

// Plan has all settings of a run. All defaults are filled in, and all references to other settings are resolved.
// No code changes a Plan after its creation.
type Plan struct {
	Run     string   `json:"Run"` // the name of the run
	Players []Player `json:"Players"`
	// by colour; replaces the players' clocks; nil: the players' clocks apply
	ColourClocks [2]*TimeControl `json:"ColourClocks"`
	Design       Design          `json:"Design"`
	Seed         uint64          `json:"Seed"`
	Rules        Rules           `json:"Rules"`
	Adjudication Adjudication    `json:"Adjudication"`
	Gate         stats.SPRT      `json:"Gate"`
	Openings     []Opening       `json:"Openings"`
	Ponder       PonderMode      `json:"Ponder"`
	Slowed       Policy          `json:"Slowed"`
	Pairs        int             `json:"Pairs"` // number of pairs to play
	Concurrency  int             `json:"Concurrency"`
	// largest number of engines that start at the same time; 0: DefaultStartParallel
	StartParallel int `json:"StartParallel"`
	SlotsPerGPU   int `json:"SlotsPerGPU"` // slots that share a GPU, for {gpu} in an environment; 0: 1
	// CPUs to which gogi binds the slots, in the notation of affinity.ParseChoice; "": engines run on any CPU
	CPUs         string `json:"CPUs"`
	CoresPerSlot int    `json:"CoresPerSlot"` // cores bound to each player that thinks; 0: as many as it has threads
	PVPlies      int    `json:"PVPlies"`      // number of plies stored of each principal variation
	// the settings of a tune, as package tune writes them; "": no tune; in a tune each pair has its own options
	Tune string `json:"Tune,omitempty"`
	Mate Mate   `json:"Mate,omitzero"` // settings of mate adjudication; the zero value: off
	// settings that scale clocks by the speed of the machine; the zero value: off
	Scaling Scaling `json:"Scaling,omitzero"`
}

// Legs returns the number of games in a pair.
func (p *Plan) Legs() int {
	if p.Design.Kind == DesignSelfplay {
		return p.Design.Selfplay.Games
	}
	if p.Design.Swap {
		return 2
	}
	return 1
}

// Games returns the number of games to play.
func (p *Plan) Games() int { return p.Pairs * p.Legs() }

// LimitsOf returns the limits of a player in games in which it plays this colour.
func (p *Plan) LimitsOf(player int, c shogi.Colour) Limits {
	l := p.Players[player].Limits
	if clock := p.ColourClocks[c]; clock != nil {
		l.Clock, l.MoveTime = *clock, 0
	}
	return l
}

// LimitsText returns a player's limits as text, like Limits.String. If the player has other limits as Black than
// as White, LimitsText returns both: "black 8+0.08; white 4+0.04".
func (p *Plan) LimitsText(player int) string {
	black, white := p.LimitsOf(player, shogi.Black).String(), p.LimitsOf(player, shogi.White).String()
	if black == white {
		return black
	}
	return "black " + black + "; white " + white
}

// Pairings returns the number of pairs in one round of the design. If the pairings depend on results, it is the number
// of pairs that can be played at the same time in a full round.
func (p *Plan) Pairings() int {
	n := len(p.Players)
	switch p.Design.Kind {
	case DesignGauntlet:
		return max(0, n-1)
	case DesignRoundRobin:
		return n * (n - 1) / 2
	case DesignMatch, DesignImported, DesignSelfplay:
		return 1
	case DesignSwiss, DesignKnockout, DesignAdaptive:
		return n / 2
	}
	return 0
}

// unknown is the index of a player that later results will decide.
const unknown = -1

// pairing returns the players of the i-th pair of a round, as indices into Players. It needs no table for
// any number of players.
func (p *Plan) pairing(i int) [2]int {
	switch p.Design.Kind {
	case DesignGauntlet:
		return [2]int{0, i + 1}
	case DesignRoundRobin:
		return everybody(i, len(p.Players))
	case DesignSwiss, DesignKnockout, DesignAdaptive, DesignImported:
		return [2]int{unknown, unknown}
	case DesignSelfplay:
		return [2]int{0, 0}
	case DesignMatch:
	}
	return [2]int{0, 1}
}

// everybody returns pairing i of a round robin of n players. The pairings are sorted by the first player and then by
// the second: (0,1), (0,2), …, (1,2), ….
func everybody(i, n int) [2]int {
	before := func(a int) int { return a*n - a*(a+1)/2 } // pairings whose first is less than a
	a := sort.Search(n, func(a int) bool { return before(a+1) > i })
	return [2]int{a, a + 1 + i - before(a)}
}

// Pair is one pair of a plan: its games have the same opening and the same two players. A Pair and the
// players of the plan are all that is needed to play it.
type Pair struct {
	ID      int
	Players [2]int // A and B, indices into Plan.Players; A has Black in leg 0
	Opening Opening
	Seed    uint64
	Legs    int
	// Options has the engine options of A and B for this pair, in the order of sending. gogi sends them after the
	// plan's options. Only a tune sets them, to the parameter values of the two players.
	Options [2][]Option
}

// Pair returns pair n of the plan, n >= 0. All pairings of one round get the same opening. If the pairings
// depend on results (ByResults), the players of the returned pair are -1 and its opening has no meaning.
// PairOf returns the pair for such a design.
func (p *Plan) Pair(n int) Pair {
	round, i := n/p.Pairings(), n%p.Pairings()
	opening := Opening{ID: "drawn", Start: "startpos"} // for self-play, in which each game has its own random opening
	if p.Design.Kind != DesignSelfplay {
		opening = p.Openings[openingIndex(p.Seed, round, len(p.Openings))]
	}
	return Pair{ID: n, Players: p.pairing(i), Opening: opening, Seed: mix(p.Seed, uint64(n)), Legs: p.Legs()}
}

// PairOf returns pair n of a design whose pairings depend on results, when the players of the pair are known. The
// seed puts the openings of the book in a random order; round is the position of the pair's opening in this order,
// from 0.
func (p *Plan) PairOf(n int, players [2]int, round int) Pair {
	opening := p.Openings[openingIndex(p.Seed, round, len(p.Openings))]
	return Pair{ID: n, Players: players, Opening: opening, Seed: mix(p.Seed, uint64(n)), Legs: p.Legs()}
}

// Owns returns an error if the pair cannot be a pair of the plan. If the pairings depend on results, Owns
// checks only three things: that the two players differ, that the opening is in the book, and that the values
// derived from the pair's number are right. Package tournament checks the rest. In a tune, Owns does not
// check the pair's options; package tune does.
func (p *Plan) Owns(pair Pair) error {
	if pair.ID < 0 {
		return errors.New("pairs are numbered from 0")
	}
	want := p.Pair(pair.ID)
	if p.Tune != "" {
		want.Options = pair.Options // package tune checks the options
	}
	if p.Design.Kind == DesignImported {
		return p.ownsImported(pair, want)
	}
	if p.Design.Kind.ByResults() {
		if !p.seats(pair.Players) || !p.inBook(pair.Opening) {
			return errors.New("its players or opening are not the plan's")
		}
		want.Players, want.Opening = pair.Players, pair.Opening
	}
	if !pair.Equal(want) {
		return errors.New("its players, opening or seed are not those that the plan gives it")
	}
	return nil
}

// ownsImported returns an error if a pair does not belong to the plan of an imported run. The pair must have
// two players of the plan, one game, and the seed of its number.
func (p *Plan) ownsImported(pair, want Pair) error {
	if !p.seats(pair.Players) || pair.Players[0] > pair.Players[1] {
		return errors.New("its players are not two of the plan's, in their order there")
	}
	want.Players, want.Opening = pair.Players, pair.Opening
	if !pair.Equal(want) {
		return errors.New("its seed or its number of games is not what the plan gives it")
	}
	_, err := pair.Opening.Position()
	return err
}

// SeatsAt reports whether players, indexed by colour, can be the players of this leg of the pair. In an imported
// run either player of a pair can have Black.
func (p *Plan) SeatsAt(pair Pair, leg int, players [2]int) bool {
	want := pair.Game(leg).Players
	swapped := [2]int{want[1], want[0]}
	return players == want || p.Design.Kind == DesignImported && players == swapped
}

func (p *Plan) seats(players [2]int) bool {
	return players[0] != players[1] && min(players[0], players[1]) >= 0 && max(players[0], players[1]) < len(p.Players)
}

func (p *Plan) inBook(o Opening) bool {
	return slices.ContainsFunc(p.Openings, func(q Opening) bool {
		return o.ID == q.ID && o.Start == q.Start && slices.Equal(o.Moves, q.Moves)
	})
}

// Game is one game of a pair, with everything that is needed to play it.
type Game struct {
	Pair    int
	Leg     int
	Players [2]int // by colour, indices into Plan.Players
	Opening Opening
	Seed    uint64      // seed of everything random in this game
	Options [2][]Option // by colour: the options that the pair adds
}

// Game returns the game of one leg, numbered from 0. The players swap colours from leg to leg.
func (p Pair) Game(leg int) Game {
	g := Game{Pair: p.ID, Leg: leg, Players: p.Players, Opening: p.Opening, Seed: mix(p.Seed, uint64(leg)),
		Options: p.Options}
	if leg%2 == 1 {
		g.Players[0], g.Players[1] = g.Players[1], g.Players[0]
		g.Options[0], g.Options[1] = g.Options[1], g.Options[0]
	}
	return g
}

// Equal reports whether two pairs have the same number, players, opening, seed, legs and options.
func (p Pair) Equal(q Pair) bool {
	return p.ID == q.ID && p.Players == q.Players && p.Seed == q.Seed && p.Legs == q.Legs &&
		p.Opening.ID == q.Opening.ID && p.Opening.Start == q.Opening.Start &&
		slices.Equal(p.Opening.Moves, q.Opening.Moves) &&
		slices.Equal(p.Options[0], q.Options[0]) && slices.Equal(p.Options[1], q.Options[1])
}

// InSlot returns a copy of the player for the slot with this number. It replaces {slot} and {gpu} by numbers, in
// the device and the environment of the player and of the members of a council. perGPU is the number of slots on
// each GPU; 0 counts as 1.
func (p Player) InSlot(number, perGPU int) Player {
	fill := strings.NewReplacer("{slot}", strconv.Itoa(number), "{gpu}", strconv.Itoa(number/max(1, perGPU)))
	return p.filled(fill)
}

func (p Player) filled(fill *strings.Replacer) Player {
	p.Device = fill.Replace(p.Device)
	p.Env = slices.Clone(p.Env)
	for i, v := range p.Env {
		p.Env[i] = fill.Replace(v)
	}
	if p.Council == nil {
		return p
	}
	council := *p.Council
	council.Members = slices.Clone(council.Members)
	for i, m := range council.Members {
		council.Members[i] = m.filled(fill)
	}
	p.Council = &council
	return p
}
