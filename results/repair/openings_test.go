package repair

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
	"gogi/results/resultstest"
	"gogi/results/tables"
)

// pageOf returns the number of the only page of a table, counted from 1.
func pageOf(t *testing.T, path, table string) (page int) {
	t.Helper()
	s := resultstest.Existing(t, path)
	testutil.OK(t, s.Moment(t.Context(), "looking for a page", func(m results.Moment) error {
		return m.Q.QueryRowContext(t.Context(), "SELECT rootpage FROM sqlite_schema WHERE name = ?", table).Scan(&page)
	}))
	return page
}

// TestRepairOfWhatAllPairsHangOn: a repair loses no pair if a bit flips in the rows that all pairs of a run need. The
// bit is in the page's header, its pointers or the heads of its rows.
func TestRepairOfWhatAllPairsHangOn(t *testing.T) {
	t.Parallel()
	path := resultstest.Filled(t, "a.db", []int{0, 1, 2}, func(p *match.Plan) { p.Openings = p.Openings[:1] })
	whole := testutil.Must(os.ReadFile(path))(t)
	want := resultstest.DumpLines(t, path)
	dir := t.TempDir()
	refused := 0
	for _, table := range []string{"openings", "runs", "engines", "settings_log"} {
		page := (pageOf(t, path, table) - 1) * tables.PageSize
		cell := page + int(whole[page+8])<<8 + int(whole[page+9])
		bits := []int{}
		for _, from := range []int{page + 8, page + 3, cell, cell + 1, cell + 2, page + 9, page, page + 5} {
			for bit := range 8 {
				bits = append(bits, 8*from+bit)
			}
		}
		for i, bit := range bits {
			if i%testutil.ByLength(40, 1) > 0 {
				continue
			}
			where := fmt.Sprintf("%s: bit %d of byte %d of its page", table, bit%8, bit/8-page)
			damaged := filepath.Join(dir, fmt.Sprintf("%s-%d.db", table, i))
			text := append([]byte{}, whole...)
			text[bit/8] ^= 1 << (bit % 8)
			testutil.OK(t, os.WriteFile(damaged, text, 0o600))
			if c := checkup(t, damaged); !c.Sound() {
				refused++
			}
			r, err := Repair(t.Context(), damaged, damaged+".new", nil)
			if err != nil || len(r.LostRuns) > 0 || len(r.Runs) != 1 || r.Runs[0].Saved != 3 {
				t.Errorf("%s: %+v, %v", where, r, err)
				continue
			}
			testutil.Equal(t, gamesIn(resultstest.DumpLines(t, damaged+".new")), gamesIn(want), "%s", where)
		}
	}
	testutil.Check(t, refused != 0, "nothing was damaged")
}
