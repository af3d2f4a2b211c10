package words

import (
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestSummary requires that the English line does not change, and that the Japanese line has the same numbers.
func TestSummary(t *testing.T) {
	t.Parallel()
	s := Summary{Run: "r", Phase: match.RunDraining, Ended: 7, Games: 20, First: "a", Results: Results(3, 1, 3, 0.5),
		Rate: 1.25, Left: "10s", Faults: 2}
	testutil.Equal(t, s.Line().String(), "r 7/20 draining · a 3–1–3 50.0% · 1.2/s · ETA 10s · faults 2")
	testutil.Equal(t, s.Line().In(i18n.Japanese), "r 7/20 進行中の対局で終了 · a 3–1–3 50.0% · 1.2局/秒 · 残り 10s · 異常 2")
	s.Rate = 0.025
	testutil.Equal(t, s.Line().String(), "r 7/20 draining · a 3–1–3 50.0% · 1.5/min · ETA 10s · faults 2")
	testutil.Equal(t, Done("r", 4, "2m40s", s.Rate).String(), "r: 4 games in 2m40s, 1.5 games/min")
	plain := Summary{Run: "r", Phase: match.RunPlaying, Games: 20, Left: "–"}
	testutil.Equal(t, plain.Line().String(), "r 0/20 · 0.0/s · ETA –")
}

// TestFault requires the kind, the engine, the pair, the note and the files of a fault, each only if it is known.
func TestFault(t *testing.T) {
	t.Parallel()
	pair := 4
	for _, c := range []struct{ got, want string }{
		{Fault("time_forfeit", "x", &pair, "late\x1b[2J", "/b").String(),
			"fault: x time forfeit in pair 4: late; kept in /b"},
		{Fault("crash", "", nil, "gone", "").String(), "fault: crash: gone"},
		{Fault("time_forfeit", "x", &pair, "late", "").In(i18n.Japanese), "異常：x 時間切れ（ペア 4）：late"},
	} {
		testutil.Equal(t, c.got, c.want)
	}
}

// TestWarning requires that an English warning is only the note, and that a Japanese warning also has its kind. A
// warning of an unknown kind is only the note.
func TestWarning(t *testing.T) {
	t.Parallel()
	w := match.WarningGiven{Engine: "x", Kind: "memory", Note: "3 of 9 MB"}
	testutil.Equal(t, Warning(w).String(), "warning: x: 3 of 9 MB")
	got := Warning(w).In(i18n.Japanese)
	testutil.Check(t, strings.HasPrefix(got, "警告：x：プロセス") && strings.Contains(got, "3 of 9 MB"), "%v", got)
	w.Kind, w.Engine = "of tomorrow", ""
	testutil.Equal(t, Warning(w).In(i18n.Japanese), "警告：3 of 9 MB")
}

func TestLost(t *testing.T) {
	t.Parallel()
	testutil.Equal(t, Lost("x", 1).String(), "x lost 1 game of this session by faults of its own")
	testutil.Equal(t, Lost("x", 1200).In(i18n.Japanese), "x はこのセッションで、自身の異常により1,200局負け")
}
