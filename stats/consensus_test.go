package stats_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/stats"
	"gogi/stats/binomial"
)

// series is a row of a table in docs/research/consensus.md.
type series struct {
	section, table, council string
	won, lost               int
	p                       float64 // p value of the exact test, calculated here
}

// documented reads the series of the document and checks every number that depends only on the wins and losses.
func documented(t *testing.T) (list []series) {
	t.Helper()
	text := testutil.Must(os.ReadFile("../docs/research/consensus.md"))(t)
	row := regexp.MustCompile(`^\| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \| ([\d.]+%) \| ([\d.–]+%) \| ([^|]+) \| ([\d.e-]+) \| [\d.e-]+ \|$`)
	section, table := "", ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if after, ok := strings.CutPrefix(line, "### "); ok {
			section = after
		} else if line != "" && !strings.HasPrefix(line, "|") {
			table = line
		}
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		s := series{section: section, table: table, council: m[1]}
		s.won, _ = strconv.Atoi(m[2])
		s.lost, _ = strconv.Atoi(m[3])
		test := testutil.Must(binomial.Exact(s.won, s.won+s.lost, 0.5, binomial.TwoSided))(t)
		s.p = test.P
		checkRow(t, s, m)
		list = append(list, s)
	}
	return list
}

// checkRow compares the printed numbers of a row with those that its wins and losses give.
func checkRow(t *testing.T, s series, printed []string) {
	t.Helper()
	n := s.won + s.lost
	i := testutil.Must(binomial.ClopperPearson(s.won, n, 0.95))(t)
	rate := float64(s.won) / float64(n)
	elo := binomial.EloInterval(i)
	p := strings.Replace(strconv.FormatFloat(s.p, 'e', 0, 64), "e-0", "e-", 1)
	if s.p >= 0.001 {
		p = fmt.Sprintf("%.3f", s.p)
	}
	for k, want := range map[int]string{
		5: fmt.Sprintf("%.1f%%", 100*rate), 6: fmt.Sprintf("%.1f–%.1f%%", 100*i.Lo, 100*i.Hi),
		7: fmt.Sprintf("%+.0f [%+.0f, %+.0f]", binomial.Elo(rate), elo.Lo, elo.Hi), 8: p,
	} {
		testutil.Check(t, printed[k] == want, "%s, %s: %s: %s is printed, %s is right", s.section, s.table, s.council,
			printed[k], want)
	}
}

// find returns the series of a council, in a section and a table with this heading.
func find(t *testing.T, list []series, section, table, council string) (int, series) {
	t.Helper()
	for i, s := range list {
		if strings.HasPrefix(s.section, section) && strings.HasPrefix(s.table, table) && s.council == council {
			return i, s
		}
	}
	t.Fatalf("there is no series %s, %s, %s", section, table, council)
	return 0, series{}
}

// TestConsensusDocument recalculates the tables of docs/research/consensus.md and the numbers in its text about
// multiple tests. With -v it prints the p values adjusted by Holm and the trends.
func TestConsensusDocument(t *testing.T) {
	all := documented(t)
	sizes := lists.Filter(all, func(s series) bool { return strings.HasSuffix(s.section, "nodes a member") })
	testutil.Require(t, len(sizes) == 25 && len(all) == 40, "%d series of sizes, %d in all", len(sizes), len(all))
	text := testutil.Must(os.ReadFile("../docs/research/consensus.md"))(t)
	said := strings.Join(strings.Fields(string(text)), " ")
	says := func(what string, args ...any) {
		if what := fmt.Sprintf(what, args...); !strings.Contains(said, what) {
			t.Errorf("the document does not say %q", what)
		}
	}
	first, every := byHolm(t, sizes), byHolm(t, all)
	says("%d of the 25 hold", holding(first))
	says("%d of all 40", holding(every))
	at := func(section, table, council string) float64 {
		i, _ := find(t, sizes, section, table, council)
		return first[i]
	}
	loss, gain := at("400 nodes", "Against one engine without noise, the", "simple majority"),
		at("8,000 nodes", "Against one engine without noise, the", "simple majority")
	says("majority's loss at 400 nodes and its gain at 8,000 (both %.2f)", max(loss, gain))
	says("majority's loss at 400 nodes and its gain at 8,000 (both %.2f)", min(loss, gain))
	const control = "simple majority against its first member alone"
	says("against its first member (%.2f and %.2f)", at("400 nodes", "Controls", control),
		at("2,000 nodes", "Controls", control))
	says("adoption's loss to it (%.2f)", at("400 nodes", "Against simple", "adoption record"))
	says("evaluation at 400 nodes (%.2f)", at("400 nodes", "Against simple", "evaluation, accumulating"))
	z, p := trend(t, sizes, "simple majority")
	says("majority's trend is significant, z = %.2f, p = %.1g", z, p)
	z, p = trend(t, sizes, "adoption record")
	says("adoption's is not, z = %.2f, p = %.2f", z, p)
}

// byHolm returns the p values of the series, adjusted for their number by Holm.
func byHolm(t *testing.T, list []series) []float64 {
	t.Helper()
	p := lists.Map(list, func(s series) float64 { return s.p })
	adjusted := testutil.Must(binomial.Holm.Adjust(p))(t)
	for i, s := range list {
		t.Logf("of %d: %s · %s · %s: p %.2g, by Holm %.2g", len(list), s.section, s.table, s.council, s.p, adjusted[i])
	}
	return adjusted
}

// holding counts the p values of at most 5 %.
func holding(adjusted []float64) (n int) {
	return lists.Count(adjusted, func(p float64) bool { return p <= 0.05 })
}

// trend tests for a trend over the three sizes in a council's games against the single engine.
func trend(t *testing.T, sizes []series, council string) (z, p float64) {
	t.Helper()
	var groups []stats.TrendPoint
	for dose, section := range []string{"400 nodes", "2,000 nodes", "8,000 nodes"} {
		_, s := find(t, sizes, section, "Against one engine without noise, the same", council)
		groups = append(groups, stats.TrendPoint{K: s.won, N: s.won + s.lost, Size: float64(dose)})
	}
	z, p, err := stats.DoseTrend(groups)
	testutil.OK(t, err)
	t.Logf("trend of %s over sizes: z = %.2f, p = %.2g", council, z, p)
	return z, p
}
