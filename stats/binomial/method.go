package binomial

import "fmt"

// IntervalMethod names a way to make an interval for a binomial proportion.
type IntervalMethod string

// The methods; what each promises is said at its function.
const (
	MethodClopperPearson   IntervalMethod = "clopper_pearson"
	MethodBlaker           IntervalMethod = "blaker"
	MethodMidP             IntervalMethod = "mid_p"
	MethodWilson           IntervalMethod = "wilson"
	MethodWilsonContinuity IntervalMethod = "wilson_continuity"
	MethodJeffreys         IntervalMethod = "jeffreys"
	MethodWald             IntervalMethod = "wald"
	MethodLFICS            IntervalMethod = "lfics"
)

// IntervalMethods are all two-sided methods, the exact ones first.
func IntervalMethods() []IntervalMethod {
	return []IntervalMethod{
		MethodClopperPearson, MethodBlaker, MethodMidP, MethodWilson,
		MethodWilsonContinuity, MethodJeffreys, MethodWald, MethodLFICS,
	}
}

// Exact reports whether the coverage is at least the level whatever the truth.
func (m IntervalMethod) Exact() bool { return m == MethodClopperPearson || m == MethodBlaker }

// Interval is the interval by this method for k wins of n games.
func (m IntervalMethod) Interval(k, n int, level float64) (Interval, error) {
	switch m {
	case MethodClopperPearson:
		return ClopperPearson(k, n, level)
	case MethodBlaker:
		return Blaker(k, n, level)
	case MethodMidP:
		return MidP(k, n, level)
	case MethodWilson:
		return Wilson(k, n, level)
	case MethodWilsonContinuity:
		return WilsonContinuity(k, n, level)
	case MethodJeffreys:
		return Jeffreys(k, n, level)
	case MethodWald:
		return Wald(k, n, level)
	case MethodLFICS:
		return LFICS(k, n, level)
	}
	return Interval{}, fmt.Errorf("unknown interval method %q", string(m))
}
