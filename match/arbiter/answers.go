package arbiter

import "gogi/match"

// answer is what the side to move did after the last recorded move, when the game ended. For example, it made no
// move.
type answer int

const (
	aMove         answer = iota // the game ended by its last move
	noMove                      // the side to move gave no valid move, and loses
	noMoveInTime                // the side to move gave no move before its clock ran out
	noMoveUntimed               // the side to move has no clock and gave no move within the stall limit
	aDeclaration                // the side to move declared; the position decides the result
	neverAsked                  // the game ended before its first move after the opening
	aProof                      // a proof shows that the side to move mates, and wins
)

// answers has the answer for every termination of a finished game. No code changes it.
//
//nolint:gochecknoglobals // a table, which is looked into for every game that is verified
var answers = map[match.Termination]answer{
	match.Checkmate:         aMove,
	match.Resignation:       noMove,
	match.TimeForfeit:       noMoveInTime,
	match.Stall:             noMoveUntimed,
	match.IllegalMove:       noMove,
	match.Repetition:        aMove,
	match.PerpetualCheck:    aMove,
	match.Declaration:       aDeclaration,
	match.FalseDeclaration:  aDeclaration,
	match.MaxPlies:          aMove,
	match.Impasse:           aDeclaration,
	match.ScoreAdjudication: aMove,
	match.MateAdjudication:  aProof,
	match.Crash:             noMove,
	match.NotStarted:        neverAsked,
	match.UnknownReason:     aMove,
}
