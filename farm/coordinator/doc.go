// Package coordinator grants pairs to workers and stores their results. [New] returns a [Coordinator]. It
// answers workers and owners on a farm.Bus, and reads the messages with results (the stream). It only locks and
// passes on to its parts, each of which is a value without a lock:
//
//   - roster knows the workers, their sessions and the trust in them. People sign up for keys there, too.
//   - tests has the states of tests, their approval, and the store, ledger, SPRT and tune of each.
//   - grants chooses the pairs of a worker by the schedule, the ledgers, the quotas and the limits.
//   - judge verifies results, stores them in the order of the messages, counts them, and accuses workers.
//   - audit has pairs played again, and decides when a verdict is final.
//   - rollout decides which version of gogi each worker installs.
//
// A part may call parts that it imports, and never the coordinator.
//
// After a restart it reads the stores, the state and the stream. The workers report all other data again. The
// first error of a store ends the process. After that error the coordinator grants and acknowledges nothing,
// so no result is lost when a supervisor restarts the process.
package coordinator
