package builtin

import "gogi/shogi"

const (
	pieceTypes = 16 // array size by shogi.PieceType
	squares    = 81
	fullHand   = 18 // pieces of one type in hand, at most
)

// weights has the hand-made values of the evaluation, in centipawns from Black's view of Black's pieces. For
// White the board is rotated.
type weights struct {
	material [pieceTypes]int
	hand     [8][fullHand + 1]int // the total value of this number of pieces in hand
	square   [pieceTypes][squares]int
	attack   [pieceTypes]int // value next to the enemy king; less with distance
	defence  [pieceTypes]int // value next to the own king
}

// handMadeBoard returns the hand-made weights; the other weights are calculated from them.
func handMadeBoard() *weights {
	return &weights{
		material: [pieceTypes]int{
			shogi.Pawn: 100, shogi.Lance: 260, shogi.Knight: 280, shogi.Silver: 400,
			shogi.Gold: 470, shogi.Bishop: 640, shogi.Rook: 740,
			shogi.ProPawn: 440, shogi.ProLance: 440, shogi.ProKnight: 450, shogi.ProSilver: 460,
			shogi.Horse: 900, shogi.Dragon: 1060,
		},
		attack: [pieceTypes]int{
			shogi.Pawn: 16, shogi.Lance: 14, shogi.Knight: 24, shogi.Silver: 48,
			shogi.Gold: 56, shogi.Bishop: 14, shogi.Rook: 24,
			shogi.ProPawn: 64, shogi.ProLance: 60, shogi.ProKnight: 60, shogi.ProSilver: 60,
			shogi.Horse: 60, shogi.Dragon: 80,
		},
		defence: [pieceTypes]int{
			shogi.Pawn: 16, shogi.Lance: 10, shogi.Knight: 12, shogi.Silver: 40,
			shogi.Gold: 48, shogi.Bishop: 4, shogi.Rook: -24,
			shogi.ProPawn: 40, shogi.ProLance: 40, shogi.ProKnight: 40, shogi.ProSilver: 40,
			shogi.Horse: 48, shogi.Dragon: 12,
		},
	}
}

// handPremiums returns how much more the first piece of a type is worth in hand than on the board.
func handPremiums() [pieceTypes]int {
	return [pieceTypes]int{
		shogi.Pawn: 12, shogi.Lance: 14, shogi.Knight: 16, shogi.Silver: 24,
		shogi.Gold: 30, shogi.Bishop: 50, shogi.Rook: 60,
	}
}

// fillHands makes a piece in hand worth a little more than a piece on the board. Each further piece of the
// same type is worth a little less than the one before.
func (w *weights) fillHands(premium [pieceTypes]int) {
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		for n := 1; n <= fullHand; n++ {
			worth := w.material[t] + premium[t] - (n-1)*w.material[t]/25
			w.hand[t][n] = w.hand[t][n-1] + max(worth, w.material[t]/2)
		}
	}
}

// fillSquares adds a bonus by rank (a to i), and a bonus by the distance from the edge (files 1 and 9 to file
// 5).
func (w *weights) fillSquares() {
	byRank := [pieceTypes][9]int{
		shogi.Pawn:   {0, 10, 12, 16, 12, 5, 0, 0, 0},
		shogi.Lance:  {0, 0, -10, -12, -12, -10, -6, -2, 0},
		shogi.Knight: {0, 0, 20, 10, 4, -4, 10, 0, -4},
		shogi.Silver: {-10, 6, 14, 16, 16, 14, 8, 0, -12},
		shogi.Gold:   {-10, 4, 8, 4, 2, 2, 6, 6, -6},
		shogi.Bishop: {0, 4, 4, 6, 8, 6, 8, 0, -10},
		shogi.Rook:   {14, 14, 12, 6, 2, -4, -6, 6, 8},
		shogi.King:   {30, 20, 0, -40, -50, -40, -10, 16, 24},
		shogi.Horse:  {0, 4, 6, 8, 10, 10, 10, 6, 0},
		shogi.Dragon: {10, 12, 10, 4, 0, 0, 0, 0, 0},
	}
	fromEdge := [pieceTypes][5]int{
		shogi.Pawn:   {-4, 0, 2, 4, 4},
		shogi.Knight: {-8, 0, 4, 2, 0},
		shogi.Silver: {-12, -4, 2, 6, 6},
		shogi.Gold:   {-14, -4, 2, 6, 6},
		shogi.King:   {4, 24, 16, -8, -20},
		shogi.Rook:   {-6, 4, 2, 2, 2},
	}
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		for s := range shogi.NoSquare {
			file := min(s.File(), 10-s.File())
			w.square[t][s] = byRank[t][s.Rank()-1] + fromEdge[t][file-1]
		}
	}
}

// perturb adds noise with the given standard deviation to every entry for material, hands and squares. It
// uses only integers, so that a seed gives the same noise on every machine. Kings have no material.
func (w *weights) perturb(seed, deviation int) {
	if deviation == 0 {
		return
	}
	r := random(seed)
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		if t != shogi.King {
			w.material[t] += r.gauss(deviation)
		}
		for s := range w.square[t] {
			w.square[t][s] += r.gauss(deviation)
		}
		if t > shogi.Gold {
			continue
		}
		for n := 1; n <= fullHand; n++ {
			w.hand[t][n] += r.gauss(deviation)
		}
	}
}

// random is the state of SplitMix64 (Steele, Lea, Flood 2014).
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

// gauss returns a random number with mean 0 and the given standard deviation. It adds twelve uniform numbers,
// whose sum has variance one and a limit of six deviations.
func (r *random) gauss(deviation int) int {
	sum := -int64(6) << 32
	for range 12 {
		sum += int64(r.next() >> 32)
	}
	return int((sum*int64(deviation) + 1<<31) >> 32)
}

// mix maps similar numbers to unrelated numbers (the output function of SplitMix64).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
