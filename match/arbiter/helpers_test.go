package arbiter_test

import (
	"strings"
	"testing"
	"unicode"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/match/matchtest"
)

// referee starts a game without an opening.
func referee(t *testing.T, rules match.Rules, start string) *arbiter.Referee {
	t.Helper()
	return testutil.Must(arbiter.NewReferee(rules, matchtest.Opening(start, "")))(t)
}

// play makes a line of moves; only the last may end the game.
func play(t *testing.T, r *arbiter.Referee, line string) match.Verdict {
	t.Helper()
	var v match.Verdict
	for i, m := range matchtest.Moves(line) {
		testutil.Require(t, !v.Over(), "over before move %d (%s): %v", i+1, m, v)
		v = r.Play(m)
	}
	return v
}

const (
	startSFEN  = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
	playedFile = "../testdata/played.json"
)

// turnedSFEN returns a position seen from the other side of the board, with the colours exchanged. It is the same game
// for the opponent.
func turnedSFEN(sfen string) string {
	fields := strings.Fields(sfen)
	var board []string
	for rank := range strings.SplitSeq(fields[0], "/") {
		var squares []string
		for _, c := range rank {
			if n := len(squares); n > 0 && squares[n-1] == "+" {
				squares[n-1] += string(c)
				continue
			}
			squares = append(squares, string(c))
		}
		board = append([]string{strings.Join(reversed(squares), "")}, board...)
	}
	side := map[string]string{"b": "w", "w": "b"}[fields[1]]
	return exchanged(strings.Join(board, "/")) + " " + side + " " + exchanged(fields[2]) + " " + fields[3]
}

func reversed(list []string) []string {
	var out []string
	for i := range list {
		out = append(out, list[len(list)-1-i])
	}
	return out
}

// exchanged swaps the case of letters, and with it the owners of SFEN's pieces.
func exchanged(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsUpper(c) {
			return unicode.ToLower(c)
		}
		return unicode.ToUpper(c)
	}, s)
}

// turnedMoves returns a line of moves for the opponent on the turned board.
func turnedMoves(line string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= '1' && c <= '9':
			return '1' + '9' - c
		case c >= 'a' && c <= 'i':
			return 'a' + 'i' - c
		}
		return c
	}, line)
}

// twoPlayers returns a plan of A against B with clocks by colour and two openings.
func twoPlayers(t *testing.T) *match.Plan {
	t.Helper()
	clock := match.TimeControl{Main: 300 * second, Increment: 2 * second}
	player := func(name string) match.Player {
		return match.Player{Name: name, Limits: match.Limits{Nodes: 1000, Margin: 100 * ms, Stall: 60 * second},
			Restart: match.RestartNever}
	}
	return &match.Plan{
		Run: "run", Players: []match.Player{player("A"), player("B")},
		ColourClocks: [2]*match.TimeControl{&clock, &clock},
		Design:       match.Design{Kind: match.DesignMatch, Swap: true}, Seed: 1, Rules: match.RulesProfiles()["default"],
		Adjudication: match.Adjudication{ResignScore: 3000, ResignMoves: 4},
		Openings:     []match.Opening{matchtest.Opening("startpos", "7g7f"), matchtest.Opening(startSFEN, "2g2f")},
		Ponder:       match.PonderOff, Slowed: match.PolicyCount, Pairs: 100, Concurrency: 2, PVPlies: 12,
	}
}
