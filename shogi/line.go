package shogi

import (
	"fmt"
	"strings"
)

// ReadLine parses a line like USI's "position" command. It accepts "startpos" or an SFEN, with or without the words
// "position" and "sfen", and optionally "moves" with moves. It returns the start in USI notation ("startpos" or "sfen
// …"), the start position, and the moves. It does not check whether the moves are legal.
func ReadLine(line string) (start string, first Position, moves []Move, err error) {
	text := strings.TrimSpace(line)
	text = strings.TrimSpace(strings.TrimPrefix(text, "position "))
	start, list, _ := strings.Cut(text, " moves")
	start = strings.TrimSpace(start)
	if start != "startpos" && !strings.HasPrefix(start, "sfen ") {
		start = "sfen " + start
	}
	if first, err = ParseStart(start); err != nil {
		return "", Position{}, nil, err
	}
	if list != "" {
		moves = make([]Move, 0, len(list)/len(" 7g7f"))
	}
	for w := range strings.FieldsSeq(list) {
		m, err := ParseMove(w)
		if err != nil {
			return "", Position{}, nil, fmt.Errorf("move %d: %w", len(moves)+1, err)
		}
		moves = append(moves, m)
	}
	return start, first, moves, nil
}

// LineText returns the line "START moves MOVES", which ReadLine can parse. start is in USI notation. Without
// moves the line is only start.
func LineText(start string, moves []Move) string {
	return string(AppendLine(make([]byte, 0, len(start)+len(" moves")+len(" 7g7f+")*len(moves)), start, moves))
}

// AppendLine appends the text of LineText to b.
func AppendLine(b []byte, start string, moves []Move) []byte {
	b = append(b, start...)
	if len(moves) == 0 {
		return b
	}
	b = append(b, " moves"...)
	for _, m := range moves {
		b = m.Append(append(b, ' '))
	}
	return b
}

// ParseStart returns the start position of USI's position command. text is "startpos", or "sfen " followed by
// the four fields of an SFEN.
func ParseStart(text string) (Position, error) {
	if text == "startpos" {
		return StartPos(), nil
	}
	sfen, ok := strings.CutPrefix(text, "sfen ")
	if !ok {
		return Position{}, fmt.Errorf("position %q: expected \"startpos\" or \"sfen …\"", text)
	}
	return ParseSFEN(sfen)
}
