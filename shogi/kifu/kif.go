package kifu

import "gogi/shogi"

// KIFNumber returns a number from 1 to 9 as a kanji, such as 三, and "" for 0.
func KIFNumber(n int) string {
	return [...]string{"", "一", "二", "三", "四", "五", "六", "七", "八", "九"}[max(0, min(9, n))]
}

func kifFile(n int) string {
	return [...]string{"", "１", "２", "３", "４", "５", "６", "７", "８", "９"}[max(0, min(9, n))]
}

// KIFPiece returns the name of a piece type as KIF writes it in moves, such as 歩 or 成銀. It returns "" for
// NoPieceType.
func KIFPiece(t shogi.PieceType) string {
	return [...]string{"", "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "成香", "成桂", "成銀", "馬", "龍", ""}[t&15]
}

// KIFMove returns a move in KIF, such as ７六歩(77), ５五角打, 同　銀成(43). The move must be legal in p. before is the
// target square of the previous move: for a move to the same square KIF writes 同. If before is NoSquare,
// KIFMove always writes the target square.
func KIFMove(p *shogi.Position, m shogi.Move, before shogi.Square) string {
	to := kifFile(m.To().File()) + KIFNumber(m.To().Rank())
	if m.To() == before {
		to = "同　"
	}
	return to + kifHow(p.PieceAt(m.From()).Type(), m)
}

// KIFMoved returns a move in KIF, such as ７六歩(77), without a position. piece is the type of the moving piece.
func KIFMoved(piece shogi.PieceType, m shogi.Move) string {
	return kifFile(m.To().File()) + KIFNumber(m.To().Rank()) + kifHow(piece, m)
}

// kifHow returns the text of a move after its target square.
func kifHow(piece shogi.PieceType, m shogi.Move) string {
	if m.IsDrop() {
		return KIFPiece(m.Dropped()) + "打"
	}
	text := KIFPiece(piece)
	if m.Promotes() {
		text += "成"
	}
	return text + "(" + csaPlace(m.From()) + ")"
}

// Kanji returns the single character for a piece type on a board diagram: 玉 for both kings, and 杏, 圭 and 全
// for the promoted lance, knight and silver. It returns "" for NoPieceType.
func Kanji(t shogi.PieceType) string {
	return [...]string{"", "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "杏", "圭", "全", "馬", "龍", ""}[t&15]
}
