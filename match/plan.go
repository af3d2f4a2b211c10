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

// Restart says how long an engine's process lives.
type Restart string

// The choices of Restart.
const (
	RestartNever Restart = "never" // one process for all games of a slot
	RestartPair  Restart = "pair"
	RestartGame  Restart = "game"
)

// PonderMode says whether engines think on the opponent's time.
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

// DesignKind is who plays whom.
type DesignKind string

// The designs. Those that ignore results know every pair beforehand.
const (
	DesignMatch      DesignKind = "match"       // the first player against the second
	DesignRoundRobin DesignKind = "round_robin" // everybody against everybody
	DesignGauntlet   DesignKind = "gauntlet"    // the first player against each of the others
)

// The designs that pair by results: who plays a pair is a function of the plan and of
// the results of pairs before it. Package tournament has their rules.
const (
	DesignSwiss    DesignKind = "swiss"    // rounds between players of like scores
	DesignKnockout DesignKind = "knockout" // the winner of a match goes on
	DesignAdaptive DesignKind = "adaptive" // pairs where the ranking is least certain
)

// DesignImported is of runs of games that were played elsewhere, one a pair: each says who
// played it and from where. Such a plan has names and nothing to play with; nobody can
// choose it for games to be played.
const DesignImported DesignKind = "imported"

// DesignSelfplay is of one player, who plays both sides to make training data. A pair has
// Selfplay.Games games, each from an opening of its own that is drawn; files say so by
// their table selfplay.
const DesignSelfplay DesignKind = "selfplay"

// DesignKinds are all designs of games to be played.
func DesignKinds() []DesignKind {
	return []DesignKind{DesignMatch, DesignRoundRobin, DesignGauntlet, DesignSwiss, DesignKnockout, DesignAdaptive}
}

// ByResults reports whether results decide who plays whom.
func (k DesignKind) ByResults() bool {
	return k == DesignSwiss || k == DesignKnockout || k == DesignAdaptive
}

// Design turns a pair's number into who plays it.
type Design struct {
	Kind       DesignKind `json:"Kind"`
	Swap       bool       `json:"Swap"`                // pairs have two legs with colours swapped; else the first player is always Black
	Tournament Tournament `json:"Tournament,omitzero"` // of the designs that pair by results
	// Anchor is the player whose rating the others are measured from; "": none.
	// An adaptive design then asks who is above it and who below.
	Anchor   string   `json:"Anchor,omitempty"`
	Selfplay Selfplay `json:"Selfplay,omitzero"` // of DesignSelfplay
}

// Tournament is how a design pairs by results. Its fields are those of the canonical
// text, too: they are left out where they are zero, and never change their names.
type Tournament struct {
	Lot        bool `json:"lot,omitempty"`         // the start numbers are drawn by the seed; else they are the order of the players
	MatchPairs int  `json:"match_pairs,omitempty"` // pairs in a match of a Swiss or a knockout, 1 at least
	Tiebreaks  int  `json:"tiebreaks,omitempty"`   // further pairs at most for a knockout's match that is tied
	ThirdPlace bool `json:"third_place,omitempty"` // the losers of a knockout's semifinals play, too
	Block      int  `json:"block,omitempty"`       // pairs of an adaptive design that are drawn at a time, 1 at least
}

// Check says what of a tournament between so many players cannot be played, or nil.
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

// Policy says what happens to a pair with a move that the machine slowed.
type Policy string

// The policies for slowed moves.
const (
	PolicyCount Policy = "count" // it counts, and is marked
	PolicyVoid  Policy = "void"  // the pair is played again, up to three times
)

// DefaultStartParallel keeps many large engines from starting all at once, when
// a disk or a driver would make each of them slower than its limit.
const DefaultStartParallel = 4

// Plan is a whole experiment with resolved values only. It is never changed
// after it was made.
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
	CoresPerSlot  int             `json:"CoresPerSlot"`     // that are bound to each player who thinks; 0: as many as it has threads
	PVPlies       int             `json:"PVPlies"`          // how much of a principal variation is stored
	Tune          string          `json:"Tune,omitempty"`   // the settings of a tune, as package tune writes them: pairs have options of their own; "": it is none
	Mate          Mate            `json:"Mate,omitzero"`    // how games end by proof; the zero value: they do not
	Scaling       Scaling         `json:"Scaling,omitzero"` // how clocks follow the speed of the machine; the zero value: they do not
}

// Legs is the number of games in a pair.
func (p *Plan) Legs() int {
	if p.Design.Kind == DesignSelfplay {
		return p.Design.Selfplay.Games
	}
	if p.Design.Swap {
		return 2
	}
	return 1
}

// Games is the number of games to play.
func (p *Plan) Games() int { return p.Pairs * p.Legs() }

// LimitsOf are a player's limits when it has a colour.
func (p *Plan) LimitsOf(player int, c shogi.Colour) Limits {
	l := p.Players[player].Limits
	if clock := p.ColourClocks[c]; clock != nil {
		l.Clock, l.MoveTime = *clock, 0
	}
	return l
}

// LimitsText are a player's limits in words: those of Limits.String, and by colour, "black
// 8+0.08; white 4+0.04", where clocks that go with the colour make them differ.
func (p *Plan) LimitsText(player int) string {
	black, white := p.LimitsOf(player, shogi.Black).String(), p.LimitsOf(player, shogi.White).String()
	if black == white {
		return black
	}
	return "black " + black + "; white " + white
}

// Pairings is the number of pairs in one round of the design, or of those that are
// played at once in a full round where results decide.
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

// pairing is who plays whom in the i-th pair of a round, by indices into Players. It
// needs no table, however many players there are.
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

// everybody is the i-th of all pairings of n players, by the first and then by the
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
	// Options are what A and B play this pair with beside what the plan gives them, in
	// the order in which they are sent: the points of a tune. Else none.
	Options [2][]Option
}

// Pair makes pair n, n >= 0. All pairings of one round get the same opening. Where
// results decide who plays (ByResults), its players are -1, and its opening is not
// meant: PairOf makes such a pair.
func (p *Plan) Pair(n int) Pair {
	round, i := n/p.Pairings(), n%p.Pairings()
	opening := Opening{ID: "drawn", Start: "startpos"} // of self-play, where each game draws its own
	if p.Design.Kind != DesignSelfplay {
		opening = p.Openings[openingIndex(p.Seed, round, len(p.Openings))]
	}
	return Pair{ID: n, Players: p.pairing(i), Opening: opening, Seed: mix(p.Seed, uint64(n)), Legs: p.Legs()}
}

// PairOf makes pair n of a design that pairs by results, once it is known who plays it,
// and which of the openings, in their order by the seed.
func (p *Plan) PairOf(n int, players [2]int, round int) Pair {
	opening := p.Openings[openingIndex(p.Seed, round, len(p.Openings))]
	return Pair{ID: n, Players: players, Opening: opening, Seed: mix(p.Seed, uint64(n)), Legs: p.Legs()} //nolint:gosec // n >= 0
}

// Owns says why a pair cannot be the plan's, or nil. Where results decide who plays
// whom it asks only for two different players, an opening of the book, and what
// follows from the pair's number: package tournament knows the rest. Of a tune it does
// not ask which points are played.
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

// ownsImported asks for what the plan of an imported run knows of a pair: its players are
// two of those, it has one game and the seed that follows from its number.
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

// SeatsAt reports whether players, by colour, may have a leg of one of the plan's pairs. The
// pairs of an imported run have their players in the plan's order, whoever had Black.
func (p *Plan) SeatsAt(pair Pair, leg int, players [2]int) bool {
	want := pair.Game(leg).Players
	swapped := [2]int{want[1], want[0]}
	return players == want || p.Design.Kind == DesignImported && players == swapped
}

// seats reports whether these are two players of the plan.
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
	Seed    uint64      // of everything random in this game
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
