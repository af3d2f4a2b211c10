// Package builtin implements a small shogi engine. A match uses it if no other engine is installed, and a
// council can use several that differ by the noise in their evaluation. [New] makes an [Engine]. It is an
// alpha-beta search on one thread. Hand-made tables value material, hands, squares, and the distance to both
// kings.
//
// # Reproducible play
//
// With "go nodes" and "go depth" the answer depends only on the position with its history, the limits and the
// options. Each search forgets the one before. Every entry of the hash table has the number of the search
// that wrote it, and a search with these limits ignores the entries of other searches. Clearing a table of 16
// MB instead would take longer than a move of 400 nodes. With a clock, a search uses all entries of the
// current game, which makes the engine stronger.
//
// Without Seed and EvalNoise nothing is random. EvalNoise adds one Gaussian number, drawn from Seed, to each
// entry of the tables for material, hands and squares; with NoiseModel, one for every king × piece × square.
// The noise is the same for the whole game and for both colours. A Seed other than 0 also adds -2 to 2
// centipawns to each evaluated position, drawn from its key, so that two engines with different seeds play
// different games from the same opening. The engine does not use the seed of a usi.Game.
package builtin
