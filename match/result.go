package match

import (
	"fmt"
	"time"

	"gogi/kifu"
	"gogi/shogi"
)

// Outcome is who won a game.
type Outcome uint8

// The outcomes; the zero value means not ended and never reaches a store.
const (
	Unfinished Outcome = iota
	BlackWins
	WhiteWins
	Draw
)

// WinFor is the outcome in which a colour wins.
func WinFor(c shogi.Colour) Outcome {
	if c == shogi.Black {
		return BlackWins
	}
	return WhiteWins
}

// String is the spelling of the JSON output: black, white, draw.
func (o Outcome) String() string {
	switch o {
	case BlackWins:
		return "black"
	case WhiteWins:
		return "white"
	case Draw:
		return "draw"
	case Unfinished:
	}
	return "unfinished"
}

// Winner is the colour that won; ok is false for a draw.
func (o Outcome) Winner() (c shogi.Colour, ok bool) {
	if o == WhiteWins {
		return shogi.White, true
	}
	return shogi.Black, o == BlackWins
}

// Termination is why a game ended.
type Termination uint8

// The terminations; the zero value means not ended and never reaches a store.
const (
	NotEnded Termination = iota
	Checkmate
	Resignation
	TimeForfeit
	Stall          // no move within the stall limit, where there is no clock
	IllegalMove    // or one that cannot be read
	Repetition     // fourth occurrence of a position (千日手)
	PerpetualCheck // fourth occurrence by checks of one side, which loses (連続王手の千日手)
	Declaration    // a correct declaration of an entered king (入玉宣言), or the try rule
	FalseDeclaration
	MaxPlies
	Impasse // a declaration that the 24-point rule makes a draw (持将棋)
	ScoreAdjudication
	Crash
)

// terminationNames are in the order of the constants.
func terminationNames() []string {
	return []string{
		"not_ended", "checkmate", "resignation", "time_forfeit", "stall", "illegal_move", "repetition",
		"perpetual_check", "declaration", "false_declaration", "max_plies", "impasse", "score_adjudication", "crash",
	}
}

// String is the spelling of the JSON output, snake case.
func (t Termination) String() string {
	names := terminationNames()
	if int(t) >= len(names) {
		return fmt.Sprintf("termination(%d)", uint8(t))
	}
	return names[t]
}

// ParseTermination is the inverse of String.
func ParseTermination(s string) (Termination, error) {
	for i, name := range terminationNames() {
		if name == s {
			return Termination(i), nil
		}
	}
	return NotEnded, fmt.Errorf("match: unknown termination %q", s)
}

// IsFault reports whether the engine failed, rather than being outplayed.
func (t Termination) IsFault() bool {
	switch t {
	case TimeForfeit, Stall, IllegalMove, FalseDeclaration, Crash:
		return true
	case NotEnded, Checkmate, Resignation, Repetition, PerpetualCheck, Declaration, MaxPlies, Impasse, ScoreAdjudication:
	}
	return false
}

// Verdict is how a game ended; the zero value means that it goes on.
type Verdict struct {
	Outcome     Outcome
	Termination Termination
	Note        string // what a reader may want to know, safe to print
}

// Over reports whether the game has ended.
func (v Verdict) Over() bool { return v.Outcome != Unfinished }

// LossFor is a verdict against one side.
func LossFor(c shogi.Colour, t Termination, note string) Verdict {
	return Verdict{Outcome: WinFor(c.Opponent()), Termination: t, Note: note}
}

// Side sums up one side's moves in one game.
type Side struct {
	Plies        int
	Nodes        uint64
	Time         time.Duration
	DepthSum     int           // over the plies with a depth
	DepthPlies   int           // how many those are
	WorstOverrun time.Duration // the furthest that a move was over its limit
	PonderHits   int
	PonderMisses int
	Incomplete   int // of a council: votes that lacked a member's ballot, because it had failed or said nothing legal in time
}

// Add counts one move.
func (s *Side) Add(m kifu.Move, overrun time.Duration) {
	s.Plies++
	s.Nodes += m.Nodes
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
	Record  kifu.Record
	Sides   [2]Side // by colour
	Marked  bool    // a move was slowed by the machine, not by its engine
	Slot    int
	Started time.Time
	Ended   time.Time
}

// PairResult is one finished pair, the unit that is stored.
type PairResult struct {
	Pair     Pair
	Games    []Result // one for each leg
	Attempts []Attempt
}

// Attempt is a try at a pair that does not count: cut by a fault before a
// game's first move, or void because the machine slowed a move.
type Attempt struct {
	Pair  int
	Ended time.Time
	Why   string
}
