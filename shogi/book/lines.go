package book

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"gogi/shogi"
)

// eachOpening calls f for each line of a list, such as "startpos moves 7g7f 3c3d" or "sfen …". start is the
// start in USI notation, first is the position at the start, and moves are the legal moves from there.
// eachOpening skips comments, which begin with #. It reads the move number 0 as 1.
func eachOpening(r io.Reader, f func(start string, first shogi.Position, moves []shogi.Move) error) error {
	return eachLine(r, func(_ int, line string) error {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			return nil
		}
		if sfen, list, _ := strings.Cut(line, " moves"); strings.HasPrefix(sfen, "sfen ") {
			sfen, _ = numbered(strings.TrimPrefix(sfen, "sfen "))
			line = strings.TrimSuffix("sfen "+sfen+" moves"+list, " moves")
		}
		start, first, moves, err := shogi.ReadLine(line)
		if err != nil {
			return err
		}
		p := first
		for i, m := range moves {
			if err := p.CheckLegal(m); err != nil {
				return fmt.Errorf("move %d: %w", i+1, err)
			}
			p.Apply(m)
		}
		return f(start, first, moves)
	})
}

// readLines reads a list of lines. Each move of a line counts as played once in its position. A line without
// moves gives a position without moves.
func readLines(r io.Reader) (*Book, error) {
	b := &Book{}
	byKey := map[string]*Entry{}
	entry := func(p *shogi.Position) *Entry {
		key := Key(p)
		if byKey[key] == nil {
			byKey[key] = &Entry{Position: *p}
			b.Entries = append(b.Entries, byKey[key])
		}
		return byKey[key]
	}
	err := eachOpening(r, func(_ string, p shogi.Position, moves []shogi.Move) error {
		for _, m := range moves {
			entry(&p).add(Move{Move: m, Count: 1})
			p.Apply(m)
		}
		if len(moves) == 0 {
			entry(&p)
		}
		return nil
	})
	return b, err
}

// targets returns the set of the entries to which a move of another entry leads. It returns an error for an illegal
// move.
func (b *Book) targets() (map[*Entry]bool, error) {
	target := map[*Entry]bool{}
	for _, e := range b.Entries {
		for _, m := range e.Moves {
			if err := e.Position.CheckLegal(m.Move); err != nil {
				return nil, fmt.Errorf("%s: %w", e.Position.SFEN(), err)
			}
			p := e.Position
			p.Apply(m.Move)
			if to := b.Find(&p); to != nil && to != e {
				target[to] = true
			}
		}
	}
	return target, nil
}

// writeUSI writes lines that together have every move of the book once. Each line starts from a position to
// which no move leads, or later from a position in a cycle. It follows the first move that is not written
// yet, until there is none. writeUSI returns an error for an illegal move.
func writeUSI(w io.Writer, b *Book) error {
	merged := b.Merged()
	target, err := merged.targets()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	met := map[*Entry]bool{}
	for _, cycles := range []bool{false, true} {
		for _, root := range merged.Entries {
			if met[root] || target[root] != cycles {
				continue
			}
			start := "startpos"
			if usual := shogi.StartPos(); root.Position.SFEN() != usual.SFEN() {
				start = "sfen " + root.Position.SFEN()
			}
			if len(root.Moves) == 0 && !cycles {
				fmt.Fprintln(out, start)
			}
			merged.writeFrom(out, start, root, met)
		}
	}
	return out.Flush()
}

// step is a position on the current path, with the index of the next move to follow.
type step struct {
	entry *Entry
	next  int
}

// writeFrom writes all lines that begin at the position of root, with the text start. met has the positions whose
// moves were already written. So writeFrom writes each move of the book only once.
func (b *Book) writeFrom(out io.Writer, start string, root *Entry, met map[*Entry]bool) {
	path := []step{{entry: root}}
	var moves []string
	met[root] = true
	for len(path) > 0 {
		top := &path[len(path)-1]
		if top.next < len(top.entry.Moves) {
			m := top.entry.Moves[top.next].Move
			top.next++
			moves = append(moves, m.String())
			p := top.entry.Position
			p.Apply(m)
			if to := b.Find(&p); to != nil && !met[to] && len(to.Moves) > 0 {
				met[to] = true
				path = append(path, step{entry: to})
				continue
			}
			fmt.Fprintln(out, start+" moves "+strings.Join(moves, " "))
			moves = moves[:len(moves)-1]
			continue
		}
		path = path[:len(path)-1]
		moves = moves[:max(0, len(moves)-1)]
	}
}

// writeSFEN writes all positions, one in each line, in the order of the book, including positions without
// moves.
func writeSFEN(w io.Writer, b *Book) error {
	out := bufio.NewWriter(w)
	for _, e := range b.Merged().Entries {
		fmt.Fprintf(out, "sfen %s\n", e.Position.SFEN())
	}
	return out.Flush()
}

// ConvertLines converts a list of openings, one in each line, to the format usi or sfen. For "sfen" it writes
// the position after the last move of each line. For "usi" it writes the start and the moves, as in a
// position command. It returns the number of lines.
func ConvertLines(w io.Writer, r io.Reader, to string) (count int, err error) {
	if !slices.Contains([]string{usiName, sfenName}, to) {
		return 0, fmt.Errorf("lines cannot be written as %q: expected usi or sfen", to)
	}
	out := bufio.NewWriter(w)
	err = eachOpening(r, func(start string, p shogi.Position, moves []shogi.Move) error {
		count++
		text := shogi.LineText(start, moves)
		if to == sfenName {
			for _, m := range moves {
				p.Apply(m)
			}
			text = "sfen " + p.SFEN()
		}
		_, err := fmt.Fprintln(out, text)
		return err
	})
	if err != nil {
		return count, err
	}
	return count, out.Flush()
}
