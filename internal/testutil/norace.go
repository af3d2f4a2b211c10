//go:build !race

package testutil

// Raced reports whether the race detector is built in: code then allocates more, so counts of allocations mean nothing.
const Raced = false
