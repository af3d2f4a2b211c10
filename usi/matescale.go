package usi

import (
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// A MateScale learns from finished games that an engine writes its mates as centipawns: a base less the plies to the
// mate. For sjaakii a mate in one ply is cp 15999, and in three plies cp 15997. It does not know the scales of engines
// that write "score mate", or centipawns beyond every evaluation (kifu.IsMate); both need no scale. The zero value has
// seen no game.
type MateScale struct {
	bases map[int]int // number of games that show a base
	games int         // number of games
}

// A scale needs some games with one base, because an evaluation may rise by chance as the distance to a mate falls.
const (
	leastMateGames = 3
	leastMateScore = 2000 // smaller scores are evaluations
	mostMatePlies  = 200  // a search finds no longer mate
)

// MateScales has the scales of players, by their names.
type MateScales map[string]*MateScale

// MateGames is the number of games of a player from which its scale is learned: the first ones that it won by
// checkmate.
const MateGames = 32

// Won adds the record of a game that a player won by checkmate.
func (s MateScales) Won(player string, r *kifu.Record) {
	if s[player] == nil {
		s[player] = &MateScale{}
	}
	s[player].Won(r)
}

// Learn adds a finished game of any end. It counts for the winner if the game ended by checkmate, and only the first
// MateGames games of a player count. black and white are the names of the players.
func (s MateScales) Learn(black, white string, r *kifu.Record) {
	winner := map[string]string{"black": black, "white": white}
	name, won := winner[r.Winner]
	if won && r.Result == "checkmate" && (s[name] == nil || s[name].games < MateGames) {
		s.Won(name, r)
	}
}

// Rescale turns the scores of a record that are mates on the players' scales into mates. black and white are the names
// of the players.
func (s MateScales) Rescale(black, white string, r *kifu.Record) error {
	if len(s) == 0 {
		return nil
	}
	start, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return err
	}
	mover := start.Side()
	for i := range r.Moves {
		m := &r.Moves[i]
		if scale := s[[2]string{black, white}[mover]]; scale != nil && m.HasScore {
			m.Score = scale.Number(m.Score)
		}
		mover = mover.Opponent()
	}
	return nil
}

// Won adds the record of a game that the engine won by checkmate.
func (m *MateScale) Won(r *kifu.Record) {
	m.games++
	if n := len(r.Moves); n >= 3 && r.Moves[n-1].HasScore && r.Moves[n-3].HasScore {
		m.mated(r.Moves[n-3].Score, r.Moves[n-1].Score)
	}
}

// mated adds a game by the exact scores of the mating move, last, and of the move two plies earlier, before.
func (m *MateScale) mated(before, last int) {
	if last < leastMateScore || last > maxCentipawns || before != last-2 {
		return
	}
	if m.bases == nil {
		m.bases = map[int]int{}
	}
	m.bases[last+1]++
}

// Base returns the score of a mate in 0 plies, or 0 if the games show no scale, or more than one.
func (m *MateScale) Base() int {
	base, games := 0, 0
	for b, n := range m.bases {
		base, games = b, games+n
	}
	if len(m.bases) != 1 || games < leastMateGames {
		return 0
	}
	return base
}

// Number returns the number of a score (Score.Number). It turns centipawns that are a mate on the scale into a mate.
func (m *MateScale) Number(score int) int {
	base, size := m.Base(), max(score, -score)
	if base == 0 || size > base || size < base-mostMatePlies {
		return score
	}
	return Score{Mate: score / size, Value: base - size}.Number()
}
