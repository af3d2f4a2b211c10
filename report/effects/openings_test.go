package effects

import (
	"io"
	"math"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
)

func boardsOf(t *testing.T, run Run, openings, pairs []string) *Boards {
	t.Helper()
	rows, starts := runOf(openings, pairs, false)
	g := NewBoards(run)
	for i := range rows {
		testutil.OK(t, g.Add(starts[i], rows[i]))
	}
	return g.Boards()
}

func near(got, want float64) bool { return math.Abs(got-want) < 1e-4 }

// TestBoards: A wins all twelve pairs of one opening and loses all of the other. The surprise is the difference of the
// two means, 1, in standard errors: 0.5107539·√(1/12 + 1/12), where 0.5107539 is the standard deviation of 24 scores.
// The interval of twelve wins at the level 97.5% is that of Clopper and Pearson: from 0.0125^(1/12).
func TestBoards(t *testing.T) {
	var pairs []string
	for range 12 {
		pairs = append(pairs, "WW", "LL")
	}
	b := boardsOf(t, finished(), []string{"7g7f 3c3d 2g2f", "2g2f 8c8d"}, pairs)
	testutil.Check(t, *b.Score == 0.5 && b.Games == 48, "score %v of %d games", *b.Score, b.Games)
	list := &b.Openings
	list.Sort(ByScore)
	testutil.OK(t, list.Bound(0, 2))
	worst, best := list.Rows[0], list.Rows[1]
	testutil.Check(t, worst.Name == "2g2f 8c8d" && worst.Wins == 0 && worst.Losses == 24 && worst.Units == 12 &&
		worst.Stands, "%+v", worst)
	testutil.Check(t, near(*worst.Surprise, -4.795832) && near(*best.Surprise, 4.795832), "surprises %v, %v",
		*worst.Surprise, *best.Surprise)
	testutil.Check(t, near(*best.Lo, math.Pow(0.0125, 1.0/12)) && *best.Hi == 1, "interval %v to %v", *best.Lo, *best.Hi)
	testutil.Equal(t, best.Opening, "startpos moves 7g7f 3c3d 2g2f", "opening")
	testutil.Check(t, list.Looked == 2 && near(list.Chance, 2.236477), "%d rows, chance %v", list.Looked, list.Chance)
	// A family's observation is the opening, and each family has one.
	testutil.Check(t, b.Families.Looked == 2 && b.Families.Rows[0].Units == 1 && b.Families.Rows[0].FirstPly == 2, "%+v",
		b.Families.Rows)
}

// TestBoardsOfChance: with ten openings the threshold is the critical value 2.80 of the largest of ten normal variables
// (studentized maximum modulus with infinite degrees of freedom), and openings of two games do not stand out.
func TestBoardsOfChance(t *testing.T) {
	b := boardsOf(t, finished(), []string{"7g7f", "2g2f", "5g5f", "6g6f", "1g1f", "9g9f", "3g3f", "4g4f", "8g8f", "2h7h"},
		[]string{"LL", "WW", "WL", "WL", "WL", "WL", "WL", "WL", "WL", "WL"})
	testutil.Check(t, math.Abs(b.Openings.Chance-2.80) < 0.005, "chance %v", b.Openings.Chance)
	b.Openings.Sort(BySurprise)
	testutil.OK(t, b.Openings.Bound(0, 10))
	for _, row := range b.Openings.Rows {
		testutil.Check(t, !row.Stands, "%s stands out with one pair: %s", row.Name, row.IntervalText())
	}
	testutil.Equal(t, b.Openings.Rows[0].Name, "7g7f", "of equal surprises the lower score comes first")
	var out strings.Builder
	testutil.OK(t, b.Print(&out, i18n.English, BySurprise, 3))
	testutil.Contains(t, out.String(), "3 of 10; in 1 of 20 runs chance alone gives a surprise above 2.8")
	testutil.Contains(t, out.String(), "20 rows were looked at here")
}

// TestBoardsWithoutSpread: if all observations are equal, no row is surprising. An unfinished run and a run with an
// SPRT have warnings.
func TestBoardsWithoutSpread(t *testing.T) {
	run := finished()
	run.Finished, run.Gate = false, "0, 5"
	b := boardsOf(t, run, []string{"7g7f", "2g2f"}, []string{"WW", "WW", "WW", "WW"})
	testutil.Check(t, b.Openings.Rows[0].Surprise == nil && b.Openings.Rows[0].SurpriseText() == "–", "%+v",
		b.Openings.Rows[0])
	testutil.Equal(t, len(b.Warnings), 3, "warnings")
	testutil.OK(t, b.Print(io.Discard, i18n.Japanese, ByGames, 1))
	none := NewBoards(run).Boards()
	testutil.Check(t, none.Openings.Looked == 0 && none.Score == nil, "%+v", none)
}
