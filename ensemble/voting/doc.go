// Package voting is the pure half of councils: ballots go in, a decision comes out.
//
// A [Rule] is parsed from a [Spec]; Decide has no side effect, Observe changes the
// members' weights and is called once for every decision that was played. A
// [Chamber] puts around the rule what comes before any vote (a forced move, a
// declaration, a proven mate, resignation by a quorum), the chain that breaks ties,
// and shadow rules that say what they would have played. The order in which ballots
// arrive never matters: they are counted in the order of the members.
//
// Every decision leaves a [Record], from which a [Replayer] takes the same vote
// again, by the same rule or another.
package voting
