package match

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"gogi/shogi"
)

// Option is one engine option as the user wrote it.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Restart is how long an engine's process lives.
type Restart string

// The choices of Restart.
const (
	RestartNever Restart = "never" // one process for all games of a slot
	RestartPair  Restart = "pair"
	RestartGame  Restart = "game"
)

// PonderMode is whether engines think on the opponent's time.
type PonderMode string

// The choices of PonderMode.
const (
	PonderOff      PonderMode = "off"
	PonderStandard PonderMode = "standard" // "go ponder" with clocks
	PonderEarly    PonderMode = "early"    // "go ponder" alone; ponderhit carries the clocks
)

// Player is one engine with everything that is needed to start it, or a council.
type Player struct {
	Name     string        `json:"Name"`
	Council  *Council      `json:"Council"` // not nil: the fields down to Env, Options and Profile are of no use
	Command  []string      `json:"Command"` // the program's absolute path and its arguments
	Builtin  bool          `json:"Builtin"` // Command is this program itself
	Dir      string        `json:"Dir"`     // working directory, absolute
	Env      []string      `json:"Env"`     // KEY=VALUE, added to the environment
	Options  []Option      `json:"Options"` // in the order in which they are sent
	Limits   Limits        `json:"Limits"`
	Identity Identity      `json:"Identity"`
	Profile  string        `json:"Profile"` // the option profile that was applied, or ""
	Restart  Restart       `json:"Restart"`
	Greeting time.Duration `json:"Greeting"` // usi → usiok
	Ready    time.Duration `json:"Ready"`    // isready → readyok
	WarmUp   bool          `json:"WarmUp"`   // its first start fills a cache: it is started once alone, before the run
}

// DesignKind is how a design pairs its players.
type DesignKind string

// The designs. Those that ignore results know every pair beforehand.
const (
	DesignMatch      DesignKind = "match"       // the first player against the second
	DesignRoundRobin DesignKind = "round_robin" // everybody against everybody
	DesignGauntlet   DesignKind = "gauntlet"    // the first player against each of the others
)

// The designs that pair by results. The plan and the results of earlier pairs decide the players of a
// pair. Package tournament has their rules.
const (
	DesignSwiss    DesignKind = "swiss"    // rounds between players of like scores
	DesignKnockout DesignKind = "knockout" // the winner of a match stays in
	DesignAdaptive DesignKind = "adaptive" // pairs between players whose ranking is least certain
)

// DesignImported is the design of runs with games that were played elsewhere, one game a pair. Each pair
// has its own players and start. Such a plan has names only, and no user can choose it for games to be
// played.
const DesignImported DesignKind = "imported"

// DesignSelfplay has one player that plays both sides to make training data. A pair has Selfplay.Games
// games, each from its own drawn opening. Files choose it with their table selfplay.
const DesignSelfplay DesignKind = "selfplay"

// DesignKinds returns all designs of games to be played.
func DesignKinds() []DesignKind {
	return []DesignKind{DesignMatch, DesignRoundRobin, DesignGauntlet, DesignSwiss, DesignKnockout, DesignAdaptive}
}

// ByResults reports whether results decide the pairings.
func (k DesignKind) ByResults() bool {
	return k == DesignSwiss || k == DesignKnockout || k == DesignAdaptive
}

// Design assigns players to a pair's number.
type Design struct {
	Kind       DesignKind `json:"Kind"`
	Swap       bool       `json:"Swap"`                // pairs have two legs with colours swapped; else the first player is always Black
	Tournament Tournament `json:"Tournament,omitzero"` // for the designs that pair by results
	// Anchor is the player from whom the ratings of the others are measured; "": none. An adaptive design
	// then asks which players are above it and which below.
	Anchor   string   `json:"Anchor,omitempty"`
	Selfplay Selfplay `json:"Selfplay,omitzero"` // for DesignSelfplay
}

// Tournament has the settings of a design that pairs by results. Its fields are also those of the
// canonical text: zero values are omitted, and names never change.
type Tournament struct {
	Lot        bool `json:"lot,omitempty"`         // the start numbers are drawn by the seed; else they are the order of the players
	MatchPairs int  `json:"match_pairs,omitempty"` // pairs in a match of a Swiss or a knockout, 1 at least
	Tiebreaks  int  `json:"tiebreaks,omitempty"`   // further pairs at most for a knockout's match that is tied
	ThirdPlace bool `json:"third_place,omitempty"` // the losers of a knockout's semifinals play, too
	Block      int  `json:"block,omitempty"`       // pairs of an adaptive design that are drawn at a time, 1 at least
}

// Check returns why a tournament of so many players cannot be played, or nil.
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
		return fmt.Errorf("a match of %d pairs, %d tie-breaks and blocks of %d: expected up to %d", t.MatchPairs, t.Tiebreaks, t.Block, maxTournament)
	case players < 2:
		return fmt.Errorf("%d players: expected two at least", players)
	}
	return nil
}

// maxTournament bounds matches and blocks, so that the number of a pair fits an int.
const maxTournament = 1_000_000

// Policy decides the use of a pair with a move that the machine slowed.
type Policy string

// The policies for slowed moves.
const (
	PolicyCount Policy = "count" // it counts, and is marked
	PolicyVoid  Policy = "void"  // the pair is played again, up to three times
)

// DefaultStartParallel keeps many large engines from starting all at once, when
// a disk or a driver would make each of them slower than its limit.
const DefaultStartParallel = 4

// Plan is a whole experiment with resolved values only. It is never changed after it was made.
type Plan struct {
	Run           string          `json:"Run"` // the name of the run
	Players       []Player        `json:"Players"`
	ColourClocks  [2]*TimeControl `json:"ColourClocks"` // by colour, overriding the players' clocks; nil: not
	Design        Design          `json:"Design"`
	Seed          uint64          `json:"Seed"`
	Rules         Rules           `json:"Rules"`
	Adjudication  Adjudication    `json:"Adjudication"`
	Gate          Gate            `json:"Gate"`
	Openings      []Opening       `json:"Openings"`
	Ponder        PonderMode      `json:"Ponder"`
	Slowed        Policy          `json:"Slowed"`
	Pairs         int             `json:"Pairs"` // how many to play
	Concurrency   int             `json:"Concurrency"`
	StartParallel int             `json:"StartParallel"`    // how many engines may be starting at a time; 0: DefaultStartParallel
	SlotsPerGPU   int             `json:"SlotsPerGPU"`      // slots that share a GPU, for {gpu} in an environment; 0: 1
	CPUs          string          `json:"CPUs"`             // which of them the slots are bound to, as affinity.ParseChoice reads it; "": engines run anywhere
	CoresPerSlot  int             `json:"CoresPerSlot"`     // cores bound to each player that thinks; 0: as many as it has threads
	PVPlies       int             `json:"PVPlies"`          // how much of a principal variation is stored
	Tune          string          `json:"Tune,omitempty"`   // the settings of a tune, as package tune writes them: pairs have their own options; "": no tune
	Mate          Mate            `json:"Mate,omitzero"`    // how games end by proof; the zero value: they do not
	Scaling       Scaling         `json:"Scaling,omitzero"` // how clocks follow the speed of the machine; the zero value: they do not
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

// LimitsOf returns a player's limits when it has a colour.
func (p *Plan) LimitsOf(player int, c shogi.Colour) Limits {
	l := p.Players[player].Limits
	if clock := p.ColourClocks[c]; clock != nil {
		l.Clock, l.MoveTime = *clock, 0
	}
	return l
}

// LimitsText returns a player's limits in words, as Limits.String does. If clocks by colour make them
// differ, it returns both: "black 8+0.08; white 4+0.04".
func (p *Plan) LimitsText(player int) string {
	black, white := p.LimitsOf(player, shogi.Black).String(), p.LimitsOf(player, shogi.White).String()
	if black == white {
		return black
	}
	return "black " + black + "; white " + white
}

// Pairings returns the number of pairs in one round of the design. If results decide, it is the number of
// pairs played at once in a full round.
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

// unknown stands for a player that results have yet to decide.
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

// everybody returns the i-th of all pairings of n players, by the first and then by the
// second: (0,1), (0,2), …, (1,2), ….
func everybody(i, n int) [2]int {
	before := func(a int) int { return a*n - a*(a+1)/2 } // pairings whose first is less than a
	a := sort.Search(n, func(a int) bool { return before(a+1) > i })
	return [2]int{a, a + 1 + i - before(a)}
}

// Pair is one unit of play. It is self-contained, given the plan's players.
type Pair struct {
	ID      int
	Players [2]int // A and B, indices into Plan.Players; A has Black in leg 0
	Opening Opening
	Seed    uint64
	Legs    int
	// Options are the options of A and B for this pair in addition to the plan's, in the order of
	// sending: the points of a tune. Otherwise they are empty.
	Options [2][]Option
}

// Pair makes pair n, n >= 0. All pairings of one round get the same opening. If results decide the
// pairings (ByResults), its players are -1 and its opening has no meaning: PairOf makes such a pair.
func (p *Plan) Pair(n int) Pair {
	round, i := n/p.Pairings(), n%p.Pairings()
	opening := Opening{ID: "drawn", Start: "startpos"} // for self-play, in which each game draws its own
	if p.Design.Kind != DesignSelfplay {
		opening = p.Openings[openingIndex(p.Seed, round, len(p.Openings))]
	}
	return Pair{ID: n, Players: p.pairing(i), Opening: opening, Seed: mix(p.Seed, uint64(n)), Legs: p.Legs()}
}

// PairOf makes pair n of a design that pairs by results, once its players are known. round is the index
// of its opening in their order by the seed.
func (p *Plan) PairOf(n int, players [2]int, round int) Pair {
	opening := p.Openings[openingIndex(p.Seed, round, len(p.Openings))]
	return Pair{ID: n, Players: players, Opening: opening, Seed: mix(p.Seed, uint64(n)), Legs: p.Legs()} //nolint:gosec // n >= 0
}

// Owns returns why a pair cannot be the plan's, or nil. If results decide the pairings, it checks only
// for two different players, an opening of the book, and the values that follow from the pair's number;
// package tournament checks the rest. In a tune it does not check the pair's points.
func (p *Plan) Owns(pair Pair) error {
	if pair.ID < 0 {
		return errors.New("pairs are numbered from 0")
	}
	want := p.Pair(pair.ID)
	if p.Tune != "" {
		want.Options = pair.Options // package tune knows which are drawn
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

// ownsImported checks a pair against the plan of an imported run: two of the plan's players, one game,
// and the seed of its number.
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

// SeatsAt reports whether players, by colour, may have a leg of one of the plan's pairs. The pairs of an
// imported run have their players in the plan's order, for either colour.
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

// Game is one leg of a pair.
type Game struct {
	Pair    int
	Leg     int
	Players [2]int // by colour, indices into Plan.Players
	Opening Opening
	Seed    uint64      // seed of everything random in this game
	Options [2][]Option // by colour: those of the pair
}

// Game makes one leg; the players change colours from leg to leg.
func (p Pair) Game(leg int) Game {
	g := Game{Pair: p.ID, Leg: leg, Players: p.Players, Opening: p.Opening, Seed: mix(p.Seed, uint64(leg)), Options: p.Options}
	if leg%2 == 1 {
		g.Players[0], g.Players[1] = g.Players[1], g.Players[0]
		g.Options[0], g.Options[1] = g.Options[1], g.Options[0]
	}
	return g
}

// Equal reports whether two pairs are the same unit of play.
func (p Pair) Equal(q Pair) bool {
	return p.ID == q.ID && p.Players == q.Players && p.Seed == q.Seed && p.Legs == q.Legs &&
		p.Opening.ID == q.Opening.ID && p.Opening.Start == q.Opening.Start && slices.Equal(p.Opening.Moves, q.Opening.Moves) &&
		slices.Equal(p.Options[0], q.Options[0]) && slices.Equal(p.Options[1], q.Options[1])
}
