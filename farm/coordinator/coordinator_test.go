package coordinator_test

import (
	"testing"
)

// TestAFarmIsOneMachine: three workers, and what is stored is what one machine stores.
func TestAFarmIsOneMachine(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := testPlan("first", 60, 1)
		f.run(p)
		for _, name := range []string{"w0", "w1", "w2"} {
			f.hand(name, 2)
		}
		f.complete(p)
		s := f.test("first")
		if s.Added != 60 || s.Duplicates != 0 || s.Expired != 0 || s.Granted != 60 {
			t.Errorf("%+v", s)
		}
	})
}
