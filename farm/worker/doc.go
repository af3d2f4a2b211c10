// Package worker plays games for a farm on one machine. A [Worker] gets pairs from a coordinator and plays
// them with package runner. It stores results on its disk until the coordinator has stored them, and
// continues while the coordinator cannot be reached.
//
// A Worker is a runner.Source and a runner.Sink. [Join] begins its session, Play plays until the end, and
// Close ends the session. The program that uses a Worker does the following:
//
//	first interrupt      call Drain; the pairs in play are finished, then Play returns
//	second interrupt,
//	or SIGTERM           cancel Play's context; the worker gives back the pairs in play
//	Play has returned    call Close with a new context (of a minute after Drain, of five
//	                     seconds after SIGTERM), then exit with Ended().Exit
package worker
