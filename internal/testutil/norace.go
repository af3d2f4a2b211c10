//go:build !race

package testutil

// Raced reports whether the tests run with the race detector. Code then allocates more, so tests must not check the
// number of allocations.
const Raced = false
