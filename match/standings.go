package match

import (
	"cmp"
	"slices"

	"gogi/internal/lists"
)

// Standings counts the games and pairs of a run by players and result. Its size grows with the number of pairings,
// not with the number of games.
type Standings struct {
	Games []GameCount `json:"games,omitempty"` // sorted by all fields except the count
	Pairs []PairCount `json:"pairs,omitempty"` // likewise
}

// GameEnd is the result of a finished game with its points.
type GameEnd struct {
	GameView
	Points [2]float64 `json:"points"` // Black's and White's
}

// GameCount is the number of games with the same players and the same result.
type GameCount struct {
	GameEnd
	Games int `json:"games"`
}

// PairCount is the number of pairs in which two players had the same points.
type PairCount struct {
	Player   string     `json:"player"` // the player with Black in the first game
	Opponent string     `json:"opponent"`
	Points   [2]float64 `json:"points"` // points of the whole pair for player and opponent
	Pairs    int        `json:"pairs"`
}

// EndedGame has the data of a finished game that Standings needs.
type EndedGame struct {
	Worker string `json:"worker,omitempty"`
	Pair   int    `json:"pair"`
	Leg    int    `json:"leg"`
	GameEnd
}

// Record counts the wins, draws and losses of one player with one colour.
type Record struct {
	Wins, Draws, Losses int
	Points              float64
}

// Add counts the games in pair, which are games of one pair in the order of their legs. If the first game of the
// pair is missing, Add counts only the games and not the pair.
func (s *Standings) Add(pair []EndedGame) {
	for _, g := range pair {
		at := counted(&s.Games, GameCount{GameEnd: g.GameEnd}, func(a, b GameCount) int {
			return cmp.Or(cmp.Compare(a.Black, b.Black), cmp.Compare(a.White, b.White), cmp.Compare(a.Outcome, b.Outcome),
				cmp.Compare(a.Termination, b.Termination), slices.Compare(a.Points[:], b.Points[:]))
		})
		at.Games++
	}
	if len(pair) > 0 && pair[0].Leg == 0 {
		s.addPair(pair)
	}
}

// AddRows counts the games of a stored pair, in the order of their legs.
func (s *Standings) AddRows(pair []Row) {
	games := make([]EndedGame, len(pair))
	for i, r := range pair {
		games[i] = EndedGame{Pair: r.Pair, Leg: r.Leg, GameEnd: GameEnd{r.View(), r.Points}}
	}
	s.Add(games)
}

func (s *Standings) addPair(pair []EndedGame) {
	key := PairCount{Player: pair[0].Black, Opponent: pair[0].White}
	for _, g := range pair {
		own, other := 0, 1
		if g.Black != key.Player {
			own, other = 1, 0
		}
		key.Points[0] += g.Points[own]
		key.Points[1] += g.Points[other]
	}
	counted(&s.Pairs, key, func(a, b PairCount) int {
		return cmp.Or(cmp.Compare(a.Player, b.Player), cmp.Compare(a.Opponent, b.Opponent),
			slices.Compare(a.Points[:], b.Points[:]))
	}).Pairs++
}

// counted returns a pointer to the element that equals key in a list. The list is sorted by the function compare. If
// it has no such element, counted inserts key.
func counted[T any](list *[]T, key T, compare func(a, b T) int) *T {
	i, found := slices.BinarySearchFunc(*list, key, compare)
	if !found {
		*list = slices.Insert(*list, i, key)
	}
	return &(*list)[i]
}

// Total returns the number of games counted.
func (s *Standings) Total() int {
	return lists.Sum(s.Games, func(g GameCount) int { return g.Games })
}

// Of returns a player's record with each colour. If a player played against itself, both sides of its games count.
func (s *Standings) Of(player string) (byColour [2]Record) {
	for _, g := range s.Games {
		for c, name := range []string{g.Black, g.White} {
			if name == player {
				byColour[c].add(g, c)
			}
		}
	}
	return byColour
}

func (r *Record) add(g GameCount, c int) {
	r.Points += g.Points[c] * float64(g.Games)
	switch winner := []string{BlackWins.String(), WhiteWins.String()}; g.Outcome {
	case Draw.String():
		r.Draws += g.Games
	case winner[c]:
		r.Wins += g.Games
	case winner[1-c]:
		r.Losses += g.Games
	}
}

// Plus returns the sum of both records.
func (r Record) Plus(o Record) Record {
	return Record{r.Wins + o.Wins, r.Draws + o.Draws, r.Losses + o.Losses, r.Points + o.Points}
}

// Clone returns a copy that shares no memory with s.
func (s Standings) Clone() Standings {
	return Standings{Games: slices.Clone(s.Games), Pairs: slices.Clone(s.Pairs)}
}
