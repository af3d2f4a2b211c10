package packed

import (
	"encoding/binary"
	"fmt"
	"io"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// Outcome is the result of a game, as a number of the format hcpe.
type Outcome uint8

// These are the outcomes.
const (
	Draw      Outcome = 0
	BlackWins Outcome = 1
	WhiteWins Outcome = 2
)

// String returns "draw", "black" or "white".
func (o Outcome) String() string {
	switch o {
	case BlackWins:
		return "black"
	case WhiteWins:
		return "white"
	default:
		return "draw"
	}
}

// MarshalText returns the text of String.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// forSide returns the outcome as the number that psv stores: 1 if side c won, -1 if it lost, 0 for a draw.
func (o Outcome) forSide(c shogi.Colour) int8 {
	switch {
	case o == Draw:
		return 0
	case (o == BlackWins) == (c == shogi.Black):
		return 1
	}
	return -1
}

// ofSide returns the outcome of a game with the result v (1, 0 or -1) for side c. ok is false for other numbers.
func ofSide(v int8, c shogi.Colour) (Outcome, bool) {
	switch {
	case v == 0:
		return Draw, true
	case v != 1 && v != -1:
		return Draw, false
	case (v == 1) == (c == shogi.Black):
		return BlackWins, true
	}
	return WhiteWins, true
}

// End is the way in which a game ended, as bits of the formats hcpe2 and hcpe3: by repetition, declaration or the limit
// of moves.
type End uint8

// These are the ends, as bits in the byte of the result. 0 means any other end.
const (
	EndRepetition  End = 1 << 2
	EndDeclaration End = 1 << 3
	EndMaxPlies    End = 1 << 4

	endBits = EndRepetition | EndDeclaration | EndMaxPlies
)

// String returns "repetition", "declaration" or "max_plies". It joins several words with "+", and returns ""
// for 0.
func (e End) String() string {
	text := ""
	for _, w := range []struct {
		bit  End
		word string
	}{{EndRepetition, kifu.EndRepetition}, {EndDeclaration, kifu.EndDeclaration}, {EndMaxPlies, kifu.EndMaxPlies}} {
		if e&w.bit == 0 {
			continue
		}
		if text != "" {
			text += "+"
		}
		text += w.word
	}
	return text
}

// Sample is one position of training data, with the move that was played there, its score and the result of
// the game.
type Sample struct {
	Position shogi.Position // only psv stores the number of its next move
	Move     shogi.Move     // NoMove if the bytes are not a move
	Score    int16          // centipawns from the view of the side to move
	Outcome  Outcome        // of the whole game
	End      End            // stored only by hcpe2
}

// Legal returns nil if the sample's move is legal in its position, else the reason.
func (s *Sample) Legal() error { return s.Position.CheckLegal(s.Move) }

// These are the sizes of a sample in bytes.
const (
	psvSize  = 40
	hcpeSize = 38
)

// AppendPSV appends the sample as YaneuraOu's PackedSfenValue, 40 bytes: PackedSfen, score, move, number of
// the move, result for the side to move, and a byte 0. It returns ErrCut if the position needs more than 256
// bits, and an error for a move number above 65535.
func AppendPSV(dst []byte, s *Sample) ([]byte, error) {
	ply := s.Position.Ply()
	if ply > 1<<16-1 {
		return dst, fmt.Errorf("psv: the move number is %d: expected at most 65535", ply)
	}
	dst, err := AppendSfen(dst, &s.Position)
	if err != nil {
		return dst, err
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(s.Score))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(s.Move))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(ply))
	return append(dst, byte(s.Outcome.forSide(s.Position.Side())), 0), nil
}

// ParsePSV decodes a sample that AppendPSV encoded. It does not check the move. Its error is an *Error.
func ParsePSV(b []byte) (s Sample, err error) {
	if len(b) < psvSize {
		return s, fault(int64(len(b)), "the psv has %d bytes: expected %d", len(b), psvSize)
	}
	if s.Position, err = ParseSfen(b, int(binary.LittleEndian.Uint16(b[36:]))); err != nil {
		return s, err
	}
	s.Score = int16(binary.LittleEndian.Uint16(b[32:]))
	s.Move = shogi.Move(binary.LittleEndian.Uint16(b[34:]))
	var ok bool
	if s.Outcome, ok = ofSide(int8(b[38]), s.Position.Side()); !ok {
		return s, fault(38, "the result is %d: expected -1, 0 or 1", int8(b[38]))
	}
	return s, nil
}

// AppendHCPE appends the sample as hcpe, 38 bytes: HCP, score, move in Apery's form, result, and a byte 0. It
// returns ErrCut if the position needs more than 256 bits.
func AppendHCPE(dst []byte, s *Sample) ([]byte, error) { return appendHCPE(dst, s, 0) }

// AppendHCPE2 appends the sample as hcpe2: like hcpe, but the byte of the result also contains the sample's
// End.
func AppendHCPE2(dst []byte, s *Sample) ([]byte, error) { return appendHCPE(dst, s, s.End&endBits) }

func appendHCPE(dst []byte, s *Sample, end End) ([]byte, error) {
	dst, err := AppendHCP(dst, &s.Position)
	if err != nil {
		return dst, err
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(s.Score))
	var move AperyMove
	if s.Move != shogi.NoMove {
		move = NewAperyMove(s.Move)
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(move))
	return append(dst, byte(s.Outcome)|byte(end), 0), nil
}

// ParseHCPE decodes a sample that AppendHCPE encoded. The move is NoMove if its bits are not a move. The error is an
// *Error.
func ParseHCPE(b []byte) (Sample, error) { return parseHCPE(b, 0) }

// ParseHCPE2 decodes a sample that AppendHCPE2 encoded. It handles invalid moves and returns errors as
// ParseHCPE does.
func ParseHCPE2(b []byte) (Sample, error) { return parseHCPE(b, endBits) }

func parseHCPE(b []byte, ends End) (s Sample, err error) {
	if len(b) < hcpeSize {
		return s, fault(int64(len(b)), "the hcpe has %d bytes: expected %d", len(b), hcpeSize)
	}
	if s.Position, err = ParseHCP(b, 1); err != nil {
		return s, err
	}
	s.Score = int16(binary.LittleEndian.Uint16(b[32:]))
	s.Move, _ = AperyMove(binary.LittleEndian.Uint16(b[34:])).Move()
	s.Outcome, s.End, err = parseResult(b[36], ends, 36)
	return s, err
}

// parseResult splits the byte of the result into outcome and end. It returns an error for bits of the end
// that are not in ends.
func parseResult(b byte, ends End, offset int64) (Outcome, End, error) {
	o, e := Outcome(b&3), End(b)&ends
	if o > WhiteWins || b != byte(o)|byte(e) {
		return Draw, 0, fault(offset, "the result is %d: expected 0 (draw), 1 (Black) or 2 (White)%s", b, orEnds(ends))
	}
	return o, e, nil
}

func orEnds(ends End) string {
	if ends == 0 {
		return ""
	}
	return " with bits 2 to 4 for the end"
}

// SampleReader reads the samples of a file in one format.
type SampleReader struct {
	format Format
	source source
	broken bool
	buffer [psvSize]byte
}

// Next returns the next sample and the offset of its first byte. At the end of the file it returns io.EOF.
// Any other error is an *Error. After an error in the bytes of a sample, Next continues with the next sample.
// If the input fails or ends within a sample, there are no more samples.
func (r *SampleReader) Next() (Sample, int64, error) {
	start := r.source.offset
	if r.broken {
		return Sample{}, start, io.EOF
	}
	b := r.buffer[:r.format.Size]
	if err := r.source.fill(b, "a sample of "+r.format.Name); err != nil {
		r.broken = true
		return Sample{}, start, err
	}
	s, err := r.format.parse(b)
	if err != nil {
		return s, start, moved(start, err)
	}
	return s, start, nil
}
