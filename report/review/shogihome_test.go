package review

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	kifutext "gogi/shogi/kifu/text"
)

// TestShogiHome: tsshogi, the library of ShogiHome, reads the KIF file of a review: each marked move has its mark, its
// loss and its variations as a comment, all reviewed moves have their evaluation, and the opening has a remark. What
// tsshogi writes again has the same comments.
func TestShogiHome(t *testing.T) {
	t.Parallel()
	required := func(why string) {
		testutil.Require(t, os.Getenv("GOGI_REAL_READERS") != "required", "%s", why)
		t.Skip(why)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		required("node is missing")
	}
	const npm = "../../results/games/testdata/npm"
	if _, err := os.Stat(npm + "/node_modules/tsshogi"); err != nil {
		required("the reader is missing: npm ci --prefix results/games/testdata/npm")
	}
	// Black's 3rd move is a blunder of 23 points, White's 4th a mistake of 11.
	e := &scripted{t: t, scores: centipawns(0, 0, 0, 600, -300, 300),
		best: map[int]string{2: "2g2f 8c8d", 3: "8c8d 2g2f", 4: "6i7h"}}
	start := shogi.StartPos()
	game := record(t, start.SFEN(), "7g7f", "3c3d", "9g9f", "9c9d", "6i7h")
	game.OpenedBy = "896"
	game.Moves[0].Opening, game.Moves[1].Opening = true, true
	r := testutil.Must(Analyse(t.Context(), e, game,
		Settings{Lines: 1, Marks: usualMarks, Scale: DefaultScale, First: 2}))(t)
	testutil.OK(t, r.Annotate(game))
	folder := t.TempDir()
	text := testutil.Must(kifutext.AppendKIF(nil, game))(t)
	testutil.OK(t, os.WriteFile(filepath.Join(folder, "game.kif"), text, 0o600))
	out, err := exec.Command(node, npm+"/read.mjs", folder).Output()
	testutil.OK(t, err)
	var files map[string]struct {
		Shogi struct {
			Error, KIF, Note string
			Comments         []string
			Moves            []struct{ Score *int }
		}
	}
	testutil.OK(t, json.Unmarshal(out, &files))
	read := files["game.kif"].Shogi
	testutil.Require(t, read.Error == "" && len(read.Moves) == 5 && len(read.Comments) >= 5, "tsshogi read %+v", read)
	for i, want := range [][]string{
		2: {"?? 大悪手 −23% (50% → 27%)", "候補1 +0 ☗２六歩(27) ☖８四歩(83)"}, 3: {"? 悪手 −11% (73% → 62%)", "候補1 -600 ☖８四歩(83)"}, 4: {},
	} {
		for _, part := range want {
			testutil.Contains(t, read.Comments[i], part, "move %d", i+1)
		}
		if i >= 2 {
			testutil.Require(t, read.Moves[i].Score != nil, "move %d has no evaluation: %q", i+1, read.Comments[i])
			testutil.Equal(t, *read.Moves[i].Score, []int{0, 0, -600, -300, -300}[i], "Black's evaluation after move %d", i+1)
		}
	}
	testutil.Check(t, !strings.Contains(read.Comments[4], "手 −"), "an unmarked move has a mark: %q", read.Comments[4])
	testutil.Equal(t, read.Note, "開始局面 896")
	format := testutil.Must(kifutext.Find(kifutext.Text(), "kif"))(t)
	again := testutil.Must(format.Read(kifutext.NewInput("again.kif", strings.NewReader(read.KIF))).Next())(t)
	for i, m := range []int{2, 3} {
		testutil.Contains(t, again.Moves[m].Comment, []string{"?? 大悪手", "? 悪手"}[i], "after tsshogi wrote the file")
	}
	testutil.Check(t, slices.Equal(again.USIMoves(), game.USIMoves()), "moves after tsshogi wrote the file: %v",
		again.USIMoves())
}
