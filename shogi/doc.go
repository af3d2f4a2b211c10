// Package shogi implements the rules of shogi: positions and moves in the notation of USI, the legal moves,
// perft, repetition (sennichite, 千日手), the entering-king declaration (nyūgyoku sengen, 入玉宣言) and the handicap
// starts. Start at [ParseSFEN], [StartPos] and [ParseMove].
//
// A [Position] is a plain value. To undo a move, keep a copy:
//
//	next := position
//	next.Apply(move)
//
// A [History] is a game: it stores every position and detects repetition.
//
// The package reads no files, starts no goroutines and has no variables except constant tables. An error
// names the problem, its place in the text, and the expected text.
package shogi
