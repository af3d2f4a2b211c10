package matchtest

import (
	"gogi/match"
	"gogi/shogi"
)

// Run is a short description of a finished run. It has a text such as "WL" for each pair: the results of the
// two games from the view of the first player.
type Run struct {
	Players []string
	Pairs   []string
	Planned int  // planned number of pairs; 0: the number of pairs in the run
	Fault   bool // the loser of each game crashed
	Repeat  int  // size of the groups of consecutive pairs that share one opening and have the same games; 0: 1
	Varied  bool // the pairs of one opening have different games, in spite of Repeat
	Slowed  int  // number of pairs, from the first, in which the machine delayed a move
}

// Rows returns the rows of each pair, in the order of the pairs and of their games.
func (o Run) Rows() [][]match.Row {
	var all [][]match.Row
	for pair, text := range o.Pairs {
		var rows []match.Row
		for leg, result := range text {
			rows = append(rows, o.Row(pair, leg, result))
		}
		all = append(all, rows)
	}
	return all
}

// Row returns one game of a pair: W, D or L from the first player's side.
func (o Run) Row(pair, leg int, result rune) match.Row {
	a, b := o.Players[0], o.Players[1]
	if n := len(o.Players); n > 2 { // everybody against everybody
		a, b = o.Players[pair%n], o.Players[(pair+1)%n]
		if pair%n == n-1 {
			a, b = b, a
		}
	}
	same := pair / max(1, o.Repeat)
	game := same
	if o.Varied {
		game = pair
	}
	r := match.Row{
		Pair: pair, Leg: leg, PairA: a, PairB: b, Black: a, White: b, Outcome: match.Draw, Termination: match.Repetition,
		Points: [2]float64{0.5, 0.5}, Plies: 30 + 7*pair%200, MovesHash: uint64(2*game + leg), OpeningID: "1", OpeningHash: uint64(same),
		Marked:   pair < o.Slowed,
		LastSFEN: "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2",
	}
	colour := shogi.Black
	if leg == 1 {
		r.Black, r.White, colour = b, a, shogi.White
	}
	if result == 'L' {
		colour = colour.Opponent()
	}
	if result != 'D' {
		r.Outcome, r.Termination, r.Points = match.WinFor(colour), match.Checkmate, [2]float64{}
		r.Points[colour] = 1
	}
	if o.Fault && result == 'L' {
		r.Termination, r.Note = match.Crash, "exit status 7"
	}
	return r
}
