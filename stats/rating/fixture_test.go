package rating

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
	"gogi/stats/rating/crosstable"
)

// The files in testdata contain reference values from R, from scipy and from calculations by hand. The field "how" of a
// file names its source.

func load(t *testing.T, name string, into any) {
	t.Helper()
	b := testutil.Must(os.ReadFile("testdata/" + name))(t)
	testutil.OK(t, json.Unmarshal(b, into), name)
}

func rows(t *testing.T, name string) [][]string {
	t.Helper()
	file := testutil.Must(os.Open("testdata/" + name))(t)
	defer file.Close()
	r := testutil.Must(csv.NewReader(file).ReadAll())(t)
	return r[1:]
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	return testutil.Must(strconv.Atoi(s))(t)
}

// worst collects the largest error of a quantity.
type worst float64

func (w *worst) near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	d := math.Abs(got - want)
	testutil.Check(t, d <= tolerance, "%s = %.17g, want %.17g", what, got, want)
	*w = worst(max(float64(*w), d))
}

func (w *worst) log(t *testing.T, what string) {
	t.Helper()
	t.Logf("%s: worst error %.1e", what, float64(*w))
}

// matrixCounts returns the counts of a matrix whose w[i][j] is the wins of i over j. A draw adds a half to both
// entries.
func matrixCounts(w [][]float64) []crosstable.Count {
	var counts []crosstable.Count
	for i := range w {
		for j := i + 1; j < len(w); j++ {
			a, b := w[i][j], w[j][i]
			half := int(2 * (a - math.Floor(a)))
			counts = append(counts, crosstable.Count{
				Black: strconv.Itoa(i + 1), White: strconv.Itoa(j + 1),
				BlackWins: int(a), WhiteWins: int(b), Draws: half,
			})
		}
	}
	return counts
}

// byName orders a fit's players by name.
func byName(players []crosstable.Player) []crosstable.Player {
	sorted := slices.Clone(players)
	slices.SortFunc(sorted, func(a, b crosstable.Player) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	return sorted
}

type hunterCase struct {
	W        [][]float64
	Sum1     []float64 `json:"mle_gamma_sum1"`
	Elo      []float64 `json:"elo_mean0"`
	LogLik   float64
	Cov      [][]float64 `json:"cov_log_gamma_sum0"`
	Expected []float64   `json:"expected_wins_equal_observed"`
}

func TestRateAgainstHunter(t *testing.T) {
	var fixture struct{ Cases map[string]hunterCase }
	load(t, "mm_hunter.json", &fixture)
	testutil.Require(t, len(fixture.Cases) == 4, "cases are missing")
	var estimates, likelihoods, covariances worst
	for name, c := range fixture.Cases {
		counts := matrixCounts(c.W)
		f := testutil.Must(Rate(counts, Model{}))(t)
		likelihoods.near(t, name+" log-likelihood", f.LogLik, c.LogLik, 1e-10)
		for i, p := range byName(f.Players) {
			estimates.near(t, name+" Elo", p.Elo, c.Elo[i], 1e-10)
			estimates.near(t, name+" strength", p.Strength/50/float64(len(c.W)), c.Sum1[i], 1e-10)
			estimates.near(t, name+" points", p.Points, c.Expected[i], 1e-10)
		}
		cov := testutil.Must(f.Covariance())(t)
		for a, i := range cov.Names {
			for b, j := range cov.Names {
				covariances.near(t, name+" covariance", cov.Matrix[a][b], c.Cov[atoi(t, i)-1][atoi(t, j)-1], 1e-10)
			}
		}
	}
	estimates.log(t, "estimates")
	likelihoods.log(t, "log-likelihoods")
	covariances.log(t, "covariances")
}

func TestNoEstimateAndPriors(t *testing.T) {
	var fixture struct {
		NoMLE map[string]struct {
			W [][]float64
		} `json:"no_mle"`
		Regularised map[string]struct {
			Elo      []float64 `json:"elo_mean0"`
			SE       []float64 `json:"se_log_gamma_sum0"`
			Gaussian struct{ Theta, Elo, SE []float64 }
		}
	}
	raw := map[string]json.RawMessage{}
	load(t, "mm_hunter.json", &fixture)
	load(t, "mm_hunter.json", &raw)
	gaussian := map[string]map[string]json.RawMessage{}
	testutil.OK(t, json.Unmarshal(raw["regularised"], &gaussian))
	var elos, errs worst
	for name, c := range fixture.NoMLE {
		counts := matrixCounts(c.W)
		connection := testutil.Must(crosstable.New(counts))(t).Connection()
		f, err := Rate(counts, Model{})
		switch name {
		case "all_loser", "all_winner":
			testutil.Require(t, err == nil && len(f.SetAside) == 1 && len(connection.SetAside) == 1, "%s: %v", name, err)
			t.Log(name, f.SetAside)
		default:
			testutil.Check(t, err != nil && connection.Why == err.Error(), "%s: %v; %+v", name, err, connection)
			t.Log(name, err)
		}
		want := fixture.Regularised[name]
		testutil.OK(t, json.Unmarshal(gaussian[name]["gaussian_prior_sd1.5_natural"], &want.Gaussian))
		f = testutil.Must(Rate(counts, Model{Prior: Prior{VirtualDraws: 1}}))(t)
		checkPrior(t, f, want.Elo, want.SE, &elos, &errs)
		f = testutil.Must(Rate(counts, Model{Prior: Prior{SD: 1.5}}))(t)
		checkPrior(t, f, want.Gaussian.Elo, want.Gaussian.SE, &elos, &errs)
	}
	elos.log(t, "Elo with priors")
	errs.log(t, "standard errors with priors")
}

func checkPrior(t *testing.T, f *Fit, elo, se []float64, elos, errs *worst) {
	t.Helper()
	cov := testutil.Must(f.Covariance())(t)
	for i, p := range byName(f.Players) {
		elos.near(t, "Elo with prior", p.Elo, elo[i], 1e-10)
		at := slices.Index(cov.Names, p.Name)
		errs.near(t, "error with prior", math.Sqrt(cov.Matrix[at][at]), se[i], 1e-10)
	}
}

func orderCounts(t *testing.T) []crosstable.Count {
	t.Helper()
	var counts []crosstable.Count
	for _, r := range rows(t, "bt_order_effect.csv") {
		counts = append(counts, crosstable.Count{Black: r[0], White: r[1], BlackWins: atoi(t, r[2]),
			WhiteWins: atoi(t, r[3])})
	}
	return counts
}

type rModel struct {
	Coef, SE  map[string]float64
	LogLik    float64
	Deviance  float64
	DF        int         `json:"df_residual"`
	Pearson   float64     `json:"pearson_X2"`
	VcovOrder []string    `json:"vcov_order"`
	Vcov      [][]float64 `json:"vcov"`
}

func TestOrderEffectAgainstR(t *testing.T) {
	var fixture struct {
		LogChoose float64 `json:"log_choose"`
		NoOrder   rModel  `json:"no_order"`
		Order     rModel
		LR        float64 `json:"LR_order"`
		P         float64 `json:"LR_p"`
	}
	load(t, "bt_order_effect_R.json", &fixture)
	counts := orderCounts(t)
	null := testutil.Must(Rate(counts, Model{}))(t)
	full := testutil.Must(Rate(counts, Model{FirstMove: Multiplicative}))(t)
	var coef, other worst
	for f, want := range map[*Fit]rModel{null: fixture.NoOrder, full: fixture.Order} {
		checkR(t, f, want, &coef, &other)
		other.near(t, "log-likelihood", f.LogLik, want.LogLik-fixture.LogChoose, 1e-6)
	}
	lr := testutil.Must(LikelihoodRatio(null, full))(t)
	other.near(t, "LR", lr.Statistic, fixture.LR, 1e-6)
	other.near(t, "LR p", lr.P, fixture.P, 1e-9)
	coef.log(t, "coefficients and covariances")
	other.log(t, "likelihoods, deviances, LR")
}

func checkR(t *testing.T, f *Fit, want rModel, coef, other *worst) {
	t.Helper()
	logs := map[string]float64{"first": math.Log(f.FirstMove)}
	for _, p := range f.Players {
		logs["engine"+p.Name] = p.Elo / binomial.EloPerNat
	}
	base := logs["engineE1"]
	for name, c := range want.Coef {
		got := logs[name] - base
		if name == "first" {
			got = logs[name]
		}
		coef.near(t, name, got, c, 1e-6)
	}
	cov := testutil.Must(f.Covariance())(t)
	place := func(name string) int {
		if name == "first" {
			return slices.Index(cov.Names, "first_move")
		}
		return slices.Index(cov.Names, name[len("engine"):])
	}
	e1 := slices.Index(cov.Names, "E1")
	part := func(name string, b int) float64 { // covariance of b and a coefficient relative to E1
		v := cov.Matrix[place(name)][b]
		if name != "first" {
			v -= cov.Matrix[e1][b]
		}
		return v
	}
	for a, i := range want.VcovOrder {
		for b, j := range want.VcovOrder {
			v := part(i, place(j))
			if j != "first" {
				v -= part(i, e1)
			}
			coef.near(t, "vcov", v, want.Vcov[a][b], 1e-6)
		}
	}
	g := testutil.Must(f.Goodness(Replay{Samples: 0, Seed: 1}))(t)
	other.near(t, "deviance", g.Deviance, want.Deviance, 1e-6)
	other.near(t, "Pearson", g.Pearson, want.Pearson, 1e-6)
	testutil.Equal(t, g.DF, want.DF, "DF")
}

func TestPairwiseAgainstFixture(t *testing.T) {
	var want struct {
		Elo       []float64 `json:"elo_mean0"`
		SE        []float64 `json:"elo_mean0_se"`
		Advantage float64   `json:"advantage_elo"`
		AdvSE     float64   `json:"advantage_elo_se"`
		Pairs     []struct {
			A, B string
			Elo  float64 `json:"elo_diff"`
			SE   float64 `json:"elo_se"`
			Z    float64
			P    float64 `json:"p_two_sided"`
			LOS  float64
			CI   [2]float64 `json:"ci95"`
			Holm float64    `json:"p_holm"`
			Bonf [2]float64 `json:"ci95_bonferroni"`
		}
		GOF struct {
			P float64
		}
	}
	load(t, "bt_pairwise.json", &want)
	f := testutil.Must(Rate(orderCounts(t), Model{FirstMove: Multiplicative}))(t)
	var elo, p worst
	errs := eloErrors(t, f)
	for i, player := range f.Players {
		n := atoi(t, player.Name[1:]) - 1
		elo.near(t, "Elo", player.Elo, want.Elo[n], 1e-6)
		elo.near(t, "error", errs[i], want.SE[n], 1e-6)
	}
	elo.near(t, "advantage", binomial.EloPerNat*math.Log(f.FirstMove), want.Advantage, 1e-6)
	cov := testutil.Must(f.Covariance())(t)
	elo.near(t, "its error", binomial.EloPerNat*math.Sqrt(cov.Matrix[8][8]), want.AdvSE, 1e-6)
	pairs := map[[2]string]Comparison{}
	for _, c := range testutil.Must(f.Pairwise(0.95))(t) {
		pairs[[2]string{c.A, c.B}] = c
	}
	testutil.Require(t, len(pairs) == len(want.Pairs), "%v", len(pairs))
	for _, w := range want.Pairs {
		sign := 1.0
		c, ok := pairs[[2]string{w.A, w.B}]
		if !ok {
			c, sign = pairs[[2]string{w.B, w.A}], -1
			w.CI, w.Bonf = [2]float64{-w.CI[1], -w.CI[0]}, [2]float64{-w.Bonf[1], -w.Bonf[0]}
		}
		elo.near(t, "difference", c.Elo, sign*w.Elo, 1e-6)
		elo.near(t, "its error", c.SE, w.SE, 1e-6)
		elo.near(t, "lower", c.Interval.Lo, w.CI[0], 1e-6)
		elo.near(t, "upper", c.Interval.Hi, w.CI[1], 1e-6)
		elo.near(t, "lower, all", c.Simultaneous.Lo, w.Bonf[0], 1e-6)
		elo.near(t, "upper, all", c.Simultaneous.Hi, w.Bonf[1], 1e-6)
		p.near(t, "z", c.Z, sign*w.Z, 1e-6)
		p.near(t, "p", c.P, w.P, 1e-9)
		p.near(t, "Holm", c.PHolm, w.Holm, 1e-9)
	}
	p.near(t, "goodness p", testutil.Must(f.Goodness(Replay{Samples: 0, Seed: 1}))(t).P, want.GOF.P, 1e-9)
	elo.log(t, "Elo differences and intervals")
	p.log(t, "z, p, Holm")
}

func handicapCounts(t *testing.T, name string) []crosstable.Count {
	t.Helper()
	var games []crosstable.Count
	for _, r := range rows(t, name) {
		g := crosstable.Count{Black: r[1], White: r[2], Handicap: atoi(t, r[3]), WhiteWins: 1}
		if r[4] == "B" {
			g.BlackWins, g.WhiteWins = 1, 0
		}
		games = append(games, g)
	}
	return games
}

func TestHandicapModelsAgainstFixture(t *testing.T) {
	type model struct {
		Model          string
		LogLik         float64
		K              int
		AIC, AICc, BIC float64
		Pi             map[string]float64 `json:"pi_sum700"`
		Elo            map[string]float64 `json:"elo_mean0"`
		Value          map[string]float64 `json:"handicap_value_by_h"`
		StepElo        map[string]float64 `json:"handicap_elo_by_h"`
		SE             []float64          `json:"se_handicap_params_observed_info"`
		Boundary       string
	}
	var fixture struct {
		Sets map[string]struct {
			Models  []model
			Profile [2]float64 `json:"mul3_profile_CI95_delta3"`
			LR      float64    `json:"LR_null_vs_mul3"`
			Wins    [][2]int   `json:"black_wins_by_h"`
		}
	}
	load(t, "handicap_bt_fits.json", &fixture)
	names := map[string]HandicapModel{
		"null_no_handicap": NoEffect, "add1": Additive1, "add2": Additive2, "add3": Additive3,
		"mul1": Multiplicative1, "mul2": Multiplicative2, "mul3": Multiplicative3,
		"loglinear_elo_per_step": LogLinear, "log_free_per_h": LogFree, "log_free_plus_first_move_h0": LogFreeFirst,
	}
	set := fixture.Sets["handicap_bt_118.csv"]
	testutil.Require(t, len(set.Models) == len(names), "models are missing")
	c := testutil.Must(CompareHandicaps(handicapCounts(t, "handicap_bt_118.csv"), 0.95))(t)
	fits := map[HandicapModel]*HandicapFit{}
	for _, f := range c.Fits {
		fits[f.Model] = f
		t.Logf("%-18s %.6f AIC %.4f  %v %v", f.Model, f.LogLik, f.AIC, f.Params, f.Notes)
	}
	t.Log(c.Best, c.Following, c.Warnings)
	for _, want := range set.Models {
		f := fits[names[want.Model]]
		interior := want.Boundary == ""
		tolerance := 1e-5
		if !interior {
			tolerance = 1e-4
		}
		var lik, params worst
		lik.near(t, want.Model+" log-likelihood", f.LogLik, want.LogLik, tolerance)
		lik.near(t, want.Model+" AIC", f.AIC, want.AIC, 2*tolerance)
		lik.near(t, want.Model+" AICc", f.AICc, want.AICc, 2*tolerance)
		lik.near(t, want.Model+" BIC", f.BIC, want.BIC, 2*tolerance)
		testutil.Check(t, f.Parameters == want.K, "%s: %d parameters, want %d", want.Model, f.Parameters, want.K)
		for _, s := range f.Steps {
			h := strconv.Itoa(s.Handicap)
			params.near(t, want.Model+" value at "+h, s.Value, want.Value[h], parameterTolerance(interior, want.Value[h]))
			if want.StepElo != nil {
				params.near(t, want.Model+" Elo at "+h, s.Elo, want.StepElo[h], 1e-4)
			}
			if games := set.Wins[s.Handicap]; int(s.Points) != games[0] || s.Games != games[1] {
				t.Errorf("handicap %d: %v of %d, want %v", s.Handicap, s.Points, s.Games, games)
			}
		}
		for _, p := range f.Players {
			params.near(t, want.Model+" π of "+p.Name, p.Strength, want.Pi[p.Name],
				parameterTolerance(interior, want.Pi[p.Name]))
			if want.Elo != nil {
				params.near(t, want.Model+" Elo of "+p.Name, p.Elo, want.Elo[p.Name], 1e-4)
			}
		}
		for k, se := range want.SE {
			params.near(t, want.Model+" error", f.Params[k].SE, se, 1e-4)
		}
		lik.log(t, want.Model+" log-likelihood and criteria")
		params.log(t, want.Model+" parameters")
	}
	var w worst
	slope := fits[Multiplicative3].Params[0]
	w.near(t, "profile lower", slope.Interval.Lo, set.Profile[0], 1e-4)
	w.near(t, "profile upper", slope.Interval.Hi, set.Profile[1], 1e-4)
	w.near(t, "LR", fits[Multiplicative3].Against.Statistic, set.LR, 1e-5)
	w.log(t, "profile interval and LR of multiplicative 3")
}

// parameterTolerance returns an absolute tolerance inside the range. The likelihood is flat at a boundary, so the
// tolerance there is relative.
func parameterTolerance(interior bool, want float64) float64 {
	if interior {
		return 1e-4
	}
	return 1e-3 * (1 + want)
}

func TestPaperArithmetic(t *testing.T) {
	var paper struct {
		Table9 []struct {
			LogLik float64
			K      int
			AIC    float64 `json:"aic_recomputed"`
			AICc   float64 `json:"AICc_n118"`
			BIC    float64 `json:"BIC_n118"`
		}
	}
	load(t, "handicap_bt_paper.json", &paper)
	var aic []float64
	for _, row := range paper.Table9 {
		gotAIC, aicc, bic := Criteria(row.LogLik, row.K, 118)
		var w worst
		w.near(t, "AIC", gotAIC, row.AIC, 1e-9)
		w.near(t, "AICc", aicc, row.AICc, 1e-9)
		w.near(t, "BIC", bic, row.BIC, 1e-9)
		aic = append(aic, gotAIC)
	}
	// These are the weights of the paper, with two digits.
	for i, w := range testutil.Must(AkaikeWeights(aic))(t) {
		want := []float64{.02, .13, .12, .05, .28, .41}[i]
		testutil.Check(t, math.Abs(w-want) <= 0.005, "weight %d is %v, want %v", i, w, want)
	}
}

// CompareHandicaps fits handicap models to the same games, with profile intervals of the given level. Without models it
// fits all of them. A draw counts as half a win. A model that the games do not determine has a [*ModelError]. The
// constraints of the models apply, so a parameter can end at 0. All models exclude the same players
// ([crosstable.Connect]). It returns an error for unknown models, for a level outside (0, 1), for games without unique
// ratings, and for games without a handicap.
func CompareHandicaps(games []crosstable.Count, level float64, models ...HandicapModel) (*HandicapComparison, error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return nil, err
	}
	all, err := crosstable.New(games)
	if err != nil {
		return nil, err
	}
	return CompareHandicapTable(all, level, models...)
}
