// Package arbiter decides games. A [Clock], a [Referee] and an [Adjudicator] are small pure state
// machines that follow one game; [TimeLoss] names the cause of a move that took too long. With the same
// machines [Verify] checks whether a pair from another machine can have been played so.
package arbiter
