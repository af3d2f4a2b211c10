package builtin

import "gogi/shogi"

// These constants rate moves for the order in which the search tries them. The rating of a quiet move is its history,
// between ±historyLimit.
const (
	hashMoveFirst = 1 << 28
	captureFirst  = 1 << 20
	killerFirst   = 1 << 16
	historyLimit  = 1 << 14
)

// frame is the data of one position on the path of the search.
type frame struct {
	pos     shogi.Position
	sum     int32      // evaluation of the position, positive for Black
	check   bool       // the side to move is in check
	move    shogi.Move // the move that led here
	moves   []shogi.Move
	values  []int32
	killers [2]shogi.Move // quiet moves that recently refuted a position at this ply
	pv      []shogi.Move
}

func (f *frame) dropNeedless() {
	n := 0
	for _, m := range f.moves {
		if !needless(&f.pos, m) {
			f.moves[n] = m
			n++
		}
	}
	f.moves = f.moves[:n]
}

func (s *search) rate(f *frame, first shogi.Move) {
	f.values = f.values[:0]
	for _, m := range f.moves {
		f.values = append(f.values, s.rating(f, m, first))
	}
}

func (s *search) rating(f *frame, m, first shogi.Move) int32 {
	switch {
	case m == first:
		return hashMoveFirst
	case !quiet(&f.pos, m):
		own := s.tables.worth[f.pos.PieceAt(m.From()).Type()]
		return captureFirst + s.tables.gain(&f.pos, m)*16 - own
	case m == f.killers[0]:
		return killerFirst + 1
	case m == f.killers[1]:
		return killerFirst
	}
	return *s.past(f, m)
}

// next exchanges the move at index i with the best-rated move from i to the end, and returns that move. From index 32
// on it leaves the order unchanged, because the ratings mean little there.
func (f *frame) next(i int) shogi.Move {
	if i >= 32 {
		return f.moves[i]
	}
	best := i
	for j := i + 1; j < len(f.values); j++ {
		if f.values[j] > f.values[best] {
			best = j
		}
	}
	f.moves[i], f.moves[best] = f.moves[best], f.moves[i]
	f.values[i], f.values[best] = f.values[best], f.values[i]
	return f.moves[i]
}

// quiet reports whether a move neither captures nor promotes.
func quiet(p *shogi.Position, m shogi.Move) bool {
	return !m.Promotes() && (m.IsDrop() || p.PieceAt(m.To()) == shogi.NoPiece)
}

// needless reports whether m is a move of a pawn, lance, bishop or rook that could promote without a
// disadvantage but does not. Such a move can avoid mate by a dropped pawn; the engine ignores that rare case.
func needless(p *shogi.Position, m shogi.Move) bool {
	if m.IsDrop() || m.Promotes() {
		return false
	}
	to, from := rankSeen(p.Side(), m.To()), rankSeen(p.Side(), m.From())
	switch p.PieceAt(m.From()).Type() {
	case shogi.Pawn:
		return to <= 3
	case shogi.Lance:
		return to <= 2
	case shogi.Bishop, shogi.Rook:
		return min(to, from) <= 3
	default:
	}
	return false
}

// rankSeen returns the rank of a square from the point of view of c. Rank 1 is the farthest from c.
func rankSeen(c shogi.Colour, s shogi.Square) int {
	if c == shogi.Black {
		return s.Rank()
	}
	return 10 - s.Rank()
}

// past returns the history of a quiet move: a score of how often moves of the same piece to the same square
// succeeded in this search.
func (s *search) past(f *frame, m shogi.Move) *int32 {
	kind := m.Dropped() + pieceTypes
	if !m.IsDrop() {
		kind = f.pos.PieceAt(m.From()).Type()
	}
	return &s.history[f.pos.Side()][kind][m.To()]
}

// reward records that the i-th move of a frame refuted the position, and that the quiet moves before it did
// not.
func (s *search) reward(f *frame, i, depth int) {
	m := f.moves[i]
	if !quiet(&f.pos, m) {
		return
	}
	if f.killers[0] != m {
		f.killers[0], f.killers[1] = m, f.killers[0]
	}
	bonus := min(int32(depth*depth)*16, historyLimit/4)
	s.learn(f, m, bonus)
	for _, earlier := range f.moves[:i] {
		if quiet(&f.pos, earlier) {
			s.learn(f, earlier, -bonus)
		}
	}
}

// learn adds the bonus to the history of a move. If the history is near its limit, the change is small.
func (s *search) learn(f *frame, m shogi.Move, bonus int32) {
	h := s.past(f, m)
	*h += bonus - *h*max(bonus, -bonus)/historyLimit
}
