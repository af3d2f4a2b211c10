// Package usi implements the Universal Shogi Interface of Shogidokoro (将棋所), derived from UCI. It parses lines
// into values. An [Engine] is the dialogue with one engine over a ReadWriteCloser; [Greet] starts it. A [Server]
// offers any player ([Served]) to a GUI as a USI engine; [Serve] runs it.
//
// Scores are from the view of the side to move. Times are durations. Nodes are visited positions, as the engine
// counts them.
//
// # Traps
//
// Released engines do each of these:
//
//   - Option names contain spaces, and string defaults are empty or "<empty>".
//   - They print lines that are not USI: banners, prompts, ANSI colours, Shift_JIS.
//   - "score mate +" has a sign and no length; "score mate 0" is a mated side.
//   - Some engines abort on an unknown "go" argument, so the package sends only what was
//     requested.
//   - A bestmove can arrive after gogi gave up the search. It must not count for a later
//     search. So the package never sends "go" before the last bestmove came or was given up,
//     and it counts and drops a late bestmove.
//   - In USI binc/winc is added to btime/wtime before the move. So the sent clock does not
//     include the increment of the current move.
//   - Engines answer "go mate" with checkmate, or with bestmove if they have no mate search.
//
// GUIs do each of these:
//
//   - They hang if a bestmove comes during ponder or infinite. The Server delays it until
//     ponderhit or stop, and sends one bestmove for each "go", in order.
//   - Some send clocks with ponderhit instead of "go ponder".
//   - They send USI_Hash and USI_Ponder whether declared or not.
//   - They expect usiok at once, although loading may take minutes. So the Server sends
//     usiok before the player loads anything.
package usi
