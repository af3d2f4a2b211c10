package match

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// Outcome is the winner of a game.
type Outcome uint8

// The outcomes; the zero value means not ended and never reaches a store.
const (
	Unfinished Outcome = iota
	BlackWins
	WhiteWins
	Draw
)

// WinFor returns the outcome in which a colour wins.
func WinFor(c shogi.Colour) Outcome {
	if c == shogi.Black {
		return BlackWins
	}
	return WhiteWins
}

func outcomeNames() []string {
	return []string{Unfinished: "unfinished", BlackWins: "black", WhiteWins: "white", Draw: "draw"}
}

// String returns the spelling of the JSON output: black, white, draw.
func (o Outcome) String() string {
	if names := outcomeNames(); int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// MarshalText returns the text of String.
func (o Outcome) MarshalText() ([]byte, error) {
	if int(o) >= len(outcomeNames()) {
		return nil, fmt.Errorf("match: %v has no spelling", o)
	}
	return []byte(o.String()), nil
}

// UnmarshalText is the inverse of MarshalText.
func (o *Outcome) UnmarshalText(text []byte) error {
	i := slices.Index(outcomeNames(), string(text))
	if i < 0 {
		return fmt.Errorf("match: unknown outcome %q: expected one of %s", text, strings.Join(outcomeNames(), ", "))
	}
	*o = Outcome(i)
	return nil
}

// Winner returns the colour that won; ok is false for a draw.
func (o Outcome) Winner() (c shogi.Colour, ok bool) {
	if o == WhiteWins {
		return shogi.White, true
	}
	return shogi.Black, o == BlackWins
}

// Termination is why a game ended, with the word in the JSON output. A store of a newer gogi may have
// words that this one does not know. They are stored and printed unchanged, and Known reports false. The
// zero value means not ended and never reaches a store.
type Termination string

// The terminations. A new one gets its line in the table below and in package arbiter's table of answers;
// tests require both.
const (
	NotEnded          Termination = ""
	Checkmate         Termination = "checkmate"
	Resignation       Termination = "resignation"
	TimeForfeit       Termination = "time_forfeit"
	Stall             Termination = "stall"           // no move within the stall limit, without a clock
	IllegalMove       Termination = "illegal_move"    // or one that cannot be read
	Repetition        Termination = "repetition"      // fourth occurrence of a position (千日手)
	PerpetualCheck    Termination = "perpetual_check" // fourth occurrence by checks of one side, which loses (連続王手の千日手)
	Declaration       Termination = "declaration"     // a correct declaration of an entered king (入玉宣言), or the try rule
	FalseDeclaration  Termination = "false_declaration"
	MaxPlies          Termination = "max_plies"
	Impasse           Termination = "impasse" // a declaration that the 24-point rule makes a draw (持将棋)
	ScoreAdjudication Termination = "score_adjudication"
	MateAdjudication  Termination = "mate_adjudication" // a mate by the side to move, claimed by a solver and proven by our rules
	Crash             Termination = "crash"
	NotStarted        Termination = "not_started" // in a tune: an engine does not start with the options of its point; if neither does, a draw
	Untold            Termination = "unknown"     // a game from elsewhere, whose record has the winner and no reason
)

type nature struct {
	fault    bool // the engine failed, rather than being outplayed
	volatile bool // its note quotes times, process numbers or an engine's last words
}

// natures has every termination that a finished game can have. It is never changed.
//
//nolint:gochecknoglobals // a table, which is looked into for every game of a run
var natures = map[Termination]nature{
	Checkmate:         {},
	Resignation:       {},
	TimeForfeit:       {fault: true, volatile: true},
	Stall:             {fault: true, volatile: true},
	IllegalMove:       {fault: true},
	Repetition:        {},
	PerpetualCheck:    {},
	Declaration:       {},
	FalseDeclaration:  {fault: true},
	MaxPlies:          {},
	Impasse:           {},
	ScoreAdjudication: {},
	MateAdjudication:  {},
	Crash:             {fault: true, volatile: true},
	NotStarted:        {fault: true, volatile: true},
	Untold:            {},
}

// Terminations returns those that a finished game can have, by their words.
func Terminations() []Termination { return slices.Sorted(maps.Keys(natures)) }

const notEnded = "not_ended"

// String returns the spelling of the JSON output, snake case.
func (t Termination) String() string {
	if t == NotEnded {
		return notEnded
	}
	return string(t)
}

// Known reports whether this program knows how the game ended.
func (t Termination) Known() bool {
	_, known := natures[t]
	return known
}

// MarshalText returns the text of String.
func (t Termination) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText is the inverse of MarshalText; it takes words that are not known.
func (t *Termination) UnmarshalText(text []byte) error {
	*t = Termination(text)
	if *t == notEnded {
		*t = NotEnded
	}
	return nil
}

// ParseTermination is the inverse of String for known terminations.
func ParseTermination(s string) (Termination, error) {
	if t := Termination(s); t.Known() {
		return t, nil
	}
	if s == notEnded {
		return NotEnded, nil
	}
	return NotEnded, fmt.Errorf("match: unknown termination %q", s)
}

// IsFault reports whether the engine failed, and was not outplayed. It is false for an unknown
// termination.
func (t Termination) IsFault() bool { return natures[t].fault }

// IsLate reports whether the engine did not move in time, which the machine may have caused.
func (t Termination) IsLate() bool { return t == TimeForfeit || t == Stall }

// Volatile reports whether the note of such an end differs when the same game is
// played again: it quotes times, process numbers or an engine's last words.
func (t Termination) Volatile() bool { return natures[t].volatile }

// Verdict is how a game ended; the zero value means that it is not over.
type Verdict struct {
	Outcome     Outcome
	Termination Termination
	Note        string // a detail for readers, safe to print
}

// Over reports whether the game has ended.
func (v Verdict) Over() bool { return v.Outcome != Unfinished }

// LossFor returns a verdict against one side.
func LossFor(c shogi.Colour, t Termination, note string) Verdict {
	return Verdict{Outcome: WinFor(c.Opponent()), Termination: t, Note: note}
}

// Side sums up one side's moves in one game. Its JSON has the sums that are equal for every play of a game of
// deterministic engines.
type Side struct {
	Plies        int           `json:"plies"`
	Nodes        uint64        `json:"nodes"`
	DepthSum     int           `json:"depth_sum"`   // over the plies with a depth
	DepthPlies   int           `json:"depth_plies"` // how many those are
	PonderHits   int           `json:"ponder_hits"`
	PonderMisses int           `json:"ponder_misses"`
	Time         time.Duration `json:"-"`
	WorstOverrun time.Duration `json:"-"` // the furthest that a move was over its limit
	Incomplete   int           `json:"-"` // for a council: votes without a member's ballot, because it had failed or gave no legal move in time
}

// SumNodes adds two counts of nodes. The greatest sum is the greatest integer of a database, 2^63−1. No
// sum of counts from other programs overflows.
func SumNodes(a, b uint64) uint64 {
	if a > math.MaxInt64 || b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// Add counts one move.
func (s *Side) Add(m kifu.Move, overrun time.Duration) {
	s.Plies++
	s.Nodes = SumNodes(s.Nodes, m.Nodes)
	s.Time += m.Time
	if m.Depth > 0 {
		s.DepthSum += m.Depth
		s.DepthPlies++
	}
	s.WorstOverrun = max(s.WorstOverrun, overrun)
}

// Result is one finished game.
type Result struct {
	Pair    int // the pair's ID
	Leg     int
	Players [2]int // indices into Plan.Players, by colour
	Verdict
	Record    kifu.Record
	Sides     [2]Side   // by colour
	Questions Questions // to the plan's mate solver
	Marked    bool      // a move was slowed by the machine, not by its engine
	Slot      int
	Started   time.Time
	Ended     time.Time
}

// PairResult is one finished pair, the unit that is stored.
type PairResult struct {
	Pair     Pair
	Games    []Result // one for each leg
	Attempts []Attempt
	Played   Provenance // by whom; the zero value: by the process that stores it
}

// Provenance is the machine of a farm that played a pair, with its permission. It is set by the process
// that distributes and stores pairs, because a worker's own claims have no weight. It decides no outcome,
// so stable dumps omit it.
type Provenance struct {
	Worker string  // its name in the farm; "": this process played the pair
	Owner  string  // the person responsible for the worker
	Epoch  uint64  // epoch of the pair's lease, unique in a farm; 0: none
	Scale  float64 // factor of the clocks on that machine, above 0; 0: not given, the clocks were the plan's
	Proof  []byte  // the worker's signature of its data; nil: none
}

// Attempt is an attempt at a pair that does not count. A fault before a game's first move ended it, or it
// is void because the machine slowed a move.
type Attempt struct {
	Pair  int
	Ended time.Time
	Why   string
}

// Check returns why an attempt from another process is invalid, or nil.
func (a *Attempt) Check() error {
	if !tellable(a.Ended) {
		return fmt.Errorf("an attempt at pair %d ended in the year %d", a.Pair, a.Ended.Year())
	}
	return checkWords("an attempt's reason", a.Why)
}

const maxSlot = 1 << 20

// Check returns why a game from another process is invalid, whatever was played, or nil: endless texts,
// numbers that would overflow a sum.
func (r *Result) Check() error {
	if err := checkWords("the note", r.Note); err != nil {
		return err
	}
	if r.Slot < 0 || r.Slot > maxSlot {
		return fmt.Errorf("it was played in slot %d", r.Slot)
	}
	for c := range r.Sides {
		if err := r.Sides[c].check(); err != nil {
			return err
		}
	}
	return nil
}

// MaxWords is the largest size of a text, a note or an attempt's reason, in bytes, far above a runner's
// texts.
const MaxWords = 1 << 16

// checkWords returns why a text is not a valid note or reason, or nil.
func checkWords(what, text string) error {
	switch {
	case len(text) > MaxWords:
		return fmt.Errorf("%s has %d bytes: expected at most %d", what, len(text), MaxWords)
	case !utf8.ValidString(text):
		return fmt.Errorf("%s is not UTF-8", what)
	}
	return nil
}

// check returns an error for impossible sums that a comparison with the moves does not cover.
func (s *Side) check() error {
	for _, n := range [...]int{s.PonderHits, s.PonderMisses, s.Incomplete} {
		if n < 0 || n > s.Plies {
			return fmt.Errorf("the sums %+v count more than the %d moves, or less than none", *s, s.Plies)
		}
	}
	if s.WorstOverrun < 0 {
		return fmt.Errorf("a move was %v over its limit", s.WorstOverrun)
	}
	return nil
}
