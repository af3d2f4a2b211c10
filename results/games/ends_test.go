package games

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
	"gogi/shogi"
	"gogi/shogi/kifu"
	kifutext "gogi/shogi/kifu/text"
)

// everyEnd returns a short game for each termination, each side to move and each winner.
func everyEnd(t *testing.T) map[string]*kifu.Record {
	t.Helper()
	even := shogi.StartPos()
	games := map[string]*kifu.Record{}
	for _, end := range match.Terminations() {
		for plies := 1; plies <= 2; plies++ {
			for _, winner := range []string{"black", "white", "draw"} {
				g := &kifu.Record{Black: "A", White: "B", Start: even.SFEN(), Result: string(end), Winner: winner,
					Started: time.Unix(1_767_323_045, 0)}
				for _, m := range []string{"7g7f", "3c3d"}[:plies] {
					g.Moves = append(g.Moves, kifu.Move{Move: testutil.Must(shogi.ParseMove(m))(t), Time: time.Second})
				}
				games[fmt.Sprintf("%s-%d-%s", end, plies, winner)] = g
			}
		}
	}
	return games
}

// inEachFormat writes the games in each format that has ends, and yields the format and a store into which it imported
// the text.
func inEachFormat(t *testing.T, games map[string]*kifu.Record, names []string) iter.Seq2[kifutext.Format,
	*results.Store] {
	return func(yield func(kifutext.Format, *results.Store) bool) {
		for _, f := range kifutext.Text() {
			if f.Name == "usi" || f.Name == "sfen" {
				continue // lines of moves have no end
			}
			var text []byte
			for i, name := range names {
				if i > 0 {
					text = append(text, f.Between...)
				}
				text = testutil.Must(f.Append(text, games[name]))(t)
			}
			store := openStore(t)
			done, refused := importText(t, store, "run", text)
			testutil.Require(t, done.Games == len(names) && len(refused) == 0, "%s: %+v, %v", f.Name, done, refused)
			if !yield(f, store) {
				return
			}
		}
	}
}

// TestEveryEndComesBack: no import into a database, no report of its games as JSON and no export changes the
// termination or the winner of a game.
func TestEveryEndComesBack(t *testing.T) {
	games := everyEnd(t)
	names := slices.Sorted(mapKeys(games))
	for f, store := range inEachFormat(t, games, names) {
		n := 0
		testutil.OK(t, store.Games(t.Context(), runOf(t, store, "run").ID, func(row match.Row) error {
			var printed struct{ Outcome, Termination string }
			testutil.OK(t, json.Unmarshal(testutil.Must(json.Marshal(row))(t), &printed))
			want := games[names[n]]
			testutil.Check(t, printed.Outcome == want.Winner && printed.Termination == want.Result, "%s as %s: %+v", names[n],
				f.Name, printed)
			n++
			return nil
		}))
		list, _ := exported(t, store, "run", f.Name, Filter{})
		testutil.Require(t, len(list) == len(names) && n == len(names), "%s: %d games, %d rows", f.Name, len(list), n)
		for i, name := range names {
			testutil.Check(t, list[i].Winner == games[name].Winner && list[i].Result == games[name].Result,
				"%s as %s comes back as %s, winner %s", name, f.Name, list[i].Result, list[i].Winner)
		}
	}
}

// TestOtherReadersOfEnds: the libraries of ShogiHome and Kifu for JS read the winner of each end in every format, or
// read an interrupted game where the format has no word with the winner. The exceptions are theirs: tsshogi 2.2.0 reads
// the sign of %±ILLEGAL_ACTION as the winner, and json-kifu-format 5.5.0 does not know 入玉勝ち.
func TestOtherReadersOfEnds(t *testing.T) {
	games := everyEnd(t)
	folder := writeAll(t, games)
	got := readWithNode(t, folder)
	testutil.Require(t, len(got) == 7*len(games), "%d files of %d games", len(got), len(games))
	interrupted := map[string]int{}
	for name, s := range got {
		g := games[s.Game]
		if s.Format == "usi" {
			continue
		}
		_, side := lastOf(g)
		text := testutil.Must(os.ReadFile(filepath.Join(folder, name)))(t)
		action := bytes.Contains(text, []byte("+ILLEGAL_ACTION")) || bytes.Contains(text, []byte("-ILLEGAL_ACTION"))
		testutil.Require(t, s.Shogi.Error == "" && s.Shogi.End != nil, "%s: tsshogi: %+v", name, s.Shogi)
		winner, other := winnerOf(s.Shogi.End.Word, side), map[string]string{"black": "white", "white": "black"}[g.Winner]
		if s.Shogi.End.Word == "interrupt" {
			interrupted[s.Format]++
		} else {
			testutil.Check(t, !action && winner == g.Winner || action && winner == other, "%s: tsshogi reads %s, winner %q",
				name, s.Shogi.End.Word, winner)
		}
		declared := g.Result == "declaration" && g.Winner == side.String()
		if s.JKF == nil || declared && slices.Contains([]string{"kif", "sjis", "ki2"}, s.Format) {
			testutil.Check(t, s.JKF == nil || s.Format == "ki2" || s.JKF.Error == "" && len(s.JKF.Moves) == len(g.Moves),
				"%s: json-kifu-format: %+v", name, s.JKF)
			continue
		}
		if s.JKF.Special == "CHUDAN" {
			interrupted["json-kifu-format "+s.Format]++
			continue
		}
		testutil.Check(t, s.JKF.Error == "" && winnerOfCSA(s.JKF.Special, side) == g.Winner,
			"%s: json-kifu-format reads %q (%s)", name, s.JKF.Special, s.JKF.Error)
	}
	// The table of docs/formats.md has 12 empty cells of wins and 13 of draws, and each is written for both sides to move.
	// The nine losses that CSA 3.0 has no word for are those of declaration, repetition, impasse, max plies, both
	// adjudications, crash, not started and unknown.
	for format, n := range interrupted {
		want := 2 * (12 + 13)
		if format == "csa3" {
			want += 2 * 9
		}
		testutil.Equal(t, n, want, "interrupted games as %s", format)
	}
}

// winnerOfCSA returns the winner for a word of CSA without its percent sign, by the standard.
func winnerOfCSA(word string, side shogi.Colour) string {
	switch word {
	case "TORYO", "TSUMI", "TIME_UP", "ILLEGAL_MOVE":
		return side.Opponent().String()
	case "KACHI":
		return side.String()
	case "+ILLEGAL_ACTION":
		return "white"
	case "-ILLEGAL_ACTION":
		return "black"
	case "SENNICHITE", "JISHOGI", "HIKIWAKE":
		return "draw"
	}
	return ""
}

// TestOpeningsComeBack: an export that is imported again has the same opening of each game in every format that has
// ends, so that the games count as the same observations. Three moves are the opening, and --opening-plies is another
// number.
func TestOpeningsComeBack(t *testing.T) {
	games := playedGames(t)
	for name := range games {
		if name[len(name)-1] != '0' {
			delete(games, name)
		}
	}
	names := slices.Sorted(mapKeys(games))
	for f, store := range inEachFormat(t, games, names) {
		n := 0
		testutil.OK(t, store.Games(t.Context(), runOf(t, store, "run").ID, func(row match.Row) error {
			o := match.Opening{Start: games[names[n]].Start}
			if even := shogi.StartPos(); o.Start == even.SFEN() {
				o.Start = "startpos"
			}
			for _, m := range games[names[n]].Moves[:3] {
				o.Moves = append(o.Moves, m.Move)
			}
			testutil.Check(t, row.OpeningPlies == 3 && row.OpeningHash == o.Hash(), "%s as %s: an opening of %d plies", names[n],
				f.Name, row.OpeningPlies)
			n++
			return nil
		}))
		testutil.Equal(t, n, len(names), "games as %s", f.Name)
	}
}
