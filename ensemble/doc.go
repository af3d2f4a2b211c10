// Package ensemble lets several players answer as one (合議, gōgi): each member
// is asked for a move in the same position, its answer is a ballot, and a rule
// decides which move is played.
//
// The voting is pure. A [Rule] is parsed from a [Spec]; Decide has no side
// effect, Observe changes the members' weights and is called once for every
// decision that was played. A [Chamber] puts around the rule what comes before
// any vote (a forced move, a declaration, a proven mate, resignation by a
// quorum), the chain that breaks ties, and shadow rules that say what they would
// have played. The order in which ballots arrive never matters: they are counted
// in the order of the members.
//
// A [Council] runs the members, each a Player of its own, and is a Player
// itself; so councils nest. Every decision leaves a [Record], from which a
// [Replayer] takes the same vote again, by the same rule or another.
package ensemble
