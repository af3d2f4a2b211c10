package binomial

// ClopperPearsonLower is the exact one-sided interval [Lo, 1]: the whole error
// probability is spent on the lower end.
func ClopperPearsonLower(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	return NewInterval("clopper_pearson_lower", level, lowerExact(k, n, 1-level), 1), nil
}

// ClopperPearsonUpper is the exact one-sided interval [0, Hi].
func ClopperPearsonUpper(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	return NewInterval("clopper_pearson_upper", level, 0, 1-lowerExact(n-k, n, 1-level)), nil
}
