// Package tune finds values of an engine's options by games: it draws the points that
// are played, learns from whole blocks of pairs, and answers with one candidate. It
// proves nothing; a match does that.
//
// A tune is a path of states. Block k of pairs is drawn from the state after block
// k − lag and the seed, and learnt after all blocks before it, its pairs by number. So
// the path is a function of the settings and of the results by pair: the same at any
// concurrency, in whatever order pairs end, and after any kill.
//
// A duel is a pair of games, one opening with colours swapped, of the engine at one
// point (plus) against itself at another (minus). Its outcome is W − L, wins of plus
// less its losses, from −2 to 2 in halves. A difference of one Elo between the points
// is worth 1/EloPerPair of it.
//
// Methods: "spsa" (simultaneous perturbation stochastic approximation, J. C. Spall,
// IEEE Trans. Automatic Control 37 (1992) 332), with the mean of the second part of the
// path as its answer (B. Polyak, A. Juditsky, SIAM J. Control Optim. 30 (1992) 838) and
// a controller of the perturbation's size; "fishtest", the same numbers as the
// testing framework of that name; "surface", a shrunken quadratic over all pairs.
//
// The package is pure: no clock, no files, no engines.
package tune
