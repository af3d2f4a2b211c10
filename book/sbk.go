package book

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"gogi/shogi"
)

// The numbers of the fields of sbk.proto.
const (
	sbkAuthor, sbkDescription, sbkStates = 1, 2, 3

	stateID, stateBoardKey, stateHandKey, stateGames, stateBlackWon, stateWhiteWon = 1, 2, 3, 4, 5, 6
	statePosition, stateComment, stateMoves, stateEvals                            = 7, 8, 9, 10

	moveMove, moveMark, moveWeight, moveNext = 1, 2, 3, 4

	evalScore, evalDepth, evalSelDepth, evalNodes, evalLine, evalEngine = 1, 2, 3, 4, 5, 6
)

// sbkState is a node of the graph.
type sbkState struct {
	entry    Entry
	position string // "" where another node leads here
	moves    []sbkMove
}

// sbkMove is an edge.
type sbkMove struct {
	bits   uint32
	mark   int
	weight int
	next   int // index of a node; outside of the file for none
}

// eachField calls f for each field of a message: a number in its value, or bytes. offset
// is that of the message in the file.
func eachField(b []byte, offset int, f func(field protowire.Number, value uint64, text []byte, offset int) error) error {
	rest := b
	for len(rest) > 0 {
		at := offset + len(b) - len(rest)
		field, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return fmt.Errorf("byte %d: %w: expected a field of protobuf", at, protowire.ParseError(n))
		}
		rest = rest[n:]
		var value uint64
		var text []byte
		switch kind {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(rest)
		case protowire.BytesType:
			text, n = protowire.ConsumeBytes(rest)
		default:
			n = protowire.ConsumeFieldValue(field, kind, rest)
		}
		if n < 0 {
			return fmt.Errorf("byte %d: field %d: %w", at, field, protowire.ParseError(n))
		}
		inner := offset + len(b) - len(rest) + n - len(text)
		rest = rest[n:]
		if err := f(field, value, text, inner); err != nil {
			return err
		}
	}
	return nil
}

// number is a field of int32: negative ones stand in 64 bits.
func number(v uint64) int { return int(int32(v)) } //nolint:gosec // its bits

// readSBK reads an sbk. Nodes refer to each other by their places in the file, and only
// some have a position: those of the others are found by playing the moves that lead there.
func readSBK(data []byte) (*Book, error) {
	b := &Book{}
	var states []*sbkState
	known := len(data) == 0
	err := eachField(data, 0, func(field protowire.Number, _ uint64, text []byte, offset int) error {
		known = known || field <= sbkStates
		switch field {
		case sbkAuthor:
			b.Author = string(text)
		case sbkDescription:
			b.Description = string(text)
		case sbkStates:
			s, err := readState(text, offset)
			if err != nil {
				return fmt.Errorf("node %d: %w", len(states), err)
			}
			states = append(states, s)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, errors.New("byte 0: there is no node, author or description: expected an sbk")
	}
	return b, b.walkSBK(states)
}

func readState(data []byte, offset int) (*sbkState, error) {
	s := &sbkState{}
	err := eachField(data, offset, func(field protowire.Number, v uint64, text []byte, offset int) (err error) {
		switch field {
		case stateGames:
			s.entry.Games = number(v)
		case stateBlackWon:
			s.entry.BlackWon = number(v)
		case stateWhiteWon:
			s.entry.WhiteWon = number(v)
		case statePosition:
			s.position = string(text)
		case stateComment:
			s.entry.Comment = string(text)
		case stateMoves:
			var m sbkMove
			m, err = readSBKMove(text, offset)
			s.moves = append(s.moves, m)
		case stateEvals:
			var e Eval
			e, err = readEval(text, offset)
			s.entry.Evals = append(s.entry.Evals, e)
		}
		return err
	})
	return s, err
}

func readSBKMove(data []byte, offset int) (m sbkMove, err error) {
	err = eachField(data, offset, func(field protowire.Number, v uint64, _ []byte, offset int) error {
		switch field {
		case moveMove:
			m.bits = uint32(v) //nolint:gosec // its bits
		case moveMark:
			if m.mark = number(v); m.mark < 0 || m.mark > 4 {
				return fmt.Errorf("byte %d: the mark is %d: expected 0 to 4", offset, m.mark)
			}
		case moveWeight:
			m.weight = number(v)
		case moveNext:
			m.next = number(v)
		}
		return nil
	})
	return m, err
}

func readEval(data []byte, offset int) (e Eval, err error) {
	err = eachField(data, offset, func(field protowire.Number, v uint64, text []byte, _ int) error {
		switch field {
		case evalScore:
			e.Score = number(v)
		case evalDepth:
			e.Depth = number(v)
		case evalSelDepth:
			e.SelDepth = number(v)
		case evalNodes:
			e.Nodes = int64(v) //nolint:gosec // its bits
		case evalLine:
			e.Line = string(text)
		case evalEngine:
			e.Engine = string(text)
		}
		return nil
	})
	return e, err
}

// sbkPiece is the number of a type in sbk, where gold comes before bishop and rook and a
// promoted type is its base type plus 8.
func sbkPiece(t shogi.PieceType) uint32 {
	n := [...]uint32{0, 1, 2, 3, 4, 6, 7, 5, 8}[t.Base()]
	if t.IsPromoted() {
		n += 8
	}
	return n
}

// sbkDropped is the type of a number, of those that can be dropped.
func sbkDropped(n uint32) shogi.PieceType {
	return [...]shogi.PieceType{0, shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.Bishop, shogi.Rook, 0, 0, 0, 0, 0, 0, 0, 0}[n&15]
}

// The places of the parts of a move of sbk: four bits each for the rank and the file it
// leaves (0 for a drop), rank and file it goes to, bit 19 a promotion, 20-23 what it takes,
// 24-27 what moves, 28 and 31 White.
const (
	sbkFromFile, sbkToRank, sbkToFile = 4, 8, 12
	sbkPromotes, sbkTaken, sbkMoved   = 19, 20, 24
	sbkWhite                          = 1<<28 | 1<<31
)

// sbkBits are a move that is legal in p.
func sbkBits(p *shogi.Position, m shogi.Move) uint32 {
	bits := uint32(m.To().Rank())<<sbkToRank | uint32(m.To().File())<<sbkToFile //nolint:gosec // 1 to 9
	moved := m.Dropped()
	if !m.IsDrop() {
		moved = p.PieceAt(m.From()).Type()
		bits |= uint32(m.From().Rank()) | uint32(m.From().File())<<sbkFromFile //nolint:gosec // 1 to 9
		bits |= sbkPiece(p.PieceAt(m.To()).Type()) << sbkTaken
	}
	if m.Promotes() {
		bits |= 1 << sbkPromotes
	}
	if p.Side() == shogi.White {
		bits |= sbkWhite
	}
	return bits | sbkPiece(moved)<<sbkMoved
}

// sbkMoveOf reads the move; the side and the pieces are those of the position it is played
// in.
func sbkMoveOf(bits uint32) (shogi.Move, error) {
	part := func(shift uint) int { return int(bits >> shift & 15) }
	to := shogi.NewSquare(part(sbkToFile), part(sbkToRank))
	from := shogi.NewSquare(part(sbkFromFile), part(0))
	dropped := sbkDropped(bits >> sbkMoved)
	switch {
	case to == shogi.NoSquare:
		return shogi.NoMove, fmt.Errorf("the bits %#08x go to file %d, rank %d: expected 1 to 9", bits, part(sbkToFile), part(sbkToRank))
	case part(0) == 0 && part(sbkFromFile) == 0 && dropped == 0:
		return shogi.NoMove, fmt.Errorf("the bits %#08x drop piece number %d: expected 1 to 7", bits, bits>>sbkMoved&15)
	case part(0) == 0 && part(sbkFromFile) == 0:
		return shogi.NewDrop(dropped, to), nil
	case from == shogi.NoSquare || from == to:
		return shogi.NoMove, fmt.Errorf("the bits %#08x leave file %d, rank %d: expected another square, or 0 for a drop", bits, part(sbkFromFile), part(0))
	case bits>>sbkPromotes&1 != 0:
		return shogi.NewPromotion(from, to), nil
	}
	return shogi.NewMove(from, to), nil
}

// walkSBK gives the nodes their positions and makes entries of them, in their order. A node
// without a way to it, and one that says nothing, is none; the former are Lost.
func (b *Book) walkSBK(states []*sbkState) error {
	reached := make([]bool, len(states))
	var stack []int
	for root, s := range states {
		if s.position == "" || reached[root] {
			continue
		}
		text := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(s.position), "position "), "sfen ")
		if text == "startpos" {
			start := shogi.StartPos()
			text = start.SFEN()
		}
		p, err := shogi.ParseSFEN(text)
		if err != nil {
			return fmt.Errorf("node %d: %w", root, err)
		}
		s.entry.Position, reached[root] = p, true
		for stack = append(stack[:0], root); len(stack) > 0; {
			node := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			next, err := states[node].play(states, reached)
			if err != nil {
				return fmt.Errorf("node %d: %w", node, err)
			}
			stack = append(stack, next...)
		}
	}
	for i, s := range states {
		switch e := &s.entry; {
		case !reached[i]:
			b.Lost++
		case len(e.Moves) > 0 || e.Comment != "" || len(e.Evals) > 0 || e.Games != 0:
			b.Entries = append(b.Entries, e)
		}
	}
	return nil
}

// play makes moves of a node's edges, and positions of the nodes that they lead to for the
// first time, which it returns. An illegal move leads nowhere.
func (s *sbkState) play(states []*sbkState, reached []bool) (next []int, err error) {
	for _, edge := range s.moves {
		m, err := sbkMoveOf(edge.bits)
		if err != nil {
			return nil, err
		}
		s.entry.Moves = append(s.entry.Moves, Move{Move: m, Count: max(0, edge.weight), Mark: edge.mark})
		if edge.next < 0 || edge.next >= len(states) || reached[edge.next] || s.entry.Position.CheckLegal(m) != nil {
			continue
		}
		reached[edge.next] = true
		p := s.entry.Position
		p.Apply(m)
		states[edge.next].entry.Position = p
		next = append(next, edge.next)
	}
	return next, nil
}

// writeSBK writes the book as a graph: first the positions that no other one leads to,
// which ShogiGUI wants there, with their SFEN, then the others. The hashes of positions are
// 0, since how ShogiGUI makes them is not known; it reads such files. A position that can
// only be reached by a cycle has its SFEN, too. Illegal moves are an error.
func writeSBK(w io.Writer, b *Book) error {
	merged := b.Merged()
	led, err := merged.led()
	if err != nil {
		return err
	}
	var order []*Entry
	for _, wanted := range []bool{false, true} {
		for _, e := range merged.Entries {
			if led[e] == wanted {
				order = append(order, e)
			}
		}
	}
	id := map[*Entry]int{}
	for i, e := range order {
		id[e] = i
	}
	var out []byte
	out = appendText(out, sbkAuthor, b.Author)
	out = appendText(out, sbkDescription, b.Description)
	for _, e := range order {
		out = appendBytes(out, sbkStates, merged.appendState(nil, e, id, !led[e]))
	}
	_, err = w.Write(out)
	return err
}

// led tells the entries to which a walk from the others comes: the walk begins at those
// that no move leads to, and then, for cycles, at what is left.
func (b *Book) led() (map[*Entry]bool, error) {
	next := map[*Entry][]*Entry{}
	target := map[*Entry]bool{}
	for _, e := range b.Entries {
		for _, m := range e.Moves {
			if err := e.Position.CheckLegal(m.Move); err != nil {
				return nil, fmt.Errorf("%s: %w", e.Position.SFEN(), err)
			}
			p := e.Position
			p.Apply(m.Move)
			if to := b.Find(&p); to != nil && to != e {
				next[e], target[to] = append(next[e], to), true
			}
		}
	}
	led, met := map[*Entry]bool{}, map[*Entry]bool{}
	walk := func(root *Entry) {
		met[root] = true
		for stack := []*Entry{root}; len(stack) > 0; {
			e := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, to := range next[e] {
				if !met[to] {
					met[to], led[to] = true, true
					stack = append(stack, to)
				}
			}
		}
	}
	for _, cycles := range []bool{false, true} {
		for _, e := range b.Entries {
			if !met[e] && (cycles || !target[e]) {
				walk(e)
			}
		}
	}
	return led, nil
}

// appendState appends a node. All required fields are written, those that are 0 too.
func (b *Book) appendState(dst []byte, e *Entry, id map[*Entry]int, root bool) []byte {
	dst = appendNumber(dst, stateID, id[e])
	dst = appendNumber(dst, stateBoardKey, 0)
	dst = appendNumber(dst, stateHandKey, 0)
	dst = appendNumber(dst, stateGames, e.Games)
	dst = appendNumber(dst, stateBlackWon, e.BlackWon)
	dst = appendNumber(dst, stateWhiteWon, e.WhiteWon)
	if root {
		dst = appendText(dst, statePosition, Key(&e.Position)+" 1")
	}
	if e.Comment != "" {
		dst = appendText(dst, stateComment, e.Comment)
	}
	for _, m := range e.Moves {
		p := e.Position
		p.Apply(m.Move)
		next := -1
		if to := b.Find(&p); to != nil {
			next = id[to]
		}
		var x []byte
		x = appendNumber(x, moveMove, int(int32(sbkBits(&e.Position, m.Move)))) //nolint:gosec // its bits
		x = appendNumber(x, moveMark, m.Mark)
		x = appendNumber(x, moveWeight, m.Count)
		dst = appendBytes(dst, stateMoves, appendNumber(x, moveNext, next))
	}
	for _, v := range e.Evals {
		var x []byte
		x = appendNumber(x, evalScore, v.Score)
		x = appendNumber(x, evalDepth, v.Depth)
		x = appendNumber(x, evalSelDepth, v.SelDepth)
		x = appendNumber(x, evalNodes, int(v.Nodes))
		x = appendText(x, evalLine, v.Line)
		if v.Engine != "" {
			x = appendText(x, evalEngine, v.Engine)
		}
		dst = appendBytes(dst, stateEvals, x)
	}
	return dst
}

// appendNumber appends a number; a negative one takes 64 bits, as protobuf has it.
func appendNumber(dst []byte, field protowire.Number, v int) []byte {
	dst = protowire.AppendTag(dst, field, protowire.VarintType)
	return protowire.AppendVarint(dst, uint64(v)) //nolint:gosec // its bits
}

func appendText(dst []byte, field protowire.Number, text string) []byte {
	return appendBytes(dst, field, []byte(text))
}

func appendBytes(dst []byte, field protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, field, protowire.BytesType), b)
}
