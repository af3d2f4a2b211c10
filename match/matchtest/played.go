package matchtest

import (
	"encoding/json"
	"os"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// PairLimit is more than the memory of any pair of a Series.
const PairLimit = 1 << 20

// Series is a series that the runner played with the built-in engine, with players that fail, resign or repeat.
// It has the first version of the formats and is never written again, because every later version must read it.
type Series struct {
	Name   string          `json:"name"`
	Digest string          `json:"digest"`
	Plan   json.RawMessage `json:"plan"`
	Pairs  [][]byte        `json:"pairs"`
}

// AllSeries reads the series of match/testdata/played.json, which is at path.
func AllSeries(tb testing.TB, path string) (list []Series) {
	tb.Helper()
	testutil.OK(tb, json.Unmarshal(testutil.Must(os.ReadFile(path))(tb), &list))
	return list
}

// Played calls see for each pair of each series.
func Played(t *testing.T, path string, see func(t *testing.T, plan *match.Plan, r match.PairResult)) {
	t.Helper()
	for _, s := range AllSeries(t, path) {
		t.Run(s.Name, func(t *testing.T) {
			plan, err := match.DecodePlan(s.Plan)
			if err != nil || plan.Digest() != s.Digest {
				t.Fatalf("the plan's digest is not %s: %v", s.Digest, err)
			}
			for _, text := range s.Pairs {
				see(t, plan, testutil.Must(match.DecodePair(text, PairLimit))(t))
			}
		})
	}
}
