package arbiter_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/match/matchtest"
	"gogi/shogi"
)

// Positions. Those that end with a space lack the number of the next move.
const (
	whiteMatesByDrop  = "4k4/9/9/9/9/9/4p4/9/4K4 w g "                            // G*5h
	blackMatesByDrop  = "4k4/9/4P4/9/9/9/9/9/4K4 b G "                            // G*5b
	blackStalemates   = "8k/9/6SG1/9/9/9/9/9/4K4 b - "                            // 3c3b
	blackChecks       = "4k4/9/9/9/9/9/9/9/R3K4 b - "                             // 9i9a+
	blackDeclaresNext = "+R+B1K+P+P+P2/+P+P+P+P+P4/9/9/9/9/9/4k4/9 w R4GN "       // after 5h5i: 28 points
	whiteDeclaresNext = "9/4K4/9/9/9/9/9/4+p+p+p+p+p/2+p+p+pk1+b+r b r4g "        // after 5b5a: 27 points
	bothKings         = "4k4/9/9/9/9/9/9/9/4K4 "                                  // b or w
	blackDeclares     = "+R+B1K+P+P+P2/+P+P+P+P+P4/9/9/9/9/9/4k4/9 b R4GN 1"      // 28 points
	whiteDeclares     = "9/4K4/9/9/9/9/9/4+p+p+p+p+p/2+p+p+pk1+b+r w r4g 1"       // 27 points
	ninePieces        = "+R+B1K+P+P+P2/+P+P+P+P5/9/9/9/9/9/4k4/9 b R4GNP 1"       // 28 points
	kingOutside       = "+R+B2+P+P+P2/+P+P+P+P+P4/9/3K5/9/9/9/4k4/9 b R4GN 1"     // 28 points
	inCheck           = "+R+B1K+P+P+P2/+P+Ps+P+P4/+P8/9/9/9/9/4k4/9 b R4GN 1"     // 28 points
	rookShuffle       = "2h1h 8b9b 1h2h 9b8b 2h1h 8b9b 1h2h 9b8b 2h1h 8b9b 1h2h " // and 9b8b
)

func ended(o match.Outcome, t match.Termination) match.Verdict {
	return match.Verdict{Outcome: o, Termination: t}
}

// sameEnd compares verdicts apart from their notes.
func sameEnd(got, want match.Verdict) bool {
	return got.Outcome == want.Outcome && got.Termination == want.Termination
}

// TestProfilesAtTheLimit checks the last allowed ply under each profile.
func TestProfilesAtTheLimit(t *testing.T) {
	draw := ended(match.Draw, match.MaxPlies)
	for _, test := range []struct {
		profile      string
		limit        int
		mate         match.Verdict // White mates with the last ply
		declareBlack match.Verdict // Black is to move and could declare
	}{
		{"default", 320, ended(match.WhiteWins, match.Checkmate), draw},
		{"wcsc", 320, ended(match.WhiteWins, match.Checkmate), draw},
		{"floodgate", 256, ended(match.WhiteWins, match.Checkmate), draw},
		{"denryu", 512, draw, ended(match.BlackWins, match.Declaration)},
	} {
		t.Run(test.profile, func(t *testing.T) {
			rules := match.RulesProfiles()[test.profile]
			for _, game := range []struct {
				name, position, move string
				before, at           match.Verdict
			}{
				{"mate", whiteMatesByDrop, "G*5h", ended(match.WhiteWins, match.Checkmate), test.mate},
				{"declarable", blackDeclaresNext, "5h5i", match.Verdict{}, test.declareBlack},
				{"quiet", bothKings + "w - ", "5a5b", match.Verdict{}, draw},
				{"check", blackChecks, "9i9a+", match.Verdict{}, draw},
			} {
				for ply, want := range map[int]match.Verdict{1: game.before, test.limit - 1: game.before, test.limit: game.at} {
					got := play(t, referee(t, rules, game.position+strconv.Itoa(ply)), game.move)
					testutil.Check(t, sameEnd(got, want), "%s by ply %d: %+v, want %+v", game.name, ply, got, want)
				}
			}
		})
	}
}

// TestLimit checks each rule about the limit alone.
func TestLimit(t *testing.T) {
	draw := ended(match.Draw, match.MaxPlies)
	for _, test := range []struct {
		name  string
		rules match.Rules
		start string
		moves string // the last one ends the game, or nothing does
		want  match.Verdict
	}{
		{"no limit", match.Rules{}, bothKings + "w - 9999", "5a5b", match.Verdict{}},
		{"two plies are left", match.Rules{MaxPlies: 320}, bothKings + "b - 319", "5i5h 5a5b", draw},
		{"the start's number counts, not the side", match.Rules{MaxPlies: 320}, bothKings + "b - 320", "5i5h", draw},
		{"white declares at the limit", match.Rules{MaxPlies: 9, DeclareAtLimit: true, Declaration: shogi.CSARule27},
			whiteDeclaresNext + "9", "5b5a", ended(match.WhiteWins, match.Declaration)},
		{"no declaration, no win at the limit", match.Rules{MaxPlies: 9, DeclareAtLimit: true}, whiteDeclaresNext + "9",
			"5b5a", draw},
		{"only the side to move can declare", match.Rules{MaxPlies: 9, DeclareAtLimit: true, Declaration: shogi.CSARule27},
			strings.Replace(blackDeclares, "GN 1", "GN 9", 1), "6a7a", draw},
		{"mate draws at the limit", match.Rules{MaxPlies: 9, MateAtLimitDraws: true}, blackMatesByDrop + "9", "G*5b", draw},
		{"mate wins before it", match.Rules{MaxPlies: 9, MateAtLimitDraws: true}, blackMatesByDrop + "8", "G*5b",
			ended(match.BlackWins, match.Checkmate)},
		{"mate wins without a limit", match.Rules{MateAtLimitDraws: true}, blackMatesByDrop + "8", "G*5b",
			ended(match.BlackWins, match.Checkmate)},
		{"a check draws at the limit", match.Rules{MaxPlies: 9}, blackChecks + "9", "9i9a+", draw},
		{"a check puts the limit off", match.Rules{MaxPlies: 9, ExtendInCheck: true}, blackChecks + "9", "9i9a+",
			match.Verdict{}},
		{"until it is parried", match.Rules{MaxPlies: 9, ExtendInCheck: true}, blackChecks + "9", "9i9a+ 5a5b", draw},
		{"only a check does", match.Rules{MaxPlies: 9, ExtendInCheck: true}, bothKings + "b - 9", "5i5h", draw},
		{"mate past the limit wins", match.Rules{MaxPlies: 9, ExtendInCheck: true}, "4k4/9/r8/9/4N4/9/9/4P1P2/4LKL2 b - 9",
			"5e4c 9c4c", ended(match.WhiteWins, match.Checkmate)},
		{"repetition comes before the limit", match.Rules{MaxPlies: 12}, startSFEN, rookShuffle + "9b8b",
			ended(match.Draw, match.Repetition)},
		{"a try comes before the limit", match.Rules{MaxPlies: 9, Declaration: shogi.TryRule}, "9/4K4/9/9/9/9/9/9/k8 b - 9",
			"5b5a", ended(match.BlackWins, match.Declaration)},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := play(t, referee(t, test.rules, test.start), test.moves)
			testutil.Check(t, sameEnd(got, test.want), "%+v, want %+v", got, test.want)
		})
	}
}

// TestLimitCountsTheOpening: the moves of an opening count like others.
func TestLimitCountsTheOpening(t *testing.T) {
	r := testutil.Must(arbiter.NewReferee(match.Rules{MaxPlies: 4}, matchtest.Opening("startpos", "7g7f 3c3d")))(t)
	testutil.Equal(t, play(t, r, "2g2f 8c8d"), ended(match.Draw, match.MaxPlies))
}

func TestNoLegalMoveLoses(t *testing.T) {
	for name, game := range map[string][2]string{
		"mate":      {blackMatesByDrop + "1", "G*5b"},
		"stalemate": {blackStalemates + "1", "3c3b"},
	} {
		testutil.Equal(t, play(t, referee(t, match.RulesProfiles()["default"], game[0]), game[1]),
			ended(match.BlackWins, match.Checkmate), "%s", name)
		got := play(t, referee(t, match.RulesProfiles()["default"], turnedSFEN(game[0])), turnedMoves(game[1]))
		testutil.Equal(t, got, ended(match.WhiteWins, match.Checkmate), "%s by White", name)
	}
}

func TestIllegalMoveLoses(t *testing.T) {
	for start, outcome := range map[string]match.Outcome{
		startSFEN: match.WhiteWins, turnedSFEN(startSFEN): match.BlackWins,
	} {
		for _, text := range []string{"5e5d", "P*5e", "2h2b+", "none"} {
			r := referee(t, match.RulesProfiles()["default"], start)
			before, m := r.Position().SFEN(), shogi.NoMove
			if text != "none" {
				m = matchtest.Moves(text)[0]
			}
			got := r.Play(m)
			note := fmt.Sprintf("%s: %v", text, r.Position().CheckLegal(m))
			testutil.Equal(t, (match.Verdict{Outcome: outcome, Termination: match.IllegalMove, Note: note}), got, "%s", text)
			testutil.Equal(t, r.Position().SFEN(), before, "%s: it was made", text)
		}
	}
}

// TestRepetitionFixtures: the fixtures give the same results with the colours exchanged. The side that gives
// perpetual check loses, whichever side is to move.
func TestRepetitionFixtures(t *testing.T) {
	verdicts := map[string]match.Verdict{
		"none":        {},
		"draw":        ended(match.Draw, match.Repetition),
		"black loses": {Outcome: match.WhiteWins, Termination: match.PerpetualCheck, Note: "every move of Black gave check"},
		"white loses": {Outcome: match.BlackWins, Termination: match.PerpetualCheck, Note: "every move of White gave check"},
	}
	exchange := map[string]string{"none": "none", "draw": "draw", "black loses": "white loses",
		"white loses": "black loses"}
	for _, row := range testutil.CSV(t, "repetition.csv") {
		start, isSFEN := strings.CutPrefix(row["position"], "sfen ")
		if !isSFEN {
			start = startSFEN
		}
		end, ply, _ := strings.Cut(row["expected"], " at ply ")
		t.Run(row["name"], func(t *testing.T) {
			checkRepetition(t, start, row["moves"], ply, verdicts[end])
		})
		t.Run(row["name"]+" turned", func(t *testing.T) {
			checkRepetition(t, turnedSFEN(start), turnedMoves(row["moves"]), ply, verdicts[exchange[end]])
		})
	}
}

// checkRepetition plays a line up to the ply that ends the game, and compares the verdict. If ply is no number, it
// plays the whole line.
func checkRepetition(t *testing.T, start, line, ply string, want match.Verdict) {
	t.Helper()
	r := referee(t, match.RulesProfiles()["default"], start)
	list := strings.Fields(line)
	if n, err := strconv.Atoi(ply); err == nil {
		list = list[:n]
	}
	testutil.Equal(t, play(t, r, strings.Join(list, " ")), want)
}

func TestRepetitionCountsTheOpening(t *testing.T) {
	r := testutil.Must(arbiter.NewReferee(match.RulesProfiles()["denryu"], matchtest.Opening("startpos", rookShuffle)))(t)
	testutil.Equal(t, play(t, r, "9b8b"), ended(match.Draw, match.Repetition))
}

func TestTryRule(t *testing.T) {
	won := match.Verdict{Outcome: match.BlackWins, Termination: match.Declaration,
		Note: "the king stands on the opponent's king square"}
	for _, test := range []struct {
		name  string
		rule  shogi.DeclarationRule
		start string
		moves string
		want  match.Verdict
	}{
		{"king steps on 5a", shogi.TryRule, "9/4K4/9/9/9/9/9/9/k8 b - 1", "5b5a", won},
		{"king takes on 5a", shogi.TryRule, "4g4/4K4/9/9/9/9/9/9/k8 b - 1", "5b5a", won},
		{"king steps beside it", shogi.TryRule, "9/4K4/9/9/9/9/9/9/k8 b - 1", "5b4a", match.Verdict{}},
		{"another piece steps on it", shogi.TryRule, "9/4R4/3K5/9/9/9/9/9/k8 b - 1", "5b5a", match.Verdict{}},
		{"king was there, another piece moves", shogi.TryRule, "4K4/9/9/9/9/9/9/9/k7P b - 1", "1i1h", match.Verdict{}},
		{"king was there, a piece is dropped", shogi.TryRule, "4K4/9/9/9/9/9/9/9/k8 b P 1", "P*5e", match.Verdict{}},
		{"king leaves it", shogi.TryRule, "4K4/9/9/9/9/9/9/9/k8 b - 1", "5a4a", match.Verdict{}},
		{"king comes back to it", shogi.TryRule, "4K4/9/9/9/9/9/9/9/k8 b - 1", "5a4a 9i9h 4a5a", won},
		{"the own king's square is no goal", shogi.TryRule, "k8/9/9/9/9/9/9/4K4/9 b - 1", "5h5i", match.Verdict{}},
		{"no try under another rule", shogi.CSARule27, "9/4K4/9/9/9/9/9/9/k8 b - 1", "5b5a", match.Verdict{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rules := match.Rules{Declaration: test.rule}
			testutil.Equal(t, play(t, referee(t, rules, test.start), test.moves), test.want)
			if test.want.Over() {
				test.want.Outcome = match.WhiteWins
			}
			testutil.Equal(t, play(t, referee(t, rules, turnedSFEN(test.start)), turnedMoves(test.moves)), test.want, "White")
		})
	}
	attacked := referee(t, match.Rules{Declaration: shogi.TryRule}, "4r4/8K/9/9/9/9/9/9/k8 b - 1")
	got := play(t, attacked, "1b1a")
	testutil.Check(t, got.Termination == match.IllegalMove, "a king that walks into check: %+v", got)
}

// TestDeclarationWithOneFault: a declaration fails if a condition is missing, and the note names the missing
// conditions.
func TestDeclarationWithOneFault(t *testing.T) {
	for _, test := range []struct {
		name, sfen string
		loser      shogi.Colour
		faults     string
	}{
		{"a point is missing", strings.Replace(blackDeclares, "R4GN", "R4G", 1), shogi.Black,
			"it has 27 points of 28 needed"},
		{"a piece is missing", ninePieces, shogi.Black, "only 9 other pieces of 10 needed are in the far three ranks"},
		{"king outside", kingOutside, shogi.Black, "its king is not in the far three ranks"},
		{"in check", inCheck, shogi.Black, "it is in check"},
		{"the opponent's position", strings.Replace(blackDeclares, " b ", " w ", 1), shogi.White,
			"only 0 other pieces of 10 needed are in the far three ranks, it has 0 points of 27 needed"},
		{"White misses a point", strings.Replace(whiteDeclares, "r4g", "r3g", 1), shogi.White,
			"it has 26 points of 27 needed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			note := fmt.Sprintf("%v's declaration fails under CSARule27: %s", test.loser, test.faults)
			want := match.LossFor(test.loser, match.FalseDeclaration, note)
			testutil.Equal(t, referee(t, match.RulesProfiles()["default"], test.sfen).Declare(), want)
		})
	}
}

func TestDeclarationWins(t *testing.T) {
	for _, name := range []string{"default", "wcsc", "floodgate", "denryu"} {
		for sfen, want := range map[string]match.Outcome{blackDeclares: match.BlackWins, whiteDeclares: match.WhiteWins} {
			got := referee(t, match.RulesProfiles()[name], sfen).Declare()
			testutil.Check(t, sameEnd(got, ended(want, match.Declaration)), "%s: %+v", name, got)
		}
	}
}

// TestDeclarationFixtures: the results of the four rules without a draw are those of YaneuraOu. The results with 24
// points and a draw are those of tsshogi, which counts the missing pieces of a handicap.
func TestDeclarationFixtures(t *testing.T) {
	columns := map[string]match.Rules{
		"CSARule27":  {Declaration: shogi.CSARule27, ImpasseDraw: true},
		"CSARule24":  {Declaration: shogi.CSARule24},
		"CSARule27H": {Declaration: shogi.CSARule27H, ImpasseDraw: true},
		"CSARule24H": {Declaration: shogi.CSARule24H},
		"tsshogi_24": {Declaration: shogi.CSARule24H, ImpasseDraw: true},
	}
	for _, row := range testutil.CSV(t, "declaration.csv") {
		for column, rules := range columns {
			r := referee(t, rules, row["sfen"])
			var want match.Verdict
			switch row[column] {
			case "win":
				want = ended(match.WinFor(r.Side()), match.Declaration)
			case "draw":
				want = ended(match.Draw, match.Impasse)
			case "no", "lose":
				want = match.LossFor(r.Side(), match.FalseDeclaration, "")
			}
			if got := r.Declare(); !sameEnd(got, want) || got.Note == "" {
				t.Errorf("%s under %s: %+v, want %+v", row["name"], column, got, want)
			}
		}
	}
}

func TestImpasse(t *testing.T) {
	lost, draw, won := ended(match.WhiteWins, match.FalseDeclaration), ended(match.Draw, match.Impasse),
		ended(match.BlackWins, match.Declaration)
	for _, test := range []struct {
		name string
		hand string // in addition to 18 points in camp
		rule shogi.DeclarationRule
		draw bool
		want match.Verdict
	}{
		{"23", "R", shogi.CSARule24, true, lost},
		{"24", "RN", shogi.CSARule24, true, draw},
		{"30", "R4GN2L", shogi.CSARule24, true, draw},
		{"31", "R4GN3L", shogi.CSARule24, true, won},
		{"24 for Black in a handicap game", "RN", shogi.CSARule24H, true, draw},
		{"23 for Black in a handicap game", "R", shogi.CSARule24H, true, lost},
		{"30 where there is no draw", "R4GN2L", shogi.CSARule24, false, lost},
		{"27 under the 27-point rule", "R4G", shogi.CSARule27, true, lost},
		{"30 where nobody can declare", "R4GN2L", shogi.NoEnteringKing, true, lost},
		{"30 under the try rule", "R4GN2L", shogi.TryRule, true, lost},
	} {
		t.Run(test.name, func(t *testing.T) {
			sfen := strings.Replace(blackDeclares, "R4GN", test.hand, 1)
			got := referee(t, match.Rules{Declaration: test.rule, ImpasseDraw: test.draw}, sfen).Declare()
			testutil.Check(t, sameEnd(got, test.want) && got.Note != "", "%+v, want %+v", got, test.want)
		})
	}
	for name, sfen := range map[string]string{
		"nine pieces":  ninePieces,
		"king outside": kingOutside,
		"in check":     inCheck,
	} {
		got := referee(t, match.Rules{Declaration: shogi.CSARule24, ImpasseDraw: true}, sfen).Declare()
		testutil.Check(t, sameEnd(got, lost), "28 points, %s: %+v", name, got)
	}
}

func TestOpeningsThatAreRefused(t *testing.T) {
	rules := match.RulesProfiles()["default"]
	position := shogi.StartPos()
	illegal := position.CheckLegal(matchtest.Moves("7g7e")[0])
	position.Apply(matchtest.Moves("7g7f")[0])
	turn := position.CheckLegal(matchtest.Moves("2g2f")[0])
	_, badStart := shogi.ParseSFEN("9/9 b - 1")
	for _, test := range []struct {
		name, start, moves string
		want               string
	}{
		{"illegal first move", "startpos", "7g7e", "opening 7: move 1 (7g7e): " + illegal.Error()},
		{"out of turn", "startpos", "7g7f 2g2f", "opening 7: move 2 (2g2f): " + turn.Error()},
		{"no position", "9/9 b - 1", "", "opening 7: " + badStart.Error()},
		{"repetition", "startpos", rookShuffle + "9b8b", "opening 7: the game is over after move 12 (9b8b): repetition"},
		{"mate", blackMatesByDrop + "1", "G*5b", "opening 7: the game is over after move 1 (G*5b): checkmate"},
		{"limit", bothKings + "b - 319", "5i5h 5a5b", "opening 7: the game is over after move 2 (5a5b): max_plies"},
		{"beyond the limit", bothKings + "b - 321", "", "opening 7: the game is over before its first move: max_plies"},
		{"mated at the start", "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "", "opening 7: the side to move has no legal move"},
		{"stalemated at the start", "8k/6S2/7G1/9/9/9/9/9/4K4 w - 1", "", "opening 7: the side to move has no legal move"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := arbiter.NewReferee(rules, matchtest.Opening(test.start, test.moves))
			testutil.Check(t, err != nil && err.Error() == test.want, "%v, want %s", err, test.want)
		})
	}
	for _, start := range []string{bothKings + "b - 320", "startpos", startSFEN} {
		testutil.OK(t, testutil.Err(arbiter.NewReferee(rules, matchtest.Opening(start, ""))), "%s", start)
	}
}
