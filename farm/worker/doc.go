// Package worker runs a machine of a farm. A [Worker] gets pairs from a coordinator and plays them with
// package runner. It stores results on its disk until the coordinator has them, and continues while the
// coordinator is away.
//
// A Worker is a runner.Source and a runner.Sink. [Join] begins its session, Play plays until the end, and
// Close ends the session. The process handles the rest:
//
//	interrupted once     Drain; the pairs in play are finished, then Play returns
//	interrupted again,
//	or terminated        cancel Play's context; the pairs in play are given back
//	Play has returned    Close with a context of its own (a minute after a drain, five
//	                     seconds when terminated), then exit with Ended().Exit
package worker
