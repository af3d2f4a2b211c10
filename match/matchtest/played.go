package matchtest

import (
	"encoding/json"
	"os"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// PairLimit is a limit for match.DecodePair, in bytes. It is large enough for every pair of a Series.
const PairLimit = 1 << 20

// Series is a stored match of the built-in engine, with players that fail, resign or repeat positions. It is
// stored in the first version of the formats. It is never written again, because tests check that every later
// version can read it.
type Series struct {
	Name   string          `json:"name"`
	Digest string          `json:"digest"`
	Plan   json.RawMessage `json:"plan"`
	Pairs  [][]byte        `json:"pairs"`
}

// AllSeries returns the matches in match/testdata/played.json. path is the path of this file.
func AllSeries(tb testing.TB, path string) (list []Series) {
	tb.Helper()
	testutil.OK(tb, json.Unmarshal(testutil.Must(os.ReadFile(path))(tb), &list))
	return list
}

// Played reads the file at path. It calls the function see for each pair of each Series in the file.
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
