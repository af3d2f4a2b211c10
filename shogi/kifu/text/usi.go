package text

import (
	"bytes"
	"fmt"
	"strings"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// AppendUSI appends a record as a line that engines understand: "position startpos moves …". The line has
// only the start and the moves.
func AppendUSI(dst []byte, r *kifu.Record) ([]byte, error) {
	if err := checkMoves(r); err != nil {
		return dst, err
	}
	return append(dst, "position "+r.USI()+"\n"...), nil
}

// AppendSFEN appends a record as a line for a file of openings: "sfen … moves …". It writes the start as SFEN
// even if it is the normal start.
func AppendSFEN(dst []byte, r *kifu.Record) ([]byte, error) {
	if err := checkMoves(r); err != nil {
		return dst, err
	}
	line := "sfen " + r.Start
	if len(r.Moves) > 0 {
		line += " moves " + strings.Join(r.USIMoves(), " ")
	}
	return append(dst, line+"\n"...), nil
}

// checkMoves returns an error for the first illegal move of a record.
func checkMoves(r *kifu.Record) error {
	p, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return fmt.Errorf("start position: %w", err)
	}
	for i := range r.Moves {
		if err := p.CheckLegal(r.Moves[i].Move); err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
		p.Apply(r.Moves[i].Move)
	}
	return nil
}

// readUSI returns a Reader of lines in USI notation, one game in each line. A line has "startpos", "sfen …"
// or an SFEN alone, optionally after "position" and optionally followed by "moves …". The Reader skips blank
// lines, lines that start with #, and remarks behind " #", which gogi book make writes.
func readUSI(in *Input) Reader {
	return &lineReader{in: in, comment: "#", parse: func(line []byte) (*kifu.Record, error) {
		return parseUSI(string(line))
	}}
}

// lineReader reads a text with one game in each line. It skips blank lines and comments.
type lineReader struct {
	in      *Input
	comment string // start of comment lines; "" if there are no comments
	parse   func(line []byte) (*kifu.Record, error)
	count   int
}

// Next returns the game of the next line.
func (r *lineReader) Next() (*kifu.Record, error) {
	for {
		line, ok := r.in.next()
		if !ok {
			return nil, r.in.end()
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 || r.comment != "" && bytes.HasPrefix(line, []byte(r.comment)) {
			continue
		}
		r.count++
		record, err := r.parse(line)
		if err != nil {
			return nil, r.in.bad(r.count, err)
		}
		return record, nil
	}
}

func parseUSI(line string) (*kifu.Record, error) {
	line, _, _ = strings.Cut(line, " #")
	line = strings.TrimSpace(strings.TrimPrefix(line, "position "))
	start, list, _ := strings.Cut(line, " moves")
	p := shogi.StartPos()
	if start = strings.TrimSpace(start); start != "startpos" {
		var err error
		if p, err = shogi.ParseSFEN(strings.TrimPrefix(start, "sfen ")); err != nil {
			return nil, fmt.Errorf("expected startpos or a SFEN: %w", err)
		}
	}
	r := &kifu.Record{Start: p.SFEN()}
	for word := range strings.FieldsSeq(list) {
		if r.Result != "" {
			return nil, fmt.Errorf("%q behind the end of the game", clipped([]byte(word)))
		}
		if word == "resign" {
			lost(kifu.EndResignation, p.Side()).set(r)
			continue
		}
		if word == "win" {
			won(kifu.EndDeclaration, p.Side()).set(r)
			continue
		}
		m, err := shogi.ParseMove(word)
		if err == nil {
			err = p.CheckLegal(m)
		}
		if err != nil {
			return nil, fmt.Errorf("move %d, %q: %w", len(r.Moves)+1, clipped([]byte(word)), err)
		}
		r.Moves = append(r.Moves, kifu.Move{Move: m, NoTime: true})
		p.Apply(m)
	}
	return r, nil
}
