// Package trust calculates what the results of a farm prove about its workers. [Residuals] finds the workers
// whose results differ from those of the others in the same run. [Claims] finds the workers whose clock is
// scaled by a wrong factor. [Compare] compares games that were played again. The package is pure: it takes
// pairs in plan order, and returns values with reasons. The coordinator acts on them.
//
// In a farm whose workers do not differ, the probability that residuals ever accuse a worker is at most
// [Alpha]. The probability does not depend on how often the caller looks at the residuals. If some workers differ,
// the expected share of accused workers that do not differ is at most Alpha. An accusation does not name the cause,
// because a slow disk and a cheat have the same effect.
//
// A worker may invent games of the same strength. Only audits, which play pairs again, find such a worker,
// and only if the engines are deterministic. docs/research/trust.md has the number of pairs that an
// accusation takes.
package trust
