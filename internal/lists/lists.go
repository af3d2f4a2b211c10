// Package lists has the loops over a slice that package slices of the standard library lacks: [Map], [Filter],
// [Count], [Sum], [Set], [Find] and [Each]. Use them if the function of an element is a name or one short expression.
package lists

// Map returns the results of f for the elements of list, in order. It returns nil for an empty list.
func Map[E, R any](list []E, f func(E) R) []R {
	if len(list) == 0 {
		return nil
	}
	results := make([]R, 0, len(list))
	for _, e := range list {
		results = append(results, f(e))
	}
	return results
}

// Filter returns the elements of list for which keep is true, in order. It returns nil if there is none.
func Filter[E any](list []E, keep func(E) bool) (kept []E) {
	for _, e := range list {
		if keep(e) {
			kept = append(kept, e)
		}
	}
	return kept
}

// Count returns the number of elements of list for which counts is true.
func Count[E any](list []E, counts func(E) bool) (n int) {
	for _, e := range list {
		if counts(e) {
			n++
		}
	}
	return n
}

// Sum returns the sum of f over the elements of list, added in order. It returns 0 for an empty list.
func Sum[E any, N ~int | ~int64 | ~float64](list []E, f func(E) N) (sum N) {
	for _, e := range list {
		sum += f(e)
	}
	return sum
}

// Set returns the set of the keys of the elements of list.
func Set[E any, K comparable](list []E, key func(E) K) map[K]bool {
	set := make(map[K]bool, len(list))
	for _, e := range list {
		set[key(e)] = true
	}
	return set
}

// Find returns the first element of list for which wanted is true, and whether there is one.
func Find[E any](list []E, wanted func(E) bool) (found E, ok bool) {
	for _, e := range list {
		if wanted(e) {
			return e, true
		}
	}
	return found, false
}

// Each calls f for the elements of list, in order. It stops at the first error and returns it.
func Each[E any](list []E, f func(E) error) error {
	for _, e := range list {
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}
