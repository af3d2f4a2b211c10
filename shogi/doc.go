// Package shogi knows the rules of shogi: positions and moves in the notation
// of USI, the legal moves, perft, repetition (sennichite, 千日手), the
// entering-king declaration (nyūgyoku sengen, 入玉宣言) and the handicap starts.
//
// A [Position] is a plain value. Moves are undone by keeping a copy:
//
//	next := position
//	next.Apply(move)
//
// A [History] is a game: it remembers every position and judges repetition.
//
// The package is pure: it reads no files, starts no goroutines and keeps no
// state besides constant tables. Text that does not follow the rules gives an
// error that says what was wrong, where, and what was expected.
package shogi
