// Package match defines the values of an experiment: a [Plan] of resolved settings, its
// [Pair]s, their games and each [Result], and the [Row]s that a store returns. All other
// packages exchange these values. Package match/arbiter decides a game while it is played.
//
// The pair is the unit of everything: two games from one opening with colours swapped, or one game if a
// series does not swap colours. Pairs are numbered from 0 without gaps and depend only on the plan and its
// seed. The missing pairs of a run are therefore a set difference, and resuming is the same as starting.
package match
