package match

// Adjudication has the settings for ending games by the engines' scores. The zero value ends no game by scores. If
// OneSided is false (two-sided adjudication), both engines' scores must agree that one side loses. This is safer.
// For a measurement, one player reported twice its real scores in 18,894 games. One-sided adjudication at 1200
// centipawns then changed the match result by 44 Elo, and two-sided adjudication at 3000 centipawns by less than
// one Elo. The JSON is part of the canonical text of a plan (see CanonicalPlan), so its keys never change.
type Adjudication struct {
	ResignScore int  `json:"ResignScore"` // centipawns; 0: off
	ResignMoves int  `json:"ResignMoves"` // for how many moves of one player in a row its score must be so low
	OneSided    bool `json:"OneSided"`    // the loser's scores suffice; if false, the winner's scores must agree
	DrawScore   int  `json:"DrawScore"`   // centipawns; with DrawMoves 0: off
	DrawMoves   int  `json:"DrawMoves"`   // for how many moves of each side in a row the scores must be so near 0
	DrawFrom    int  `json:"DrawFrom"`    // the first ply that counts
}
