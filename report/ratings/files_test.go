package ratings

import (
	"testing"

	"gogi/internal/testutil"
)

// TestFileCounts: games with equal terms are added up, and other games are not. A sum beyond the range of a count loses
// nothing.
func TestFileCounts(t *testing.T) {
	t.Parallel()
	var g fileGames
	games := map[fileTerms]int{}
	add := func(c fileCount) {
		g.add(c)
		games[c.fileTerms] += c.games()
	}
	for i := range int32(12_000) {
		terms := fileTerms{source: i % 2, black: i % 89, white: i % 97, handicap: int16(i % 3), receiver: receiver(i % 3),
			cluster: i % 5}
		add(fileCount{terms, 1, 2, uint32(i)})
	}
	for range 9 {
		add(fileCount{fileTerms{black: 1, white: 2}, mostGames, mostGames, 0})
	}
	sums, places := map[fileTerms]int{}, map[fileTerms]int{}
	for i := range len(g.counts) {
		c := g.counts[i]
		sums[c.fileTerms] += c.games()
		places[c.fileTerms]++
	}
	for terms, n := range games {
		testutil.Require(t, sums[terms] == n, "%+v: %d games, want %d", terms, sums[terms], n)
	}
	most := fileTerms{black: 1, white: 2}
	if len(sums) != len(games) || len(g.counts)-len(games) != places[most]-1 || places[most] < 5 {
		t.Errorf("%d counts of %d terms, %d of the many games", len(g.counts), len(games), places[most])
	}
}
