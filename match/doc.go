// Package match defines the values of an experiment: a [Plan] of resolved settings, its
// [Pair]s, their games and each [Result], and the [Row]s that a store returns. All other
// packages exchange these values. Package match/arbiter decides a game while it is played.
//
// gogi plays, stores and counts games in pairs. A pair is two games from one opening with colours swapped, or
// one game if a match does not swap colours. Pairs are numbered from 0 without gaps and depend only on the
// plan and its seed. The missing pairs of a run are therefore the planned numbers without the stored numbers.
// To resume a run, gogi plays the missing pairs; a new run starts in the same way.
package match
