// Package arbiter decides games. A [Clock], a [Referee] and an [Adjudicator] are small state machines without
// input or output that follow one game. [TimeLoss] finds the cause of a move that took too long. [Verify]
// uses the same state machines to check whether the games of a pair from another machine are possible.
package arbiter
