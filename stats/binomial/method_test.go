package binomial

import (
	"math"
	"testing"

	"gogi/internal/testutil"
)

func TestEveryMethodHasItsName(t *testing.T) {
	for _, m := range IntervalMethods() {
		testutil.Check(t, m.Exact() == (m == MethodClopperPearson || m == MethodBlaker), "%v", m)
		if i, err := m.Interval(7, 10, 0.9); err != nil || i.Method != string(m) {
			t.Errorf("%s: %+v, %v", m, i, err)
		}
	}
	testutil.Fails(t, testutil.Err(IntervalMethod("guess").Interval(7, 10, 0.9)), "")
}

// TestIntervalsOfManyGames: every method gives an interval for ten million games.
func TestIntervalsOfManyGames(t *testing.T) {
	const n = 10_000_000
	for _, m := range IntervalMethods() {
		for _, k := range []int{1, 1000, n / 3, n / 2, n - 1} {
			i, err := m.Interval(k, n, 0.95)
			p := float64(k) / n
			testutil.Check(t, err == nil && i.Lo <= p && p <= i.Hi, "%s of %d: %+v, %v", m, k, i, err)
		}
	}
}

// BenchmarkIntervals compares the methods at ten million games.
func BenchmarkIntervals(b *testing.B) {
	const n = 10_000_000
	for _, m := range IntervalMethods() {
		b.Run(string(m), func(b *testing.B) {
			for b.Loop() {
				testutil.Must(m.Interval(n/2, n, 0.95))(b)
			}
		})
	}
}

// TestTWithin compares with a printed table of Student's distribution.
func TestTWithin(t *testing.T) {
	for _, c := range []struct{ level, freedom, want float64 }{
		{0.95, 1, 12.706}, {0.95, 4, 2.776}, {0.95, 30, 2.042}, {0.99, 10, 3.169}, {0.95, math.Inf(1), 1.960},
	} {
		testutil.Check(t, math.Abs(TWithin(c.level, c.freedom)-c.want) < 6e-4, "%+v: %v", c, TWithin(c.level, c.freedom))
	}
}
