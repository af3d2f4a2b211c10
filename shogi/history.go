package shogi

// Repetition is the result of the repetition rule for a game so far: no result, a draw, or a loss by
// perpetual check.
type Repetition uint8

// These are the results. A position that occurs for the fourth time ends the game as a draw, with one
// exception. A side that gave check with every move since the first occurrence loses (renzoku ōte no
// sennichite, 連続王手の千日手).
const (
	RepetitionNone Repetition = iota
	RepetitionDraw
	RepetitionBlackLoses
	RepetitionWhiteLoses
)

// String returns "none", "draw", "black loses" or "white loses".
func (r Repetition) String() string {
	switch r {
	case RepetitionDraw:
		return "draw"
	case RepetitionBlackLoses:
		return "black loses"
	case RepetitionWhiteLoses:
		return "white loses"
	default:
		return "none"
	}
}

// repetitionLimit is the number of occurrences of a position that ends the game.
const repetitionLimit = 4

// History has the parts of a game that the rules need: the start position, the moves, and the position after
// each move.
type History struct {
	positions []Position // the start position first, the current position last
	moves     []Move
	checks    []bool // whether the side to move of each position is in check
}

// NewHistory starts a game. The start counts as the first occurrence of its position.
func NewHistory(start Position) *History {
	h := &History{}
	h.Restart(start)
	return h
}

// Restart starts a new game with the position start. It reuses the memory of the last game.
func (h *History) Restart(start Position) {
	h.positions, h.moves, h.checks = append(h.positions[:0], start), h.moves[:0], append(h.checks[:0], start.InCheck())
}

// Push makes a move, which must be legal in the current position.
func (h *History) Push(m Move) {
	next := *h.Position()
	next.Apply(m)
	h.positions = append(h.positions, next)
	h.moves = append(h.moves, m)
	h.checks = append(h.checks, next.InCheck())
}

// Pop takes back the last move. It panics without a move.
func (h *History) Pop() {
	n := len(h.moves) - 1
	h.positions, h.moves, h.checks = h.positions[:n+1], h.moves[:n], h.checks[:n+1]
}

// EndsWith reports whether the legal move m would end the game by mate or by repetition. It changes nothing.
func (h *History) EndsWith(m Move) bool {
	h.Push(m)
	defer h.Pop()
	return !h.Position().HasLegalMove() || h.Repetition() != RepetitionNone
}

// Position returns the current position. The pointer stays valid. The caller must not change the position,
// but may copy it to try moves.
func (h *History) Position() *Position { return &h.positions[len(h.positions)-1] }

// Start returns the position before the first move.
func (h *History) Start() *Position { return &h.positions[0] }

// Moves returns the moves so far. The caller must not change them.
func (h *History) Moves() []Move { return h.moves }

// MoveCount returns the number of moves since the start.
func (h *History) MoveCount() int { return len(h.moves) }

// occurrences returns how often the current position (board, both hands and side to move) has occurred in the
// game, and the index of its first occurrence. It counts the current occurrence, so n is at least 1.
func (h *History) occurrences() (n, first int) {
	now := h.Position()
	last := len(h.positions) - 1
	n, first = 1, last
	for i := last - 2; i >= 0; i -= 2 { // the side to move alternates
		if h.positions[i].same(now) {
			n, first = n+1, i
		}
	}
	return n, first
}

// Repetition returns the result of the repetition rule after the last move. The fourth occurrence of the
// position ends the game. If the caller continues, later occurrences give a result in the same way, from the
// first occurrence on. If both sides gave check with every move, the game is a draw. Source: 将棋ガイドブック p. 14,
// as YaneuraOu's position.cpp quotes it.
func (h *History) Repetition() Repetition {
	n, first := h.occurrences()
	if n < repetitionLimit {
		return RepetitionNone
	}
	perpetual := [2]bool{true, true}
	for i := first + 1; i < len(h.positions); i++ {
		mover := h.positions[i].side.Opponent()
		perpetual[mover] = perpetual[mover] && h.checks[i]
	}
	switch perpetual {
	case [2]bool{Black: true}:
		return RepetitionBlackLoses
	case [2]bool{White: true}:
		return RepetitionWhiteLoses
	default:
		return RepetitionDraw
	}
}
