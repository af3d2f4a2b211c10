package openings

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"gogi/internal/format"
	"gogi/match"
	"gogi/shogi"
	"gogi/stats/binomial"
)

// OpeningStats has statistics about openings, calculated from played games. If there are many openings, some of
// them have unusual results by chance. The intervals are not corrected for the number of openings.
type OpeningStats struct {
	Version  int     `json:"version"`
	Games    int     `json:"games"`
	Copies   int     `json:"copies"` // games that repeat another game of the same opening; they do not count
	Openings []Share `json:"openings"`
	All      Share   `json:"all"`
}

// Share has the results of the games from one opening.
type Share struct {
	ID      string `json:"id,omitempty"` // name of the opening in its set
	Opening string `json:"opening"`
	Games   int    `json:"games"`
	Black   int    `json:"black_wins"`
	Draws   int    `json:"draws"`
	White   int    `json:"white_wins"`
	// BlackWins is the share of Black's wins among the decided games, and Drawn the share of draws among all
	// games. Each has its exact 95% interval (Clopper and Pearson), which treats games as independent. Each
	// is null without games.
	BlackWins *Rate `json:"black"`
	Drawn     *Rate `json:"drawn"`
	Pairs     int   `json:"pairs"` // pairs of two games with the colours swapped
	// Decisive is the share of pairs that one player won, with two wins or with a win and a draw. Only these
	// pairs distinguish the players. In the other pairs, one colour won both games, or both games were draws.
	Decisive *Rate `json:"told"`
}

// Rate is a share of games or pairs with its confidence interval, all from 0 to 1.
type Rate struct {
	Rate float64 `json:"rate"` // share, from 0 to 1
	Lo   float64 `json:"lo"`
	Hi   float64 `json:"hi"`
}

// Gatherer counts games by opening to calculate OpeningStats.
type Gatherer struct {
	by     map[string]*tally
	seen   map[played]struct{} // one map for all openings, because each imported game may have its own opening
	copies int
}

// played identifies a game by its opening and the hash of its moves.
type played struct {
	from  *tally
	moves uint64
}

// tally has the counts of one opening.
type tally struct {
	share    Share
	decisive int
}

// NewGatherer returns a Gatherer without games.
func NewGatherer() *Gatherer { return &Gatherer{by: map[string]*tally{}, seen: map[played]struct{}{}} }

// Add counts the games of a pair with the opening o. rows has the games in the order of their legs. A game
// with the same moves as an earlier game has no new information; Add counts neither this game nor its pair.
func (g *Gatherer) Add(o match.Opening, rows []match.Row) {
	key := o.String()
	t := g.by[key]
	if t == nil {
		t = &tally{share: Share{ID: o.ID, Opening: key}}
		g.by[key] = t
	}
	fresh := 0
	for _, r := range rows {
		game := played{t, r.MovesHash}
		if _, copied := g.seen[game]; copied {
			g.copies++
			continue
		}
		g.seen[game] = struct{}{}
		fresh++
		t.share.add(r.Outcome)
	}
	if len(rows) != 2 || fresh != 2 {
		return
	}
	t.share.Pairs++
	if scoreOfA(rows[0])+scoreOfA(rows[1]) != 2 {
		t.decisive++
	}
}

func (s *Share) add(o match.Outcome) {
	s.Games++
	switch o {
	case match.BlackWins:
		s.Black++
	case match.WhiteWins:
		s.White++
	case match.Draw:
		s.Draws++
	case match.Unfinished:
	}
}

// scoreOfA returns the points of the pair's first player in one game, in half points.
func scoreOfA(r match.Row) int {
	winner, decided := r.Outcome.Winner()
	switch {
	case !decided:
		return 1
	case (winner == shogi.Black) == (r.Black == r.PairA):
		return 2
	}
	return 0
}

// Stats returns the statistics. Openings are sorted by their number of games, the largest first, and then by
// their text.
func (g *Gatherer) Stats() *OpeningStats {
	w := &OpeningStats{Version: 1, Copies: g.copies, Openings: make([]Share, 0, len(g.by))}
	rates := rates{}
	all, decisive := Share{ID: "all"}, 0
	for _, t := range g.by {
		s := t.share
		all.Games, all.Black, all.Draws, all.White, all.Pairs = all.Games+s.Games, all.Black+s.Black, all.Draws+s.Draws,
			all.White+s.White, all.Pairs+s.Pairs
		decisive += t.decisive
		s.rate(t.decisive, rates)
		w.Openings = append(w.Openings, s)
	}
	all.rate(decisive, rates)
	w.All, w.Games = all, all.Games
	slices.SortFunc(w.Openings, func(a, b Share) int {
		return cmp.Or(b.Games-a.Games, cmp.Compare(a.Opening, b.Opening))
	})
	return w
}

func (s *Share) rate(decisive int, of rates) {
	s.BlackWins, s.Drawn, s.Decisive = of.rate(s.Black, s.Black+s.White), of.rate(s.Draws, s.Games),
		of.rate(decisive, s.Pairs)
}

// rates caches the results of rate. The key is a number of successes and a total number. Most openings have few
// games, so the same numbers occur often.
type rates map[[2]int]*Rate

func (m rates) rate(k, n int) *Rate {
	key := [2]int{k, n}
	if r, known := m[key]; known {
		return r
	}
	i, err := binomial.ClopperPearson(k, n, 0.95)
	if err != nil { // n is 0
		return nil
	}
	m[key] = &Rate{float64(k) / float64(n), i.Lo, i.Hi}
	return m[key]
}

// Print writes a table of the openings with the most games. most is the largest number of openings in the table.
// Print ignores write errors.
func (w *OpeningStats) Print(out io.Writer, most int) {
	t := format.Table("opening", "first moves", "games", "Black W–D–L", "Black won", "drawn", "tells")
	for _, s := range append(slices.Clone(w.Openings[:min(most, len(w.Openings))]), w.All) {
		t.AppendRow([]any{cmp.Or(s.ID, "–"), short(s.Opening), s.Games, fmt.Sprintf("%d–%d–%d", s.Black, s.Draws, s.White),
			s.BlackWins, s.Drawn, s.Decisive})
	}
	format.Render(out, t)
	if hidden := len(w.Openings) - most; hidden > 0 {
		fmt.Fprintf(out, "%d more openings have fewer games\n", hidden)
	}
	if w.Copies > 0 {
		fmt.Fprintf(out, "%d games that repeat another of their opening are left out\n", w.Copies)
	}
	fmt.Fprintln(out,
		"[95% Clopper–Pearson, games as independent]; won: of decided games; tells: the\nshare of pairs that one player won; of many openings some stand out by chance")
}

// short returns an opening without "startpos moves", shortened to the width of a column.
func short(opening string) string {
	opening = strings.TrimPrefix(opening, "startpos moves ")
	if len(opening) > 26 {
		opening = opening[:25] + "…"
	}
	return opening
}

// String returns the rate with its interval, or a dash for nil.
func (r *Rate) String() string {
	if r == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f%% [%.0f, %.0f]", 100*r.Rate, 100*r.Lo, 100*r.Hi)
}
