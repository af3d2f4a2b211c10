// Package trust calculates what the results of a farm prove about its workers. [Residuals] and [Claims] find the
// workers that differ from the others in the same run, or whose clock is scaled by a wrong factor. [Compare] compares
// games that were played again. The package is pure: it takes pairs in plan order, and returns values with reasons. The
// coordinator acts on them.
//
// In a farm whose workers do not differ, the probability that residuals ever accuse a worker is at most
// [Alpha], however often they are read. Of the workers accused at one time, at most that share do not
// differ in expectation. An accusation does not name the cause: a slow disk and a cheat look alike.
//
// Only audits, which play pairs again, find a worker that invents games of the same strength. If engines are not
// deterministic, no audit finds it. docs/research/trust.md has the number of pairs that an accusation takes.
package trust
