// Package coordinator grants pairs to workers and counts their results. [New] starts a [Coordinator]. It
// answers workers and owners on a farm.Bus, holds a ledger of leases for each run, reads the stream of
// results, verifies and stores them in the order of the stream, and runs the SPRT.
//
// After a restart it reads the stores, the state and the stream, and the workers report everything else
// again. The first error of a store ends the process. After that error the coordinator grants and
// acknowledges nothing, so no result is lost when a supervisor restarts it.
package coordinator
