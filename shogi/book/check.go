package book

import (
	"math"
	"slices"

	"gogi/shogi"
)

// Report is the result of Check: the numbers of entries and moves, and the problems.
type Report struct {
	Version   int    `json:"version"`
	Format    string `json:"format"`
	Entries   int    `json:"entries"`   // entries in the file
	Positions int    `json:"positions"` // different positions with moves
	Moves     int    `json:"moves"`
	Ends      int    `json:"ends"` // positions without moves
	Lost      int    `json:"lost"` // positions that cannot be found, in formats that have only hashes
	Unsorted  bool   `json:"unsorted"`

	Duplicates     int       `json:"duplicates"`      // entries with the position of an earlier entry
	DuplicateMoves int       `json:"duplicate_moves"` // moves that an earlier entry of the same position has
	Illegal        int       `json:"illegal"`         // illegal moves
	NoMove         int       `json:"no_move"`         // positions in which the game is over
	Transpositions int       `json:"transpositions"`  // positions that several moves of the book lead to
	Roots          int       `json:"roots"`           // positions that no move of the book leads to
	Problems       []Problem `json:"problems"`        // the first problems

	Scores Spread `json:"scores"` // of the best move of each position with scores, for the side to move
}

// Problem is one fault of a book.
type Problem struct {
	SFEN string `json:"sfen"`
	What string `json:"what"`
}

// Spread describes the distribution of scores. The quantiles are scores of the sample, without interpolation.
type Spread struct {
	N        int     `json:"n"`
	Least    int     `json:"min"`
	Lower    int     `json:"q25"`
	Median   int     `json:"median"`
	Upper    int     `json:"q75"`
	Greatest int     `json:"max"`
	Mean     float64 `json:"mean"`
	SD       float64 `json:"sd"` // standard deviation of the sample; 0 for fewer than two scores
}

// maxProblems is the largest number of problems that a report lists.
const maxProblems = 20

// Sound reports whether engines can use the book without changes.
func (r *Report) Sound() bool {
	return !r.Unsorted && r.Duplicates+r.DuplicateMoves+r.Illegal+r.NoMove+r.Lost == 0
}

// Check examines all entries and moves of a book.
func Check(b *Book) *Report {
	r := &Report{Version: 1, Format: b.Format, Entries: len(b.Entries), Lost: b.Lost, Unsorted: b.Unsorted, Problems: []Problem{}}
	seen := map[string]bool{}
	for _, e := range b.Entries {
		if key := Key(&e.Position); seen[key] {
			r.Duplicates++
			r.problem(&e.Position, "the position stands in the book already")
		} else {
			seen[key] = true
		}
		r.checkEntry(e)
	}
	r.Positions, _ = b.Merged().Size()
	r.Ends = len(seen) - r.Positions
	r.ways(b)
	r.Scores = spread(bestScores(b))
	return r
}

func (r *Report) problem(p *shogi.Position, what string) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, Problem{p.SFEN(), what})
	}
}

func (r *Report) checkEntry(e *Entry) {
	if !e.Position.HasLegalMove() {
		r.NoMove++
		r.problem(&e.Position, "the side to move has no legal move")
	}
	for i, m := range e.Moves {
		r.Moves++
		if err := e.Position.CheckLegal(m.Move); err != nil {
			r.Illegal++
			r.problem(&e.Position, err.Error())
		}
		if slices.ContainsFunc(e.Moves[:i], func(x Move) bool { return x.Move == m.Move }) {
			r.DuplicateMoves++
			r.problem(&e.Position, m.Move.String()+" stands there twice")
		}
	}
}

// ways counts the positions to which more than one move of the book leads, and the positions to which none
// leads.
func (r *Report) ways(b *Book) {
	merged := b.Merged()
	ways := map[*Entry]int{}
	for _, e := range merged.Entries {
		for _, m := range e.Moves {
			if e.Position.CheckLegal(m.Move) != nil {
				continue
			}
			p := e.Position
			p.Apply(m.Move)
			if to := merged.Find(&p); to != nil {
				ways[to]++
			}
		}
	}
	for _, e := range merged.Entries {
		switch n := ways[e]; {
		case n == 0:
			r.Roots++
		case n > 1:
			r.Transpositions++
		}
	}
}

func bestScores(b *Book) (list []int) {
	for _, e := range b.Merged().Entries {
		if m, ok := e.best(); ok {
			list = append(list, m.Score)
		}
	}
	return list
}

// best returns the move with the highest score, or the first of these moves. ok is false if no move has a
// score.
func (e *Entry) best() (best Move, ok bool) {
	for _, m := range e.Moves {
		if m.HasScore && (!ok || m.Score > best.Score) {
			best, ok = m, true
		}
	}
	return best, ok
}

func spread(list []int) (s Spread) {
	if s.N = len(list); s.N == 0 {
		return s
	}
	slices.Sort(list)
	at := func(num, den int) int { return list[(s.N-1)*num/den] }
	s.Least, s.Lower, s.Median, s.Upper, s.Greatest = list[0], at(1, 4), at(1, 2), at(3, 4), list[s.N-1]
	for _, v := range list {
		s.Mean += float64(v) / float64(s.N)
	}
	if s.N < 2 {
		return s
	}
	sum := 0.0
	for _, v := range list {
		sum += (float64(v) - s.Mean) * (float64(v) - s.Mean)
	}
	s.SD = math.Sqrt(sum / float64(s.N-1))
	return s
}
