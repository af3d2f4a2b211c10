// Package coordinator grants pairs to workers and counts their results. [New] starts a [Coordinator]. It
// answers workers and owners on a farm.Bus, and holds a ledger of leases for each run. It reads the stream of
// results, verifies them, stores them in the order of the stream, and runs the SPRT.
//
// After a restart it reads the stores, the state and the stream, and the workers report everything else
// again. The first error of a store ends the process. After that error the coordinator grants and
// acknowledges nothing, so no result is lost when a supervisor restarts it.
package coordinator
