package diagram_test

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/diagram"
)

// element is a node of the SVG picture.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []element  `xml:",any"`
}

func (e *element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// walk visits an element and its descendants.
func (e *element) walk(visit func(*element)) {
	visit(e)
	for i := range e.Children {
		e.Children[i].walk(visit)
	}
}

func parse(t *testing.T, svg string) *element {
	t.Helper()
	var root element
	d := xml.NewDecoder(strings.NewReader(svg))
	if err := d.Decode(&root); err != nil {
		t.Fatalf("not well-formed: %v\n%s", err, svg)
	}
	testutil.Is(t, testutil.Err(d.Token()), io.EOF, "something follows the svg element")
	return &root
}

func position(t *testing.T, sfen string) shogi.Position {
	t.Helper()
	return testutil.Must(shogi.ParseSFEN(sfen))(t)
}

// kanji has the kanji for each SFEN letter, independent of the table in the package.
var kanji = map[string]string{
	"P": "歩", "L": "香", "N": "桂", "S": "銀", "G": "金", "B": "角", "R": "飛", "K": "玉",
	"+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "龍",
}

var positions = []string{
	"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
	"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
	"+P+L+N+S+B+RK2/9/9/9/9/9/9/9/2k+r+b+s+n+l+p w 2G2S2N2L16P2g 88",
	"4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
	"9/9/9/9/4k4/9/9/9/9 b - 1",
}

// TestEveryPieceOnce: the picture has each piece of the board once, with its kanji, colour and place. Both hands have
// the right numbers.
func TestEveryPieceOnce(t *testing.T) {
	for _, sfen := range positions {
		p := position(t, sfen)
		root := parse(t, diagram.Diagram{Position: p, Title: "title", ID: "d"}.SVG())
		left := map[string]string{} // square → colour and kanji
		for s := range shogi.NoSquare {
			if piece := p.PieceAt(s); piece != shogi.NoPiece {
				left[s.String()] = piece.Colour().String() + kanji[strings.ToUpper(piece.String())]
			}
		}
		root.walk(func(e *element) {
			square := e.attr("data-square")
			if square == "" {
				return
			}
			if got, want := e.attr("data-colour")+e.Children[1].Text, left[square]; got != want {
				t.Errorf("%s: %q on %s, want %q", sfen, got, square, want)
			}
			if turned := strings.Contains(e.attr("transform"), "rotate(180)"); turned != (e.attr("data-colour") == "white") {
				t.Errorf("%s: piece on %s has transform %q", sfen, square, e.attr("transform"))
			}
			if want := place(square); !strings.HasPrefix(e.attr("transform"), want) {
				t.Errorf("%s: piece on %s stands at %q, want %q", sfen, square, e.attr("transform"), want)
			}
			delete(left, square)
		})
		testutil.Check(t, len(left) == 0, "%s: not drawn: %v", sfen, left)
		for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
			checkHand(t, sfen, &p, c, root)
		}
	}
}

// place returns the beginning of a piece's transform, calculated from the sizes in the package comment.
func place(square string) string {
	x := 6 + (9-int(square[0]-'0'))*40 + 20
	y := 62 + int(square[1]-'a')*42 + 21
	return "translate(" + strconv.Itoa(x) + " " + strconv.Itoa(y) + ")"
}

func checkHand(t *testing.T, sfen string, p *shogi.Position, c shogi.Colour, root *element) {
	t.Helper()
	got := map[string]int{}
	root.walk(func(e *element) {
		if e.attr("data-hand") != c.String() {
			return
		}
		e.walk(func(e *element) {
			if e.attr("data-piece") == "" {
				return
			}
			n := 1
			if len(e.Children) > 1 {
				n, _ = strconv.Atoi(e.Children[1].Text)
			}
			got[e.Children[0].Text] += n
		})
	})
	for t2 := shogi.Pawn; t2 <= shogi.Gold; t2++ {
		letter := strings.ToUpper(shogi.NewPiece(c, t2).String())
		testutil.Check(t, got[kanji[letter]] == p.Hand(c, t2),
			"%s: %s has %d %s in hand, want %d", sfen, c, got[kanji[letter]], kanji[letter], p.Hand(c, t2))
		delete(got, kanji[letter])
	}
	testutil.Check(t, len(got) == 0, "%s: %s also has %v in hand", sfen, c, got)
}

// TestHandStaysInThePicture: the largest hands fit into the picture's width.
func TestHandStaysInThePicture(t *testing.T) {
	root := parse(t, diagram.Diagram{Position: position(t, positions[3]), ID: "d"}.SVG())
	root.walk(func(e *element) {
		if x, err := strconv.Atoi(e.attr("x")); err == nil && x > 375 && e.XMLName.Local == "text" &&
			e.attr("font-size") != "" {
			t.Errorf("text %q at %d is out of the picture", e.Text, x)
		}
	})
}

func TestLastMove(t *testing.T) {
	p := position(t, positions[0])
	for move, want := range map[string]string{"7g7f": "sd-from sd-to", "P*5e": "sd-to", "": ""} {
		m := shogi.NoMove
		if move != "" {
			var err error
			if m, err = shogi.ParseMove(move); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		parse(t, diagram.Diagram{Position: p, Last: m, ID: "d"}.SVG()).walk(func(e *element) {
			if class := e.attr("class"); class == "sd-from" || class == "sd-to" {
				got = append(got, class)
			}
		})
		testutil.Equal(t, strings.Join(got, " "), want, "move %q marks %q", move, got)
	}
}

// TestHostileText: a title cannot leave its element.
func TestHostileText(t *testing.T) {
	const hostile = `</title><script>alert(1)</script>&"'` + "\x00\xff"
	svg := diagram.Diagram{Position: shogi.StartPos(), Title: hostile, ID: `x" onload="alert(1)`}.SVG()
	parse(t, svg).walk(func(e *element) {
		testutil.Check(t, e.XMLName.Local != "script" && e.attr("onload") == "", "%s came through", e.XMLName.Local)
	})
}

func TestDescribe(t *testing.T) {
	got := diagram.Describe(position(t, "4k4/9/9/9/9/9/9/4+P4/4K4 w 2GP 1"))
	const want = "Black: promoted pawn 5h, king 5i. In hand: gold 2, pawn 1. White: king 5a. Nothing in hand. White to move."
	testutil.Equal(t, got, want)
}

func TestDescribeJapanese(t *testing.T) {
	p := position(t, "4k4/9/9/9/9/9/9/4+P4/4K4 w 2GP 1")
	const want = "先手：と５八、玉５九、持駒金2歩。後手：玉５一、持駒なし。後手番。"
	testutil.Equal(t, diagram.DescribeJapanese(p), want)
	svg := diagram.Diagram{Position: p, Japanese: true}.SVG()
	testutil.Check(t, strings.Contains(svg, want) && strings.Contains(svg, ">九</text>") &&
		!strings.Contains(svg, ">i</text>"),
		"the picture is not in Japanese")
}
