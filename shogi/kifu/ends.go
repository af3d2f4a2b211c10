package kifu

// These are the words for the end of a game, in Record.Result. Package match gives them their meaning, and
// package text writes them in the words of the formats.
const (
	EndCheckmate   = "checkmate"
	EndResignation = "resignation"
	EndTimeForfeit = "time_forfeit"
	EndStall       = "stall"        // no move within the stall limit, without a clock
	EndIllegalMove = "illegal_move" // an illegal move, or one that gogi cannot parse
	EndRepetition  = "repetition"   // fourth occurrence of a position (千日手)
	// fourth occurrence of a position when all moves of one side were checks; this side loses (連続王手の千日手)
	EndPerpetualCheck    = "perpetual_check"
	EndDeclaration       = "declaration" // a correct declaration of an entered king (入玉宣言), or a win by the try rule
	EndFalseDeclaration  = "false_declaration"
	EndMaxPlies          = "max_plies"
	EndImpasse           = "impasse" // a declaration that the 24-point rule makes a draw (持将棋)
	EndScoreAdjudication = "score_adjudication"
	EndMateAdjudication  = "mate_adjudication" // a mate solver claimed a mate by the side to move, and gogi proved it
	EndCrash             = "crash"
	EndNotStarted        = "not_started" // in a tune: an engine does not start, and loses; if neither starts, a draw
	EndUnknownReason     = "unknown"     // an imported game whose record has the winner but no reason
)
