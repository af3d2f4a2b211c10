package stored

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"gogi/ensemble/votes"
	"gogi/match"
	"gogi/results"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// Game is one game in the list that "gogi games --json" prints.
type Game struct {
	Pair int `json:"pair"`
	Leg  int `json:"leg"`
	match.GameView
	Note    string  `json:"note"`
	Plies   int     `json:"plies"`
	Opening string  `json:"opening"`
	BlackMS float64 `json:"black_ms"`
	WhiteMS float64 `json:"white_ms"`
	Marked  bool    `json:"marked"` // the machine delayed a move of the game
}

// GameList is the JSON object that "gogi games --json" prints. WriteGames writes it without holding it in memory.
type GameList struct {
	Version int    `json:"version"` // 1
	Games   []Game `json:"games"`   // sorted by pair and then by leg
}

// WriteGames writes {"version": 1, "games": […]} with all games of a run, sorted by pair and then by leg (the
// number of the game within the pair). It replaces each note by note(text); nil leaves the notes as they are. It holds
// one game at a time in memory.
func WriteGames(ctx context.Context, w io.Writer, store *results.Store, info *results.RunInfo,
	note func(text string) string) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "{\n  \"version\": 1,\n  \"games\": [")
	between := "\n"
	err := store.Games(ctx, info.ID, func(r match.Row) error {
		if note != nil {
			r.Note = note(r.Note)
		}
		text, err := json.MarshalIndent(NewGame(r), "    ", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s    %s", between, text)
		between = ",\n"
		return nil
	})
	if err != nil {
		return err
	}
	if between != "\n" {
		fmt.Fprint(out, "\n  ")
	}
	fmt.Fprintln(out, "]\n}")
	return out.Flush()
}

// NewGame converts a stored game to the form for lists.
func NewGame(r match.Row) Game {
	return Game{
		Pair: r.Pair, Leg: r.Leg, GameView: r.View(), Note: r.Note, Plies: r.Plies, Opening: r.OpeningID,
		BlackMS: kifu.Millis(r.Sides[shogi.Black].Time), WhiteMS: kifu.Millis(r.Sides[shogi.White].Time), Marked: r.Marked,
	}
}

// Winner returns the winner's name, or "draw".
func (g Game) Winner() string {
	switch g.Outcome {
	case match.BlackWins.String():
		return g.Black
	case match.WhiteWins.String():
		return g.White
	}
	return "draw"
}

// GameRecord is a game with its moves, in its JSON form.
type GameRecord struct {
	Version int    `json:"version"`
	Run     string `json:"run"`
	Game

	Start   string     `json:"start"` // SFEN
	Started string     `json:"started"`
	Ended   string     `json:"ended"`
	Moves   []GameMove `json:"moves"`
}

// GameMove is a move with its time. The time is null if it is not known.
type GameMove struct {
	kifu.MoveJSON

	MS *float64 `json:"ms"` // replaces the time of MoveJSON. An unknown time is null here, and missing there.
}

// NewGameRecord converts a stored game with its moves to the JSON form.
func NewGameRecord(run string, r match.Row, record *kifu.Record) *GameRecord {
	g := &GameRecord{
		Version: 1, Run: run, Game: NewGame(r), Start: record.Start, Started: r.Started.Format(time.RFC3339Nano),
		Ended: r.Ended.Format(time.RFC3339Nano),
		Moves: []GameMove{},
	}
	for _, m := range record.Moves {
		line := GameMove{MoveJSON: m.JSON()}
		if !m.NoTime {
			line.MS = new(kifu.Millis(m.Time))
		}
		if !json.Valid(m.Detail) {
			line.Votes = nil
		}
		g.Moves = append(g.Moves, line)
	}
	return g
}

// Votes returns how the councils of a run voted, added up over all of its games. A council is a player whose
// moves are decided by the votes of several engines. Votes reads every game record of the run.
func Votes(ctx context.Context, store *results.Store, info *results.RunInfo) (*votes.Report, error) {
	r := &votes.Report{Head: votes.Head{Version: 1, Run: info.Name}}
	err := store.Games(ctx, info.ID, func(g match.Row) error {
		record, err := store.Record(ctx, info.ID, g.Pair, g.Leg)
		if err != nil {
			return err
		}
		voted, err := votes.OfGame(fmt.Sprintf("%d.%d", g.Pair, g.Leg), g.Plies-g.OpeningPlies, &record, "")
		if err == nil && len(voted.Votes) > 0 {
			r.Add(voted)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Finish()
	return r, nil
}
