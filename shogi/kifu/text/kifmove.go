package text

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// kifMove has the parts of a move in Japanese notation.
type kifMove struct {
	to       shogi.Square
	piece    shogi.PieceType // type of the piece before the move
	from     shogi.Square    // NoSquare if the text does not name the origin
	relative string          // 右左直上寄引, if several pieces could go there
	promotes bool
	stays    bool // 不成
	drop     bool // 打
}

// parseKIFMove parses a move of KIF or KI2 without the sign of the side, such as ７六歩(77), 同 銀成(43), ５五角打 or
// ５三銀右不成. before is the target of the previous move. The returned move may be illegal. If the text does not
// name the origin, parseKIFMove searches for the legal move that fits.
func parseKIFMove(p *shogi.Position, text string, before shogi.Square) (shogi.Move, error) {
	k, err := splitKIFMove(text, before)
	if err != nil {
		return shogi.NoMove, err
	}
	if k.from != shogi.NoSquare {
		if t := p.PieceAt(k.from).Type(); t != k.piece {
			return shogi.NoMove, fmt.Errorf("on %s there is %s: expected %s", k.from, kifu.Article(t), kifu.Article(k.piece))
		}
		return k.board(k.from), nil
	}
	if k.drop {
		return k.dropped()
	}
	return k.resolve(p)
}

func (k *kifMove) board(from shogi.Square) shogi.Move {
	if k.promotes {
		return shogi.NewPromotion(from, k.to)
	}
	return shogi.NewMove(from, k.to)
}

func (k *kifMove) dropped() (shogi.Move, error) {
	if k.piece < shogi.Pawn || k.piece > shogi.Gold {
		return shogi.NoMove, fmt.Errorf("%s cannot be dropped", kifu.Article(k.piece))
	}
	return shogi.NewDrop(k.piece, k.to), nil
}

func splitKIFMove(text string, before shogi.Square) (k kifMove, err error) {
	k.from = shogi.NoSquare
	rest, err := k.target(text, before)
	if err != nil {
		return k, err
	}
	if rest, err = k.pieceName(rest); err != nil {
		return k, err
	}
	for rest != "" {
		c, size := utf8.DecodeRuneInString(rest)
		switch c {
		case '右', '左', '直', '上', '寄', '引', '行', '入':
			k.relative += strings.NewReplacer("行", "上", "入", "上").Replace(string(c))
		case '成':
			k.promotes = true
		case '不':
			k.stays = true
			if strings.HasPrefix(rest[size:], "成") {
				size += len("成")
			}
		case '打':
			k.drop = true
		case ' ', '　':
		case '(', '（':
			if k.drop && strings.HasPrefix(rest[size:], "00") { // Denryu-sen writes 打(00)
				return k, nil
			}
			return k, k.origin(rest[size:])
		default:
			return k, fmt.Errorf("%q is no part of a move", rest)
		}
		rest = rest[size:]
	}
	return k, nil
}

// moveLike reports whether a text begins as a move does: with 同, or with a square and a piece.
func moveLike(text string) bool {
	k := kifMove{}
	rest, err := k.target(text, shogi.NoSquare)
	if err == nil {
		_, err = k.pieceName(rest)
	}
	return err == nil || strings.HasPrefix(text, "同")
}

// target parses the target square. 同 means the target of the previous move.
func (k *kifMove) target(text string, before shogi.Square) (rest string, err error) {
	if rest, ok := strings.CutPrefix(text, "同"); ok {
		if k.to = before; before == shogi.NoSquare {
			return "", errors.New("同 without a move before")
		}
		return strings.TrimLeft(rest, " 　"), nil
	}
	f, n := utf8.DecodeRuneInString(text)
	r, m := utf8.DecodeRuneInString(text[n:])
	k.to = shogi.NewSquare(digit(f), digit(r))
	if k.to == shogi.NoSquare {
		return "", errors.New("expected a square such as ７六, or 同")
	}
	return strings.TrimLeft(text[n+m:], " 　"), nil
}

// digit returns the value of a digit from 1 to 9 in any of its three forms, or 0 for another character.
func digit(c rune) int {
	switch {
	case c >= '1' && c <= '9':
		return int(c - '0')
	case c >= '１' && c <= '９':
		return int(c-'１') + 1
	}
	return slices.Index([]rune("一二三四五六七八九"), c) + 1
}

func (k *kifMove) pieceName(text string) (rest string, err error) {
	size := 0
	if strings.HasPrefix(text, "成") {
		size = len("成")
	}
	_, n := utf8.DecodeRuneInString(text[size:])
	if k.piece = pieceOf(text[:size+n]); k.piece == shogi.NoPieceType {
		return "", errors.New("expected a piece such as 歩 or 成銀 behind the square")
	}
	return text[size+n:], nil
}

// origin parses the origin square in the form "77)".
func (k *kifMove) origin(text string) error {
	text = strings.TrimRight(text, ")） ")
	if len(text) == 2 {
		k.from = shogi.NewSquare(int(text[0])-'0', int(text[1])-'0')
	}
	if k.from == shogi.NoSquare {
		return fmt.Errorf("(%s): expected the square it comes from, such as (77)", text)
	}
	return nil
}

// resolve returns the only legal move that fits a move of KI2. It returns an error if none or several fit.
func (k *kifMove) resolve(p *shogi.Position) (shogi.Move, error) {
	var found []shogi.Move
	for _, m := range p.LegalMoves(nil) {
		if m.IsDrop() || m.To() != k.to || p.PieceAt(m.From()).Type() != k.piece || m.Promotes() != k.promotes {
			continue
		}
		found = append(found, m)
	}
	// a move without 打 may still be a drop if no piece on the board fits
	if k.relative == "" && len(found) == 0 && !k.promotes && !k.stays {
		if m, err := k.dropped(); err == nil && p.CheckLegal(m) == nil {
			return m, nil
		}
	}
	if len(found) > 1 {
		origins := make([]shogi.Square, len(found))
		for i, m := range found {
			origins[i] = m.From()
		}
		found = slices.DeleteFunc(found, func(m shogi.Move) bool {
			return !fitsRelative(p.Side(), k.piece, m.From(), k.to, origins, k.relative)
		})
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return shogi.NoMove, errors.New("no legal move is written so")
	}
	return shogi.NoMove, fmt.Errorf("%d legal moves could be meant: expected 右, 左, 直, 上, 寄 or 引 to tell them apart",
		len(found))
}

// fitsRelative reports whether the relative words of KI2 select the piece on the square from. The pieces on
// origins can all go to the square to. 上, 寄 and 引 are directions of the move; 直 is straight up. 右 and 左
// describe the place of the piece from its owner's view, compared with the other pieces that fit the
// direction. Horses and dragons have no 直. Source: https://www.shogi.or.jp/faq/kihuhyouki.html
func fitsRelative(c shogi.Colour, t shogi.PieceType, from, to shogi.Square, origins []shogi.Square, words string) bool {
	dx, dy := offset(c, from, to)
	for _, w := range words {
		switch {
		case w == '上' && dy <= 0, w == '寄' && dy != 0, w == '引' && dy >= 0, w == '直' &&
			(dx != 0 || dy <= 0 || t == shogi.Horse || t == shogi.Dragon):
			return false
		case w == '右' && !outermost(c, from, to, origins, words, 1), w == '左' && !outermost(c, from, to, origins, words, -1):
			return false
		}
	}
	return true
}

// offset returns how far a piece moves to the left and up, from its owner's view.
func offset(c shogi.Colour, from, to shogi.Square) (left, up int) {
	left, up = to.File()-from.File(), from.Rank()-to.Rank()
	if c == shogi.White {
		return -left, -up
	}
	return left, up
}

// outermost reports whether a piece is the outermost on one side among the pieces that fit the other words. sign is 1
// for the right side and -1 for the left side.
func outermost(c shogi.Colour, from, to shogi.Square, origins []shogi.Square, words string, sign int) bool {
	mine, _ := offset(c, from, to)
	for _, o := range origins {
		dx, dy := offset(c, o, to)
		if o == from || strings.ContainsRune(words, '上') && dy <= 0 || strings.ContainsRune(words, '寄') && dy != 0 ||
			strings.ContainsRune(words, '引') && dy >= 0 {
			continue
		}
		if sign*dx >= sign*mine {
			return false
		}
	}
	return true
}

// rivals returns the squares of the pieces of a type that could go to a square. A pinned piece counts too,
// because human readers distinguish equal pieces even then.
func rivals(p *shogi.Position, t shogi.PieceType, to shogi.Square) (origins []shogi.Square) {
	for from := range shogi.NoSquare {
		if p.PieceAt(from) == shogi.NewPiece(p.Side(), t) && p.Reaches(from, to) {
			origins = append(origins, from)
		}
	}
	return origins
}

// relativeWords returns the words that distinguish a move on the board from moves of equal pieces to the same
// square. It returns "" if there is no such other move. By the rule of the Japan Shogi Association it prefers the
// movement (上, 寄, 引), then 直 for a piece that goes straight up, then a side, then a side with a movement.
func relativeWords(p *shogi.Position, m shogi.Move) string {
	t := p.PieceAt(m.From()).Type()
	origins := rivals(p, t, m.To())
	if len(origins) < 2 {
		return ""
	}
	for _, words := range []string{"上", "寄", "引", "直", "右", "左", "右上", "左上", "右寄", "左寄", "右引", "左引"} {
		if alone(p.Side(), t, m, origins, words) {
			return words
		}
	}
	return ""
}

// alone reports whether the relative words of KI2 select only the move m among the moves from origins.
func alone(c shogi.Colour, t shogi.PieceType, m shogi.Move, origins []shogi.Square, words string) bool {
	for _, o := range origins {
		if fitsRelative(c, t, o, m.To(), origins, words) != (o == m.From()) {
			return false
		}
	}
	return true
}

// ki2Move returns a move in KI2 notation, without the sign of the side.
func ki2Move(p *shogi.Position, m shogi.Move, before shogi.Square) string {
	text := kifu.KIFMove(p, m, before)
	if m.IsDrop() {
		if len(rivals(p, m.Dropped(), m.To())) == 0 {
			text = strings.TrimSuffix(text, "打")
		}
		return text
	}
	text = text[:strings.Index(text, "(")]
	promoted := ""
	if m.Promotes() {
		text, promoted = strings.TrimSuffix(text, "成"), "成"
	} else if p.CheckLegal(m|shogi.NewPromotion(0, 0)) == nil && p.PieceAt(m.From()).Type().CanPromote() {
		promoted = "不成"
	}
	return text + relativeWords(p, m) + promoted
}
