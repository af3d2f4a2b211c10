// Package tournament decides the pairings that depend on results: in a Swiss, in a knockout, and in a
// design that plays the pairs with the least certain ranking. [New] makes a [Schedule]; give it the
// results in any order, and it returns the pairs that follow.
//
// A pair depends on the plan and on results of whole rounds, matches and blocks with smaller numbers. The
// same results therefore give the same pairs at any concurrency and after any kill, and nothing of a
// Schedule is stored. The package is pure. docs/matches.md has the rules, and the meaning of standings.
package tournament
