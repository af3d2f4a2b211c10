package archive

import (
	"context"

	"gogi/match"
	"gogi/results"
	"gogi/shogi"
)

// GameList is what "gogi games --json" prints.
type GameList struct {
	Version int    `json:"version"`
	Games   []Game `json:"games"`
}

// Game is one game of a list.
type Game struct {
	Pair        int     `json:"pair"`
	Leg         int     `json:"leg"`
	Black       string  `json:"black"`
	White       string  `json:"white"`
	Outcome     string  `json:"outcome"`
	Termination string  `json:"termination"`
	Note        string  `json:"note"`
	Plies       int     `json:"plies"`
	Opening     string  `json:"opening"`
	BlackMS     float64 `json:"black_ms"`
	WhiteMS     float64 `json:"white_ms"`
	Marked      bool    `json:"marked"`
}

// Games are all games of a run, by pair and leg.
func Games(ctx context.Context, store *results.Store, info *results.RunInfo) (*GameList, error) {
	list := &GameList{Version: 1, Games: []Game{}}
	err := store.Games(ctx, info.ID, func(r match.Row) error {
		list.Games = append(list.Games, NewGame(r))
		return nil
	})
	return list, err
}

// NewGame is a stored game as lists have it.
func NewGame(r match.Row) Game {
	return Game{
		Pair: r.Pair, Leg: r.Leg, Black: r.Black, White: r.White, Outcome: r.Outcome.String(),
		Termination: r.Termination.String(), Note: r.Note, Plies: r.Plies, Opening: r.OpeningID,
		BlackMS: sideMillis(r.Sides[shogi.Black]), WhiteMS: sideMillis(r.Sides[shogi.White]), Marked: r.Marked,
	}
}

func sideMillis(s match.Side) float64 { return float64(s.Time.Microseconds()) / 1000 }

// Winner is the winner's name, or "draw".
func (g Game) Winner() string {
	switch g.Outcome {
	case match.BlackWins.String():
		return g.Black
	case match.WhiteWins.String():
		return g.White
	}
	return "draw"
}
