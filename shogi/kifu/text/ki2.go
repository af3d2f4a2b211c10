package text

import (
	"fmt"
	"strings"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

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
		text = appendRemarks(text, m.Comment)
		before = m.Move.To()
		p.Apply(m.Move)
	}
	text = append(text, kifResult(r)...) // some readers take no comment behind the last line
	return append(text, ki2End(r, p.Side())+"\n"...), nil
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

// ki2End returns the line with the number of moves and the winner.
func ki2End(r *kifu.Record, side shogi.Colour) string {
	word := kifEnd(r, side)
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
	return fmt.Sprintf("まで%d手で%s", len(r.Moves), end)
}

func ki2Side(c shogi.Colour) string {
	if c == shogi.Black {
		return "先手"
	}
	return "後手"
}
