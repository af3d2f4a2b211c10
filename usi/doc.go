// Package usi implements the Universal Shogi Interface of Shogidokoro (将棋所), derived from UCI. It parses lines
// into values. An [Engine] is the dialogue with one engine over a ReadWriteCloser; [Greet] starts it. A [Server]
// offers any player ([Served]) to a GUI as a USI engine; [Serve] runs it.
//
// Scores are from the side to move's point of view, times are durations, and nodes are positions visited as the
// engine counts them.
//
// # Traps
//
// Engines that were released have each of these:
//
//   - Option names contain spaces, and string defaults are empty or "<empty>".
//   - Lines that are not USI: banners, prompts, ANSI colours, Shift_JIS.
//   - "score mate +" has a sign and no length; "score mate 0" is a mated side.
//   - Some engines abort on an unknown "go" argument, so the package sends only what was
//     requested.
//   - A bestmove can arrive after the search was given up. It belongs to no later search: the
//     package never sends "go" while a bestmove is outstanding, and counts and drops a late
//     one.
//   - In USI binc/winc is added to btime/wtime before the move, so the clock that is sent
//     excludes the increment of the move at hand.
//   - Engines answer "go mate" with checkmate, or with bestmove if they have no mate search.
//
// GUIs have these:
//
//   - A bestmove during ponder or infinite hangs the game. The Server holds it back until
//     ponderhit or stop, and sends one for each "go", in order.
//   - Clocks can come with ponderhit instead of "go ponder".
//   - They send USI_Hash and USI_Ponder whether declared or not.
//   - Loading may take minutes, but usiok must come at once: the Server sends it before
//     anything loads.
package usi
