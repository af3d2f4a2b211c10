package kifu

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"gogi/shogi"
)

// KIF returns the record in the KIF format in UTF-8, for *.kifu files. Times are in whole seconds. Each move
// with a score has a comment that ShogiHome and ShogiGUI read; the score is from Black's point of view. KIF
// returns an error if the start is not a valid position. An illegal move that ended the game is in a comment
// at the end. Source: http://kakinoki.o.oo7.jp/kif_format.html; the comment's format is ShogiGUI's.
func (r *Record) KIF() (string, error) {
	position, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return "", fmt.Errorf("kifu: start position: %w", err)
	}
	var b strings.Builder
	b.WriteString("#KIF version=2.0 encoding=UTF-8\n" + r.KIFHead(&position))
	b.WriteString("手数----指手---------消費時間--\n")
	writeKIFComment(&b, r.Comment)
	spent, before, ply := [2]time.Duration{}, shogi.NoSquare, 1
	for i := range r.Moves {
		m := &r.Moves[i]
		if why := position.CheckLegal(m.Move); why != nil {
			fmt.Fprintf(&b, "*%s\n", OneLine(why.Error()))
			break
		}
		spent[position.Side()] += m.Time
		fmt.Fprintf(&b, "%4d %s%s\n", ply, padded(KIFMove(&position, m.Move, before), kifMoveWidth), kifTime(m.Time, spent[position.Side()]))
		if thought := KIFThought(&position, m); thought != "" {
			b.WriteString("*" + thought + "\n")
		}
		writeKIFComment(&b, m.Comment)
		before = m.Move.To()
		position.Apply(m.Move)
		ply++
	}
	end := r.KIFEnd(position.Side())
	if r.HasLast {
		end = padded(end, kifMoveWidth) + kifTime(r.LastTime, spent[position.Side()]+r.LastTime)
	}
	fmt.Fprintf(&b, "%4d %s\n", ply, end)
	b.WriteString(r.KIFResult())
	return b.String(), nil
}

// KIFResult returns a comment line with gogi's word for the end of the game, or "" for a record without a
// result.
func (r *Record) KIFResult() string {
	if r.Result == "" {
		return ""
	}
	return OneLine("*"+r.Result+" winner="+r.Winner+kifNote(r.Note)) + "\n"
}

// kifNote returns the cause of the end, for the comment after the result.
func kifNote(note string) string {
	if note == "" {
		return ""
	}
	return " note=" + escaped(note)
}

// writeKIFComment writes a person's comment as comment lines.
func writeKIFComment(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString("*" + Remark(OneLine(line)) + "\n")
	}
}

// kifMoveWidth is the width of a move before its time, in columns. A kanji takes two columns.
const kifMoveWidth = 13

// kifHandicaps returns the names of the handicaps that readers know. For any other start KIF has a drawn
// board.
func kifHandicaps() []string {
	return []string{"香落ち", "右香落ち", "角落ち", "飛車落ち", "飛香落ち", "二枚落ち", "四枚落ち", "六枚落ち", "八枚落ち", "十枚落ち"}
}

// KnownHandicap returns the handicap with this start position, if readers know its name.
func KnownHandicap(p *shogi.Position) (h shogi.Handicap, ok bool) {
	sfen := p.SFEN()
	for _, name := range kifHandicaps() {
		if h, ok := shogi.FindHandicap(name); ok && h.SFEN == sfen {
			return h, true
		}
	}
	return shogi.Handicap{}, false
}

// KIFHead returns the headers and the start of a record in KIF and KI2, one in each line. In a handicap game
// White, who gives the handicap, is 上手.
func (r *Record) KIFHead(p *shogi.Position) string {
	b := new(strings.Builder)
	header(b, "開始日時：", LocalTime(r.Started))
	header(b, "終了日時：", LocalTime(r.Ended))
	header(b, "棋戦：", r.Event)
	header(b, "場所：", r.Site)
	header(b, "戦型：", r.Header.Opening)
	header(b, "持ち時間：", kifClocks(r.Clocks))
	if r.MaxMoves > 0 {
		header(b, "最大手数：", strconv.Itoa(r.MaxMoves))
	}
	handicap, black, white := "", "先手：", "後手："
	if start := shogi.StartPos(); p.SFEN() == start.SFEN() {
		handicap = "平手"
	}
	if h, ok := KnownHandicap(p); ok {
		handicap, black, white = h.Japanese, "下手：", "上手："
	}
	if handicap != "" {
		header(b, "手合割：", handicap)
	} else {
		writeKIFBoard(b, p)
	}
	header(b, black, r.Black)
	header(b, white, r.White)
	for c, side := range []string{"先手情報：", "後手情報："} {
		header(b, side, r.About[c])
	}
	return b.String()
}

// kifClocks describes the clocks of both sides in words, because the format has no other form. It returns ""
// if neither clock is known.
func kifClocks(clocks [2]Clock) string {
	switch {
	case clocks == [2]Clock{}:
		return ""
	case clocks[0] == clocks[1]:
		return kifClock(clocks[0])
	}
	return "先手" + kifClock(clocks[0]) + " 後手" + kifClock(clocks[1])
}

func kifClock(c Clock) string {
	if c.IsZero() {
		return "なし"
	}
	var parts []string
	for _, p := range []struct {
		d             time.Duration
		before, after string
	}{{c.Main, "", ""}, {c.Byoyomi, "秒読み", ""}, {c.Increment, "1手ごとに", "加算"}} {
		if p.d > 0 {
			parts = append(parts, p.before+strconv.FormatFloat(p.d.Seconds(), 'f', -1, 64)+"秒"+p.after)
		}
	}
	return strings.Join(parts, "・")
}

// writeKIFBoard writes a position as a drawn board with both hands.
func writeKIFBoard(b *strings.Builder, p *shogi.Position) {
	b.WriteString("後手の持駒：" + kifHand(p, shogi.White) + "\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n")
	for rank := 1; rank <= 9; rank++ {
		b.WriteByte('|')
		for file := 9; file >= 1; file-- {
			b.WriteString(kifSquare(p.PieceAt(shogi.NewSquare(file, rank))))
		}
		b.WriteString("|" + kifRank(rank) + "\n")
	}
	b.WriteString("+---------------------------+\n先手の持駒：" + kifHand(p, shogi.Black) + "\n")
	if p.Side() == shogi.White {
		b.WriteString("後手番\n")
	}
}

// kifSquare returns the text for one square of a drawn board. A piece has one character.
func kifSquare(p shogi.Piece) string {
	if p == shogi.NoPiece {
		return " ・"
	}
	sign := " "
	if p.Colour() == shogi.White {
		sign = "v"
	}
	return sign + [...]string{"", "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "杏", "圭", "全", "馬", "龍", ""}[p.Type()&15]
}

// kifHand returns the pieces in a hand with kanji numbers, or "なし" if the hand is empty.
func kifHand(p *shogi.Position, c shogi.Colour) string {
	var hand strings.Builder
	for _, t := range []shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.Bishop, shogi.Rook} {
		if n := p.Hand(c, t); n > 0 {
			hand.WriteString(KIFPiece(t) + kifNumber(n) + "　")
		}
	}
	if hand.Len() == 0 {
		return "なし"
	}
	return hand.String()
}

// kifNumber returns a number of pieces, up to 十八. It returns "" for one piece.
func kifNumber(n int) string {
	switch {
	case n == 1:
		return ""
	case n < 10:
		return kifRank(n)
	case n == 10:
		return "十"
	}
	return "十" + kifRank(n-10)
}

// kifRank returns 1 to 9 in kanji.
func kifRank(n int) string {
	return [...]string{"", "一", "二", "三", "四", "五", "六", "七", "八", "九"}[max(0, min(9, n))]
}

func kifFile(n int) string {
	return [...]string{"", "１", "２", "３", "４", "５", "６", "７", "８", "９"}[max(0, min(9, n))]
}

// KIFPiece returns the name of a piece type in moves of KIF, such as 歩 or 成銀, or "" for NoPieceType.
func KIFPiece(t shogi.PieceType) string {
	return [...]string{"", "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "成香", "成桂", "成銀", "馬", "龍", ""}[t&15]
}

// KIFMove returns a move in KIF, such as ７六歩(77), ５五角打, 同　銀成(43). The move must be legal in p. before is the
// target of the previous move. With NoSquare the move always names its target square instead of 同.
func KIFMove(p *shogi.Position, m shogi.Move, before shogi.Square) string {
	to := kifFile(m.To().File()) + kifRank(m.To().Rank())
	if m.To() == before {
		to = "同　"
	}
	return to + kifHow(p.PieceAt(m.From()).Type(), m)
}

// KIFMoved returns the move of a piece in KIF, such as ７六歩(77), without a position.
func KIFMoved(piece shogi.PieceType, m shogi.Move) string {
	return kifFile(m.To().File()) + kifRank(m.To().Rank()) + kifHow(piece, m)
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

// padded appends blanks to a text until it has width columns.
func padded(text string, width int) string {
	for _, r := range text {
		width--
		if r > '~' {
			width--
		}
	}
	return text + strings.Repeat(" ", max(1, width))
}

// kifTime returns the time of a move and the total time of its side, in whole seconds.
func kifTime(took, spent time.Duration) string {
	t, s := int(took/time.Second), int(spent/time.Second)
	return fmt.Sprintf("(%2d:%02d/%02d:%02d:%02d)", t/60, t%60, s/3600, s/60%60, s%60)
}

// KIFThought returns the search data of a move as KIF comments have it, without the first "*". The move must
// be legal in p. It returns "" for a move without a score.
func KIFThought(p *shogi.Position, m *Move) string {
	if m.Opening || !m.HasScore {
		return ""
	}
	var b strings.Builder
	b.WriteString("*対局")
	if m.Depth > 0 {
		fmt.Fprintf(&b, " 深さ %d", m.Depth)
	}
	if m.Nodes > 0 {
		fmt.Fprintf(&b, " ノード数 %d", m.Nodes)
	}
	fmt.Fprintf(&b, " 評価値 %d", BlackScore(p.Side(), m.Score))
	if pv := KIFVariation(*p, m.PV); pv != "" {
		b.WriteString(" 読み筋 " + pv)
	}
	return b.String()
}

// KIFVariation returns moves from a position, each with the sign of its side. It stops before the first
// illegal move.
func KIFVariation(p shogi.Position, moves []shogi.Move) string {
	var list []string
	for _, m := range moves {
		if p.CheckLegal(m) != nil {
			break
		}
		list = append(list, KIFSign(p.Side())+KIFMove(&p, m, shogi.NoSquare))
		p.Apply(m)
	}
	return strings.Join(list, " ")
}

// KIFSign returns the sign that KIF writes before a move of a side.
func KIFSign(c shogi.Colour) string {
	if c == shogi.Black {
		return "▲"
	}
	return "△"
}

// KIFEnd returns the word for the end of the game. side is the side to move. If KIF has no exact word, it
// returns a word with the same winner.
func (r *Record) KIFEnd(side shogi.Colour) string {
	words := map[string]string{
		"checkmate": "詰み", "time_forfeit": "切れ負け", "stall": "切れ負け", "illegal_move": "反則負け", "false_declaration": "反則負け",
		"perpetual_check": "反則負け", "repetition": "千日手", "max_plies": "持将棋", "impasse": "持将棋",
	}
	if r.Winner == side.String() {
		words["perpetual_check"], words["declaration"] = "反則勝ち", "入玉勝ち"
	}
	if word, ok := words[r.Result]; ok {
		return word
	}
	if r.Winner == side.Opponent().String() {
		return "投了"
	}
	return "中断"
}
