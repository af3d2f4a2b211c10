// Package tournament decides the pairings of designs in which they depend on results: a Swiss, a knockout,
// and an adaptive design, which plays the pairs with the least certain ranking. [New] returns a [Schedule].
// The caller adds results in any order, and the Schedule returns the pairs to play.
//
// A pair depends only on the plan and on the results of earlier complete rounds, matches and blocks. The same
// results therefore give the same pairs at any concurrency and after any interruption, so a Schedule is never
// stored. The package reads no clock, no file and no network. docs/matches.md describes the rules and the
// standings.
package tournament
