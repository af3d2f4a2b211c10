// Package sparring is a small, honest shogi engine. A match runs with it when
// nothing else is installed, and a voting council gets members out of it that
// differ by the noise in their evaluation.
//
// It is an alpha-beta search on one thread over hand-made tables: material,
// hands, squares, and the distance to both kings. No strength is claimed.
//
// # Reproducible play
//
// Under "go nodes" and "go depth" the answer depends on nothing but the
// position with its history, the limits and the options: whatever was searched
// before is forgotten. Forgetting must be cheap, since a move of 400 nodes takes
// less time than clearing a hash table of 16 MB; every entry therefore carries
// the number of the search that wrote it, and such a search ignores the entries
// of all others. Under a clock the entries of the game at hand stay in use, for
// strength. Nothing else outlives a search.
//
// Without Seed and EvalNoise nothing is random. EvalNoise adds to each entry of
// the tables for material, hands and squares one Gaussian number drawn from
// Seed, or by NoiseModel one for every king × piece × square, so that a player
// has a taste of its own that stays the same for the whole game, for both
// colours alike. A Seed that is not 0 also adds -2 to 2
// centipawns to each evaluated position, drawn from its key, so that identical
// engines play different games from one opening. The seed of a usi.Game is not
// used.
package sparring
