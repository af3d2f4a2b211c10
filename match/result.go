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

// Outcome is the winner of a game, or a draw.
type Outcome uint8

// The outcomes; the zero value means not ended and never reaches a store.
const (
	Unfinished Outcome = iota
	BlackWins
	WhiteWins
	Draw
)

// WinFor returns the outcome of a game that this colour wins.
func WinFor(c shogi.Colour) Outcome {
	if c == shogi.Black {
		return BlackWins
	}
	return WhiteWins
}

func outcomeNames() []string {
	return []string{Unfinished: "unfinished", BlackWins: "black", WhiteWins: "white", Draw: "draw"}
}

// String returns the outcome in the form of the JSON output: black, white or draw.
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

// UnmarshalText parses the text that MarshalText writes.
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

// Termination is the reason why a game ended, as a word that the JSON output also uses. The store of a newer gogi
// may have words that this program does not know. gogi stores and prints such a word unchanged, and Known reports
// false for it. The zero value means that the game has not ended, and is never stored.
type Termination string

// The terminations, see the words of package kifu. A new one gets its line in the table below and in package arbiter's
// table of answers; tests require both.
const (
	NotEnded          Termination = ""
	Checkmate         Termination = kifu.EndCheckmate
	Resignation       Termination = kifu.EndResignation
	TimeForfeit       Termination = kifu.EndTimeForfeit
	Stall             Termination = kifu.EndStall
	IllegalMove       Termination = kifu.EndIllegalMove
	Repetition        Termination = kifu.EndRepetition
	PerpetualCheck    Termination = kifu.EndPerpetualCheck
	Declaration       Termination = kifu.EndDeclaration
	FalseDeclaration  Termination = kifu.EndFalseDeclaration
	MaxPlies          Termination = kifu.EndMaxPlies
	Impasse           Termination = kifu.EndImpasse
	ScoreAdjudication Termination = kifu.EndScoreAdjudication
	MateAdjudication  Termination = kifu.EndMateAdjudication
	Crash             Termination = kifu.EndCrash
	NotStarted        Termination = kifu.EndNotStarted
	UnknownReason     Termination = kifu.EndUnknownReason
)

type nature struct {
	fault    bool // the engine failed; it did not lose by its play
	volatile bool // the note contains times, process numbers or an engine's last output
}

// natures has the properties of every termination of a finished game. No code changes it.
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
	UnknownReason:     {},
}

// Terminations returns all terminations of a finished game, sorted by name.
func Terminations() []Termination { return slices.Sorted(maps.Keys(natures)) }

const notEnded = "not_ended"

// String returns the word of the JSON output, in snake case.
func (t Termination) String() string {
	if t == NotEnded {
		return notEnded
	}
	return string(t)
}

// Known reports whether this program knows the termination.
func (t Termination) Known() bool {
	_, known := natures[t]
	return known
}

// MarshalText returns the text of String.
func (t Termination) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads the text of MarshalText. It also accepts unknown words.
func (t *Termination) UnmarshalText(text []byte) error {
	*t = Termination(text)
	if *t == notEnded {
		*t = NotEnded
	}
	return nil
}

// ParseTermination returns the termination whose String is s. It returns an error for an unknown word.
func ParseTermination(s string) (Termination, error) {
	if t := Termination(s); t.Known() {
		return t, nil
	}
	if s == notEnded {
		return NotEnded, nil
	}
	return NotEnded, fmt.Errorf("match: unknown termination %q", s)
}

// IsFault reports whether the game ended because an engine failed. It returns false for an unknown
// termination.
func (t Termination) IsFault() bool { return natures[t].fault }

// IsLate reports whether the game ended because an engine did not move in time. The machine may have caused
// this.
func (t Termination) IsLate() bool { return t == TimeForfeit || t == Stall }

// Volatile reports whether the note of this termination can differ when the same game is played again. Such a
// note contains times, process numbers or an engine's last output.
func (t Termination) Volatile() bool { return natures[t].volatile }

// Verdict has the outcome of a game and the reason for its end. The zero value means that the game is not
// over.
type Verdict struct {
	Outcome     Outcome
	Termination Termination
	Note        string // a detail for readers, safe to print
}

// Over reports whether the game has ended.
func (v Verdict) Over() bool { return v.Outcome != Unfinished }

// LossFor returns the verdict of a game that the colour c loses for the reason t. note is the note of the verdict.
func LossFor(c shogi.Colour, t Termination, note string) Verdict {
	return Verdict{Outcome: WinFor(c.Opponent()), Termination: t, Note: note}
}

// Side has sums over the moves of one side in one game. Its JSON has only the sums that do not change when
// deterministic engines play the same game again.
type Side struct {
	Plies        int           `json:"plies"`
	Nodes        uint64        `json:"nodes"`
	DepthSum     int           `json:"depth_sum"`   // sum over the plies that have a depth
	DepthPlies   int           `json:"depth_plies"` // number of plies that have a depth
	PonderHits   int           `json:"ponder_hits"`
	PonderMisses int           `json:"ponder_misses"`
	Time         time.Duration `json:"-"`
	WorstOverrun time.Duration `json:"-"` // the largest time by which a move exceeded its limit
	// for a council: votes in which a member's ballot was missing, because the member failed or gave no legal move in time
	Incomplete int `json:"-"`
}

// SumNodes returns the sum of two node counts, but at most 2^63−1, the greatest integer of the database.
// Counts from other programs therefore cannot overflow.
func SumNodes(a, b uint64) uint64 {
	if a > math.MaxInt64 || b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// Add adds one move to the sums of the player. overrun is the time by which the move exceeded its limit.
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
	Questions Questions // questions to the plan's mate solver
	Marked    bool      // the machine, not an engine, delayed a move
	Slot      int
	Started   time.Time
	Ended     time.Time
}

// PairResult is one finished pair. The store saves whole pairs.
type PairResult struct {
	Pair     Pair
	Games    []Result // one for each leg
	Attempts []Attempt
	Played   Provenance // the machine that played the pair; the zero value: the process that stores it
}

// Provenance identifies the worker of a farm that played a pair, and the lease that allowed this. The process
// that distributes and stores pairs sets it, because gogi does not trust a worker's own claims. It changes no
// outcome, so stable dumps omit it.
type Provenance struct {
	Worker string  // name of the worker in the farm; "": this process played the pair
	Owner  string  // the person responsible for the worker
	Epoch  uint64  // epoch of the pair's lease, unique in a farm; 0: none
	Scale  float64 // factor of the clocks on that machine, above 0; 0: the plan's clocks were used
	Proof  []byte  // the worker's signature of its data; nil: none
}

// Attempt is an attempt at a pair that does not count: a fault before a game's first move ended it, or gogi
// voided it because the machine delayed a move.
type Attempt struct {
	Pair  int
	Ended time.Time
	Why   string
}

// Check returns an error if an attempt from another process is invalid.
func (a *Attempt) Check() error {
	if !yearFits(a.Ended) {
		return fmt.Errorf("an attempt at pair %d ended in the year %d", a.Pair, a.Ended.Year())
	}
	return checkWords("an attempt's reason", a.Why)
}

const maxSlot = 1 << 20

// Check returns an error if a game from another process has texts that are too long, or numbers that are
// impossible or would overflow a sum. It does not check the moves.
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

// MaxWords is the largest size of a note or of an attempt's reason, in bytes. The texts of gogi itself are
// much shorter.
const MaxWords = 1 << 16

// checkWords returns an error if a text is not a valid note or reason. what names the text in the error.
func checkWords(what, text string) error {
	switch {
	case len(text) > MaxWords:
		return fmt.Errorf("%s has %d bytes: expected at most %d", what, len(text), MaxWords)
	case !utf8.ValidString(text):
		return fmt.Errorf("%s is not UTF-8", what)
	}
	return nil
}

// check returns an error if the sums are impossible. It checks only sums for which the record has no data to compare.
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

// PlayedOpening returns the opening of a stored game, read from its record. It writes the usual start position as
// "startpos", even if the book writes it as a SFEN. Equal openings of two books therefore have equal texts
// (Opening.String).
func PlayedOpening(r Row, record kifu.Record) Opening {
	o := Opening{ID: r.OpeningID, Start: record.Start}
	if p, err := o.Position(); err == nil {
		if start := shogi.StartPos(); p.SFEN() == start.SFEN() {
			o.Start = "startpos"
		}
	}
	for _, m := range record.Moves[:min(r.OpeningPlies, len(record.Moves))] {
		o.Moves = append(o.Moves, m.Move)
	}
	return o
}

// Forfeited returns the result of a tune's pair that gogi does not play, because an engine does not start with its
// options for the pair. failed[0] means that A does not start, failed[1] that B does not. The player that starts wins
// both games; if neither starts, both games are draws. note is the reason, and slot the slot that found it.
func Forfeited(plan *Plan, pair Pair, failed [2]bool, note string, slot int) PairResult {
	r := PairResult{Pair: pair}
	for leg := range pair.Legs {
		game := pair.Game(leg)
		v := Verdict{Outcome: Draw, Termination: NotStarted, Note: note}
		if failed[0] != failed[1] {
			loser := shogi.White
			if (game.Players[0] == pair.Players[0]) == failed[0] {
				loser = shogi.Black
			}
			v = LossFor(loser, NotStarted, note)
		}
		r.Games = append(r.Games, forfeited(plan, game, v, slot))
	}
	return r
}

func forfeited(plan *Plan, game Game, v Verdict, slot int) Result {
	now := time.Now()
	record := kifu.Record{
		Black: plan.Players[game.Players[0]].Name, White: plan.Players[game.Players[1]].Name, Event: plan.Run, Started: now,
		Result: v.Termination.String(), Winner: v.Outcome.String(),
	}
	if start, err := game.Opening.Position(); err == nil { // Plan.Check has read it before
		record.Start = start.SFEN()
	}
	for _, m := range game.Opening.Moves {
		record.Moves = append(record.Moves, kifu.Move{Move: m, Opening: true})
	}
	return Result{
		Pair: game.Pair, Leg: game.Leg, Players: game.Players, Verdict: v, Record: record, Slot: slot, Started: now,
		Ended: now,
	}
}
