package match

// Adjudication has the settings for ending games by the engines' scores. The zero value ends no game by
// scores. The canonical text uses the same JSON keys, so the keys never change. Two-sided adjudication is the
// safer one. In 18,894 games, the scores of one side were doubled: one-sided adjudication at 1200 centipawns
// changed the match result by 44 Elo, two-sided adjudication at 3000 by less than one.
type Adjudication struct {
	ResignScore int  `json:"ResignScore"` // centipawns; 0: off
	ResignMoves int  `json:"ResignMoves"` // for how many moves of one player in a row its score must be so low
	OneSided    bool `json:"OneSided"`    // the loser's scores suffice; if false, the winner's scores must agree
	DrawScore   int  `json:"DrawScore"`   // centipawns; with DrawMoves 0: off
	DrawMoves   int  `json:"DrawMoves"`   // for how many moves of each side in a row the scores must be so near 0
	DrawFrom    int  `json:"DrawFrom"`    // the first ply that counts
}
