// Package coordinator is the farm's one place where pairs are granted and results
// counted. It answers workers and owners on a farm.Bus, keeps a ledger of leases for each
// run, reads the stream of results, verifies and stores them in its order, and asks the
// gate. What must survive it is in the stores, the stream and the buckets; all else is
// told again by the workers.
//
// The first error of a store ends it: nothing is granted or acknowledged after that, so
// nothing is lost, and whoever supervises the process starts it again.
package coordinator
