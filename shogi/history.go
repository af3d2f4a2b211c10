package shogi

// Repetition is the verdict of the repetition rule on a game so far.
type Repetition uint8

// The verdicts. A position that occurs for the fourth time ends the game as a draw, with one exception. A
// side that gave check with every move since its first occurrence loses (renzoku ōte no sennichite,
// 連続王手の千日手).
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

// repetitionLimit is the occurrence of a position that ends the game.
const repetitionLimit = 4

// History is a game as far as the rules remember it: the start and every position after a move.
type History struct {
	positions []Position // the start first, the present position last
	moves     []Move
	checks    []bool // whether the side to move of each position is in check
}

// NewHistory starts a game. The start counts as the first occurrence of its position.
func NewHistory(start Position) *History {
	h := &History{}
	h.Restart(start)
	return h
}

// Restart begins another game in the place of this one, whose memory it takes.
func (h *History) Restart(start Position) {
	h.positions, h.moves, h.checks = append(h.positions[:0], start), h.moves[:0], append(h.checks[:0], start.InCheck())
}

// Push plays a move, which must be legal in the present position.
func (h *History) Push(m Move) {
	next := *h.Position()
	next.Apply(m)
	h.positions = append(h.positions, next)
	h.moves = append(h.moves, m)
	h.checks = append(h.checks, next.InCheck())
}

// Position returns the present position. It stays valid, but must not be changed: copy it to try moves.
func (h *History) Position() *Position { return &h.positions[len(h.positions)-1] }

// Start returns the position before the first move.
func (h *History) Start() *Position { return &h.positions[0] }

// Moves returns the moves so far. The caller must not change them.
func (h *History) Moves() []Move { return h.moves }

// MoveCount returns the number of moves since the start.
func (h *History) MoveCount() int { return len(h.moves) }

// Occurrences returns how often the present position (board, both hands and
// side to move) has occurred, itself and the start included: at least 1.
func (h *History) Occurrences() int {
	n, _ := h.occurrences()
	return n
}

// occurrences returns how often the present position has occurred and the index of the first time.
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

// Repetition returns the verdict after the last move. Only the fourth occurrence ends a game; later ones are
// judged like it, from the first occurrence on. When both sides only gave check the game is a draw. Source:
// 将棋ガイドブック p. 14, as YaneuraOu's position.cpp quotes it.
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
