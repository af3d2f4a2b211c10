// Package voting decides which move a council plays: it takes ballots and returns a decision. It starts no
// engine and does no I/O, so use it alone to replay votes or to test a rule.
//
// [NewRule] makes a [Rule] from a [Spec]. Decide has no side effect; call Observe once for every decision
// that was played, because it changes the members' weights. A [Session] adds the steps around the rule: a
// forced move, a declaration, a proven mate, resignation by a quorum, tie breaks, and shadow rules that vote
// without effect. Ballots are counted in the order of the members, so the order of their arrival never
// matters.
//
// Every decision produces a [Record]. A [Replayer] repeats the vote from it, with the same rule or another.
package voting
