//go:build !linux

package runner

// newTimer returns a timer of Go.
func newTimer() timer { return newGoTimer() }
