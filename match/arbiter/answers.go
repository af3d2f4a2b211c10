package arbiter

import "gogi/match"

// answer is an answer that ends a game in place of a move.
type answer int

const (
	aMove         answer = iota // the game ended by its last move
	noMove                      // the side to move gave none that counts, and loses
	noMoveInTime                // the same, because of its clock
	noMoveUntimed               // the same, without a clock
	aDeclaration                // the position decides its result
	neverAsked                  // no player was asked: the game has no move after its opening
	aProof                      // not asked: the side to move mates, and wins
)

// answers has every termination that a finished game can have. It is never changed.
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
	match.Untold:            aMove,
}
