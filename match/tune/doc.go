// Package tune finds values of an engine's options by playing games. A point is a set of values of all tuned
// options. The package selects the two points that play each pair, learns from whole blocks of pairs, and returns
// one candidate point. It does not prove that the candidate is better than the start values; a match must do that.
// [NewPath] returns a [Path], which selects the points and learns from the results. [Answer] returns the
// candidate.
//
// The points of block k depend on the seed and on the state after block k − lag. The package learns from the
// blocks in order. A tune therefore depends only on the settings and on the results of the pairs. It is the same
// at any concurrency and after any interruption.
//
// In a pair, the engine at one point (plus) plays itself at another point (minus). The outcome of the pair is W −
// L, the wins of plus minus its losses, from −2 to 2 in steps of a half. A difference of one Elo between the
// points changes the expected outcome by 1/EloPerPair.
//
// The methods are:
//
//   - "spsa": simultaneous perturbation stochastic approximation (J. C. Spall, IEEE Trans.
//     Automatic Control 37 (1992) 332). The candidate is the mean of the estimates in the last part of the tune
//     (B. Polyak, A. Juditsky, SIAM J. Control Optim. 30 (1992) 838). A controller adapts the size of the
//     perturbations.
//   - "fishtest": SPSA with the formulas and constants of the testing framework fishtest.
//
// The package uses no clock, no files and no engines.
package tune
