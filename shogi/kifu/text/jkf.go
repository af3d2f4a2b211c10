package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"gogi/internal/lists"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// These are the types of the JSON kifu format (JKF). Source: the schema in the npm package json-kifu-format,
// version 5.5.0.
type (
	jkfRecord struct {
		Header  map[string]string `json:"header"`
		Initial *jkfInitial       `json:"initial,omitempty"`
		Moves   []jkfMove         `json:"moves"`
	}
	jkfInitial struct {
		Preset string   `json:"preset"`
		Data   *jkfData `json:"data,omitempty"`
	}
	jkfData struct {
		Color int               `json:"color"`
		Board [][]jkfPiece      `json:"board"` // by file, then by rank
		Hands [2]map[string]int `json:"hands"`
	}
	jkfPiece struct {
		Color *int   `json:"color,omitempty"`
		Kind  string `json:"kind,omitempty"`
	}
	jkfMove struct {
		Comments []string          `json:"comments,omitempty"`
		Move     *jkfPly           `json:"move,omitempty"`
		Time     *jkfTime          `json:"time,omitempty"`
		Special  string            `json:"special,omitempty"`
		Forks    []json.RawMessage `json:"forks,omitempty"`
	}
	jkfPly struct {
		Color    *int      `json:"color,omitempty"`
		From     *jkfPlace `json:"from,omitempty"`
		To       *jkfPlace `json:"to,omitempty"`
		Piece    string    `json:"piece"`
		Same     bool      `json:"same,omitempty"`
		Promote  *bool     `json:"promote,omitempty"`
		Capture  string    `json:"capture,omitempty"`
		Relative string    `json:"relative,omitempty"`
	}
	jkfPlace struct {
		X int `json:"x"`
		Y int `json:"y"`
	}
	jkfTime struct {
		Now   jkfSpan  `json:"now"`
		Total *jkfSpan `json:"total,omitempty"`
	}
	jkfSpan struct {
		H *int `json:"h,omitempty"`
		M int  `json:"m"`
		S int  `json:"s"`
	}
)

// AppendJKF appends a record in the JSON kifu format, as one line. Times are in whole seconds. The search
// data of a move is in a comment, as in KIF. AppendJKF returns an error for an illegal move.
func AppendJKF(dst []byte, r *kifu.Record) ([]byte, error) {
	p, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return dst, fmt.Errorf("start position: %w", err)
	}
	out := jkfRecord{Header: jkfHeader(r, &p), Initial: jkfStart(&p), Moves: []jkfMove{{Comments: jkfComments(r.Comment)}}}
	spent, before := [2]time.Duration{}, shogi.NoSquare
	for i := range r.Moves {
		m := &r.Moves[i]
		if err := p.CheckLegal(m.Move); err != nil {
			return dst, fmt.Errorf("move %d: %w", i+1, err)
		}
		move := jkfMove{Move: jkfPlyOf(&p, m.Move, before)}
		if !m.NoTime {
			spent[p.Side()] += m.Time
			move.Time = jkfTimeOf(m.Time, spent[p.Side()])
		}
		if thought := kifThought(&p, m); thought != "" {
			move.Comments = append(move.Comments, thought)
		}
		if endsOpening(r, i) {
			move.Comments = append(move.Comments, kifu.OpeningEnd)
		}
		move.Comments = append(move.Comments, jkfComments(m.Comment)...)
		out.Moves = append(out.Moves, move)
		before = m.Move.To()
		p.Apply(m.Move)
	}
	out.Moves = append(out.Moves, jkfLast(r, p.Side(), spent[p.Side()]))
	text, err := json.Marshal(out)
	if err != nil {
		return dst, err
	}
	return append(append(dst, text...), '\n'), nil
}

// jkfComments returns the lines of a comment. It changes lines that a reader would mistake for a program's
// comment.
func jkfComments(text string) []string {
	lines := commentLines(text)
	for i := range lines {
		lines[i] = kifu.Remark(lines[i])
	}
	return lines
}

// jkfHeader returns the headers of a record, with the same keys as in KIF.
func jkfHeader(r *kifu.Record, p *shogi.Position) map[string]string {
	header := map[string]string{}
	for line := range strings.Lines(kifHead(r, p)) {
		key, value, ok := strings.Cut(strings.TrimRight(line, "\n"), "：")
		if ok && !strings.HasSuffix(key, "の持駒") && key != "手合割" {
			header[key] = value
		}
	}
	return header
}

// jkfStart returns the start position. If all readers know the start by name, it returns the name, else the
// whole position. Some readers do not know all names of the schema.
func jkfStart(p *shogi.Position) *jkfInitial {
	if even := shogi.StartPos(); p.SFEN() == even.SFEN() {
		return &jkfInitial{Preset: "HIRATE"}
	}
	if h, ok := knownHandicap(p); ok {
		return &jkfInitial{Preset: h.Code}
	}
	d := &jkfData{Color: int(p.Side())}
	for file := 1; file <= 9; file++ {
		column := make([]jkfPiece, 9)
		for rank := 1; rank <= 9; rank++ {
			if piece := p.PieceAt(shogi.NewSquare(file, rank)); piece != shogi.NoPiece {
				column[rank-1] = jkfPiece{Color: new(int(piece.Colour())), Kind: kifu.CSAPiece(piece.Type())}
			}
		}
		d.Board = append(d.Board, column)
	}
	for c := range d.Hands {
		d.Hands[c] = map[string]int{}
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			d.Hands[c][kifu.CSAPiece(t)] = p.Hand(shogi.Colour(c), t)
		}
	}
	return &jkfInitial{Preset: "OTHER", Data: d}
}

func jkfPlyOf(p *shogi.Position, m shogi.Move, before shogi.Square) *jkfPly {
	out := &jkfPly{Color: new(int(p.Side())), To: &jkfPlace{m.To().File(), m.To().Rank()}, Same: m.To() == before}
	if m.IsDrop() {
		out.Piece = kifu.CSAPiece(m.Dropped())
		if len(rivals(p, m.Dropped(), m.To())) > 0 {
			out.Relative = "H"
		}
		return out
	}
	t := p.PieceAt(m.From()).Type()
	out.Piece, out.From = kifu.CSAPiece(t), &jkfPlace{m.From().File(), m.From().Rank()}
	if taken := p.PieceAt(m.To()); taken != shogi.NoPiece {
		out.Capture = kifu.CSAPiece(taken.Type())
	}
	if m.Promotes() || p.CheckLegal(shogi.NewPromotion(m.From(), m.To())) == nil {
		out.Promote = new(m.Promotes())
	}
	out.Relative = strings.NewReplacer("左", "L", "直", "C", "右", "R", "上", "U", "寄", "M", "引",
		"D").Replace(relativeWords(p, m))
	return out
}

func jkfTimeOf(took, spent time.Duration) *jkfTime {
	now, total := int(took/time.Second), int(spent/time.Second)
	return &jkfTime{Now: jkfSpan{M: now / 60, S: now % 60},
		Total: &jkfSpan{H: new(total / 3600), M: total / 60 % 60, S: total % 60}}
}

// jkfLast returns the entry for the end of the game. The entry has CSA's word without the percent sign, as in the
// schema. spent is the time that the side to move has used before.
func jkfLast(r *kifu.Record, side shogi.Colour, spent time.Duration) jkfMove {
	last := jkfMove{Special: strings.TrimPrefix(wordsOf(r, side).jkf, "%")}
	if r.HasLast {
		last.Time = jkfTimeOf(r.LastTime, spent+r.LastTime)
	}
	if text := strings.TrimSuffix(strings.TrimPrefix(kifResult(r), "*"), "\n"); text != "" {
		last.Comments = []string{text}
	}
	return last
}

// maxObject is the size of the largest JSON object that gogi reads, in bytes.
const maxObject = 64 << 20

// readJKF returns a Reader of JSON objects, which may be separated by line ends.
func readJKF(in *Input) Reader {
	limited := &io.LimitedReader{R: in.r, N: maxObject}
	return &jkfReader{in: in, limited: limited, decoder: json.NewDecoder(limited)}
}

type jkfReader struct {
	in      *Input
	limited *io.LimitedReader
	decoder *json.Decoder
	count   int
	begun   bool
	open    bool // the reader is inside a list of games
	broken  bool // invalid JSON was read; the reader cannot continue
}

// Next reads one game, which is a JSON object. It stops at text that is not JSON.
func (r *jkfReader) Next() (*kifu.Record, error) {
	if r.broken {
		return nil, io.EOF
	}
	r.limited.N = maxObject
	var text jkfRecord
	err := r.list()
	if err == nil {
		err = r.decoder.Decode(&text)
	}
	if r.open && errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	r.count++
	wrong := new(json.UnmarshalTypeError)
	r.broken = err != nil && !errors.As(err, &wrong)
	var record *kifu.Record
	if err == nil {
		record, err = r.record(&text)
	}
	if err != nil {
		r.in.n = r.count // gogi writes one object in each line
		return nil, r.in.bad(r.count, err)
	}
	return record, nil
}

// list skips the brackets and commas of a list of games. Some programs write a list instead of one object per
// line.
func (r *jkfReader) list() error {
	if !r.begun {
		r.begun = true
		if !isList(r.in.Head()) {
			return nil
		}
		if _, err := r.decoder.Token(); err != nil {
			return err
		}
		r.open = true
	}
	for !r.decoder.More() {
		if _, err := r.decoder.Token(); err != nil { // "]", or the end
			return err
		}
		r.open = false
	}
	return nil
}

// isList reports whether a text begins as a JSON list that is empty or contains objects.
func isList(head []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("["))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return ok && (len(rest) == 0 || rest[0] == '{' || rest[0] == ']')
}

func (r *jkfReader) record(j *jkfRecord) (*kifu.Record, error) {
	g := kifGame{before: shogi.NoSquare}
	for _, key := range []string{"表題", "棋戦", "開始日時", "終了日時", "場所", "戦型", "持ち時間", "最大手数", "先手情報", "後手情報", "先手", "下手", "後手",
		"上手"} {
		if value, ok := j.Header[key]; ok {
			if err := g.header(key, value); err != nil {
				return nil, err
			}
		}
	}
	if err := j.start(&g); err != nil {
		return nil, err
	}
	for i := range j.Moves {
		if err := g.jkfMove(i, &j.Moves[i]); err != nil {
			return nil, err
		}
	}
	if err := g.finish(); err != nil {
		return nil, err
	}
	r.in.warn(r.count, r.count, &g.record, g.doubt) // gogi writes one object in each line
	return &g.record, nil
}

// start sets the start position of the game.
func (j *jkfRecord) start(g *kifGame) error {
	switch {
	case j.Initial == nil || j.Initial.Preset == "HIRATE":
	case j.Initial.Preset != "OTHER":
		g.handicap = j.Initial.Preset
	case j.Initial.Data == nil:
		return errors.New(`initial has the preset "OTHER": expected data with it`)
	default:
		return j.Initial.Data.start(g)
	}
	return g.place()
}

func (d *jkfData) start(g *kifGame) (err error) {
	setup := shogi.Setup{Ply: 1, Side: shogi.Colour(d.Color & 1)}
	if len(d.Board) != 9 {
		return fmt.Errorf("the board has %d files: expected 9", len(d.Board))
	}
	for x, column := range d.Board {
		if len(column) != 9 {
			return fmt.Errorf("file %d has %d squares: expected 9", x+1, len(column))
		}
		for y, piece := range column {
			if piece.Kind == "" {
				continue
			}
			t, ok := kifu.ParseCSAPiece(piece.Kind)
			if !ok || piece.Color == nil {
				return fmt.Errorf("square %d%d: %q: expected a colour and a kind such as FU", x+1, y+1, piece.Kind)
			}
			setup.Board[shogi.NewSquare(x+1, y+1)] = shogi.NewPiece(shogi.Colour(*piece.Color&1), t)
		}
	}
	for c, hand := range d.Hands {
		for kind, n := range hand {
			t, ok := kifu.ParseCSAPiece(kind)
			if ok && t <= shogi.Gold {
				setup.Hands[c][t] = n
			} else if n != 0 {
				return fmt.Errorf("in hand %q: expected FU, KY, KE, GI, KI, KA or HI", kind)
			}
		}
	}
	g.placed, g.moving = true, true
	if g.p, err = setup.Position(); err != nil {
		return fmt.Errorf("the position: %w", err)
	}
	g.start, g.record.Start = g.p, g.p.SFEN()
	return nil
}

// jkfMove reads entry number i of the list of moves.
func (g *kifGame) jkfMove(i int, m *jkfMove) error {
	g.record.Branches += len(m.Forks)
	times := ""
	if m.Time != nil {
		hours := 0
		if m.Time.Now.H != nil {
			hours = *m.Time.Now.H
		}
		times = "(" + strconv.Itoa(60*hours+m.Time.Now.M) + ":" + strconv.Itoa(m.Time.Now.S) + "/"
	}
	if m.Move != nil {
		if i == 0 {
			return errors.New("the first entry of moves has a move: expected the comments on the start alone")
		}
		text, err := g.jkfPly(m.Move)
		if err == nil {
			err = g.play(text, times)
		}
		if err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
	}
	if m.Special != "" {
		if err := g.jkfEnd(m.Special, times); err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return lists.Each(m.Comments, g.comment)
}

// jkfPly returns a move in KIF notation, so that gogi reads it as in a KIF file.
func (g *kifGame) jkfPly(m *jkfPly) (string, error) {
	t, ok := kifu.ParseCSAPiece(m.Piece)
	to := shogi.NoSquare
	switch {
	case m.To != nil:
		to = shogi.NewSquare(m.To.X, m.To.Y)
	case m.Same:
		to = g.before
	}
	if !ok || to == shogi.NoSquare {
		return "", errors.New("the move has no piece such as FU, or no square that it goes to")
	}
	text := strconv.Itoa(to.File()) + strconv.Itoa(to.Rank()) + kifu.KIFPiece(t)
	if m.From == nil {
		return text + "打", nil
	}
	if m.Promote != nil && *m.Promote {
		text += "成"
	}
	return text + "(" + strconv.Itoa(m.From.X) + strconv.Itoa(m.From.Y) + ")", nil
}

// jkfEnd reads the word for the end of the game, which is one of CSA's words. times is the time of the answer that
// ended the game, written as in KIF.
func (g *kifGame) jkfEnd(word, times string) error {
	if g.illegal != nil && !strings.Contains(word, "ILLEGAL") {
		return g.illegal
	}
	c := csaGame{record: g.record, p: g.p, start: g.start, ended: "%" + word}
	g.ended, g.end, g.doubt = true, c.byWord(), c.doubt
	if d, ok := kifTime(times); ok {
		g.record.LastTime, g.record.HasLast = d, true
	}
	return nil
}
