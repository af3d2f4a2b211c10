// Package coordinator grants pairs to workers and stores their results. [New] returns a [Coordinator]. It
// answers workers and owners on a farm.Bus, and has a ledger of leases for each run. It reads the messages
// with results (the stream), verifies the results, stores them in the order of the messages, and runs the
// SPRT.
//
// After a restart it reads the stores, the state and the stream. The workers report all other data again. The
// first error of a store ends the process. After that error the coordinator grants and acknowledges nothing,
// so no result is lost when a supervisor restarts the process.
package coordinator
