//go:build !race

package testutil

// Raced reports whether the race detector is built in. Code then allocates more, so counts of allocations
// mean nothing.
const Raced = false
