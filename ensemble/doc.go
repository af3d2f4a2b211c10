// Package ensemble lets several players choose each move together (合議, gōgi). It asks each member for a move
// in the same position; each answer is a ballot; a rule of package voting chooses the move that is played.
//
// [Open] makes a [Council] from a [Config]. A Council runs its members, which are Players, and is a Player
// itself; so councils can contain councils. Every decision produces a voting.Record.
package ensemble
