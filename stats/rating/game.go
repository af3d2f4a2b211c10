package rating

import "gogi/stats"

// Game is one game of two players.
type Game struct {
	Black, White string        // names; they differ, and are not empty
	Outcome      stats.Outcome // from Black's side
	Handicap     int           // steps, counted from 0 (even) in the order of their weight
	Receiver     string        // the player who received it; empty is Black, as in shogi
}

// Count is the games of one Black against one White under one handicap.
type Count struct {
	Black, White                string // names; they differ, and are not empty
	BlackWins, Draws, WhiteWins int
	Handicap                    int    // as in [Game]
	Receiver                    string // as in [Game]
}

// Games is the number of games counted.
func (c Count) Games() int { return c.BlackWins + c.Draws + c.WhiteWins }

// CountGames adds up games that have the same colours, handicap, and receiver,
// in the order of each combination's first game. It fails for a game that is
// impossible, and names it by its place (from 1).
func CountGames(games []Game) ([]Count, error) { panic("not yet") }
