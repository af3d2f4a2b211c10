// Package verify replays every move of a stored run and compares the stored data of its games with the moves,
// the rules and the plan. [Run] returns a [Found]; [Text] and [JSON] print it.
//
// It checks that each pair has the players, the seed and the opening of its number in the plan. It checks
// that its games can have been played under the plan (arbiter.Verify), and that each row agrees with the
// moves and the rules. A legal game that was never played passes; only playing it again finds that (package
// farm/replay).
package verify
