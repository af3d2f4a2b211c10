// Package usi speaks the Universal Shogi Interface: the line grammar and its
// value types (pure), an Engine as one dialogue over a ReadWriteCloser, and a
// Server that exposes any player (Served) as a USI engine to a GUI.
//
// The protocol is the one of Shogidokoro (将棋所), derived from UCI. Traps that
// this package takes care of, each seen in a released engine:
//
//   - Option names contain spaces, string defaults are empty or "<empty>".
//   - Lines that are not USI at all: banners, prompts, ANSI colours, Shift_JIS.
//   - "score mate +" has a sign and no length, "score mate 0" is a mated side.
//   - Some engines abort on an unknown "go" argument, so nothing is sent that
//     was not asked for.
//   - A bestmove can arrive after the search was given up. It belongs to no
//     later search: "go" is never sent while a bestmove is outstanding, and
//     one that nobody waits for is counted and dropped.
//   - In USI binc/winc is added to btime/wtime before the move, so the clock
//     that is sent excludes the increment of the move at hand.
//   - "go mate" is answered with checkmate, or with bestmove by engines that
//     have no mate search.
//
// and of a GUI's, on the Server's side:
//
//   - A bestmove during ponder or infinite hangs the game: it is held back
//     until ponderhit or stop, and there is one for each "go", in order.
//   - Clocks can come with ponderhit instead of "go ponder".
//   - USI_Hash and USI_Ponder are sent whether declared or not.
//   - Loading takes minutes, usiok must not: it is said before anything loads.
//
// Scores are from the side to move's point of view, times are durations,
// nodes are positions visited as the engine counts them.
package usi
