package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// Game is a game with the data that the formats hcpe3 and pack store.
type Game struct {
	Start    shogi.Position
	Plies    []Ply
	Outcome  Outcome
	End      End    // stored only by hcpe3
	Opponent uint8  // stored only by hcpe3: 0 if one player played both sides, else the side that another engine played
	Reason   Reason // stored only by pack
}

// Ply is a move of a Game.
type Ply struct {
	Move       shogi.Move
	Score      int16       // centipawns from the mover's view
	Candidates []Candidate // stored only by hcpe3; training ignores a move without candidates
}

// Candidate is a move that the search or a council considered, with the number of its visits or votes.
type Candidate struct {
	Move   shogi.Move
	Visits uint16
}

// Reason is the number that stands for the end of a game in files of the format "pack". The format reserves the
// numbers that have no constant here.
type Reason uint8

// A game in the format pack stores the reason of its end as one of these numbers.
const (
	ReasonResign        Reason = 0
	ReasonRepetition    Reason = 1
	ReasonMaxPlies      Reason = 2
	ReasonInterrupted   Reason = 3
	ReasonTime          Reason = 4
	ReasonIllegal       Reason = 5
	ReasonPerpetual     Reason = 6
	ReasonDeclaration24 Reason = 10
	ReasonImpasse24     Reason = 11
	ReasonDeclaration27 Reason = 12
	ReasonTry           Reason = 13
)

// reasons has three facts for each Reason: the word of package match, the End of hcpe3, and whether the reason requires
// a winner. ReasonInterrupted and reserved numbers have no word. If several reasons have the same word, gogi writes the
// first one.
var reasons = []struct {
	reason      Reason
	word        string
	end         End
	needsWinner bool
}{
	{ReasonResign, kifu.EndResignation, 0, true},
	{ReasonRepetition, kifu.EndRepetition, EndRepetition, false},
	{ReasonMaxPlies, kifu.EndMaxPlies, EndMaxPlies, false},
	{ReasonTime, kifu.EndTimeForfeit, 0, true},
	{ReasonIllegal, kifu.EndIllegalMove, 0, true},
	{ReasonPerpetual, kifu.EndPerpetualCheck, 0, true},
	{ReasonImpasse24, kifu.EndImpasse, EndDeclaration, false},
	{ReasonDeclaration27, kifu.EndDeclaration, EndDeclaration, true},
	{ReasonDeclaration24, kifu.EndDeclaration, EndDeclaration, true},
	{ReasonTry, kifu.EndDeclaration, EndDeclaration, true},
}

// meaning returns the facts about r in the table reasons. It returns zero values if r is not in the table.
func (r Reason) meaning() (word string, end End, needsWinner bool) {
	for _, m := range reasons {
		if m.reason == r {
			return m.word, m.end, m.needsWinner
		}
	}
	return "", 0, false
}

// reasonOf returns the reason and the end for a word of package match. ok is false if no reason has the word.
func reasonOf(word string) (r Reason, end End, ok bool) {
	for _, m := range reasons {
		if m.word == word {
			return m.reason, m.end, true
		}
	}
	return ReasonInterrupted, 0, false
}

// Record returns the game as a record. Fields that the file format does not store are empty. Result is also
// empty if the reason of the game's end is unknown.
func (g *Game) Record() kifu.Record {
	word, _, _ := g.Reason.meaning()
	r := kifu.Record{Start: g.Start.SFEN(), Result: word, Winner: g.Outcome.String()}
	for _, p := range g.Plies {
		r.Moves = append(r.Moves, kifu.Move{Move: p.Move, Score: int(p.Score), HasScore: true})
	}
	return r
}

// reason returns the Reason of pack that corresponds to an End.
func (e End) reason(o Outcome) Reason {
	switch {
	case e&EndRepetition != 0 && o == Draw:
		return ReasonRepetition
	case e&EndRepetition != 0:
		return ReasonPerpetual
	case e&EndDeclaration != 0 && o == Draw:
		return ReasonImpasse24
	case e&EndDeclaration != 0:
		return ReasonDeclaration27
	case e&EndMaxPlies != 0:
		return ReasonMaxPlies
	case o == Draw:
		return ReasonInterrupted
	}
	return ReasonResign
}

const (
	hcpe3Head = 36
	// maxPlies is the largest length of a game of pack, which does not store the length.
	maxPlies = 1 << 15
)

// AppendHCPE3 appends a game in the format hcpe3: HCP, number of moves, result and end, opponent, and then
// each move. A move has its score, the number of candidates, and each candidate with its visits. AppendHCPE3
// returns ErrCut if the start position needs more than 256 bits, and an error for more than 65535 moves or
// candidates.
func AppendHCPE3(dst []byte, g *Game) ([]byte, error) {
	if len(g.Plies) > 1<<16-1 {
		return dst, fmt.Errorf("hcpe3: the game has %d moves: expected at most 65535", len(g.Plies))
	}
	dst, err := AppendHCP(dst, &g.Start)
	if err != nil {
		return dst, err
	}
	dst = appendUint16(dst, len(g.Plies))
	dst = append(dst, byte(g.Outcome)|byte(g.End&endBits), g.Opponent)
	for _, p := range g.Plies {
		dst = appendUint16(dst, int(NewAperyMove(p.Move)))
		dst = appendUint16(dst, int(p.Score))
		if len(p.Candidates) > 1<<16-1 {
			return dst, fmt.Errorf("hcpe3: a move has %d candidates: expected at most 65535", len(p.Candidates))
		}
		dst = appendUint16(dst, len(p.Candidates))
		for _, c := range p.Candidates {
			dst = appendUint16(dst, int(NewAperyMove(c.Move)))
			dst = appendUint16(dst, int(c.Visits))
		}
	}
	return dst, nil
}

// appendUint16 appends the lowest 16 bits of v, which may be negative.
func appendUint16(dst []byte, v int) []byte {
	return binary.LittleEndian.AppendUint16(dst, uint16(v))
}

// rawMove is an unchecked move of a file, with the number that follows the move: a score or visits.
type rawMove struct {
	bits, number uint16
	offset       int64
}

// rawPly is an unchecked move of a file with its unchecked candidates.
type rawPly struct {
	rawMove
	candidates []rawMove
}

// legal converts a move in Apery's form. It returns an error if the move is illegal in the position.
func (m rawMove) legal(position *shogi.Position) (shogi.Move, *Error) {
	move, ok := AperyMove(m.bits).Move()
	if !ok {
		return move, fault(m.offset, "the bits %#04x are of no move: expected a legal move", m.bits)
	}
	if err := position.CheckLegal(move); err != nil {
		return move, fault(m.offset, "%w: expected a legal move", err)
	}
	return move, nil
}

// play checks the moves of a game and their candidates, and adds them to the game.
func (g *Game) play(list []rawPly) error {
	position := g.Start
	for i, raw := range list {
		m, err := raw.legal(&position)
		p := Ply{Move: m, Score: int16(raw.number)}
		for _, c := range raw.candidates {
			if err == nil {
				m, err = c.legal(&position)
				p.Candidates = append(p.Candidates, Candidate{m, c.number})
			}
		}
		if err != nil {
			return fault(err.Offset, "move %d: %w", i+1, err.Err)
		}
		g.Plies = append(g.Plies, p)
		position.Apply(p.Move)
	}
	return nil
}

// readHCPE3 reads a game. It reads the whole game before it checks the game, so that the next game can still
// be read.
func readHCPE3(r *source) (*Game, error) {
	start := r.offset
	var head [hcpe3Head]byte
	if err := r.fill(head[:], "the head of a game of hcpe3"); err != nil {
		return nil, err
	}
	var list []rawPly
	for range uint16At(head[:], 32) {
		p, err := readHCPE3Ply(r)
		if err != nil {
			return nil, lost{err}
		}
		list = append(list, p)
	}
	g := &Game{Opponent: head[35]}
	var err error
	if g.Start, err = ParseHCP(head[:], 1); err == nil {
		g.Outcome, g.End, err = parseResult(head[34], endBits, 34)
	}
	if err != nil {
		return nil, moved(start, err)
	}
	g.Reason = g.End.reason(g.Outcome)
	return g, g.play(list)
}

// lost is an error after which the start of the next game is unknown.
type lost struct{ error }

// Unwrap returns the wrapped error.
func (l lost) Unwrap() error { return l.error }

func readHCPE3Ply(r *source) (p rawPly, err error) {
	at := r.offset
	var b [6]byte
	if err := r.need(b[:], "a move of hcpe3"); err != nil {
		return p, err
	}
	p.rawMove = rawMove{uint16At(b[:], 0), uint16At(b[:], 2), at}
	for range uint16At(b[:], 4) {
		at := r.offset
		if err := r.need(b[:4], "a candidate of hcpe3"); err != nil {
			return p, err
		}
		p.candidates = append(p.candidates, rawMove{uint16At(b[:], 0), uint16At(b[:], 2), at})
	}
	return p, nil
}

// These constants belong to the format pack. packPosition and packStart are the two tags of a start position. The end
// mark of a game is the number of its outcome times packEndStep. So the mark looks like a move whose origin and target
// are the same square: the outcome is the number of that square.
const (
	packPosition = 0
	packStart    = 1
	packEndStep  = 1<<7 | 1
)

// AppendPack appends a game in the format pack. It writes a tag for the kind of start. If the game does not
// begin at the normal start with move 1, the HCP of the start and the number of the first move follow. Then
// come each move with its score, the end mark with the outcome, and the reason. AppendPack returns ErrCut if
// the start position needs more than 256 bits, and an error for a move number above 65535.
func AppendPack(dst []byte, g *Game) ([]byte, error) {
	if len(g.Plies) > maxPlies {
		return dst, fmt.Errorf("pack: the game has %d moves: expected at most %d", len(g.Plies), maxPlies)
	}
	usual := shogi.StartPos()
	if g.Start.SFEN() == usual.SFEN() {
		dst = append(dst, packStart)
	} else {
		ply := g.Start.Ply()
		if ply > 1<<16-1 {
			return dst, fmt.Errorf("pack: the game begins with move %d: expected at most 65535", ply)
		}
		var err error
		if dst, err = AppendHCP(append(dst, packPosition), &g.Start); err != nil {
			return dst, err
		}
		dst = appendUint16(dst, ply)
	}
	for _, p := range g.Plies {
		dst = appendUint16(dst, int(NewAperyMove(p.Move)))
		dst = appendUint16(dst, int(p.Score))
	}
	return append(appendUint16(dst, int(g.Outcome)*packEndStep), byte(g.Reason)), nil
}

// readPack reads a game. It reads a game with an illegal move to its end, so that the next game can still be
// read.
func readPack(r *source) (*Game, error) {
	start := r.offset
	var head [1 + PositionSize + 2]byte
	if err := r.fill(head[:1], "a game of pack"); err != nil {
		return nil, err
	}
	switch head[0] {
	case packStart:
	case packPosition:
		if err := r.need(head[1:], "a start of pack"); err != nil {
			return nil, lost{err}
		}
	default:
		return nil, lost{fault(start, "the game begins with %d: expected 0 (a position) or 1 (the usual start)", head[0])}
	}
	var list []rawPly
	for {
		raw := rawMove{offset: r.offset}
		var b [2]byte
		if err := r.need(b[:], "a move or an end of pack"); err != nil {
			return nil, lost{err}
		}
		if raw.bits = uint16At(b[:], 0); raw.bits&127 == raw.bits>>7&127 {
			return readPackEnd(r, start, head[:], list, raw)
		}
		if len(list) == maxPlies {
			return nil, lost{fault(raw.offset, "the game has more than %d moves: expected its end", maxPlies)}
		}
		if err := r.need(b[:], "a score of pack"); err != nil {
			return nil, lost{err}
		}
		raw.number = uint16At(b[:], 0)
		list = append(list, rawPly{rawMove: raw})
	}
}

// readPackEnd reads the end of a game and returns the whole game. head is the beginning of the game, at the offset
// start, and end is the end mark.
func readPackEnd(r *source, start int64, head []byte, list []rawPly, end rawMove) (*Game, error) {
	g := &Game{Start: shogi.StartPos(), Outcome: Outcome(end.bits / packEndStep)}
	if g.Outcome > WhiteWins || end.bits != uint16(g.Outcome)*packEndStep {
		return nil, lost{fault(end.offset,
			"the bits %#04x are neither a move nor an end: expected an end 0x0000, 0x0081 or 0x0102", end.bits)}
	}
	var b [1]byte
	if err := r.need(b[:], "a reason of pack"); err != nil {
		return nil, lost{err}
	}
	g.Reason = Reason(b[0])
	word, kind, needsWinner := g.Reason.meaning()
	g.End = kind
	if head[0] == packPosition {
		var err error
		if g.Start, err = ParseHCP(head[1:], int(uint16At(head[1:], PositionSize))); err != nil {
			return nil, moved(start+1, err)
		}
	}
	if err := g.play(list); err != nil {
		return nil, err
	}
	if g.Outcome == Draw && needsWinner {
		return nil, fault(end.offset, "a draw by %s contradicts itself: expected a winner or another reason", word)
	}
	return g, nil
}

// GameReader reads the games of a file in one format.
type GameReader struct {
	format Format
	source source
	broken bool
}

// Next returns the next game and the offset of its first byte. At the end of the file it returns io.EOF. Any
// other error is an *Error. After an error about an invalid position, move or result, Next continues with the
// next game. After any other error there are no more games.
func (r *GameReader) Next() (*Game, int64, error) {
	start := r.source.offset
	if r.broken {
		return nil, start, io.EOF
	}
	g, err := r.format.parseGame(&r.source)
	var end lost
	if errors.As(err, &end) {
		r.broken = true
		err = end.error
	}
	if err != nil {
		return nil, start, err
	}
	return g, start, nil
}
