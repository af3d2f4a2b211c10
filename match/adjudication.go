package match

// Adjudication ends games by the engines' scores. Off by default: one-sided at
// 1200 it moved a match by 44 Elo when one side's scores were merely doubled;
// two-sided at 3000 by less than one (measured on 18,894 games).
type Adjudication struct {
	ResignScore int  // centipawns; 0: off
	ResignMoves int  // how many own moves in a row
	OneSided    bool // the loser's scores suffice; else the winner's must agree
	DrawScore   int  // centipawns; with DrawMoves 0: off
	DrawMoves   int  // how many moves of each side in a row
	DrawFrom    int  // the first ply that counts
}

// CanonicalAdjudication is Adjudication; its keys have capitals since the first
// stored run.
type CanonicalAdjudication struct {
	ResignScore int
	ResignMoves int
	OneSided    bool
	DrawScore   int
	DrawMoves   int
	DrawFrom    int
}
