// Package worker is a machine of a farm: it is granted pairs by a coordinator, plays
// them with package runner, keeps what it has played on its disk until the coordinator
// has stored it, and goes on while the coordinator is away.
//
// A Worker is a runner.Source and a runner.Sink. Join begins its session, Play plays
// until it is to end, Close ends the session. What a process has to do around that:
//
//	interrupted once     Drain; the pairs in play are finished, then Play returns
//	interrupted again,
//	or terminated        cancel Play's context; the pairs in play are given back
//	Play has returned    Close with a context of its own (a minute after a drain, five
//	                     seconds when terminated), then exit with Ended().Exit
package worker
