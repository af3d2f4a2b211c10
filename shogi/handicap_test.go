package shogi

import (
	"testing"

	"gogi/internal/testutil"
)

func TestHandicaps(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range Handicaps() {
		p := mustParse(t, h.SFEN)
		testutil.Check(t, p.Side() == White && p.SFEN() == h.SFEN && p.KingSquare(White) == NewSquare(5, 1), "%s: %s", h.Name,
			p.SFEN())
		for _, name := range []string{h.Name, h.Japanese, h.Code} {
			if got, ok := FindHandicap(name); !ok || got != h || seen[name] {
				t.Errorf("%s finds %+v", name, got)
			}
			seen[name] = true
		}
	}
	for _, name := range []string{"", "even", "平手"} {
		if h, ok := FindHandicap(name); ok {
			t.Errorf("%q finds %+v", name, h)
		}
	}
}

// TestHandicapSizes: the number of missing pieces of White is that of the handicap.
func TestHandicapSizes(t *testing.T) {
	for name, want := range map[string]int{"香落ち": 1, "HIKY": 2, "two-piece": 2, "三枚落ち": 3, "4": 4, "5_L": 5, "六枚落ち": 6,
		"7_R": 7, "8": 8, "十枚落ち": 10} {
		h, _ := FindHandicap(name)
		p := mustParse(t, h.SFEN)
		got := 40 - p.byType[occupied].count()
		testutil.Check(t, got == want, "%s gives %d pieces, want %d", name, got, want)
	}
}
