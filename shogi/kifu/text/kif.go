package text

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// AppendKIF appends a record in the KIF format in UTF-8, for *.kifu files. Times are in whole seconds. Each
// move with a score has a comment that ShogiHome and ShogiGUI read; the score is from Black's view. An
// illegal move that ended the game is in a comment at the end. AppendKIF returns an error if the start
// position is not valid. Sources: http://kakinoki.o.oo7.jp/kif_format.html for the format, and ShogiGUI for
// the comment.
func AppendKIF(dst []byte, r *kifu.Record) ([]byte, error) {
	position, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return dst, fmt.Errorf("start position: %w", err)
	}
	dst = append(dst, "#KIF version=2.0 encoding=UTF-8\n"+kifHead(r, &position)+"手数----指手---------消費時間--\n"...)
	dst = appendRemarks(dst, r.Comment)
	spent, before, ply := [2]time.Duration{}, shogi.NoSquare, 1
	for i := range r.Moves {
		m := &r.Moves[i]
		if why := position.CheckLegal(m.Move); why != nil {
			dst = fmt.Appendf(dst, "*%s\n", kifu.OneLine(why.Error()))
			break
		}
		spent[position.Side()] += m.Time
		text := kifu.KIFMove(&position, m.Move, before)
		if !m.NoTime {
			text = padded(text) + kifTimes(m.Time, spent[position.Side()])
		}
		dst = fmt.Appendf(dst, "%4d %s\n", ply, text)
		if thought := kifThought(&position, m); thought != "" {
			dst = append(dst, "*"+thought+"\n"...)
		}
		dst = appendOpeningEnd(dst, r, i)
		dst = appendRemarks(dst, m.Comment)
		before = m.Move.To()
		position.Apply(m.Move)
		ply++
	}
	end := wordsOf(r, position.Side()).kif
	if r.HasLast {
		end = padded(end) + kifTimes(r.LastTime, spent[position.Side()]+r.LastTime)
	}
	dst = append(fmt.Appendf(dst, "%4d %s\n", ply, end), kifResult(r)...)
	// Some readers take the winner from the last line alone. json-kifu-format refuses 入玉勝ち in it, which the line above
	// has.
	summary := strings.Replace(kifSummary(r, position.Side(), ply-1), "入玉勝ち", "勝ち", 1)
	return append(dst, summary+"\n"...), nil
}

// kifResult returns a comment line with gogi's word for the end of the game, or "" for a record without a
// result.
func kifResult(r *kifu.Record) string {
	result := resultOf(r)
	if result == "" {
		return ""
	}
	text := "*" + result + " winner=" + r.Winner
	if r.Note != "" {
		text += " note=" + kifu.Escaped(r.Note)
	}
	return kifu.OneLine(text) + "\n"
}

// knownHandicap returns the handicap with this start position. ok is false if readers do not know its name;
// then KIF needs a drawn board.
func knownHandicap(p *shogi.Position) (h shogi.Handicap, ok bool) {
	sfen := p.SFEN()
	for _, name := range []string{"香落ち", "右香落ち", "角落ち", "飛車落ち", "飛香落ち", "二枚落ち", "四枚落ち", "六枚落ち", "八枚落ち", "十枚落ち"} {
		if h, ok := shogi.FindHandicap(name); ok && h.SFEN == sfen {
			return h, true
		}
	}
	return shogi.Handicap{}, false
}

func kifHeader(b *strings.Builder, key, value string) {
	if value != "" {
		b.WriteString(key + kifu.OneLine(value) + "\n")
	}
}

// kifHead returns the headers and the start position for KIF and KI2, one item in each line. In a handicap
// game White, who gives the handicap, is 上手.
func kifHead(r *kifu.Record, p *shogi.Position) string {
	b := new(strings.Builder)
	kifHeader(b, "開始日時：", kifu.LocalTime(r.Started))
	kifHeader(b, "終了日時：", kifu.LocalTime(r.Ended))
	kifHeader(b, "棋戦：", r.Event)
	kifHeader(b, "場所：", r.Site)
	kifHeader(b, "戦型：", r.Header.Opening)
	if r.OpenedBy != "" {
		kifHeader(b, "備考：", "開始局面 "+r.OpenedBy)
	}
	kifHeader(b, "持ち時間：", kifClocks(r.Clocks))
	if r.MaxMoves > 0 {
		kifHeader(b, "最大手数：", strconv.Itoa(r.MaxMoves))
	}
	handicap, black, white := "", "先手：", "後手："
	if start := shogi.StartPos(); p.SFEN() == start.SFEN() {
		handicap = "平手"
	}
	if h, ok := knownHandicap(p); ok {
		handicap, black, white = h.Japanese, "下手：", "上手："
	}
	if handicap != "" {
		kifHeader(b, "手合割：", handicap)
	} else {
		writeKIFBoard(b, p)
	}
	kifHeader(b, black, r.Black)
	kifHeader(b, white, r.White)
	for c, side := range []string{"先手情報：", "後手情報："} {
		kifHeader(b, side, r.About[c])
	}
	return b.String()
}

// kifClocks describes the clocks of both sides in free text, because the format has no header for them. It
// returns "" if neither clock is known.
func kifClocks(clocks [2]kifu.Clock) string {
	switch {
	case clocks == [2]kifu.Clock{}:
		return ""
	case clocks[0] == clocks[1]:
		return kifClock(clocks[0])
	}
	return "先手" + kifClock(clocks[0]) + " 後手" + kifClock(clocks[1])
}

func kifClock(c kifu.Clock) string {
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
		b.WriteString("|" + kifu.KIFNumber(rank) + "\n")
	}
	b.WriteString("+---------------------------+\n先手の持駒：" + kifHand(p, shogi.Black) + "\n")
	if p.Side() == shogi.White {
		b.WriteString("後手番\n")
	}
}

// kifSquare returns the text for one square of a drawn board. Each piece has one character.
func kifSquare(p shogi.Piece) string {
	if p == shogi.NoPiece {
		return " ・"
	}
	sign := " "
	if p.Colour() == shogi.White {
		sign = "v"
	}
	return sign + kifu.Kanji(p.Type())
}

// kifHand returns the pieces in a hand with kanji numbers, or "なし" if the hand is empty.
func kifHand(p *shogi.Position, c shogi.Colour) string {
	var hand strings.Builder
	for _, t := range []shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.Bishop,
		shogi.Rook} {
		if n := p.Hand(c, t); n > 0 {
			hand.WriteString(kifu.KIFPiece(t) + kifNumber(n) + "　")
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
		return kifu.KIFNumber(n)
	case n == 10:
		return "十"
	}
	return "十" + kifu.KIFNumber(n-10)
}

// padded adds blanks to a move, up to column 13, where its time starts. A kanji takes two columns.
func padded(text string) string {
	width := 13
	for _, r := range text {
		width--
		if r > '~' {
			width--
		}
	}
	return text + strings.Repeat(" ", max(1, width))
}

// kifTimes formats took, the time of a move, and spent, the total time of its side, in whole seconds.
func kifTimes(took, spent time.Duration) string {
	t, s := int(took/time.Second), int(spent/time.Second)
	return fmt.Sprintf("(%2d:%02d/%02d:%02d:%02d)", t/60, t%60, s/3600, s/60%60, s%60)
}

// kifThought returns the search data of a move as a KIF comment, without the first "*". The move must be
// legal in p. It returns "" for a move without a score.
func kifThought(p *shogi.Position, m *kifu.Move) string {
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
	fmt.Fprintf(&b, " 評価値 %d", kifu.BlackScore(p.Side(), m.Score))
	if pv := kifVariation(*p, m.PV); pv != "" {
		b.WriteString(" 読み筋 " + pv)
	}
	return b.String()
}

// kifVariation returns moves from a position, each with the sign of its side. It stops before the first
// illegal move.
func kifVariation(p shogi.Position, moves []shogi.Move) string {
	var list []string
	for _, m := range moves {
		if p.CheckLegal(m) != nil {
			break
		}
		list = append(list, kifSign(p.Side())+kifu.KIFMove(&p, m, shogi.NoSquare))
		p.Apply(m)
	}
	return strings.Join(list, " ")
}

// kifSign returns the sign that KIF writes before a move of a side.
func kifSign(c shogi.Colour) string {
	if c == shogi.Black {
		return "▲"
	}
	return "△"
}

// AppendKI2 appends a record in KI2, a format for people: moves without origins, numbers or times. It omits
// the search data of a move, but keeps comments. Source: http://kakinoki.o.oo7.jp/kif_format.html, and for
// the words that distinguish equal pieces https://www.shogi.or.jp/faq/kihuhyouki.html
func AppendKI2(dst []byte, r *kifu.Record) ([]byte, error) {
	p, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return dst, fmt.Errorf("start position: %w", err)
	}
	text := append(dst, kifHead(r, &p)...)
	text = appendRemarks(text, r.Comment)
	before := shogi.NoSquare
	for i := range r.Moves {
		m := &r.Moves[i]
		if err := p.CheckLegal(m.Move); err != nil {
			return dst, fmt.Errorf("move %d: %w", i+1, err)
		}
		text = append(text, kifSign(p.Side())+ki2Move(&p, m.Move, before)+"\n"...)
		text = appendOpeningEnd(text, r, i)
		text = appendRemarks(text, m.Comment)
		before = m.Move.To()
		p.Apply(m.Move)
	}
	text = append(text, kifResult(r)...) // some readers take no comment behind the last line
	return append(text, kifSummary(r, p.Side(), len(r.Moves))+"\n"...), nil
}

// endsOpening reports whether move i of a record is the last one that the opening set.
func endsOpening(r *kifu.Record, i int) bool {
	return r.Moves[i].Opening && (i+1 == len(r.Moves) || !r.Moves[i+1].Opening)
}

func appendOpeningEnd(dst []byte, r *kifu.Record, i int) []byte {
	if endsOpening(r, i) {
		dst = append(dst, "*"+kifu.OpeningEnd+"\n"...)
	}
	return dst
}

// appendRemarks appends each line of a comment as a comment line.
func appendRemarks(dst []byte, text string) []byte {
	for _, line := range commentLines(text) {
		dst = append(dst, "*"+kifu.Remark(kifu.OneLine(line))+"\n"...)
	}
	return dst
}

func commentLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// kifSummary returns the last line of a game in KIF and KI2, with the number of moves and the winner.
func kifSummary(r *kifu.Record, side shogi.Colour, moves int) string {
	word := wordsOf(r, side).kif
	mover, waiting := ki2Side(side), ki2Side(side.Opponent())
	end := word
	switch word {
	case "投了", "詰み":
		end = waiting + "の勝ち"
	case "切れ負け":
		end = "時間切れにより" + waiting + "の勝ち"
	case "反則負け", "反則勝ち", "入玉勝ち":
		end = mover + "の" + word
	}
	return fmt.Sprintf("まで%d手で%s", moves, end)
}

func ki2Side(c shogi.Colour) string {
	if c == shogi.Black {
		return "先手"
	}
	return "後手"
}
