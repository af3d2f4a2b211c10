package book

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"gogi/shogi"
	"gogi/shogi/kifu/packed"
)

// aperyRecord is the size of one move in Apery's book in bytes: hash, move, count, score.
const aperyRecord = 16

// twister is the random number generator MT19937-64 of Matsumoto and Nishimura (2004) with its default seed,
// like std::mt19937_64 of C++.
type twister struct {
	state [312]uint64
	next  int
}

func newTwister() *twister {
	t := &twister{next: 312}
	t.state[0] = 5489
	for i := 1; i < len(t.state); i++ {
		before := t.state[i-1]
		t.state[i] = 6364136223846793005*(before^before>>62) + uint64(i)
	}
	return t
}

func (t *twister) uint64() uint64 {
	if t.next == len(t.state) {
		t.twist()
	}
	x := t.state[t.next]
	t.next++
	x ^= x >> 29 & 0x5555555555555555
	x ^= x << 17 & 0x71d67fffeda60000
	x ^= x << 37 & 0xfff7eee000000000
	return x ^ x>>43
}

func (t *twister) twist() {
	const n, m, low = 312, 156, 1<<31 - 1
	for i := range t.state {
		x := t.state[i]&^low | t.state[(i+1)%n]&low
		next := t.state[(i+m)%n] ^ x>>1
		if x&1 != 0 {
			next ^= 0xb5026f5aa96619e9
		}
		t.state[i] = next
	}
	t.next = 0
}

// aperyKeys has the random numbers that Apery combines by exclusive or to the hash of a position. They come from an
// MT19937-64 with the default seed. The order is: 81 for each of the pieces 0 to 30 (numbered like shogi.Piece,
// including numbers without a piece); 19 for each type in hand (pawn, lance, knight, silver, gold, bishop, rook); one
// for White. Source: Apery's book.cpp, Book::init and Book::bookKey; YaneuraOu's apery_book.cpp agrees.
var aperyKeys = func() (keys struct {
	piece [31][81]uint64
	hand  [8][19]uint64 // by type
	white uint64
},
) {
	random := newTwister()
	for p := range keys.piece {
		for s := range keys.piece[p] {
			keys.piece[p][s] = random.uint64()
		}
	}
	for _, t := range []shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.Bishop,
		shogi.Rook} {
		for n := range keys.hand[t] {
			keys.hand[t][n] = random.uint64()
		}
	}
	keys.white = random.uint64()
	return keys
}()

// aperyKey returns Apery's hash of a position. It covers the pieces on the board, the hand of the side to
// move (even if it is empty), and the side to move. These determine the other hand.
func aperyKey(p *shogi.Position) (key uint64) {
	for s := range shogi.NoSquare {
		if piece := p.PieceAt(s); piece != shogi.NoPiece {
			key ^= aperyKeys.piece[piece][s]
		}
	}
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		key ^= aperyKeys.hand[t][p.Hand(p.Side(), t)]
	}
	if p.Side() == shogi.White {
		key ^= aperyKeys.white
	}
	return key
}

// readApery reads Apery's book, which has only hashes of positions. To find the positions, readApery follows the moves
// of the book from the normal start and from the handicap starts. Many books have the moves of only one side. So in a
// position that is not in the book, readApery tries every legal move that leads to a position in the book. Book.Lost is
// the number of hashes whose position it does not find.
func readApery(data []byte) (*Book, error) {
	if len(data)%aperyRecord != 0 {
		return nil, fmt.Errorf("byte %d: the file ends within a move: expected moves of %d bytes", len(data), aperyRecord)
	}
	b := &Book{}
	moves := map[uint64][]Move{}
	before := uint64(0)
	for at := 0; at < len(data); at += aperyRecord {
		x := data[at:]
		key, raw := binary.LittleEndian.Uint64(x), binary.LittleEndian.Uint16(x[8:])
		b.Unsorted = b.Unsorted || key < before
		before = key
		m, ok := packed.AperyMove(raw).Move()
		if !ok {
			return nil, fmt.Errorf("byte %d: the bits %#04x are of no move", at+8, raw)
		}
		moves[key] = append(moves[key], Move{
			Move: m, Count: int(binary.LittleEndian.Uint16(x[10:])),
			Score: int(int32(binary.LittleEndian.Uint32(x[12:]))), HasScore: true,
		})
	}
	b.Entries = walkApery(moves)
	b.Lost = len(moves) - len(b.Entries)
	return b, nil
}

// walkApery returns an entry for each hash whose position it finds. moves has the book's moves by the hash of their
// position.
func walkApery(moves map[uint64][]Move) (entries []*Entry) {
	met := map[uint64]bool{} // hashes that have been put into the queue
	queue := []shogi.Position{shogi.StartPos()}
	for _, h := range shogi.Handicaps() {
		p, err := shogi.ParseSFEN(h.SFEN)
		if err == nil { // never an error for a constant
			queue = append(queue, p)
		}
	}
	var list [shogi.MaxLegalMoves]shogi.Move
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		key := aperyKey(&p)
		met[key] = true
		known := moves[key]
		if known != nil {
			entries = append(entries, &Entry{Position: p, Moves: known})
		}
		for _, m := range p.LegalMoves(list[:0]) {
			next := p
			next.Apply(m)
			key := aperyKey(&next)
			played := slices.ContainsFunc(known, func(k Move) bool { return k.Move == m })
			if !met[key] && (moves[key] != nil || played) {
				met[key] = true
				queue = append(queue, next)
			}
		}
	}
	return entries
}

// writeApery writes the positions with moves in the order of their hashes. It limits counts to 65535. It
// writes a missing count as 1, because Apery selects moves by their counts.
func writeApery(w io.Writer, b *Book) error {
	list, err := keyedBy(b.Merged().Entries, func(e *Entry) (uint64, error) { return aperyKey(&e.Position), nil },
		cmp.Compare)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for _, e := range list {
		for _, m := range e.Moves {
			var x [aperyRecord]byte
			binary.LittleEndian.PutUint64(x[:], e.key)
			binary.LittleEndian.PutUint16(x[8:], uint16(packed.NewAperyMove(m.Move)))
			binary.LittleEndian.PutUint16(x[10:], uint16(max(1, min(m.Count, 1<<16-1))))
			binary.LittleEndian.PutUint32(x[12:], uint32(int32(m.Score)))
			if _, err := out.Write(x[:]); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}
