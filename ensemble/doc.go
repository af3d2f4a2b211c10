// Package ensemble lets several players answer as one (合議, gōgi): each member
// is asked for a move in the same position, its answer is a ballot, and a rule
// of package voting decides which move is played.
//
// A [Council] runs the members, each a Player of its own, and is a Player
// itself; so councils nest. Every decision leaves a [voting.Record].
package ensemble
