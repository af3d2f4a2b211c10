package strength

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gogi/internal/csv"
	"gogi/internal/format"
	"gogi/internal/testutil"
	"gogi/lab/review"
)

const tables = "../linear/testdata/"

// TestRanks: each rank of the thesis' table converts to its points, and the points convert back to the rank.
func TestRanks(t *testing.T) {
	t.Parallel()
	rows := 0
	var columns [3]int
	err := csv.Read(tables+"go_tab_6_2_1_policy.csv", func(s *csv.Sheet) error {
		columns = [3]int{s.Column("rank"), s.Column("rank_ja"), s.Column("RP_mid")}
		return nil
	}, func(row csv.Row) error {
		rows++
		want, err := row.Decimal(columns[2])
		for _, rank := range []string{row.At(columns[0]), row.At(columns[1]), row.At(columns[2])} {
			if got, ok := Points(rank); got != want || !ok {
				t.Errorf("%s is %v points, expected %v", rank, got, want)
			}
		}
		if got := Rank(want); !strings.EqualFold(got, row.At(columns[0])) || Rank(want+499) != got || Rank(want-500) != got {
			t.Errorf("%v points are %s, expected %s", want, got, row.At(columns[0]))
		}
		return err
	})
	testutil.Check(t, err == nil && rows == 23, "%v %v", rows, err)
	// The ends of Tab 4-1: the band of 25-kyu begins at 1,000, and the band of 8-dan ends below 34,000. The table's
	// ranks of 8,386, 4,175 and 42,071 points are 18-kyu, 22-kyu and none.
	for points, want := range map[float64]string{1000: "25k", 999: "below 25k", 8386: "18k", 4175: "22k", 33_999: "8d",
		34_000: "above 8d", 42_071: "above 8d", -1e300: "below 25k"} {
		testutil.Equal(t, Rank(points), want, "%v points", points)
	}
	for rank, want := range map[string]float64{"18k": 8_500, "25級": 1_500, "7段*": 32_500, "７段": 32_500, "初段": 26_500,
		"3d?": 28_500, "1 Dan": 26_500, "2-kyu": 24_500} {
		if got, ok := Points(rank); !ok || got != want {
			t.Errorf("%s is %v points, expected %v", rank, got, want)
		}
	}
	if p, ok := Points("3 kyu"); p != 23_500 || !ok {
		t.Error(p, ok)
	}
	for _, rank := range []string{"", "d", "段", "9段", "9p", "0d", "9d", "26k", "8k8d", "x3d", "3x", "-3k", "nan", "inf",
		"3p"} {
		if p, ok := Points(rank); ok {
			t.Errorf("%q is %v points", rank, p)
		}
	}
}

// TestPublished: the fits have the intercepts, slopes and R² of the equations that the thesis prints. Its table is
// rounded, so the test allows each coefficient a difference.
func TestPublished(t *testing.T) {
	t.Parallel()
	for _, e := range []struct {
		file, terms string
		intercept   float64
		slopes      []float64
		r2          float64
	}{
		{"go_tab_6_1_1_mcts.csv", "match", -67004, []float64{2193}, 0.595},
		{"go_tab_6_1_1_mcts.csv", "bad1", 93348, []float64{-4575}, 0.51},
		{"go_tab_6_2_1_policy.csv", "avg_loss", 67954, []float64{-5788}, 0.68},
		{"go_tab_6_2_1_policy.csv", "match,good,bad,avg_good,avg_bad", -176951, []float64{2346, 3169, 1631, -8245, -2918},
			0.90},
	} {
		subjects := testutil.Must(ReadTable(tables+e.file, "rank", "RP_mid"))(t)
		terms := testutil.Must(ParseMetrics(e.terms))(t)
		m := testutil.Must(NewModel("points", terms, subjects))(t)
		near := func(name string, want float64) {
			if got := m.Equation[name]; math.Abs(got-want) > 0.002*math.Abs(want)+40 {
				t.Errorf("%s by %s: %s is %v, printed %v", e.file, e.terms, name, got, want)
			}
		}
		near("intercept", e.intercept)
		for i, term := range terms {
			near(term, e.slopes[i])
		}
		r := NewReport(m, subjects, nil, nil)
		testutil.Check(t, math.Abs(r.Model.R2-e.r2) <= 0.0051 && len(r.Games) == 0,
			"%s by %s: R² %v, printed %v", e.file, e.terms, r.Model.R2, e.r2)
		checkJSON(t, r)
	}
}

func checkJSON(t *testing.T, v any) {
	t.Helper()
	var b bytes.Buffer
	testutil.OK(t, format.JSON(&b, v))
	if gaps, err := testutil.JSONGaps(b.String()); err != nil || len(gaps) > 0 {
		t.Errorf("%v, %v in %s", gaps, err, b.String())
	}
}

// line returns a player with the match rate m over a number of moves.
func line(name string, rating, m float64, moves int) Subject {
	return Subject{Name: name, Rating: rating, Games: 1, Moves: moves, Metrics: map[string]float64{"match": m}}
}

// four returns four players near rating = 20·match, and one without a rating. The errors of ±2 do not change the slope.
func four() []Subject {
	return []Subject{line("a", 202, 10, 100), line("b", 398, 20, 100), line("c", 598, 30, 100), line("d", 802, 40, 90),
		line("u", math.NaN(), 99, 9)}
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	m, err := NewModel("Elo", []string{"match"}, four())
	testutil.Require(t, err == nil && len(m.Subjects) == 4 && math.Abs(m.Equation["match"]-20) <= 1e-9 &&
		math.Abs(m.Equation["intercept"]) <= 1e-9,
		"%+v, %v", m, err)
	players := []Subject{line("in", 503, 25, 90), line("low", math.NaN(), 9.5, 89), line("high", 896, 45, 500)}
	all := testutil.Must(NewEstimates(m, players, []string{"nobody"}, true))(t)
	checkJSON(t, all)
	for i, want := range []struct {
		value float64
		out   int
		few   bool
	}{{500, 0, false}, {190, 1, true}, {900, 1, false}} {
		e := all.Players[i]
		if math.Abs(e.Value-want.value) > 1e-9 || len(e.Outside) != want.out || e.FewMoves != want.few ||
			!(e.Lo < e.Value && e.Value < e.Hi) {
			t.Errorf("%+v, expected %+v", e, want)
		}
	}
	testutil.Check(t, all.Known == 2 && math.Abs(*all.RMSE-math.Sqrt((9.0+16)/2)) <= 1e-9, "%+v", all)
	var text bytes.Buffer
	all.Print(&text)
	for _, want := range []string{"low: match 9.5 is outside of what the model was fitted to (10 to 40)",
		"low: fewer moves", "no estimate without a move that counts: nobody", "1-dan being next to 1-kyu"} {
		testutil.Contains(t, text.String(), want, "lacks")
	}
	testutil.Fails(t, testutil.Err(m.Estimate(&Subject{Name: "x", Rating: math.NaN(),
		Metrics: map[string]float64{"good": 1}})), "x has no match")
	testutil.Fails(t, testutil.Err(NewModel("Elo", []string{"match"}, four()[:2])), "",
		"two players were fitted by two coefficients")
}

// TestModelFile: a model that is read from its file gives the same intervals. A model that was changed by hand, and the
// metrics of another review, are rejected.
func TestModelFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.toml")
	m := testutil.Must(NewModel("Elo", []string{"match"}, four()))(t)
	m.Review = review.Settings{Engine: "e", Limit: "nodes 1", Unit: review.Centipawns}
	m.Rules = review.DefaultRules(review.Customary())
	testutil.OK(t, m.Save(path))
	again := testutil.Must(ReadModel(path))(t)
	s := line("x", math.NaN(), 33, 100)
	first := testutil.Must(m.Estimate(&s))(t)
	second, err := again.Estimate(&s)
	testutil.Check(t, err == nil && first.Value == second.Value && first.Lo == second.Lo && first.Hi == second.Hi,
		"%+v, %+v, %v", first, second, err)
	testutil.OK(t, testutil.Err(again.Check(Reviewed(m.Review, m.Rules))))
	other, rules := m.Review, m.Rules
	other.Limit = "nodes 2"
	rules.From = 1
	testutil.Is(t, testutil.Err(again.Check(Reviewed(other, m.Rules))), ErrOtherReview)
	testutil.Is(t, testutil.Err(again.Check(Reviewed(m.Review, rules))), ErrOtherReview)
	text := testutil.Must(os.ReadFile(path))(t)
	for old, changed := range map[string]string{"rating = 202": "rating = 303", "gogi_strength = 1": "gogi_strength = 9",
		"terms = [\"match\"]": "terms = [\"good\"]"} {
		testutil.Require(t, strings.Contains(string(text), old), "%s\nlacks %s", text, old)
		testutil.OK(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, changed, 1)), 0o600))
		testutil.Fails(t, testutil.Err(ReadModel(path)), "", "%s was taken", changed)
	}
}

// games returns n games in each of which match of 10 moves match the engine's. Half of the games are won.
func games(n, match int) (list []review.PlayerGame) {
	for i := range n {
		g := review.PlayerGame{ID: fmt.Sprint(i), Known: true, Points: float64(i % 2)}
		g.Parts.Rest = review.Sums{Moves: 10, Divisor: 10, Match: match, Bad: 10 - match, Falls: -float64(10 - match)}
		list = append(list, g)
	}
	return list
}

// TestValidate: if the ratings of players follow exactly from their metrics, the estimates have no error. The error of
// guessing equals the error that is calculated by hand.
func TestValidate(t *testing.T) {
	t.Parallel()
	tally, ratings := &review.Tally{}, Ratings{}
	for i := 1; i <= 8; i++ {
		name := fmt.Sprintf("p%d", i)
		ratings[name] = 100 * float64(i)
		tally.Players = append(tally.Players, &review.Player{Name: name, Games: games(8, i)})
	}
	tally.Players = append(tally.Players, &review.Player{Name: "unrated", Games: games(8, 5)})
	tally.Players[0].Games[0].Parts = review.Parts{} // a game without a move that counts
	// One game of the strongest player equals the games of player 7. Its estimate is off by 100 from this game alone,
	// and by 50 from two games.
	tally.Players[7].Games[0].Parts.Rest.Match = 7
	v, err := Validate(tally, ratings, "Elo", []string{"match"}, []int{1, 2, 8, 9})
	if err == nil {
		checkJSON(t, v)
	} else {
		t.Fatal(err)
	}
	one := v.Rows[0]
	testutil.Check(t, v.Players == 8 && one.Estimates == 63 && one.Empty == 1 && one.R != nil && *one.R >= 0.99, "%+v",
		one)
	// The half with the strongest player is fitted with that game, too, so only the other half gives exact estimates.
	// The other half has players 1, 3, 5 and 7.
	testutil.Check(t, *one.RMSE <= 30 && *one.RMSE >= 100/math.Sqrt(63), "RMSE %v", *one.RMSE)
	// The odd players have the mean 400, and the even players 500. Guessing is off by 200, 0, 200 and 400 for the even
	// players, and by −400, −200, 0 and 200 for the odd players.
	if want := math.Sqrt((4 + 0 + 4 + 16) / 4.0 * 1e4); math.Abs(*v.Rows[2].Guess-want) > 1e-9 ||
		v.Rows[2].Estimates != 8 {
		t.Errorf("%+v, expected guessing to be off by %v", v.Rows[2], want)
	}
	last := v.Rows[3]
	testutil.Check(t, last.Estimates == 0 && last.RMSE == nil && last.Why != "", "%+v", last)
	// The lowest and the highest player are outside the range of the other players.
	testutil.Equal(t, v.Rows[2].Outside, 0.25, "are outside")
}

// TestModelRules: a model stores the rules of its metrics and rejects metrics of other rules. If the change or the
// divisor differs, the error names the flag. A file of an earlier version names neither: its metrics are of single
// moves and counted moves.
func TestModelRules(t *testing.T) {
	t.Parallel()
	m := testutil.Must(NewModel("Elo", []string{"match"}, four()[:4]))(t)
	m.Review = review.Settings{Engine: "e", Limit: "nodes 1", Unit: review.Centipawns}
	m.Rules = review.DefaultRules(review.Customary())
	m.Rules.Change = review.TurnChange
	path := filepath.Join(t.TempDir(), "m.toml")
	read := func() *Model {
		t.Helper()
		return testutil.Must(ReadModel(path))(t)
	}
	testutil.OK(t, m.Save(path))
	move, own := m.Rules, m.Rules
	move.Change, own.Per = review.MoveChange, review.PerOwn
	check := func(rules review.Rules, want string) {
		t.Helper()
		_, err := read().Check(Reviewed(m.Review, rules))
		testutil.Check(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)),
			"%+v: %v, expected %q", rules, err, want)
	}
	check(m.Rules, "")
	check(move, "--change is move and turn")
	check(own, "--per is own and counted")
	text := testutil.Must(os.ReadFile(path))(t)
	early := regexp.MustCompile(`(?m)^ *(Change|Per) = .*\n`).ReplaceAll(text, nil)
	testutil.Require(t, len(early) != len(text), "the model names no change: %s", text)
	testutil.OK(t, os.WriteFile(path, early, 0o600))
	check(move, "")
	check(m.Rules, "--change is turn and move")
}

// TestModelOfTable: a model of a table names its game and engine, and rejects metrics of another game or engine. A
// model or a table that does not name them causes a warning.
func TestModelOfTable(t *testing.T) {
	t.Parallel()
	m := testutil.Must(NewModel("points", []string{"match"}, four()[:4]))(t)
	path := filepath.Join(t.TempDir(), "m.toml")
	table := func(game, engine string, change review.Change) Source {
		return Source{Game: game, Engine: engine, Rules: review.Rules{Change: change, Per: review.PerCounted}}
	}
	thesis, shogi := table(Go, "Ray", review.TurnChange), table(Shogi, "Ray", review.TurnChange)
	of := func(engine string, change review.Change) Source {
		rules := review.DefaultRules(review.Customary())
		rules.Change = change
		return Reviewed(review.Settings{Engine: engine, Limit: "l", Unit: review.Centipawns}, rules)
	}
	for _, c := range []struct {
		fitted, applied Source
		warning, err    string
	}{
		{thesis, thesis, "", ""},
		{shogi, of("ray", review.TurnChange), "", ""},
		{thesis, table(Go, "GNU Go 3.8", review.TurnChange), "",
			"of go, read by GNU Go 3.8, and the model's of go, read by Ray"},
		{thesis, of("Ray", review.TurnChange), "", "of shogi, read by Ray, and the model's of go"},
		{shogi, of("Ray", review.MoveChange), "", "--change is move and turn"},
		{thesis, Source{}, "--game and --engine", ""},
		{Source{}, thesis, "an earlier version", ""},
		{of("Ray", review.TurnChange), shogi, "", ""},
		{of("Ray", review.TurnChange), thesis, "", "the model's of shogi"},
	} {
		m.SetSource(c.fitted)
		testutil.OK(t, m.Save(path))
		again := testutil.Must(ReadModel(path))(t)
		warning, err := again.Check(c.applied)
		testutil.Check(t, (err != nil) == (c.err != "") && (err == nil || strings.Contains(err.Error(), c.err)),
			"%+v to %+v: %v, expected %q", c.fitted, c.applied, err, c.err)
		testutil.Check(t, (warning != "") == (c.warning != "") && strings.Contains(warning, c.warning),
			"%+v to %+v: warning %q, expected %q", c.fitted, c.applied, warning, c.warning)
	}
}

// TestRanksOfGames: with ranks, the games of all players of a rank are one subject. All moves count alike, so the match
// rate of 3d is (8+5+5)/30, not a mean of means.
func TestRanksOfGames(t *testing.T) {
	t.Parallel()
	tally := &review.Tally{Players: []*review.Player{
		{Name: "a", Games: games(1, 8)}, {Name: "b", Games: games(2, 5)}, {Name: "c", Games: games(1, 1)},
		{Name: "d", Games: games(3, 9)}, {Name: "e", Games: games(2, 1)}, {Name: "f", Games: games(2, 1)},
	}}
	list, empty := Ranks(tally, Ratings{"a": 28_500, "b": 28_001, "c": 8_500, "d": 27_499, "f": 40_000})
	testutil.Require(t, len(list) == 3 && slices.Equal(empty, []string{"e (no rank)", "f (no rank)"}), "%+v, %q", list,
		empty)
	for i, want := range []struct {
		name          string
		rating, match float64
		games, moves  int
	}{{"3d", 28_500, 60, 3, 30}, {"2d", 27_500, 90, 3, 30}, {"18k", 8_500, 10, 1, 10}} {
		s := list[i]
		if s.Name != want.name || s.Rating != want.rating || math.Abs(s.Metrics["match"]-want.match) > 1e-9 ||
			s.Games != want.games || s.Moves != want.moves {
			t.Errorf("%+v, expected %+v", s, want)
		}
	}
}

// TestWriteGames: the table of games has the known data of each player's part, and empty cells for unknown data.
func TestWriteGames(t *testing.T) {
	t.Parallel()
	list := games(2, 3)
	list[0].Rank = "1850.5"
	list[1].Parts, list[1].Known, list[1].Rank = review.Parts{}, false, "9p"
	var out strings.Builder
	testutil.OK(t, WriteGames(&out, &review.Tally{Players: []*review.Player{{Name: "a, b", Games: list}}}))
	want := "game,player,points,result,moves,match,good,bad,avg_good,avg_bad,avg_loss,good1,bad1\n" +
		"0,\"a, b\",1850.5,lost,10,30,0,70,0,-0.7,0.7,0,0\n1,\"a, b\",,,0,,,,,,,,\n"
	testutil.Equal(t, out.String(), want)
}

// TestWonLost: 8 of 10 moves match in won games, and 2 of 10 in lost games. With 3 games each, the exact p value is 2
// of the 20 ways to divide six games.
func TestWonLost(t *testing.T) {
	t.Parallel()
	list := append(games(6, 2), review.PlayerGame{Known: true, Points: 0.5}, review.PlayerGame{Points: 1})
	for i := range 6 {
		if list[i].Points == 1 {
			list[i].Parts.Rest.Match = 8
		}
	}
	w := wonLost(&review.Tally{Players: []*review.Player{{Name: "a", Games: list}}}, "match", 0)
	testutil.Check(t, w.Won == 3 && w.Lost == 3 && *w.MeanW == 80 && *w.MeanL == 20 && math.Abs(*w.P-0.1) <= 1e-12, "%+v",
		w)
	if w := wonLost(&review.Tally{}, "match", 0); w.P != nil || w.Why == "" {
		t.Errorf("%+v", w)
	}
}

func TestRatings(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "r.csv")
	write := func(text string) {
		testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write("player,rank\na,3d\nb,1850.5\n")
	r, err := ReadRatings(path)
	testutil.Require(t, err == nil && r["a"] == 28_500 && r["b"] == 1850.5, "%v %v", r, err)
	p := &review.Player{Name: "c", Games: []review.PlayerGame{{Rank: "1d"}, {Rank: "2d"}, {Rank: "?"}}}
	testutil.Equal(t, r.Of(p), 27_000, "by the records")
	testutil.Equal(t, r.Of(&review.Player{Name: "a", Games: p.Games}), 28_500, "the list comes first")
	v := r.Of(&review.Player{Name: "d"})
	testutil.Check(t, math.IsNaN(v), "%v of nobody", v)
	for _, text := range []string{"name,rating\na,x\n", "name,rating\na,1\na,2\n", "x,rating\n", "name,y\n"} {
		write(text)
		testutil.Fails(t, testutil.Err(ReadRatings(path)), "", "%q", text)
	}
	testutil.Fails(t, testutil.Err(ParseMetrics("match,match")), "", "a metric was taken twice")
}
