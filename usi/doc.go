// Package usi implements the Universal Shogi Interface (USI) of Shogidokoro (将棋所), which is derived from UCI.
// It parses the lines of the protocol into Go values. An [Engine] is the dialogue with one engine over a
// connection; [Greet] starts it. A [Server] offers any player ([Served]) to a GUI as a USI engine; [Serve]
// runs it.
//
// Scores are from the view of the side to move. Times are durations. Nodes are visited positions, as the
// engine counts them.
//
// # Traps
//
// Released engines have these peculiarities:
//
//   - Option names contain spaces, and string defaults are empty or "<empty>".
//   - They print lines that are not USI: banners, prompts, ANSI colours, Shift_JIS.
//   - "score mate +" has a sign and no length. "score mate 0" means that the side to move is mated.
//   - Some engines do not support all "go" arguments. So the package sends only the arguments
//     that the caller has set.
//   - A bestmove can arrive after gogi gave up the search. It must not count for a later
//     search. So the package never sends "go" before the last bestmove came or was given up,
//     and it counts and drops a late bestmove.
//   - In USI the engine adds binc or winc to btime or wtime before its move. So the clock that
//     the package sends does not include the increment of the current move.
//   - Engines answer "go mate" with checkmate, or with bestmove if they have no mate search.
//
// GUIs have these peculiarities:
//
//   - They hang if a bestmove comes during ponder or infinite. So the Server delays it until
//     ponderhit or stop, and sends one bestmove for each "go", in order.
//   - Some send the clocks with ponderhit instead of "go ponder".
//   - They send USI_Hash and USI_Ponder even if the engine has not declared these options.
//   - They expect usiok at once, although loading may take minutes. So the Server sends
//     usiok before the player loads anything.
package usi
