// Package review analyses games with an engine: how often each player made the engine's move, and how much
// the other moves won or lost. A [Review] asks an [Engine] for the best move and the value of each position.
// The review writes one line for each game to a [Log], and a [Tally] adds the games up.
//
// The methods come from a master's thesis on Go (囲碁 AI を用いたプレイヤーの棋力推定, 2019). The thesis follows the work of
// Yamashita on shogi, and of Guid and Bratko on chess; docs/research/strength.md describes them.
package review

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
)

// Centipawns is the name of the unit of engine values, as it appears in files. A pawn is worth about 100
// centipawns.
const Centipawns = "centipawns"

// These are the two sides, which are also winners, and the draw, as files spell them. Black is 先手 or, in handicap
// games, 下手 (the receiver of the handicap).
const (
	Black = "B"
	White = "W"
	Draw  = "draw"
)

// Game is a game to review: its moves in USI notation, and the known facts about its players and its result.
type Game struct {
	ID     string    `json:"id"`    // see Identify
	Event  string    `json:"event"` // the event in the record; for a stored run its name, pair and leg
	Names  [2]string `json:"names"` // names of Black and White
	Ranks  [2]string `json:"ranks"` // their ratings in the record; "" if unknown
	Start  string    `json:"start"` // the start position as in a USI position command: startpos, or sfen and an SFEN
	Sides  string    `json:"sides"` // the side of each move: B or W
	Moves  []string  `json:"moves"`
	Given  int       `json:"given"`  // number of first moves that come from an opening
	Winner string    `json:"winner"` // Black, White, Draw, or "" if unknown
}

// Identify sets the game's ID to the beginning of a hash of its event, names, start position, sides and
// moves.
func (g *Game) Identify() {
	h := sha256.New()
	for _, text := range append([]string{g.Event, g.Names[0], g.Names[1], g.Start, g.Sides}, g.Moves...) {
		_, _ = io.WriteString(h, text+"\x00") // a hash never returns an error
	}
	g.ID = hex.EncodeToString(h.Sum(nil)[:8])
}

// check returns an error if the data of a game from a file contradict each other.
func (g *Game) check() error {
	switch {
	case g.ID == "":
		return fmt.Errorf("game %.40q: no id", g.Event)
	case len(g.Sides) != len(g.Moves) || g.Given < 0 || g.Given > len(g.Moves):
		return fmt.Errorf("game %s: %d moves by %d sides, %d of them given", g.ID, len(g.Moves), len(g.Sides), g.Given)
	}
	for i, side := range g.Sides {
		if side != 'B' && side != 'W' || i > 0 && g.Sides[i-1] == g.Sides[i] {
			return fmt.Errorf("game %s: side %q of move %d: expected B or W, and each after the other", g.ID, side, i+1)
		}
	}
	return nil
}

// side returns the side that made the move with the index ply: 0 for Black, 1 for White.
func (g *Game) side(ply int) int {
	if g.Sides[ply] == 'W' {
		return 1
	}
	return 0
}

// Reading is an engine's evaluation of a position: its value and the engine's best move.
type Reading struct {
	// the engine's best move, or another answer in the protocol's spelling, such as resign
	Best  string  `json:"best"`
	Value float64 `json:"value"`          // value for the side to move, in centipawns; 0 with a Mate
	Mate  int     `json:"mate,omitempty"` // 1: the side to move mates; -1: it is mated; 0: no mate
}

// Reviewed is a game with the engine's evaluations. Readings[i] is the evaluation after i moves, so there is
// one more reading than moves. A reading is nil if the review did not request it.
type Reviewed struct {
	Game     *Game      `json:"game"`
	Readings []*Reading `json:"readings"`
}

// readings returns two readings for the move with the index ply: before the move, and after it. by decides whether
// "after" is the next position or the same player's next turn. Both are from the view of the player who made the
// move. ok is false if a reading is missing.
func (r *Reviewed) readings(ply int, by Change) (before, after Reading, ok bool) {
	next := ply + 1
	if by == TurnChange {
		next++
	}
	if next >= len(r.Readings) || r.Readings[ply] == nil || r.Readings[next] == nil {
		return before, after, false
	}
	after = *r.Readings[next]
	if by != TurnChange { // this reading is from the opponent's view
		after = Reading{Best: after.Best, Value: -after.Value, Mate: -after.Mate}
	}
	return *r.Readings[ply], after, true
}

// check returns an error if the fields of a reviewed game from a file contradict each other.
func (r *Reviewed) check() error {
	if r.Game == nil {
		return fmt.Errorf("a line without a game")
	}
	if err := r.Game.check(); err != nil {
		return err
	}
	if len(r.Readings) != len(r.Game.Moves)+1 {
		return fmt.Errorf("game %s: %d readings of %d moves: expected one more", r.Game.ID, len(r.Readings),
			len(r.Game.Moves))
	}
	return nil
}

// Settings has the settings of a review on which the engine's evaluations depend. All games of one file have
// the same settings.
type Settings struct {
	Version  int    `json:"gogi_review"` // version of the format
	Engine   string `json:"engine"`      // the engine's name, or else its command
	Identity string `json:"identity"`    // distinguishes its program from others, such as a hash
	Options  string `json:"options"`     // options that were set, NAME=VALUE
	Limit    string `json:"limit"`       // limit per position, such as "nodes 1000"
	Unit     string `json:"unit"`        // Centipawns
}

// version is the version of review files. gogi rejects files with another version.
const version = 1

// difference returns the name of the first setting in which s differs from o, the settings of a file.
func (s Settings) difference(o Settings) string {
	for _, f := range []struct{ name, a, b string }{
		{"engine", s.Engine, o.Engine}, {"identity", s.Identity, o.Identity}, {"options", s.Options, o.Options},
		{"limit", s.Limit, o.Limit}, {"unit", s.Unit, o.Unit},
	} {
		if f.a != f.b {
			return fmt.Sprintf("%s %q there, %q here", f.name, f.b, f.a)
		}
	}
	return ""
}

func (s Settings) line() ([]byte, error) {
	s.Version = version
	text, err := json.Marshal(s)
	return append(text, '\n'), err
}
