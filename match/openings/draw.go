package openings

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"gogi/shogi"
	"gogi/shogi/book"
	"gogi/usi"
)

// Drawing has the settings for selecting random lines from a book.
type Drawing struct {
	Wanted int    `name:"count" default:"100" placeholder:"N" help:"Number of openings (default ${default})."`
	Plies  int    `default:"16" placeholder:"N" help:"Number of plies of each opening (default ${default})."`
	Margin int    `default:"50" placeholder:"CP" help:"Maximum loss of a move against the best move, in centipawns, if the book has scores and no counts (default ${default})."`
	Window int    `placeholder:"CP" help:"Use no opening that contains a move with a score beyond ±CP centipawns (default: use all)."`
	Seed   uint64 `default:"1" placeholder:"N" help:"Seed of the random choices (default ${default})."`
	Start  string `default:"startpos" placeholder:"LINE" help:"First position: startpos, or \"sfen …\" (default ${default})."`
}

// ErrFew is the error of Draw for a book that has fewer lines than Drawing.Wanted.
var ErrFew = errors.New("the book has too few such lines")

// Draw selects random lines from a book. The probability of each move depends on the book's weights
// (book.Book.ChooseNear). No two lines lead to the same position. Draw tries at most 100 times for each wanted
// line. If it then has too few lines, it returns these lines and ErrFew.
func Draw(b *book.Book, d Drawing) (lines []usi.Position, err error) {
	seen := map[string]bool{}
	start := usi.Position{Start: d.Start}
	p, err := start.StartPosition()
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(d.Seed, 0))
	for range 100 * d.Wanted {
		if len(lines) == d.Wanted {
			return lines, nil
		}
		line, end, ok := drawLine(b, p, d, random)
		if ok && !seen[end] {
			seen[end] = true
			lines = append(lines, line)
		}
	}
	if len(lines) < d.Wanted {
		return lines, fmt.Errorf("%w: %d of %d plies that lead to different positions, %d are wanted", ErrFew, len(lines),
			d.Plies, d.Wanted)
	}
	return lines, nil
}

// drawLine selects one random line. end is the key of the position after the line. ok is false if the book ends before
// the line is long enough, or if a move's score is outside the window.
func drawLine(b *book.Book, p shogi.Position, d Drawing, random *rand.Rand) (line usi.Position, end string, ok bool) {
	line.Start = d.Start
	for range d.Plies {
		m := b.ChooseNear(&p, d.Margin, random)
		if m == shogi.NoMove || d.Window > 0 && beyond(b.Find(&p), m, d.Window) {
			return line, "", false
		}
		line.Moves = append(line.Moves, m)
		p.Apply(m)
	}
	return line, book.Key(&p), p.HasLegalMove()
}

func beyond(e *book.Entry, m shogi.Move, window int) bool {
	for _, x := range e.Moves {
		if x.Move == m {
			return x.HasScore && max(x.Score, -x.Score) > window
		}
	}
	return false
}
