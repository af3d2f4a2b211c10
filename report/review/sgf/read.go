package sgf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gogi/internal/sanitize"
	"gogi/report/review/goban"
)

// Parse reads all games of a text, in UTF-8 or Shift_JIS, and skips text before and between them. bad lists
// the rejected games. The second byte of a Shift_JIS character may look like "]", so Parse decodes the text
// before it splits it.
func Parse(data []byte) (games []*Game, bad []*BadGame) {
	p := parser{data: []byte(sanitize.Decode(data)), line: 1}
	for n := 1; p.seek(); n++ {
		game, err := p.game()
		if err != nil {
			bad = append(bad, &BadGame{Game: n, Line: p.wrong, Err: err})
			continue
		}
		games = append(games, game)
	}
	return games, bad
}

// parser reads a text byte by byte.
type parser struct {
	data  []byte
	at    int
	line  int
	wrong int // line of the first error in the current game
}

// next returns the next byte. ok is false at the end of the text.
func (p *parser) next() (c byte, ok bool) {
	if p.at == len(p.data) {
		return 0, false
	}
	c = p.data[p.at]
	p.at++
	if c == '\n' {
		p.line++
	}
	return c, true
}

// seek skips text up to the next "(;", which begins a game, and stops after the "(". It returns false if
// there is no further game.
func (p *parser) seek() bool {
	for {
		c, ok := p.next()
		if !ok {
			return false
		}
		if c != '(' {
			continue
		}
		rest := p.data[p.at:]
		for len(rest) > 0 && blank(rest[0]) {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0] == ';' {
			return true
		}
	}
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// errEnd is the error for a text that ends within a game.
var errEnd = errors.New("the text ends within a game")

// game reads a game up to the ")" that ends it. After an error it continues to that ")", so that the next
// game begins in the right place.
func (p *parser) game() (*Game, error) {
	b := builder{game: &Game{}}
	var first error
	fail := func(err error) {
		if err != nil && first == nil {
			first, p.wrong = err, p.line
		}
	}
	depth, main, leaf, leaves := 1, true, false, 0
	for depth > 0 {
		c, ok := p.next()
		switch {
		case !ok:
			fail(errEnd)
			return nil, first
		case blank(c):
		case c == '(':
			depth++
			leaf = false
		case c == ')':
			depth--
			if leaf {
				leaves++
			}
			main, leaf = false, false
		case c == ';':
			leaf = true
			if main {
				b.node++
			}
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
			name, values, err := p.property(c)
			if err != nil {
				fail(err)
				return nil, first
			}
			if main && first == nil {
				fail(b.property(name, values))
			}
		default:
			fail(fmt.Errorf("found %q, expected a property, a node or the end of a variation", c))
		}
	}
	if first == nil {
		fail(b.finish())
	}
	b.game.Branches = max(leaves-1, 0)
	return b.game, first
}

// property reads the name of a property and its values. It drops small letters from the name, as FF[3]
// requires. c is the first byte of the name.
func (p *parser) property(c byte) (name string, values []string, err error) {
	for c != '[' {
		if c >= 'A' && c <= 'Z' {
			name += string(rune(c))
		} else if !blank(c) && (c < 'a' || c > 'z') {
			return "", nil, fmt.Errorf("property %.20s: found %q, expected [ and a value", name, c)
		}
		var ok bool
		if c, ok = p.next(); !ok {
			return "", nil, errEnd
		}
	}
	for {
		value, err := p.value()
		if err != nil {
			return "", nil, err
		}
		values = append(values, value)
		for p.at < len(p.data) && blank(p.data[p.at]) {
			_, _ = p.next()
		}
		if p.at == len(p.data) || p.data[p.at] != '[' {
			return name, values, nil
		}
		_, _ = p.next()
	}
}

// value reads a property value up to the "]" that ends it. A backslash makes the next character part of the
// text. A backslash before a line break joins the two lines.
func (p *parser) value() (string, error) {
	var text []byte
	for {
		c, ok := p.next()
		if !ok {
			return "", errEnd
		}
		switch c {
		case ']':
			return newlines(text), nil
		case '\\':
			if c, ok = p.next(); !ok {
				return "", errEnd
			}
			if c == '\r' && p.at < len(p.data) && p.data[p.at] == '\n' {
				c, _ = p.next()
			}
			if c != '\n' {
				text = append(text, c)
			}
		default:
			text = append(text, c)
		}
	}
}

// newlines returns a value with all line breaks converted to "\n".
func newlines(text []byte) string {
	return strings.NewReplacer("\r\n", "\n", "\n\r", "\n", "\r", "\n").Replace(string(text))
}

// builder builds a game from the properties of its nodes.
type builder struct {
	game  *Game
	start goban.Board // the setup stones
	board goban.Board
	moved int // number of the node with the last move
	node  int
}

// property applies a property of the main line to the game. It ignores unknown properties.
func (b *builder) property(name string, values []string) (err error) {
	text := strings.TrimSpace(values[0])
	switch name {
	case "B":
		return b.move(goban.Black, text)
	case "W":
		return b.move(goban.White, text)
	case "AB":
		return b.setup(goban.Black, values)
	case "AW":
		return b.setup(goban.White, values)
	case "AE":
		return b.setup(goban.Empty, values)
	case "C":
		b.comment(values[0])
	case "V":
		return b.value(text)
	case "PL":
		return b.first(text)
	default:
		if b.node == 1 {
			return b.root(name, text)
		}
	}
	return nil
}

// root applies a property of the whole game. It ignores unknown properties.
func (b *builder) root(name, text string) (err error) {
	g := b.game
	fields := map[string]*string{
		"PB": &g.Black, "PW": &g.White, "BR": &g.BlackRank, "WR": &g.WhiteRank, "EV": &g.Event,
		"DT": &g.Date, "RU": &g.Rules, "RE": &g.Result,
	}
	switch name {
	case "GM":
		if text != "1" {
			err = fmt.Errorf("GM[%.10s]: expected 1, the game of Go", text)
		}
	case "SZ":
		if text != "19" && text != "19:19" {
			err = fmt.Errorf("SZ[%.10s]: expected the board of 19 lines", text)
		}
	case "KM":
		g.Komi, err = decimal(name, text)
	case "HA":
		if g.Handicap, err = strconv.Atoi(text); err != nil || g.Handicap < 0 || g.Handicap > goban.Size*goban.Size {
			err = fmt.Errorf("HA[%.10s]: expected a number of stones", text)
		}
	default:
		if field := fields[name]; field != nil {
			*field = oneLine(text)
		}
	}
	return err
}

// decimal reads a number of SGF's type Real. It also accepts a decimal comma, which some programs write.
func decimal(name, text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > 1e6 {
		return 0, fmt.Errorf("%s[%.20s]: expected a number such as 6.5", name, text)
	}
	return v, nil
}

func (b *builder) move(side goban.Colour, text string) error {
	if b.moved == b.node {
		return errors.New("a second move in one node")
	}
	p, err := pointOf(text)
	if err != nil {
		return err
	}
	m := goban.Move{Colour: side, Point: p}
	if _, err := b.board.Play(m); err != nil {
		return fmt.Errorf("move %d, %s: %w", len(b.game.Moves)+1, m, err)
	}
	b.moved = b.node
	b.game.Moves = append(b.game.Moves, Move{Move: m})
	return nil
}

// setup places stones before the first move, or removes them if side is Empty. A value is a point, or a
// rectangle such as aa:cc.
func (b *builder) setup(side goban.Colour, values []string) error {
	if len(b.game.Moves) > 0 {
		return errors.New("stones are set up after the first move: expected moves alone")
	}
	for _, text := range values {
		points, err := rectangle(strings.TrimSpace(text))
		if err != nil {
			return err
		}
		for _, p := range points {
			if side == goban.Empty {
				err = b.board.Remove(p)
			} else {
				err = b.board.Put(goban.Move{Colour: side, Point: p})
			}
			if err != nil {
				return fmt.Errorf("setting up %s: %w", p, err)
			}
		}
	}
	b.start = b.board
	return nil
}

// rectangle returns the points of a value: a point such as "pd", or a rectangle such as "aa:cc", given by its
// upper left and its lower right corner.
func rectangle(text string) ([]goban.Point, error) {
	first, last, both := strings.Cut(text, ":")
	if !both {
		last = first
	}
	a, err := pointOf(first)
	if err != nil {
		return nil, err
	}
	z, err := pointOf(last)
	if err != nil {
		return nil, err
	}
	if a == goban.Pass || z == goban.Pass || a.Column() > z.Column() || a.Line() < z.Line() {
		return nil, fmt.Errorf("stones at %.10q: expected a point, or the upper left and the lower right corner of a rectangle", text)
	}
	var list []goban.Point
	for line := z.Line(); line <= a.Line(); line++ {
		for column := a.Column(); column <= z.Column(); column++ {
			if p, ok := goban.At(column, line); ok {
				list = append(list, p)
			}
		}
	}
	return list, nil
}

// comment adds a comment to the last move, or to the game if there is no move yet. An empty comment adds
// nothing.
func (b *builder) comment(text string) {
	text = strings.Trim(text, "\n")
	if text == "" {
		return
	}
	place := &b.game.Comment
	if n := len(b.game.Moves); n > 0 {
		place = &b.game.Moves[n-1].Comment
	}
	if *place != "" {
		*place += "\n"
	}
	*place += text
}

func (b *builder) value(text string) error {
	v, err := decimal("V", text)
	if n := len(b.game.Moves); err == nil && n > 0 {
		b.game.Moves[n-1].Value, b.game.Moves[n-1].HasValue = v, true
	}
	return err
}

func (b *builder) first(text string) error {
	switch strings.ToLower(text) {
	case "b", "black", "1":
		b.game.First = goban.Black
	case "w", "white", "2":
		b.game.First = goban.White
	default:
		return fmt.Errorf("PL[%.10s]: expected B or W", text)
	}
	return nil
}

// finish stores the setup stones in the game, and determines which side moves first.
func (b *builder) finish() error {
	g := b.game
	if b.node == 0 {
		return errors.New("a game without a node")
	}
	for p := range goban.Point(goban.Size * goban.Size) {
		if c := b.start.Stone(p); c != goban.Empty {
			g.Setup = append(g.Setup, goban.Move{Colour: c, Point: p})
		}
	}
	switch {
	case len(g.Moves) > 0:
		g.First = g.Moves[0].Colour
	case g.First != goban.Empty:
	case g.Handicap > 1:
		g.First = goban.White
	default:
		g.First = goban.Black
	}
	return nil
}
