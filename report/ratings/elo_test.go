package ratings

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/report/calculator"
	"gogi/stats/rating"

	"pgregory.net/rapid"
)

const pairings = "black,white,black_wins,draws,white_wins\n"

// The games of the comparison with other programs.
const (
	basicGames = pairings +
		"Ann,Bob,30,10,20\nBob,Ann,25,8,27\nBob,Cid,33,6,21\nCid,Bob,20,10,30\nAnn,Cid,40,4,16\nCid,Ann,18,6,36\n"
	twoGames   = pairings + "Ann,Bob,30,20,0\nBob,Ann,10,20,20\n"
	drawnGames = pairings + "Ann,Bob,10,85,5\nBob,Ann,6,88,6\nBob,Cid,15,80,5\nCid,Bob,5,85,10\n"
	wonGames   = pairings + "Ann,Bob,11,19,0\nBob,Ann,0,19,11\n" // 22 wins, 38 draws, no loss
)

// TestOtherPrograms compares ratings with those that other programs print for the same games: Ordo 1.2.6, which takes
// 202 points for a score of 76%, BayesElo 0057 with "prior 0" and "mm 1 1", and psychotools 0.7-2 of R (Davidson's
// model).
func TestOtherPrograms(t *testing.T) {
	const ordo = 202 / 200.24052 // Elo of 76% is 400 log10(0.76/0.24)
	for _, test := range []struct {
		name, games string
		o           Options
		unit        float64
		want        []float64 // of Ann, Bob and Cid
		within      float64   // half of the last digit
	}{
		{"Ordo", basicGames, Options{}, ordo, []float64{54.1, 10.0, -64.1}, 0.051},
		{"Ordo", twoGames, Options{}, ordo, []float64{74.2, -74.2}, 0.051},
		{"Ordo", drawnGames, Options{}, ordo, []float64{14.6, 5.9, -20.5}, 0.051},
		{"Ordo", wonGames, Options{}, ordo, []float64{67.4, -67.4}, 0.051},
		{"BayesElo", drawnGames, Options{Model: "order"}, 1, []float64{14, 6, -20}, 1},
		{"psychotools", basicGames, Options{Draws: "davidson", Model: "bt"}, 1, []float64{61.46, 11.39, -72.85}, 0.006},
	} {
		r := rated(t, test.o, written(t, "games.csv", test.games))
		for i, want := range test.want {
			near(t, fmt.Sprint(test.name, " ", i), playerOf(t, r, []string{"Ann", "Bob", "Cid"}[i]).Rating, want/test.unit,
				test.within)
		}
	}
}

// TestEloIsThatOfTheScore: the Elo of two players is that of gogi stats elo for the score, with every model. Each count
// is from 1 to 10^9, with up to 99.99% of draws.
func TestEloIsThatOfTheScore(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		count := func(name string) int { return int(math.Pow(10, rapid.Float64Range(0, 8.9).Draw(t, name))) }
		wins, losses := count("wins"), count("losses")
		draws := min(mostGames, int(float64(wins+losses)*rapid.SampledFrom([]float64{0, 0.001, 1, 100, 9999}).Draw(t,
			"draws")))
		score := (float64(wins) + float64(draws)/2) / (float64(wins) + float64(draws) + float64(losses))
		answer, err := calculator.EloQuestion{Score: &score}.Answer()
		testutil.OK(t, err)
		want := *answer.Elos[0].Elo
		elo := func(row string, o Options) float64 {
			o.Untested, o.Pairwise = true, true
			path, g := filepath.Join(dir, "games.csv"), NewGames()
			testutil.OK(t, os.WriteFile(path, []byte(pairings+row), 0o600))
			testutil.OK(t, g.ReadFile(path))
			r, err := Rate(g, o.filled())
			testutil.OK(t, err)
			c := r.Comparisons[0]
			if (r.Scale == rating.ScaleElo) != (r.Players[0].Elo != nil) {
				t.Fatalf("scale %s, %+v", r.Scale, r.Players)
			}
			if r.Scale == rating.ScaleElo && math.Abs(*r.Players[0].Elo-*r.Players[1].Elo-*c.Elo) > 1e-9*(1+*c.Elo) {
				t.Fatalf("%+v, %+v", r.Players, c)
			}
			if c.A == "b" {
				return -*c.Elo
			}
			return *c.Elo
		}
		row := fmt.Sprintf("a,b,%d,%d,%d\n", wins, draws, losses)
		mirror := fmt.Sprintf("b,a,%d,%d,%d\n", wins, draws, losses)
		options := []Options{{}}
		if wins+draws+losses < 1e6 { // with more games and few losses, the search for Davidson's maximum ends too early
			options = append(options, Options{Draws: "davidson", Model: "bt"}, Options{Draws: "auto", Model: "bt"})
		}
		for _, o := range options {
			for sign, text := range map[float64]string{1: row, -1: mirror} {
				if got := elo(text, o); math.Abs(got-sign*want) > 1e-5*(1+math.Abs(want)) {
					t.Fatalf("%s%+v: %v, want %v", text, o, got, sign*want)
				}
			}
		}
		if colours := fmt.Sprintf("a,b,%d,%d,%d\nb,a,%d,%d,%d\n", wins, draws, losses, losses, draws, wins); wins < 1e4 &&
			losses < 1e4 {
			for _, o := range []Options{{Model: "order"}, {Model: "order", Draws: "davidson"}} {
				if got := elo(colours, o); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
					t.Fatalf("%s%+v: %v, want %v", colours, o, got, want)
				}
			}
		}
	})
}

// TestScales: a rating that is no Elo has the heading of its own scale, and no Elo in JSON.
func TestScales(t *testing.T) {
	for _, test := range []struct {
		o       Options
		scale   rating.Scale
		heading string
	}{
		{Options{}, rating.ScaleElo, "player     Elo"},
		{Options{Model: "order"}, rating.ScaleOrder, "player   order"},
		{Options{Draws: "davidson"}, rating.ScaleDavidson, "player   Davidson"},
		{Options{Draws: "auto"}, rating.ScaleDavidson, "player   Davidson"},
	} {
		test.o.Pairwise = true
		r := rated(t, test.o, written(t, "games.csv", twoGames))
		testutil.Check(t, r.Scale == test.scale && (r.Players[0].Elo != nil) == (test.scale == rating.ScaleElo), "%+v: %+v",
			test.o, r)
		near(t, "Elo of both", r.Comparisons[0].Elo, 400*math.Log10(70.0/30), 1e-4) // 70 of 100 points
		near(t, "first move", r.OrderEffect.Elo, 85.19, 0.05)                       // by BayesElo; with Davidson's model, too
		var out strings.Builder
		r.Print(&out, i18n.English)
		testutil.Contains(t, out.String(), test.heading)
		testutil.Equal(t, strings.Contains(out.String(), "\nscale "), test.scale != rating.ScaleElo, "a line about the scale")
		checkGaps(t, object(t, r))
	}
}

// TestDrawsFallBack: 22 wins, 38 draws and no loss have a rating. Davidson's model has none, so auto uses half and
// warns.
func TestDrawsFallBack(t *testing.T) {
	path := written(t, "games.csv", wonGames)
	want := 400 * math.Log10(41.0/19) / 2
	for _, draws := range []string{"half", "auto"} {
		r := rated(t, Options{Draws: draws, Predict: []Matchup{{Pairing: Pairing{"Ann", "Bob"}}}}, path)
		near(t, draws, playerOf(t, r, "Ann").Elo, want, 1e-6)
		testutil.Equal(t, len(r.Warnings) > 0 && r.Warnings[0].Kind == DrawsFallBack, draws == "auto", "%+v", r.Warnings)
		near(t, "wins", r.Predictions[0].Win, 22.0/60, 1e-6)
		near(t, "draws", r.Predictions[0].Draw, 38.0/60, 1e-6)
	}
	testutil.Fails(t, testutil.Err(ratedOr(Options{Draws: "davidson"}, path)), "--draws half")
	testutil.Fails(t, testutil.Err(ratedOr(Options{}, written(t, "won.csv", pairings+"Ann,Bob,11,0,0\nBob,Ann,0,0,11\n"))),
		"won all")
}

// TestUnevenColours: a first move that decides games shifts ratings of players with uneven colours. The report warns.
func TestUnevenColours(t *testing.T) {
	for games, want := range map[string]bool{"a,b,40,0,10\nb,a,15,0,5\n": true, "a,b,40,0,10\nb,a,38,0,12\n": false,
		"a,b,26,0,24\nb,a,11,0,9\n": false} {
		r := rated(t, Options{Untested: true}, written(t, "games.csv", pairings+games))
		warned := false
		for _, w := range r.Warnings {
			warned = warned || w.Kind == ColoursUneven
		}
		testutil.Equal(t, warned, want, "%s: %+v", games, r.Warnings)
	}
}
