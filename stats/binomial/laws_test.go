package binomial

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

func agree(got, want, rel float64) bool { return math.Abs(got-want) <= rel*math.Abs(want) }

// sample draws n, k and a level, also for long matches.
func sample(t *rapid.T) (k, n int, level float64) {
	n = rapid.OneOf(rapid.IntRange(1, 200), rapid.IntRange(1, 1_000_000)).Draw(t, "n")
	k = rapid.IntRange(0, n).Draw(t, "k")
	return k, n, rapid.SampledFrom([]float64{0.5, 0.8, 0.9, 0.95, 0.99, 0.999}).Draw(t, "level")
}

func TestIntervalLaws(t *testing.T) {
	methods := []intervalFunc{ClopperPearson, MethodBlaker.Interval, MethodMidP.Interval, MethodWilson.Interval,
		MethodWilsonContinuity.Interval, MethodJeffreys.Interval, MethodWald.Interval}
	rapid.Check(t, func(t *rapid.T) {
		k, n, level := sample(t)
		f := rapid.SampledFrom(methods).Draw(t, "method")
		i := testutil.Must(f(k, n, level))(t)
		testutil.Require(t, 0 <= i.Lo && i.Lo <= i.Hi && i.Hi <= 1, "no interval: %+v", i)
		rate := float64(k) / float64(n)
		testutil.Require(t, i.Lo <= rate+1e-15 && i.Hi >= rate-1e-15, "%+v does not hold %v", i, rate)
		wide, _ := f(k, n, (1+level)/2)
		testutil.Require(t, wide.Lo <= i.Lo && wide.Hi >= i.Hi, "%+v does not hold %+v, of a lower level", wide, i)
		m, _ := f(n-k, n, level)
		testutil.Require(t, math.Abs(m.Lo-(1-i.Hi)) <= 1e-9 && math.Abs(m.Hi-(1-i.Lo)) <= 1e-9, "not symmetric: %+v, %+v", i,
			m)
		if k < n && i.Method != "wald" {
			next, _ := f(k+1, n, level)
			testutil.Require(t, next.Lo >= i.Lo && next.Hi >= i.Hi, "not monotone in k: %+v, %+v", i, next)
		}
	})
}

// TestClopperPearsonTails checks the definition of the Clopper–Pearson ends by summing the binomial distribution.
// ClopperPearson itself uses the incomplete beta function.
func TestClopperPearsonTails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, n, level := sample(t)
		i, _ := ClopperPearson(k, n, level)
		rate := float64(k) / float64(n)
		testutil.Require(t, i.Lo <= rate && i.Hi >= rate, "%+v does not hold %v", i, rate)
		tail := (1 - level) / 2
		if k > 0 {
			if got := NewBinomial(n, i.Lo).AtLeast(k); !agree(got, tail, 1e-7) {
				t.Fatalf("P(X >= %d) at %v is %v, want %v", k, i.Lo, got, tail)
			}
		}
		if k < n {
			// Near 1 the end itself has no more digits than 1-Hi.
			if got := NewBinomial(n, i.Hi).AtMost(k); !agree(got, tail, 1e-7) {
				t.Fatalf("P(X <= %d) at %v is %v, want %v", k, i.Hi, got, tail)
			}
		}
		lower, _ := ClopperPearsonLower(k, n, 1-tail)
		upper, _ := ClopperPearsonUpper(k, n, 1-tail)
		testutil.Require(t, agree(lower.Lo, i.Lo, 1e-9) && lower.Hi == 1 && agree(upper.Hi, i.Hi, 1e-9) && upper.Lo == 0,
			"one-sided %+v, %+v; two-sided %+v", lower, upper, i)
	})
}

func TestExactIntervalsKeepTheirLevel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		level := rapid.Float64Range(0.5, 0.999).Draw(t, "level")
		for _, f := range []intervalFunc{ClopperPearson, MethodBlaker.Interval} {
			covered := 0.0
			for k := range n + 1 {
				if i, _ := f(k, n, level); i.Lo <= p && p <= i.Hi {
					covered += NewBinomial(n, p).At(k)
				}
			}
			testutil.Require(t, covered >= level-1e-9, "coverage %v of nominal %v", covered, level)
		}
	})
}

// TestBlakerByDefinition checks the definition of Blaker's interval by its acceptability function. This must be at most
// alpha below the lower end, and at least alpha just above it.
func TestBlakerByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 80).Draw(t, "n")
		k := rapid.IntRange(1, n).Draw(t, "k")
		alpha := rapid.Float64Range(0.001, 0.5).Draw(t, "alpha")
		i, _ := MethodBlaker.Interval(k, n, 1-alpha)
		outer, _ := ClopperPearson(k, n, 1-alpha)
		testutil.Require(t, i.Lo >= outer.Lo-1e-9 && i.Hi <= outer.Hi+1e-9, "%+v is not inside %+v", i, outer)
		for x := 0.0; x < 1; x += 0.01 {
			if p := i.Lo * x; acceptability(k, n, p) > alpha+1e-9 {
				t.Fatalf("%v below %v is acceptable", p, i.Lo)
			}
		}
		if p := i.Lo + 1e-9; acceptability(k, n, p) < alpha-1e-6 {
			t.Fatalf("%v is not acceptable", p)
		}
	})
}

// acceptability is Blaker's acceptability: the lighter tail of k plus the heaviest tail of the other side that is not
// heavier.
func acceptability(k, n int, p float64) float64 {
	b := NewBinomial(n, p)
	tail := min(b.AtLeast(k), b.AtMost(k))
	other := 0.0
	for j := range n + 1 {
		x := b.AtLeast(j)
		if b.AtLeast(k) < b.AtMost(k) {
			x = b.AtMost(j)
		}
		if x <= tail {
			other = max(other, x)
		}
	}
	return min(1, tail+other)
}

// exactTail returns P(X >= k) for p = num/64, without rounding.
func exactTail(k, n int, num int64) *big.Rat {
	sum := new(big.Int)
	for i := k; i <= n; i++ {
		sum.Add(sum, exactTerm(i, n, num))
	}
	return new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), uint(6*n)))
}

// exactTerm returns P(X = k) in units of 64^-n.
func exactTerm(k, n int, num int64) *big.Int {
	term := new(big.Int).Binomial(int64(n), int64(k))
	term.Mul(term, new(big.Int).Exp(big.NewInt(num), big.NewInt(int64(k)), nil))
	return term.Mul(term, new(big.Int).Exp(big.NewInt(64-num), big.NewInt(int64(n-k)), nil))
}

func TestBinomialAgainstExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		num := rapid.OneOf(rapid.Just(int64(32)), rapid.Int64Range(1, 63)).Draw(t, "64 p0")
		p0 := float64(num) / 64
		ge, _ := exactTail(k, n, num).Float64()
		le, _ := exactTail(n-k, n, 64-num).Float64()
		two := new(big.Int)
		for i, at := 0, exactTerm(k, n, num); i <= n; i++ {
			if term := exactTerm(i, n, num); term.Cmp(at) <= 0 {
				two.Add(two, term)
			}
		}
		both, _ := new(big.Rat).SetFrac(two, new(big.Int).Lsh(big.NewInt(1), uint(6*n))).Float64()
		for alt, want := range map[Alternative]float64{Greater: ge, Less: le, TwoSided: both} {
			got, err := Exact(k, n, p0, alt)
			// Below 2.2e-308 a float64 has a fixed smallest step, and each term may be off by one step.
			testutil.Require(t, err == nil && math.Abs(got.P-want) <= 1e-11*want+float64(n+1)*math.SmallestNonzeroFloat64,
				"%s: %v, %v; want %v", alt, got.P, err, want)
		}
	})
}

func TestFarTails(t *testing.T) {
	for _, k := range []int{531, 532, 655, 700, 900, 999, 1000} {
		want, _ := exactTail(k, 1000, 32).Float64()
		if got := pOf(t, k, 1000, 0.5, Greater); !agree(got, want, 1e-11) {
			t.Errorf("P(X >= %d) = %v, want %v", k, got, want)
		}
		if got := pOf(t, 1000-k, 1000, 0.5, Less); !agree(got, want, 1e-11) {
			t.Errorf("P(X <= %d) = %v, want %v", 1000-k, got, want)
		}
	}
}

func TestCriticalWinsIsTheFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		alpha := rapid.Float64Range(1e-6, 0.9).Draw(t, "alpha")
		alt := rapid.SampledFrom([]Alternative{Greater, TwoSided}).Draw(t, "alternative")
		k, ok := CriticalWins(n, alpha, alt)
		shows := func(k int) bool {
			test, _ := Exact(k, n, 0.5, alt)
			return test.Significant(alpha)
		}
		testutil.Require(t, (!ok || shows(k) && (k <= n/2+1 || !shows(k-1))) && (ok || !shows(n)), "%d wins of %d, %v", k, n,
			ok)
		if mirrored, ok := CriticalWins(n, alpha, Less); ok {
			if k, _ = CriticalWins(n, alpha, Greater); mirrored != n-k {
				t.Fatalf("%d and %d of %d", k, mirrored, n)
			}
		}
	})
}

func TestEloLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Float64Range(1e-6, 1-1e-6).Draw(t, "p")
		testutil.Require(t, agree(Expected(Elo(p)), p, 1e-12), "%v comes back as %v", p, Expected(Elo(p)))
		testutil.Require(t, math.Abs(Elo(p)+Elo(1-p)) <= 1e-7, "Elo is not odd at %v", p)
	})
}

func TestNormalCriticalWins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 500).Draw(t, "n")
		normal, ok := NormalCriticalWins(n, 0.05, Less)
		upper, ok2 := NormalCriticalWins(n, 0.05, Greater)
		both, ok3 := NormalCriticalWins(n, 0.1, TwoSided)
		testutil.Require(t, ok == ok2 && ok == ok3 && (!ok || normal == n-upper && both == upper), "%v %v %v", normal, upper,
			both)
	})
}

func TestUpperTails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		b := NewBinomial(n, float64(rapid.Int64Range(0, 64).Draw(t, "64 p"))/64)
		tails := b.UpperTails()
		testutil.Require(t, len(tails) == n+1, "%d tails of %d trials", len(tails), n)
		for k, got := range tails {
			if want := b.AtLeast(k); math.Abs(got-want) > 1e-11*want+1e-300 { // the smallest numbers have few digits
				t.Fatalf("P(X >= %d) = %v, want %v", k, got, want)
			}
		}
	})
}

// FuzzWins: for any counts, a calculation returns a number or an error, but no NaN.
func FuzzWins(f *testing.F) {
	f.Add(5, 5, 0.95)
	f.Add(0, 3, 0.5)
	f.Add(521, 990, 0.99)
	f.Add(-1, 2, 2.0)
	f.Fuzz(func(t *testing.T, k, n int, level float64) {
		if max(k, n) > 200_000 {
			t.Skip("slow, and no different")
		}
		for _, m := range IntervalMethods() {
			if i, err := m.Interval(k, n, level); err == nil && (math.IsNaN(i.Lo) || math.IsNaN(i.Hi) || i.Lo > i.Hi+1e-9) {
				t.Errorf("%s of %d/%d at %v: %+v", m, k, n, level, i)
			}
		}
		if test, err := Exact(k, n, 0.5, TwoSided); err == nil && !(test.P >= 0 && test.P <= 1) {
			t.Errorf("p of %d/%d: %v", k, n, test.P)
		}
	})
}
