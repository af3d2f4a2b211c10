package match_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/stats"
)

// TestSPRTText: every form sets the keys that it names, in any order, and leaves the other keys unchanged.
func TestSPRTText(t *testing.T) {
	defaults := stats.SPRT{Alpha: 0.04, Beta: 0.03, Model: stats.ModelLogistic}
	for text, want := range map[string]stats.SPRT{
		"0,4":     {Elo0: 0, Elo1: 4, Alpha: 0.04, Beta: 0.03, Model: stats.ModelLogistic},
		" -1 , 4": {Elo0: -1, Elo1: 4, Alpha: 0.04, Beta: 0.03, Model: stats.ModelLogistic},
		"elo0=0,elo1=4,alpha=0.01,beta=0.1,model=normalized,boundary=bounded": {
			Elo0: 0, Elo1: 4, Alpha: 0.01, Beta: 0.1, Model: stats.ModelNormalized, Boundary: stats.BoundaryBounded,
		},
		"beta=0.1, model=logistic ,elo1=2.25,elo0=-1.5": {Elo0: -1.5, Elo1: 2.25, Alpha: 0.04, Beta: 0.1,
			Model: stats.ModelLogistic},
		"elo1=4,elo0=0,boundary=ratio": {Elo0: 0, Elo1: 4, Alpha: 0.04, Beta: 0.03, Model: stats.ModelLogistic},
	} {
		var s, again match.SPRT
		if err := s.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		testutil.Diff(t, want, s.Complete(defaults), "%s", text)
		if err := again.UnmarshalText([]byte(s.String())); err != nil || !cmp.Equal(s, again) {
			t.Errorf("%s is written %s, which reads %+v, %v", text, s, again, err)
		}
	}
	bounded := stats.SPRT{Alpha: 0.04, Beta: 0.03, Model: stats.ModelLogistic, Boundary: stats.BoundaryBounded}
	ratio := match.SPRT{SPRT: stats.SPRT{Elo1: 4}, Set: []string{"boundary"}}
	testutil.Equal(t, ratio.Complete(bounded).Boundary, stats.BoundaryRatio, "boundary=ratio leaves")
	testutil.Equal(t, (match.SPRT{SPRT: stats.SPRT{Elo0: -1.5, Elo1: 2}}).String(), "-1.5,2", "two hypotheses are written")
}

// TestSPRTErrors: an error names the key and what to write.
func TestSPRTErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "expected two rating differences",
		"4":                              "expected two rating differences",
		"0,4,alpha=0.1":                  "expected two rating differences",
		"4,0":                            "the lower one first",
		"elo0=4,elo1=4":                  "the lower one first",
		"0,nan":                          "elo1 \"nan\": expected a number from -1000 to 1000",
		"-1e9,inf":                       "elo0 \"-1e9\": expected a number from -1000 to 1000",
		"elo0=0":                         "elo1 is missing",
		"elo1=4,alpha=0.1":               "elo0 is missing",
		"elo0=0,elo1=4,elo1=5":           "elo1 is set twice",
		"elo0=0,elo1=4,gamma=1":          "unknown key \"gamma\"; expected elo0, elo1, alpha, beta, model, boundary",
		"elo0=0,elo1=x":                  "elo1 \"x\": expected a number",
		"elo0=0,elo1=4,alpha=1":          "alpha \"1\": expected a number between 0 and 0.5",
		"elo0=0,elo1=4,beta=":            "beta \"\": expected a number between 0 and 0.5",
		"elo0=0,elo1=4,beta=0.5":         "beta \"0.5\": expected a number between 0 and 0.5",
		"elo0=0,elo1=4,alpha=0":          "alpha \"0\": expected a number between 0 and 0.5",
		"elo0=0,elo1=4,model=bayesian":   "model \"bayesian\"",
		"elo0=0,elo1=4,model=":           "model \"\"",
		"elo0=0,elo1=4,boundary=wald":    "boundary \"wald\"",
		"elo0=0,elo1=4,":                 "expected two rating differences",
		"elo0 0,elo1=4":                  "expected two rating differences",
		"elo0=0,elo1=4,model=normalised": "logistic, normalized",
	} {
		s := match.SPRT{SPRT: stats.SPRT{Elo0: 7, Elo1: 8}}
		err := s.UnmarshalText([]byte(text))
		testutil.Check(t, err != nil && strings.Contains(err.Error(), want) && strings.Contains(err.Error(), `"`+text),
			"%q: error %v, want one with %s", text, err, want)
		testutil.Check(t, s.Elo0 == 7 && s.Elo1 == 8, "%q: a text that cannot be read changed the value to %v", text, s)
	}
}

// TestSPRTOnly: if only some keys are allowed, those keys are accepted.
func TestSPRTOnly(t *testing.T) {
	var s match.SPRT
	testutil.OK(t, s.UnmarshalText([]byte("elo0=0,elo1=4,alpha=0.1")))
	testutil.OK(t, s.Only("elo0", "elo1", "alpha"))
	testutil.Fails(t, s.Only("elo0", "elo1", "beta"), "alpha cannot be set here", "error")
}
