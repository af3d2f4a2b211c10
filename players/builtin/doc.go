// Package builtin implements a small shogi engine. A match uses it if no other engine is installed, and a
// council can use several that differ by the noise in their evaluation. [New] makes an [Engine]. It is an
// alpha-beta search on one thread. Hand-made tables value material, hands, squares, and the distance to both
// kings.
//
// # Reproducible play
//
// With "go nodes" and "go depth" the answer depends only on the position with its history, the limits and the
// options. Each search forgets the one before. Clearing a hash table of 16 MB would take longer than a move of
// 400 nodes, so every entry carries the number of the search that wrote it, and such a search ignores all other
// entries. With a clock the entries of the game remain in use, for strength.
//
// Without Seed and EvalNoise nothing is random. EvalNoise adds one Gaussian number, drawn from Seed, to each
// entry of the tables for material, hands and squares; with NoiseModel, one for every king × piece × square.
// The noise is the same for the whole game and for both colours. A Seed other than 0 also adds -2 to 2
// centipawns to each evaluated position, drawn from its key, so that identical engines play different games
// from one opening. The engine does not use the seed of a usi.Game.
package builtin
