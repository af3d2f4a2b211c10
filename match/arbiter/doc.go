// Package arbiter decides games. A [Clock], a [Referee] and an [Adjudicator] are small pure
// state machines that follow one game; [TimeLoss] names who caused a move that took too long.
// [Verify] checks with the same machines whether a pair that somebody sent can have been played
// so.
package arbiter
