package selfplay

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gogi/internal/format"
	"gogi/match/arbiter"
	"gogi/shogi/kifu/packed"
	"gogi/stats/binomial"
)

// Statistics are of the games of the blocks and of what was written of them.
type Statistics struct {
	Games     int             `json:"games"`
	Outcomes  map[string]int  `json:"outcomes"`  // black, white, draw
	Ends      map[string]int  `json:"ends"`      // by the word of package match
	Discarded map[string]int  `json:"discarded"` // games that a fault of the player ended, by how
	Redrawn   arbiter.Redrawn `json:"redrawn"`
	Plies     Lengths         `json:"plies"`
	// Scores are from the mover's view, in centipawns, of all moves of the player that have one.
	Scores []Band `json:"scores"`

	Positions  int `json:"positions"`  // written
	Given      int `json:"given"`      // left out: the opening's, random ones and noise
	Unscored   int `json:"unscored"`   // left out: without a score
	Mates      int `json:"mates"`      // left out: the score was a mate
	Duplicates int `json:"duplicates"` // left out: they, or their games, were written before
	Forgotten  int `json:"forgotten"`  // keys that the memory had no room for: duplicates of these were not seen

	Audit Audit `json:"audit"`
}

// Lengths are how long games were, what they began with included.
type Lengths struct {
	Least    int   `json:"least"`
	Most     int   `json:"most"`
	Sum      int   `json:"sum"`
	ByTwenty []int `json:"by_twenty"` // games of 0 to 19 plies, of 20 to 39, …
}

// Band counts scores from From on and below To.
type Band struct {
	From  int `json:"from"`
	To    int `json:"to"`
	Count int `json:"count"`
}

// Audit is what became of the games that went on where scores would have ended them.
type Audit struct {
	Ended     int `json:"ended"`     // games that scores did end
	Games     int `json:"games"`     // that they would have ended, and that were played out
	Disagreed int `json:"disagreed"` // of those: it ended otherwise
	// Rate is the share that disagreed, with its exact 95% interval (Clopper and Pearson,
	// games as independent); null without games.
	Rate *float64 `json:"rate"`
	Lo   *float64 `json:"lo"`
	Hi   *float64 `json:"hi"`
}

// scoreEdges are where bands of scores begin; mates are beyond the outer ones.
func scoreEdges() []int {
	const mate = 900_000
	return []int{-2 * mate, -mate, -3000, -1000, -300, -100, 0, 100, 300, 1000, 3000, mate, 2 * mate}
}

func newStatistics() *Statistics {
	s := &Statistics{Outcomes: map[string]int{}, Ends: map[string]int{}, Discarded: map[string]int{}}
	edges := scoreEdges()
	for i := range len(edges) - 1 {
		s.Scores = append(s.Scores, Band{From: edges[i], To: edges[i+1]})
	}
	return s
}

// begin counts what a block has beside its games.
func (s *Statistics) begin(b *Block) {
	s.Redrawn.Ended += b.Redrawn.Ended
	s.Redrawn.Unequal += b.Redrawn.Unequal
	for how, n := range b.Discarded {
		s.Discarded[how] += n
	}
}

// game counts a game.
func (s *Statistics) game(g *Game) {
	s.Games++
	s.Outcomes[g.Winner]++
	s.Ends[g.Result]++
	n := len(g.Moves)
	p := &s.Plies
	if s.Games == 1 || n < p.Least {
		p.Least = n
	}
	p.Most = max(p.Most, n)
	p.Sum += n
	for len(p.ByTwenty) <= n/20 {
		p.ByTwenty = append(p.ByTwenty, 0)
	}
	p.ByTwenty[n/20]++
	s.audit(g)
	for i := range g.Moves {
		m := &g.Moves[i]
		switch {
		case m.Opening:
			s.Given++
		case m.HasScore:
			s.score(m.Score)
		}
	}
}

func (s *Statistics) score(score int) {
	for i := range s.Scores {
		if b := &s.Scores[i]; score >= b.From && score < b.To {
			b.Count++
		}
	}
}

func (s *Statistics) audit(g *Game) {
	switch {
	case g.Adjudged == "":
	case !g.Audited:
		s.Audit.Ended++
	default:
		s.Audit.Games++
		if g.Adjudged != g.Winner {
			s.Audit.Disagreed++
		}
	}
}

// complete works out what rests on all games.
func (s *Statistics) complete() error {
	a := &s.Audit
	if a.Games == 0 {
		return nil
	}
	i, err := binomial.ClopperPearson(a.Disagreed, a.Games, 0.95)
	if err != nil {
		return err
	}
	rate := float64(a.Disagreed) / float64(a.Games)
	a.Rate, a.Lo, a.Hi = &rate, &i.Lo, &i.Hi
	return nil
}

// Print writes the statistics for a terminal; write errors are dropped.
func (s *Statistics) Print(out io.Writer) {
	fmt.Fprintf(out, "games       %s: %s Black, %s White, %s drawn%s\n", format.Count(s.Games),
		format.Count(s.Outcomes[packed.BlackWins.String()]), format.Count(s.Outcomes[packed.WhiteWins.String()]),
		format.Count(s.Outcomes[packed.Draw.String()]), counted("; discarded: ", s.Discarded))
	fmt.Fprintf(out, "ends        %s\n", counted("", s.Ends))
	if s.Games > 0 {
		fmt.Fprintf(out, "plies       %.1f on average, %d to %d\n", float64(s.Plies.Sum)/float64(s.Games), s.Plies.Least, s.Plies.Most)
	}
	if r := s.Redrawn; r.Ended+r.Unequal > 0 {
		fmt.Fprintf(out, "beginnings  drawn again: %s were over, %s beyond the window\n", format.Count(r.Ended), format.Count(r.Unequal))
	}
	s.Audit.print(out)
	s.printScores(out)
	fmt.Fprintf(out, "positions   %s written; left out: %s given, %s duplicates, %s unscored, %s mates\n",
		format.Count(s.Positions), format.Count(s.Given), format.Count(s.Duplicates), format.Count(s.Unscored), format.Count(s.Mates))
	if s.Forgotten > 0 {
		fmt.Fprintf(out, "            %s positions were forgotten for want of memory: that these came again\n            was not seen; expected a larger distinct_mib\n", format.Count(s.Forgotten))
	}
}

func (a *Audit) print(out io.Writer) {
	switch {
	case a.Ended+a.Games == 0:
	case a.Rate == nil:
		fmt.Fprintf(out, "scores      ended %s games; none was played out to check them\n", format.Count(a.Ended))
	default:
		fmt.Fprintf(out, "scores      ended %s games; %s more were played out, and %s of them ended\n            otherwise: %.1f%% (95%%: %.1f%% to %.1f%%)\n",
			format.Count(a.Ended), format.Count(a.Games), format.Count(a.Disagreed), 100**a.Rate, 100**a.Lo, 100**a.Hi)
	}
}

func (s *Statistics) printScores(out io.Writer) {
	var within, total int
	for _, b := range s.Scores {
		total += b.Count
		if b.From >= -300 && b.To <= 300 {
			within += b.Count
		}
	}
	if total > 0 {
		mates := s.Scores[0].Count + s.Scores[len(s.Scores)-1].Count
		fmt.Fprintf(out, "values      %.1f%% within ±300, %.1f%% mates\n", 100*float64(within)/float64(total), 100*float64(mates)/float64(total))
	}
}

// counted lists counts by name, the most first; "" where there are none.
func counted(before string, by map[string]int) string {
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		if by[a] != by[b] {
			return by[b] - by[a]
		}
		return strings.Compare(a, b)
	})
	var list []string
	for _, n := range names {
		list = append(list, fmt.Sprintf("%s %s", n, format.Count(by[n])))
	}
	if len(list) == 0 {
		return ""
	}
	return before + strings.Join(list, ", ")
}
