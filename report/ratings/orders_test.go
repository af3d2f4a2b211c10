package ratings

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
)

// TestPrintedLikelihoods uses the log-likelihoods that table 9 of the handicap paper prints. AICc, BIC and the weights
// are calculated by hand (handicap_bt_paper.json).
func TestPrintedLikelihoods(t *testing.T) {
	t.Parallel()
	var paper struct {
		Table9 []struct {
			Model   string
			LogLik  float64
			K       int
			Printed float64 `json:"aic_printed"`
			AICc    float64 `json:"AICc_n118"`
			BIC     float64 `json:"BIC_n118"`
		}
	}
	loadJSON(t, ratingData+"handicap_bt_paper.json", &paper)
	var models []Model
	for _, m := range paper.Table9 {
		parsed := testutil.Must(ParsePrinted(fmt.Sprintf("%s=%v,%d", m.Model, m.LogLik, m.K)))(t)
		models = append(models, parsed)
	}
	c, err := NewCriteria(models, 118)
	testutil.Require(t, err == nil && c.Selected == "mul3" && len(c.Models) == 6, "%+v, %v", c, err)
	weights := map[string]float64{"mul3": 0.41, "mul2": 0.28, "add2": 0.13, "add3": 0.12, "mul1": 0.05, "add1": 0.02}
	for i, m := range paper.Table9 {
		near(t, m.Model+" AIC", c.Models[i].AIC, m.Printed, 0.0101)
		near(t, m.Model+" AICc", c.Models[i].AICc, m.AICc, 1e-6)
		near(t, m.Model+" BIC", c.Models[i].BIC, m.BIC, 1e-6)
		near(t, m.Model+" weight", c.Models[i].Weight, weights[m.Model], 0.005)
	}
	testutil.Check(t, len(c.Warnings) == 1 && strings.Contains(c.Warnings[0].Text.String(), "mul3 and mul2"), "%+v", c.Warnings)
	c, err = NewCriteria(models, 0)
	if err != nil || c.Models[0].BIC != nil || c.Models[0].Why.IsZero() || c.Models[0].AIC == nil {
		t.Errorf("%+v, %v", c.Models[0], err)
	}
	for _, wrong := range []string{"", "mul3", "mul3=x,14", "mul3=-69", "mul3=-69,-1", "mul3=Inf,3", "=-69,14"} {
		testutil.Fails(t, testutil.Err(ParsePrinted(wrong)), "", "%q is a model", wrong)
	}
}

// TestOrders: three players finish three games in a cycle of orders, and the first two share a rank in a fourth game.
func TestOrders(t *testing.T) {
	t.Parallel()
	const file = "game,player,rank\n1,a,1\n1,b,2\n1,c,3\n2,c,1\n2,a,2\n2,b,3\n3,b,1\n3,c,2\n3,a,3\n4,a,1\n4,b,1\n4,c,3\n"
	o := testutil.Must(ReadOrders(written(t, "orders.csv", file)))(t)
	r, err := RateOrders(o, 0.95, 200, 1)
	testutil.Require(t, err == nil && r.Games == 4 && r.Ties == 1 && len(r.Shares) == 3, "%+v, %v", r, err)
	// The three games without ties form a cycle, so all players are equal: each order has 1/3 · 1/2.
	for _, p := range r.Players {
		testutil.Check(t, p.Elo != nil && math.Abs(*p.Elo) <= 1e-6 && math.Abs(*p.Strength-50) <= 1e-6 && p.Games == 3, "%+v", p)
	}
	near(t, "log-likelihood", r.LogLik, 3*math.Log(1.0/6), 1e-9)
	// Players that share the first two ranks share 3 + 2 points.
	for _, s := range r.Shares {
		if want := map[string]float64{"a": 3 + 2 + 1 + 2.5, "b": 2 + 1 + 3 + 2.5, "c": 1 + 3 + 2 + 1}[s.Name]; s.Points != want || math.Abs(s.Share-want/24) > 1e-12 {
			t.Errorf("%+v, want %v", s, want)
		}
	}
	// Four games are too few: no share has an interval, and the text gives the reason.
	testutil.Check(t, r.Shares[0].Lo == nil && r.Shares[0].Hi == nil && r.Shares[0].Why != "", "%+v", r.Shares[0])
	var there bytes.Buffer
	r.Print(&there, i18n.English)
	testutil.Contains(t, there.String(), "no intervals: resampled games need at least 5 games")
	r.Print(&there, i18n.Japanese)
	for _, want := range []string{"対局者", "割合", "強さ", "対数尤度"} {
		testutil.Contains(t, there.String(), want, "no")
	}
	points, err := ReadOrders(written(t, "orders.csv", "player,game,points\na,1,30\nb,1,10\na,2,0\nb,2,20\n"))
	testutil.OK(t, err)
	if r, err = RateOrders(points, 0.95, 200, 1); err != nil || math.Abs(r.Shares[0].Share-0.5) > 1e-12 || r.Shares[0].Points != 30 {
		t.Errorf("%+v, %v", r, err)
	}
	for text, want := range map[string]string{
		"game,player\n":                    "expected the columns game, player, and rank or points",
		"game,player,rank,points\n":        "expected the columns",
		"game,player,rank\n1,a,0\n":        "orders.csv:2, column rank: found \"0\", expected a rank from 1",
		"game,player,points\n1,a,-1\n":     "points, which are not negative",
		"game,player,rank\n1,,1\n":         "a player's name",
		"game,player,rank\n1,a,first\n":    `found "first"`,
		"game,player,rank\n1,a,1\n":        "fewer than two players",
		"game,player,rank\n1,a,1\n1,a,2\n": "twice",
	} {
		o, err := ReadOrders(written(t, "orders.csv", text))
		if err == nil {
			_, err = RateOrders(o, 0.95, 10, 1)
		}
		testutil.Fails(t, err, want, "%q", text)
	}
}

// TestShown: --pairwise and --iterates print the values that R and an independent MM calculated.
func TestShown(t *testing.T) {
	t.Parallel()
	r := rated(t, Options{Model: "order", Pairwise: true, Iterates: 3}, ratingData+"bt_order_effect.csv")
	testutil.Require(t, len(r.Comparisons) == 28 && len(r.Iterates) == 3,
		"%d comparisons, %d iterates", len(r.Comparisons), len(r.Iterates))
	below := map[bool]int{}
	for _, c := range r.Comparisons {
		if *c.P < 0.05 {
			below[false]++
		}
		if *c.PHolm < 0.05 {
			below[true]++
		}
	}
	if below[false] != 13 || below[true] != 6 { // the counts of R
		t.Errorf("%d below 5%%, %d by Holm", below[false], below[true])
	}
	sum := 0.0
	for _, v := range r.Iterates[2].Strengths {
		sum += v
	}
	near(t, "sum of strengths", &sum, 1, 1e-12)
	r.Print(io.Discard, i18n.English)
}
