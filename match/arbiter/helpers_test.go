package arbiter_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/shogi"
)

// moves reads a line of moves.
func moves(t *testing.T, line string) []shogi.Move {
	t.Helper()
	var list []shogi.Move
	for text := range strings.FieldsSeq(line) {
		m := testutil.Must(shogi.ParseMove(text))(t)
		list = append(list, m)
	}
	return list
}

// opening is opening 7: a start ("startpos" or a SFEN) and a line of moves.
func opening(t *testing.T, start, line string) match.Opening {
	t.Helper()
	return match.Opening{ID: "7", Start: start, Moves: moves(t, line)}
}

// referee starts a game without an opening.
func referee(t *testing.T, rules match.Rules, start string) *arbiter.Referee {
	t.Helper()
	r := testutil.Must(arbiter.NewReferee(rules, opening(t, start, "")))(t)
	return r
}

// play makes a line of moves; only the last may end the game.
func play(t *testing.T, r *arbiter.Referee, line string) match.Verdict {
	t.Helper()
	var v match.Verdict
	for i, m := range moves(t, line) {
		if v.Over() {
			t.Fatalf("over before move %d (%s): %v", i+1, m, v)
		}
		v = r.Play(m)
	}
	return v
}

// profile is a named profile of rules.
func profile(t *testing.T, name string) match.Rules {
	t.Helper()
	r := testutil.Must(match.RulesByName(name))(t)
	return r
}

// rows reads a table of testdata, whose first line names the columns.
func rows(t *testing.T, name string) []map[string]string {
	t.Helper()
	file := testutil.Must(os.Open(filepath.Join("testdata", name)))(t)
	defer func() { _ = file.Close() }()
	records := testutil.Must(csv.NewReader(file).ReadAll())(t)
	var out []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, key := range records[0] {
			row[key] = record[i]
		}
		out = append(out, row)
	}
	return out
}

const startSFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

// turnedSFEN is a position seen from the other side of the board, with the
// colours exchanged: the same game for the opponent.
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

// turnedMoves is a line of moves for the opponent on the turned board.
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

// pairLimit is more than any pair of these tests takes.
const pairLimit = 1 << 20

// playedSeries is a series that the runner played with the sparring engine, some
// of its players scripted to fail, resign or repeat, as the first version of the
// formats kept it. It is never written again: what was written once is read for ever.
type playedSeries struct {
	Name   string          `json:"name"`
	Digest string          `json:"digest"`
	Plan   json.RawMessage `json:"plan"`
	Pairs  [][]byte        `json:"pairs"`
}

func playedSeriesOf(tb testing.TB) []playedSeries {
	tb.Helper()
	text := testutil.Must(os.ReadFile(filepath.Join("..", "testdata", "played.json")))(tb)
	var list []playedSeries
	testutil.OK(tb, json.Unmarshal(text, &list))
	return list
}

// played calls see for each pair of each series.
func played(t *testing.T, see func(t *testing.T, plan *match.Plan, r match.PairResult)) {
	t.Helper()
	for _, s := range playedSeriesOf(t) {
		t.Run(s.Name, func(t *testing.T) {
			plan, err := match.DecodePlan(s.Plan)
			if err != nil || plan.Digest() != s.Digest {
				t.Fatalf("the plan's digest is not %s: %v", s.Digest, err)
			}
			for _, text := range s.Pairs {
				r := testutil.Must(match.DecodePair(text, pairLimit))(t)
				see(t, plan, r)
			}
		})
	}
}

// twoPlayers is a plan of A against B with clocks by colour and two openings.
func twoPlayers(t *testing.T) *match.Plan {
	t.Helper()
	clock := match.TimeControl{Main: 300 * second, Increment: 2 * second}
	player := func(name string) match.Player {
		return match.Player{Name: name, Limits: match.Limits{Nodes: 1000, Margin: 100 * ms, Stall: 60 * second}, Restart: match.RestartNever}
	}
	return &match.Plan{
		Run: "run", Players: []match.Player{player("A"), player("B")},
		ColourClocks: [2]*match.TimeControl{&clock, &clock},
		Design:       match.Design{Kind: match.DesignMatch, Swap: true}, Seed: 1, Rules: profile(t, "default"),
		Adjudication: match.Adjudication{ResignScore: 3000, ResignMoves: 4},
		Openings:     []match.Opening{opening(t, "startpos", "7g7f"), opening(t, startSFEN, "2g2f")},
		Ponder:       match.PonderOff, Slowed: match.PolicyCount, Pairs: 100, Concurrency: 2, PVPlies: 12,
	}
}
