package convert

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"

	"gogi/internal/disk"
	"gogi/shogi"
	"gogi/shogi/book"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
	"gogi/shogi/kifu/text"
)

// Found counts the games, samples or book positions that Inspect has read.
type Found struct {
	Good int        // readable and legal ones
	Bad  int        // other ones
	Book *book.Book // the book; nil if the file is none
}

// Sample is the JSON form of a training sample: a position with the move that was played.
type Sample struct {
	Offset int64       `json:"offset"` // offset of its first byte
	SFEN   string      `json:"sfen,omitempty"`
	Move   *shogi.Move `json:"move,omitempty"`
	Score  *int16      `json:"score,omitempty"` // centipawns from the view of the side to move
	Winner string      `json:"winner,omitempty"`
	End    string      `json:"end,omitempty"`   // how the game ended
	Why    string      `json:"error,omitempty"` // why the sample cannot be read, or why its move is illegal
}

// Game is the JSON form of a game in a training data file (hcpe3 or pack).
type Game struct {
	Offset     int64             `json:"offset"`           // position of the game in the file, in bytes
	Reason     *packed.Reason    `json:"reason,omitempty"` // only for pack
	End        string            `json:"end,omitempty"`    // only for hcpe3
	Opponent   uint8             `json:"opponent,omitempty"`
	Candidates [][]CandidateMove `json:"candidates,omitempty"` // by move
	Record     json.RawMessage   `json:"record,omitempty"`     // record in the format jsonl
	Why        string            `json:"error,omitempty"`      // the reason why the game is invalid
}

// CandidateMove is the JSON form of a move that the search considered, from a hcpe3 file.
type CandidateMove struct {
	Move   shogi.Move `json:"move"`
	Visits uint16     `json:"visits"` // number of visits of the search
}

// Entry is the JSON form of a position in a book.
type Entry struct {
	SFEN    string     `json:"sfen"`
	Comment string     `json:"comment,omitempty"`
	Moves   []BookMove `json:"moves"`
}

// BookMove is the JSON form of a move in a book. JSON omits unknown fields.
type BookMove struct {
	Move    string `json:"move"`
	Ponder  string `json:"ponder,omitempty"` // expected answer of the opponent
	Score   *int   `json:"score,omitempty"`
	Depth   int    `json:"depth,omitempty"`
	Count   int    `json:"count,omitempty"`
	Comment string `json:"comment,omitempty"`
	Why     string `json:"error,omitempty"` // why the move is illegal
}

// Inspect writes the content of a file as JSON, one object in each line. name is the name of the file, for
// errors. For unreadable data or an illegal move it writes an object with the key "error". Inspect returns an
// error if it cannot continue; the lines that it has written are valid.
func Inspect(w io.Writer, name string, in io.Reader, k Kind) (Found, error) {
	p := &printer{out: bufio.NewWriter(w)}
	p.lines = json.NewEncoder(p.out)
	p.lines.SetEscapeHTML(false)
	var err error
	switch {
	case k.text != nil:
		err = k.games(name, in, nil, p.record) // the record has the warnings as its note
	case k.book != nil:
		err = p.book(in, *k.book)
	case k.packed.HasGames():
		err = p.games(in, *k.packed)
	default:
		err = p.samples(in, *k.packed)
	}
	return p.found, errors.Join(err, p.out.Flush())
}

type printer struct {
	out   *bufio.Writer
	lines *json.Encoder
	found Found
}

func (p *printer) count(why string) {
	if why == "" {
		p.found.Good++
	} else {
		p.found.Bad++
	}
}

func (p *printer) record(r *kifu.Record, err error) error {
	var line []byte
	if err == nil {
		line, err = text.AppendJSON(nil, r)
	}
	if err != nil {
		p.found.Bad++
		return p.lines.Encode(map[string]string{"error": err.Error()})
	}
	p.found.Good++
	_, err = p.out.Write(line)
	return err
}

func (p *printer) samples(in io.Reader, f packed.Format) error {
	r := f.Samples(in)
	for {
		s, at, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		line := Sample{Offset: at}
		switch {
		case err != nil:
			line.Why = err.Error()
		case f.Bare:
			line.SFEN = s.Position.SFEN()
		default:
			line.SFEN, line.Score, line.Winner, line.End = s.Position.SFEN(), &s.Score, s.Outcome.String(), s.End.String()
			if illegal := s.Legal(); illegal != nil {
				line.Why = illegal.Error()
			} else {
				line.Move = &s.Move
			}
		}
		p.count(line.Why)
		if err := p.lines.Encode(line); err != nil {
			return err
		}
	}
}

func (p *printer) games(in io.Reader, f packed.Format) error {
	r := f.Games(in)
	for {
		g, at, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		line := Game{Offset: at}
		if err == nil {
			err = line.fill(g, f)
		}
		if err != nil {
			line.Why = err.Error()
		}
		p.count(line.Why)
		if err := p.lines.Encode(line); err != nil {
			return err
		}
	}
}

func (line *Game) fill(g *packed.Game, f packed.Format) error {
	record := g.Record()
	text, err := text.AppendJSON(nil, &record)
	if err != nil {
		return err
	}
	line.Record = json.RawMessage(text)
	if f.Name == "pack" {
		line.Reason = &g.Reason
		return nil
	}
	line.End, line.Opponent = g.End.String(), g.Opponent
	for _, ply := range g.Plies {
		list := []CandidateMove{}
		for _, c := range ply.Candidates {
			list = append(list, CandidateMove(c))
		}
		line.Candidates = append(line.Candidates, list)
	}
	return nil
}

func (p *printer) book(in io.Reader, f book.Format) error {
	data, err := disk.ReadAll(in, book.MaxFile)
	if err != nil {
		return err
	}
	b, err := f.Parse(data)
	if err != nil {
		return err
	}
	for _, e := range b.Entries {
		line := EntryOf(e)
		why := ""
		for _, m := range line.Moves {
			why += m.Why
		}
		p.count(why)
		if err := p.lines.Encode(line); err != nil {
			return err
		}
	}
	p.found.Book = b
	p.found.Bad += b.Lost
	return nil
}

// EntryOf returns the JSON form of a position in a book.
func EntryOf(e *book.Entry) Entry {
	line := Entry{SFEN: e.SFEN(), Comment: e.Comment, Moves: []BookMove{}}
	for _, m := range e.Moves {
		x := BookMove{Move: m.Move.String(), Depth: m.Depth, Count: m.Count, Comment: m.Comment}
		if m.HasScore {
			x.Score = &m.Score
		}
		if m.Ponder != shogi.NoMove {
			x.Ponder = m.Ponder.String()
		}
		if err := e.Position.CheckLegal(m.Move); err != nil {
			x.Why = err.Error()
		}
		line.Moves = append(line.Moves, x)
	}
	return line
}
