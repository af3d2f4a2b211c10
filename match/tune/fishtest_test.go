package tune

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// TestFishtestsNumbers compares the method "fishtest" with 200 updates of fishtest's own expressions (spsa_workflow.py:
// parse_spsa_params, build_spsa_worker_step, apply_spsa_result_updates). Each batch was requested three updates
// earlier.
func TestFishtestsNumbers(t *testing.T) {
	text := testutil.Must(os.ReadFile("testdata/fishtest.json"))(t)
	var want struct {
		Games, Batch, Lag int
		Params            string
		Updates           []struct {
			Iter        float64
			Flips       []float64
			Scores      []float64
			C, R, Theta []float64
		}
	}
	testutil.OK(t, json.Unmarshal(text, &want))
	params := testutil.Must(ReadParams(strings.NewReader(want.Params), "fishtest.txt"))(t)
	s := Defaults(Fishtest, want.Games/2)
	s.Params, s.Block, s.Inflight = params, want.Batch, want.Batch*(want.Lag+1)
	testutil.Require(t, s.Lag() == want.Lag, "lag %d", s.Lag())
	st := Begin(&s)
	for k, u := range want.Updates {
		_, schedule, _ := s.place(k * s.Block)
		var block []Outcome
		for j, score := range u.Scores {
			d := s.newDuel(k*s.Block + j)
			copy(d.Flips, u.Flips)
			for i := range params {
				d.C[i] = fishtestC(&s, &params[i], schedule, u.Iter)
				if r := s.fishtestR(&params[i], schedule, u.Iter, d.C[i]); relative(r, u.R[i]) > 1e-9 ||
					relative(d.C[i], u.C[i]) > 1e-9 {
					t.Fatalf("update %d of %s: c %v, R %v: want %v, %v", k, params[i].Name, d.C[i], r, u.C[i], u.R[i])
				}
			}
			block = append(block, Outcome{Duel: d, Score: score})
		}
		st = Learn(&s, st, block)
		for i, theta := range u.Theta {
			if relative(st.Theta[i], theta) > 1e-9 {
				t.Fatalf("update %d of %s: %v, want %v", k, params[i].Name, st.Theta[i], theta)
			}
		}
	}
}

func relative(a, b float64) float64 { return math.Abs(a-b) / max(math.Abs(b), 1) }
