package games

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/text"
)

// TestLibOSL: GPSShogi's library loads every game that has both kings and no more pieces than a set, without a
// complaint. Its moves, times and results equal gogi's. It calls a loss on time unknown, because it does not know this
// end.
func TestLibOSL(t *testing.T) {
	testutil.OnlyLong(t, "a C++ compiler takes seconds for it; TestOtherReaders has another reader of the same files")
	if _, err := os.Stat("/usr/include/osl/record/csaRecord.h"); err != nil {
		required(t, "libosl-dev is missing")
	}
	program := filepath.Join(t.TempDir(), "libosl")
	built, err := exec.Command("g++", "-O1", "-std=c++14", "-w", "-DOSL_SMP", "testdata/libosl.cc", "-o", program, "-losl",
		"-lpthread").CombinedOutput()
	testutil.Require(t, err == nil, "%v: %s", err, built)
	games, folder := playedGames(t), t.TempDir()
	want := map[string]string{}
	var paths []string
	for name, g := range games {
		text := testutil.Must(text.AppendCSA(nil, g))(t)
		path := filepath.Join(folder, name+".csa")
		write(t, path, text)
		seconds := 0
		for i := range g.Moves[:len(g.Moves)-1] {
			seconds += int(g.Moves[i].Time / time.Second)
		}
		paths = append(paths, path)
		want[path] = fmt.Sprintf("%d %s", len(g.Moves), resultOfOSL(g, seconds))
	}
	cmd := exec.Command(program, paths...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Errorf("%v, it says:\n%.2000s", err, complaints.String())
	}
	for line := range strings.Lines(out.String()) {
		path, got, _ := strings.Cut(strings.TrimSpace(line), " ")
		testutil.Equal(t, got, want[path], "%s", filepath.Base(path))
		delete(want, path)
	}
	testutil.Check(t, len(want) == 0, "%d games were not read", len(want))
}

// resultOfOSL returns the seconds and the number of the result. A win of the side to move by adjudication, and an
// adjudicated draw, are written as an unfinished game.
func resultOfOSL(g *kifu.Record, seconds int) string {
	_, side := lastOf(g)
	number := map[string]int{"black": 1, "white": 2, "draw": 4}[g.Winner]
	switch g.Result {
	case "repetition":
		number = 3
	case "time_forfeit", "stall":
		number = 0
	case "score_adjudication":
		if g.Winner != side.Opponent().String() {
			number = 0
		}
	}
	return fmt.Sprintf("%d %d", seconds, number)
}
