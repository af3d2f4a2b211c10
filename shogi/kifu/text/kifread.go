package text

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// readKIF returns a Reader of KIF and KI2 files. Both formats have the same headers, boards, comments and
// ends. A KIF move has a number before it; a KI2 move has the sign of a side.
func readKIF(in *Input) Reader { return &kifReader{in: in} }

type kifReader struct {
	in    *Input
	count int
}

// Next reads one game, up to the headers of another game.
func (r *kifReader) Next() (*kifu.Record, error) {
	g := kifGame{before: shogi.NoSquare}
	begun := false
	for {
		text, ok := r.in.next()
		if !ok {
			break
		}
		s := strings.TrimRight(string(text), " 　\t")
		if s == "" {
			continue
		}
		if begun && g.after(s) {
			r.in.unread()
			break
		}
		if !begun {
			begun, r.count = true, r.count+1
		}
		if g.err == nil {
			g.line = r.in.n
			g.err = g.take(s)
		}
	}
	if !begun || g.onlyComments() {
		return nil, r.in.end()
	}
	if g.err == nil {
		g.line = r.in.n
		g.err = g.finish()
	}
	if g.err != nil && g.err == g.illegal { //nolint:errorlint // compares identity, not the kind of error
		g.line = g.illegalLine
	}
	if g.err != nil {
		return nil, &BadGame{File: r.in.Name, Game: r.count, Line: g.line, Err: g.err}
	}
	r.in.warn(r.count, g.illegalLine, &g.record, g.doubt)
	return &g.record, nil
}

// kifGame is a game that is being read.
type kifGame struct {
	record      kifu.Record
	handicap    string
	board       *kifBoard // nil: the file has no board
	side        string    // "先手番" or similar; "" if unknown
	drawnAt     int       // number of the last move before the drawn board; 0 if unknown
	hands       [2]string
	p, start    shogi.Position
	placed      bool
	moving      bool // the headers are finished: a move, or the line above the moves, was read
	before      shogi.Square
	ended       bool
	branch      bool    // the following lines are a variation
	end         outcome // from the end word
	own         outcome // from gogi's comment, which is more exact
	illegal     error   // error of the last move; after it, the file may only end the game by an illegal move
	doubt       error   // illegal is about a word that is no move: it may be an unknown word for the end
	content     bool
	err         error
	line        int // the current line, or the line of the error
	illegalLine int
}

type kifBoard struct {
	pieces [81]shogi.Piece
	ranks  int
}

func (g *kifGame) onlyComments() bool { return g.err == nil && !g.content }

// after reports whether a line is the first line of another game.
func (g *kifGame) after(s string) bool {
	if !g.moving && g.err == nil {
		return false
	}
	return strings.HasPrefix(s, "#KI") || !strings.HasPrefix(s, "*") && isKIFHeader(s)
}

// isKIFHeader reports whether a line is one of the headers that games begin with.
func isKIFHeader(s string) bool {
	key, _, ok := strings.Cut(s, "：")
	if !ok {
		return false
	}
	switch key {
	case "開始日時", "終了日時", "棋戦", "手合割", "先手", "後手", "下手", "上手", "表題", "場所", "持ち時間", "戦型", "後手の持駒", "上手の持駒":
		return true
	}
	return false
}

// take reads one line of the game.
func (g *kifGame) take(s string) error {
	first, _ := utf8.DecodeRuneInString(s)
	switch {
	case first == '#' || first == '&':
		return nil
	case first == '*':
		g.content = g.content || g.moving
		return g.comment(s[1:])
	case strings.HasPrefix(s, "変化：") || strings.HasPrefix(s, "変化:"):
		g.branch = true
		g.record.Branches++
		return nil
	case g.branch:
		return nil
	case strings.HasPrefix(s, "手数--"):
		g.moving, g.content = true, true
		return nil
	case strings.HasPrefix(s, "まで"):
		return g.summarised(s)
	}
	g.content = true
	return g.body(s, first)
}

// body reads a line that is not a comment: a header, a part of the board, or moves.
func (g *kifGame) body(s string, first rune) error {
	switch {
	case strings.HasPrefix(s, "|"):
		return g.rank(s)
	case strings.HasPrefix(s, "+-") || strings.HasPrefix(strings.TrimSpace(s), "９"):
		return nil
	case strings.HasPrefix(s, "手数＝") && g.board != nil && !g.moving:
		// under a drawn board: the number of the last move, and the move
		g.drawnAt, _, _ = leadingNumber(strings.TrimPrefix(s, "手数＝"))
		return nil
	case strings.ContainsRune("▲△☗☖▼▽", first):
		return g.signed(s)
	}
	switch s {
	case "先手番", "後手番", "上手番", "下手番":
		g.side = s
		return nil
	}
	if number, rest, ok := leadingNumber(s); ok {
		return g.numbered(number, rest)
	}
	key, value, ok := strings.Cut(s, "：")
	if !ok {
		key, value, ok = strings.Cut(s, ":")
	}
	if ok && !g.moving {
		return g.header(key, strings.Trim(value, " 　"))
	}
	if kifEndWord(s) {
		return g.finished(s, "")
	}
	return fmt.Errorf("%q: expected a header with a colon, a rank of a board, a move such as 1 ７六歩(77) or ▲７六歩, an end such as 投了, or a comment", clipped([]byte(s)))
}

func leadingNumber(s string) (n int, rest string, ok bool) {
	s = strings.TrimLeft(s, " 　")
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == 0 || i == len(s) || s[i] != ' ' && !strings.HasPrefix(s[i:], "　") {
		return 0, "", false
	}
	n, err := strconv.Atoi(s[:i])
	return n, strings.TrimLeft(s[i:], " 　"), err == nil
}

// header reads a header with a known key. It ignores other headers.
func (g *kifGame) header(key, value string) error {
	r := &g.record
	switch key {
	case "開始日時", "対局日":
		if t := parseMoment(value); !t.IsZero() || key == "開始日時" {
			r.Started = t
		}
	case "終了日時":
		r.Ended = parseMoment(value)
	case "棋戦", "表題":
		if r.Event == "" || key == "棋戦" {
			r.Event = value
		}
	case "場所":
		r.Site = value
	case "戦型":
		r.Header.Opening = value
	case "持ち時間":
		g.clocks(value)
	case "最大手数":
		r.MaxMoves = number(value)
	case "先手情報":
		r.About[0] = value
	case "後手情報":
		r.About[1] = value
	case "手合割":
		g.handicap = value
	case "先手", "下手":
		r.Black = value
	case "後手", "上手":
		r.White = value
	case "先手の持駒", "下手の持駒":
		g.hands[shogi.Black] = value
	case "後手の持駒", "上手の持駒":
		g.hands[shogi.White] = value
	case "手番":
		g.side = value + "番"
	}
	return nil
}

// clocks reads the description of the clocks that AppendKIF writes. It ignores other text.
func (g *kifGame) clocks(text string) {
	parts := [2]string{text, text}
	if rest, ok := strings.CutPrefix(text, "先手"); ok {
		black, white, _ := strings.Cut(rest, " 後手")
		parts = [2]string{black, white}
	}
	for c, part := range parts {
		var k kifu.Clock
		for word := range strings.SplitSeq(part, "・") {
			to := &k.Main
			if rest, ok := strings.CutPrefix(word, "秒読み"); ok {
				to, word = &k.Byoyomi, rest
			} else if rest, ok := strings.CutPrefix(word, "1手ごとに"); ok {
				to, word = &k.Increment, strings.TrimSuffix(rest, "加算")
			}
			d, err := seconds(strings.TrimSuffix(word, "秒"))
			if err != nil || !strings.HasSuffix(word, "秒") {
				k = kifu.Clock{}
				break
			}
			*to = d
		}
		g.record.Clocks[c] = k
	}
}

// rank reads one rank of a drawn board. The first such line is rank 1.
func (g *kifGame) rank(s string) error {
	if g.board == nil {
		g.board = &kifBoard{}
	}
	g.board.ranks++
	if g.board.ranks > 9 {
		return errors.New("the board has more than nine ranks")
	}
	rest, file := strings.TrimPrefix(s, "|"), 9
	for ; file >= 1 && rest != "" && rest[0] != '|'; file-- {
		sign, size := utf8.DecodeRuneInString(rest)
		piece, more := utf8.DecodeRuneInString(rest[size:])
		rest = rest[size+more:]
		if piece == '・' || piece == '.' || piece == '　' {
			continue
		}
		t := pieceOf(string(piece))
		if t == shogi.NoPieceType || !strings.ContainsRune(" v^V", sign) {
			return fmt.Errorf("rank %d: %q: expected a piece such as 歩, with v before it where it is White's, or ・",
				g.board.ranks, string(sign)+string(piece))
		}
		c := shogi.Black
		if sign == 'v' || sign == 'V' {
			c = shogi.White
		}
		g.board.pieces[shogi.NewSquare(file, g.board.ranks)] = shogi.NewPiece(c, t)
	}
	if file != 0 {
		return fmt.Errorf("rank %d has %d squares: expected 9", g.board.ranks, 9-file)
	}
	return nil
}

// place sets the start position before the first move.
func (g *kifGame) place() (err error) {
	if g.placed {
		return nil
	}
	g.placed, g.moving = true, true
	if g.p, err = g.position(); err != nil {
		return err
	}
	g.start, g.record.Start = g.p, g.p.SFEN()
	return nil
}

func (g *kifGame) position() (shogi.Position, error) {
	if g.board != nil {
		return g.drawn()
	}
	name := strings.TrimSpace(g.handicap)
	if name == "" || name == "平手" {
		return shogi.StartPos(), nil
	}
	h, ok := shogi.FindHandicap(name)
	if !ok {
		return shogi.Position{}, fmt.Errorf("手合割 %q: expected 平手, a handicap such as 二枚落ち, or a board", name)
	}
	return shogi.ParseSFEN(h.SFEN)
}

func (g *kifGame) drawn() (p shogi.Position, err error) {
	if g.board.ranks != 9 {
		return p, fmt.Errorf("the board has %d ranks: expected 9", g.board.ranks)
	}
	setup := shogi.Setup{Board: g.board.pieces, Ply: 1}
	switch g.side {
	case "後手番", "上手番":
		setup.Side = shogi.White
	}
	for c, text := range g.hands {
		if setup.Hands[c], err = kifHandOf(text); err != nil {
			return p, err
		}
	}
	if p, err = setup.Position(); err != nil {
		return p, fmt.Errorf("the board: %w", err)
	}
	return p, nil
}

// kifHandOf parses a hand such as "飛　角二　歩十八". It returns the number of pieces by type.
func kifHandOf(text string) (hand [8]int, err error) {
	text = strings.NewReplacer("　", " ", "、", " ").Replace(text)
	for word := range strings.FieldsSeq(text) {
		if word == "なし" {
			continue
		}
		piece, size := utf8.DecodeRuneInString(word)
		t := pieceOf(string(piece))
		n, ok := kanjiNumber(word[size:])
		if t == shogi.NoPieceType || t > shogi.Gold || !ok {
			return hand, fmt.Errorf("in hand %q: expected a piece and its number, such as 歩十八, or なし", word)
		}
		hand[t] += n
	}
	return hand, nil
}

// kanjiNumber parses a number up to 99 in kanji or digits. Empty text is 1. ok is false for any other text.
func kanjiNumber(text string) (n int, ok bool) {
	if text == "" {
		return 1, true
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n, true
	}
	tens, ones := 0, 0
	for _, c := range text {
		switch d := strings.IndexRune("一二三四五六七八九", c) / len("一"); {
		case c == '十':
			tens, ones = max(1, ones), 0
		case strings.ContainsRune("一二三四五六七八九", c):
			ones = d + 1
		default:
			return 0, false
		}
	}
	return 10*tens + ones, true
}

// pieceOf returns the piece type for a name in a move or on a board. It returns NoPieceType for other text.
func pieceOf(text string) shogi.PieceType { return kifPieces[text] }

var kifPieces = map[string]shogi.PieceType{
	"歩": shogi.Pawn, "香": shogi.Lance, "桂": shogi.Knight, "銀": shogi.Silver, "金": shogi.Gold, "角": shogi.Bishop,
	"飛": shogi.Rook,
	"玉": shogi.King, "王": shogi.King, "と": shogi.ProPawn, "杏": shogi.ProLance, "成香": shogi.ProLance, "圭": shogi.ProKnight,
	"成桂": shogi.ProKnight, "全": shogi.ProSilver, "成銀": shogi.ProSilver, "馬": shogi.Horse, "龍": shogi.Dragon,
	"竜": shogi.Dragon,
}

// numbered reads a line of KIF. n is the number of the move, and rest is the text after this number.
func (g *kifGame) numbered(n int, rest string) error {
	text, times := rest, ""
	if i := strings.Index(rest, "("); i >= 0 { // where the origin or the time starts
		if j := strings.IndexAny(rest, " \t"); j > 0 && !strings.HasPrefix(rest, "同") {
			text, times = rest[:j], rest[j:]
		} else if strings.HasPrefix(rest, "同") {
			text, times = cutAfterSame(rest)
		}
	} else if i := strings.IndexAny(rest, " \t"); i > 0 {
		text, times = cutAfterSame(rest)
	}
	text = strings.TrimSuffix(text, "+") // the mark of a move that has variations
	if kifEndWord(strings.TrimRight(text, " 　")) {
		return g.finished(strings.TrimRight(text, " 　"), times)
	}
	if err := g.place(); err != nil {
		return err
	}
	if want := len(g.record.Moves) + 1; n != want && !g.ended && g.illegal == nil && n != g.start.Ply()+want-1 &&
		n != g.drawnAt+want {
		return fmt.Errorf("move %d where move %d is expected", n, want)
	}
	started := g.ended || g.illegal != nil
	err := g.play(text, times)
	if err == nil && g.illegal != nil && !started && !moveLike(text) {
		g.doubt = unknownEnd(text)
	}
	return err
}

// unknownEnd returns the warning about a game that ends with an unknown word.
func unknownEnd(word string) error {
	return fmt.Errorf("the end %q is unknown: the game counts as interrupted", clipped([]byte(word)))
}

// cutAfterSame splits the rest of a line into the move and its time, which are separated by a blank. Blanks after 同
// belong to the move.
func cutAfterSame(rest string) (text, times string) {
	from := 0
	if strings.HasPrefix(rest, "同") {
		from = len("同")
		for from < len(rest) && (rest[from] == ' ' || strings.HasPrefix(rest[from:], "　")) {
			if rest[from] == ' ' {
				from++
			} else {
				from += len("　")
			}
		}
	}
	if i := strings.IndexAny(rest[from:], " \t"); i >= 0 {
		return rest[:from+i], rest[from+i:]
	}
	return rest, ""
}

// play parses a move of KIF or KI2 and makes it.
func (g *kifGame) play(text, times string) error {
	switch {
	case g.ended:
		return fmt.Errorf("%q behind the end", clipped([]byte(text)))
	case g.illegal != nil:
		return g.illegal
	}
	if err := longer(g.record.Moves); err != nil {
		return err
	}
	m, err := parseKIFMove(&g.p, text, g.before)
	if err == nil {
		err = g.p.CheckLegal(m)
	}
	if err != nil {
		g.illegal, g.illegalLine = fmt.Errorf("move %d, %q: %w", len(g.record.Moves)+1, clipped([]byte(text)), err), g.line
		return nil
	}
	move := kifu.Move{Move: m, NoTime: true}
	if d, ok := kifTime(times); ok {
		move.Time, move.NoTime = d, false
	}
	g.record.Moves = append(g.record.Moves, move)
	g.before = m.To()
	g.p.Apply(m)
	return nil
}

// kifTime parses the first part of a time such as "( 0:16/00:00:16)", the time of the move. It returns false for any
// other text.
func kifTime(text string) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	text, ok := strings.CutPrefix(text, "(")
	if !ok {
		return 0, false
	}
	text, _, _ = strings.Cut(text, "/")
	text, _, _ = strings.Cut(text, ")")
	total := time.Duration(0)
	for part := range strings.SplitSeq(strings.TrimSpace(text), ":") {
		d, err := seconds(strings.TrimSpace(part))
		if err != nil {
			return 0, false
		}
		total = 60*total + d
	}
	return total, true
}

// signed reads a line of KI2: moves, each with the sign of its side.
func (g *kifGame) signed(s string) error {
	if err := g.place(); err != nil {
		return err
	}
	for s != "" {
		first, size := utf8.DecodeRuneInString(s)
		if !strings.ContainsRune("▲△☗☖▼▽", first) {
			return fmt.Errorf("%q: expected ▲ or △ and a move", clipped([]byte(s)))
		}
		rest := s[size:]
		end := strings.IndexAny(rest, "▲△☗☖▼▽")
		if end < 0 {
			end = len(rest)
		}
		word, until, summary := strings.Cut(rest[:end], "まで")
		word, s = strings.TrimRight(word, " 　\t"), rest[end:]
		if kifEndWord(word) {
			if err := g.finished(word, ""); err != nil {
				return err
			}
			continue
		}
		black := strings.ContainsRune("▲☗▼", first)
		if black != (g.p.Side() == shogi.Black) && g.illegal == nil && !g.ended {
			return fmt.Errorf("move %d, %q: it is not by the side to move (%s)", len(g.record.Moves)+1, string(first)+word,
				g.p.Side())
		}
		if err := g.play(word, ""); err != nil {
			return err
		}
		if summary { // the summary is in the line of the last move
			return g.summarised("まで" + until + s)
		}
	}
	return nil
}

// finished reads a word for the end of the game, which is in the place of a move. times is the text after it.
func (g *kifGame) finished(word, times string) error {
	if err := g.place(); err != nil {
		return err
	}
	if g.illegal != nil && !strings.HasPrefix(word, "反則") {
		return g.illegal
	}
	g.ended = true
	g.end = g.byWord(word)
	if d, ok := kifTime(times); ok {
		g.record.LastTime, g.record.HasLast = d, true
	}
	return nil
}

// kifEndWord reports whether a text is a word for the end of a game.
func kifEndWord(word string) bool {
	_, known := readings[word]
	return known && !strings.HasPrefix(word, "%")
}

// byWord returns the outcome for an end word. The winner depends on the side to move. After an illegal move, which is
// not in the record, the side that played it is still to move, and has lost.
func (g *kifGame) byWord(word string) outcome {
	o, _ := meaningOf(word, g.p.Side())
	if g.illegal != nil {
		o = lost(kifu.EndIllegalMove, g.p.Side())
	}
	if o.result == kifu.EndIllegalMove {
		o.result = byRepetition(&g.record, g.start, kifu.EndIllegalMove)
	}
	return o.atLimit(&g.record)
}

// summarised reads the line that begins with まで. In KI2 it is the only description of the end.
func (g *kifGame) summarised(s string) error {
	g.content = true
	if g.ended {
		return nil
	}
	if err := g.place(); err != nil {
		return err
	}
	if g.doubt != nil && strings.HasPrefix(s, fmt.Sprintf("まで%d手", len(g.record.Moves))) { // no move is missing
		g.illegal, g.ended = nil, true
	}
	if g.illegal != nil && !strings.Contains(s, "反則") {
		return g.illegal
	}
	for _, known := range []struct{ part, word string }{
		{"中断", "中断"}, {"千日手", "千日手"}, {"持将棋", "持将棋"}, {"最大手数", "最大手数"}, {"不戦勝", "不戦勝"}, {"不戦敗", "不戦敗"}, {"切れ", "切れ負け"},
		{"反則勝ち", "反則勝ち"}, {"反則負け", "反則負け"}, {"反則", "反則負け"}, {"入玉勝ち", "入玉勝ち"}, {"宣言", "入玉勝ち"}, {"詰", "詰み"}, {"勝ち", "投了"},
	} {
		if strings.Contains(s, known.part) {
			g.end, g.ended = g.byWord(known.word), true
			break
		}
	}
	for part, winner := range map[string]string{"先手の": "black", "下手の": "black", "後手の": "white", "上手の": "white"} {
		if strings.Contains(s, part) && g.end.winner != "" && g.end.winner != draw {
			g.end.winner = summaryWinner(s, winner)
		}
	}
	if g.end.result == kifu.EndResignation && (g.doubt != nil || g.end.winner == g.p.Side().String()) {
		g.end.result = kifu.EndUnknownReason // a player cannot resign while the other is to move
	}
	return nil
}

// summaryWinner returns the winner in a text such as "先手の勝ち", "後手の反則勝ち" or "先手の反則負け". named is the side whose name the
// text begins with.
func summaryWinner(s, named string) string {
	if !strings.Contains(s, "負け") && !strings.Contains(s, "不戦敗") || strings.Contains(s, "により") {
		return named
	}
	if named == "black" {
		return "white"
	}
	return "black"
}

// comment reads a comment line. text is the line without the first *.
func (g *kifGame) comment(text string) error {
	if g.branch {
		return nil
	}
	r := &g.record
	if o, note, ok := noted(text); ok {
		g.own = o
		if note != "" {
			r.Note = note
		}
		return nil
	}
	n := len(r.Moves)
	if n == 0 {
		return addLine(&r.Comment, text)
	}
	if text == kifu.OpeningEnd {
		setOpening(r)
		return nil
	}
	if thought, ok := strings.CutPrefix(text, "*対局"); ok && !g.ended {
		g.thought(&r.Moves[n-1], thought)
		return nil
	}
	if g.ended && n > 0 {
		return nil // the comment belongs to the end
	}
	return addLine(&r.Moves[n-1].Comment, text)
}

// thought reads the search data " 深さ D ノード数 N 評価値 S 読み筋 ▲…" of the last move.
func (g *kifGame) thought(m *kifu.Move, text string) {
	text, line, _ := strings.Cut(text, "読み筋 ")
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i += 2 {
		switch words[i] {
		case "深さ":
			depth, _, _ := strings.Cut(words[i+1], "/")
			m.Depth = number(depth)
		case "ノード数":
			m.Nodes, _ = strconv.ParseUint(words[i+1], 10, 64)
		case "評価値":
			if score, err := strconv.ParseInt(words[i+1], 10, 32); err == nil {
				m.HasScore, m.Score = true, int(score)
				if g.p.Side() == shogi.Black { // the last move was White's
					m.Score = -m.Score
				}
			}
		}
	}
	g.variation(m, line)
}

// variation reads the moves of a principal variation. Its first move is the move that it comments on.
func (g *kifGame) variation(m *kifu.Move, line string) {
	p, n := g.start, len(g.record.Moves)-1
	for i := range n {
		p.Apply(g.record.Moves[i].Move)
	}
	var pv []shogi.Move
	for word := range strings.FieldsSeq(line) {
		_, size := utf8.DecodeRuneInString(word)
		next, err := parseKIFMove(&p, word[size:], shogi.NoSquare)
		if err != nil || p.CheckLegal(next) != nil {
			break
		}
		pv = append(pv, next)
		p.Apply(next)
	}
	m.PV = pv
}

// finish sets the result and the winner of the record.
func (g *kifGame) finish() error {
	if g.doubt != nil && !g.ended {
		g.illegal = nil
	}
	if g.illegal != nil && !g.ended {
		return g.illegal
	}
	if err := g.place(); err != nil {
		return err
	}
	if g.illegal != nil && g.record.Note == "" {
		g.record.Note = g.illegal.Error()
	}
	if g.own.winner != "" {
		g.end = g.own
	}
	if g.end.winner != "" {
		g.doubt = nil
	}
	g.end.set(&g.record)
	return nil
}
