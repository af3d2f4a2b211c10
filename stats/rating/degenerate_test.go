package rating

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/rating/crosstable"
)

// TestImpossibleInputIsAnError: games that cannot be rated give an error with the reason.
func TestImpossibleInputIsAnError(t *testing.T) {
	even := []crosstable.Count{{Black: "a", White: "b", BlackWins: 2, WhiteWins: 1},
		{Black: "b", White: "a", BlackWins: 1, WhiteWins: 1}}
	cases := []struct {
		name   string
		counts []crosstable.Count
		model  Model
		want   string
	}{
		{"nothing", nil, Model{}, "no game"},
		{"nothing with prior", nil, Model{Prior: Prior{SD: 1}}, "no game"},
		{"self", []crosstable.Count{{Black: "a", White: "a"}}, Model{}, "both sides"},
		{"nameless", []crosstable.Count{{Black: "a"}}, Model{}, "no name"},
		{"negative", []crosstable.Count{{Black: "a", White: "b", Draws: -1}}, Model{}, "negative"},
		{"handicap", []crosstable.Count{{Black: "a", White: "b", BlackWins: 1, WhiteWins: 1, Handicap: 2}}, Model{},
			"handicap"},
		{"receiver", []crosstable.Count{{Black: "a", White: "b", Receiver: "c"}}, Model{}, "does not play"},
		{"one-sided", []crosstable.Count{{Black: "a", White: "b", BlackWins: 4}}, Model{}, "won and lost"},
		{"draws model", even, Model{Draws: "often"}, "draw model"},
		{"first move", even, Model{FirstMove: "big"}, "first-move"},
		{"NaN prior", even, Model{Prior: Prior{SD: math.NaN()}}, "prior"},
		{"all drawn", []crosstable.Count{{Black: "a", White: "b", Draws: 4}}, Model{Draws: Davidson}, "drawn"},
		{
			"Black always wins",
			[]crosstable.Count{{Black: "a", White: "b", BlackWins: 4}, {Black: "b", White: "a", BlackWins: 4}},
			Model{FirstMove: Multiplicative},
			"won by Black",
		},
		{
			"colours follow players",
			[]crosstable.Count{{Black: "a", White: "b", BlackWins: 4, WhiteWins: 2}},
			Model{FirstMove: Multiplicative},
			"who played",
		},
		{
			"no loss beside draws",
			[]crosstable.Count{{Black: "a", White: "b", BlackWins: 4, Draws: 2}},
			Model{Draws: Davidson},
			"no maximum",
		},
		{ // A larger first-move effect explains D's win as Black ever better, if the ratings of A and C fall with it.
			"the first move explains all",
			[]crosstable.Count{{Black: "A", White: "C", Draws: 1}, {Black: "D", White: "A", BlackWins: 1},
				{Black: "C", White: "D", BlackWins: 2, Draws: 1, WhiteWins: 1}},
			Model{FirstMove: Multiplicative},
			"no maximum",
		},
		{ // likewise, because Black scored in each game but the one that White won of the other colours
			"two players, one loss of Black",
			[]crosstable.Count{{Black: "A", White: "B", BlackWins: 96}, {Black: "B", White: "A", BlackWins: 1, WhiteWins: 1}},
			Model{FirstMove: Multiplicative},
			"no maximum",
		},
	}
	for _, c := range cases {
		if f, err := Rate(c.counts, c.model); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v; want an error with %q", c.name, f, err, c.want)
		}
	}
	testutil.Fails(t, testutil.Err(CompareHandicaps(even, 0.95)), "", "no handicap: no error")
	testutil.Fails(t, testutil.Err(CompareHandicaps(even, 2)), "", "level 2: no error")
	testutil.Fails(t, testutil.Err(AkaikeWeights([]float64{math.NaN()})), "", "NaN: no error")
	testutil.Fails(t, testutil.Err(AkaikeWeights(nil)), "", "no model: no error")
}

func TestFitRefusesWhatItCannotTell(t *testing.T) {
	f := testutil.Must(Rate([]crosstable.Count{
		{Black: "a", White: "b", BlackWins: 5, Draws: 2, WhiteWins: 3},
		{Black: "c", White: "a", WhiteWins: 4},
	}, Model{}))(t)
	testutil.Fails(t, testutil.Err(f.Profile("c", 0.9)), "lost all 4 games")
	testutil.Fails(t, testutil.Err(f.ProfileDifference("a", "a", 0.9)), "", "a against a: no error")
	testutil.Fails(t, testutil.Err(f.Profile("a", 1)), "", "level 1: no error")
	testutil.Fails(t, testutil.Err(f.ProfileFirstMove(0.9)), "", "no first move: no error")
	// The two parameters of Davidson's model fit the three rates of one pair of players exactly.
	d := testutil.Must(Rate([]crosstable.Count{{Black: "a", White: "b", BlackWins: 5, Draws: 2, WhiteWins: 3}},
		Model{Draws: Davidson}))(t)
	g := testutil.Must(d.Goodness(Replay{Samples: 0, Seed: 1}))(t)
	testutil.Check(t, g.DF == 0 && g.Deviance <= 1e-9, "%+v", g)
	p := d.probabilities()[0]
	for k, want := range []float64{.5, .2, .3} {
		testutil.Check(t, math.Abs(p[k]-want) <= 1e-9, "rates %v", p)
	}
}

// TestNearlyAllDrawn: for two equal players, the draw parameter has a closed form for any share of draws. Davidson's ν
// is draws / √(wins · losses).
func TestNearlyAllDrawn(t *testing.T) {
	for _, draws := range []float64{1, 99, 1e4, 1e7, 1e10} {
		record := []crosstable.Count{{Black: "a", White: "b", BlackWins: 1, Draws: int(draws), WhiteWins: 1}}
		t.Run(fmt.Sprint(draws), func(t *testing.T) {
			f := testutil.Must(Rate(record, Model{Draws: Davidson}))(t)
			testutil.Check(t, math.Abs(f.Draw/draws-1) <= 1e-6 && math.Abs(f.Players[0].Elo) <= 1e-6,
				"%v, want %v; %+v", f.Draw, draws, f.Players)
		})
	}
}
