package selfplay

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/match/arbiter"
	"gogi/shogi"
	"gogi/shogi/kifu/packed"
	"gogi/stats/binomial"
)

// Statistics counts the games in the blocks and the written positions.
type Statistics struct {
	Games     int             `json:"games"`
	Outcomes  map[string]int  `json:"outcomes"`  // black, white, draw
	Ends      map[string]int  `json:"ends"`      // by the word of package match
	Discarded map[string]int  `json:"discarded"` // games that a fault of the player ended, by termination
	Redrawn   arbiter.Redrawn `json:"redrawn"`   // how often random openings were drawn again
	Plies     Lengths         `json:"plies"`
	// Scores counts the scores of all moves of the player, in centipawns from its view.
	Scores []Band `json:"scores"`

	Positions int `json:"positions"` // written
	Given     int `json:"given"`     // left out: opening, random and noise moves
	Unscored  int `json:"unscored"`  // left out: without a score
	Mates     int `json:"mates"`     // left out: the score was a mate
	Clamped   int `json:"clamped"`   // written with a score limited to ±packed.MaxScore, such as mates
	// centipawns of a mate in 0 plies, if the player writes mates as centipawns less the plies; they count as mates
	MateBase   int `json:"mate_base,omitempty"`
	Duplicates int `json:"duplicates"` // left out: repeated positions or games
	Forgotten  int `json:"forgotten"`  // dropped keys, whose duplicates were written

	Audit Audit `json:"audit"` // test of the adjudication by score
}

// Lengths are the lengths of games in plies, with the opening.
type Lengths struct {
	Least    int   `json:"least"`     // plies of the shortest game
	Most     int   `json:"most"`      // plies of the longest game
	Sum      int   `json:"sum"`       // plies of all games
	ByTwenty []int `json:"by_twenty"` // games of 0 to 19 plies, of 20 to 39, …
}

// Band counts the scores that are at least From and below To.
type Band struct {
	From  int `json:"from"` // lower end, in centipawns
	To    int `json:"to"`   // upper end, in centipawns
	Count int `json:"count"`
}

// Audit shows how often adjudication by score gives the wrong result. It uses games that were continued to
// their end although the scores would have ended them.
type Audit struct {
	Ended     int `json:"ended"`     // games that the scores ended
	Games     int `json:"games"`     // games that the scores would have ended, played to the end
	Disagreed int `json:"disagreed"` // of these, games with another result
	// Rate is Disagreed/Games, from Lo to Hi with 95% confidence (Clopper and Pearson, with independent games).
	// All three are null without games.
	Rate *float64 `json:"rate"`
	Lo   *float64 `json:"lo"`
	Hi   *float64 `json:"hi"`
}

// scoreEdges returns the limits between the Bands of scores. The first and the last band contain the mate scores.
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

// begin adds the numbers of rejected random openings and of discarded games in a block.
func (s *Statistics) begin(b *Block) {
	s.Redrawn.Ended += b.Redrawn.Ended
	s.Redrawn.Unequal += b.Redrawn.Unequal
	for how, n := range b.Discarded {
		s.Discarded[how] += n
	}
}

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

// complete calculates how often adjudication by score disagrees with the real results.
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

// Print writes the statistics as text and ignores write errors.
func (s *Statistics) Print(out io.Writer) {
	fmt.Fprintf(out, "games       %s: %s Black, %s White, %s drawn%s\n", format.Count(s.Games),
		format.Count(s.Outcomes[packed.BlackWins.String()]), format.Count(s.Outcomes[packed.WhiteWins.String()]),
		format.Count(s.Outcomes[packed.Draw.String()]), counted("; discarded: ", s.Discarded))
	fmt.Fprintf(out, "ends        %s\n", counted("", s.Ends))
	if s.Games > 0 {
		fmt.Fprintf(out, "plies       %.1f on average, %d to %d\n", float64(s.Plies.Sum)/float64(s.Games), s.Plies.Least,
			s.Plies.Most)
	}
	if r := s.Redrawn; r.Ended+r.Unequal > 0 {
		fmt.Fprintf(out, "beginnings  drawn again: %s were over, %s beyond the window\n", format.Count(r.Ended),
			format.Count(r.Unequal))
	}
	s.Audit.print(out)
	s.printScores(out)
	fmt.Fprintf(out, "positions   %s written; left out: %s given, %s duplicates, %s unscored, %s mates\n",
		format.Count(s.Positions), format.Count(s.Given), format.Count(s.Duplicates), format.Count(s.Unscored),
		format.Count(s.Mates))
	if s.Forgotten > 0 {
		fmt.Fprintf(out,
			"            %s positions were forgotten for want of memory: that these came again\n            was not seen; expected a larger distinct_mib\n", format.Count(s.Forgotten))
	}
}

func (a *Audit) print(out io.Writer) {
	switch {
	case a.Ended+a.Games == 0:
	case a.Rate == nil:
		fmt.Fprintf(out, "scores      ended %s; none was played out to check them\n", format.NumberOf(a.Ended, "game"))
	default:
		fmt.Fprintf(out,
			"scores      ended %s; %s more were played out, and %s of them ended\n            otherwise: %.1f%% (95%%: %.1f%% to %.1f%%)\n",
			format.NumberOf(a.Ended, "game"), format.Count(a.Games), format.Count(a.Disagreed), 100**a.Rate, 100**a.Lo,
			100**a.Hi)
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
		if s.MateBase > 0 {
			fmt.Fprintf(out, "mates       written as centipawns, %d less the plies; counted as mates\n", s.MateBase)
		}
		fmt.Fprintf(out, "values      %.1f%% within ±300, %.1f%% mates\n", 100*float64(within)/float64(total),
			100*float64(mates)/float64(total))
	}
}

// counted returns the counts with their names, the highest count first. The text in before comes before the first
// count. It returns "" if there are no counts.
func counted(before string, by map[string]int) string {
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(by[b]-by[a], strings.Compare(a, b))
	})
	list := lists.Map(names, func(n string) string { return fmt.Sprintf("%s %s", n, format.Count(by[n])) })
	if len(list) == 0 {
		return ""
	}
	return before + strings.Join(list, ", ")
}

// VoteCounts returns the moves for which the members of a council voted, as candidates. Visits is the number
// of votes for the move. detail is kifu.Move.Detail. VoteCounts returns nil if detail has no votes.
func VoteCounts(detail []byte) (list []packed.Candidate) {
	record, err := voting.ParseRecord(detail)
	if err != nil {
		return nil
	}
	for _, c := range record.Counts {
		m, err := shogi.ParseMove(c.Key)
		if err == nil && c.Value > 0 {
			list = append(list, packed.Candidate{Move: m, Visits: uint16(min(c.Value, 1<<16-1))})
		}
	}
	return list
}
