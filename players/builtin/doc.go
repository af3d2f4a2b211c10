// Package builtin implements a small shogi engine, which [New] returns. A match uses it if no other engine is
// installed. A council can use several copies that differ by the noise in their evaluation. The engine runs
// an alpha-beta search on one thread. Its evaluation has hand-made tables for material, hands, squares, and
// the distance to both kings.
//
// # Reproducible play
//
// With "go nodes" and "go depth" the answer depends only on the position with its history, the limits and the
// options. Such a search uses nothing from earlier searches. Every entry of the hash table has the number of
// the search that wrote it, and the search ignores entries of other searches. Clearing a table of 16 MB
// instead would take longer than a move of 400 nodes. With a clock, a search uses all entries of the current
// game, which makes the engine stronger.
//
// Without Seed and EvalNoise nothing is random. EvalNoise adds one Gaussian number, drawn from Seed, to each
// entry of the tables for material, hands and squares. With NoiseModel "king_square" it instead adds one for
// each combination of a king's square, a piece and the piece's square. The noise is the same for the whole
// game and for both colours. A Seed other than 0 also adds -2 to 2 centipawns to each evaluated position,
// drawn from the position's key. So two engines with different seeds play different games from the same
// opening. The engine does not use the seed of a usi.Game.
package builtin
