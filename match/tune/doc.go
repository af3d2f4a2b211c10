// Package tune finds values of an engine's options by playing games. It draws the points that
// are played, learns from whole blocks of pairs, and returns one candidate. It proves nothing;
// a match does that. [NewPath] begins a [Path], Draw returns the points of a block, Learn takes
// its results, and Answer returns the candidate.
//
// Block k is drawn from the seed and the state after block k − lag, and learnt after all blocks
// before it. The path therefore depends only on the settings and on the results by pair: it is
// the same at any concurrency and after any kill.
//
// A pair plays the engine at one point (plus) against itself at another (minus). Its outcome is
// W − L, the wins of plus less its losses, from −2 to 2 in halves. A difference of one Elo
// between the points changes it by 1/EloPerPair.
//
// The methods are:
//
//   - "spsa": simultaneous perturbation stochastic approximation (J. C. Spall, IEEE Trans.
//     Automatic Control 37 (1992) 332), with the mean of the second part of the path as its
//     answer (B. Polyak, A. Juditsky, SIAM J. Control Optim. 30 (1992) 838) and a controller
//     of the perturbation's size.
//   - "fishtest": the same numbers as the testing framework of that name.
//   - "surface": a shrunken quadratic over all pairs.
//
// The package is pure: it has no clock, no files and no engines.
package tune
