package ratings

import (
	"bytes"
	"fmt"
	"io"
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
	testutil.Check(t, len(c.Warnings) == 1 && strings.Contains(c.Warnings[0].Text.String(), "mul3 and mul2"), "%+v",
		c.Warnings)
	c, err = NewCriteria(models, 0)
	if err != nil || c.Models[0].BIC != nil || c.Models[0].Why.IsZero() || c.Models[0].AIC == nil {
		t.Errorf("%+v, %v", c.Models[0], err)
	}
	for _, wrong := range []string{"", "mul3", "mul3=x,14", "mul3=-69", "mul3=-69,-1", "mul3=Inf,3", "=-69,14"} {
		testutil.Fails(t, testutil.Err(ParsePrinted(wrong)), "", "%q is a model", wrong)
	}
}

// TestShown: --pairwise prints the values that R calculated, and further tables follow.
func TestShown(t *testing.T) {
	t.Parallel()
	r := rated(t, Options{Model: "order", Pairwise: true}, ratingData+"bt_order_effect.csv")
	testutil.Require(t, len(r.Comparisons) == 28, "%d comparisons", len(r.Comparisons))
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
	var out bytes.Buffer
	r.More = func(w io.Writer, _ i18n.Language) { fmt.Fprintln(w, "further") }
	r.Print(&out, i18n.English)
	testutil.Contains(t, out.String(), "\nfurther\n")
}
