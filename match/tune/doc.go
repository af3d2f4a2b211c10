// Package tune finds values of an engine's options by playing games. It selects the points to play, learns
// from whole blocks of pairs, and returns one candidate. It does not prove that the candidate is better; a
// match must do that. [NewPath] returns a [Path], which gives the points of each pair and learns the results.
// [Answer] returns the candidate.
//
// The points of block k depend on the seed and on the state after block k − lag. Blocks are learnt in order.
// A tune therefore depends only on the settings and on the results of the pairs. It is the same at any
// concurrency and after any interruption.
//
// A pair plays the engine at one point (plus) against itself at another (minus). Its outcome is W − L, the
// wins of plus minus its losses, from −2 to 2 in steps of a half. A difference of one Elo between the points
// changes it by 1/EloPerPair.
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
// The package uses no clock, no files and no engines.
package tune
