package farmcmd

import (
	"bytes"
	"errors"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/farm"
	"gogi/farm/replay"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestDifferencesThatProveNothing: pairs that were pushed or played before the coordinator required new engines, and
// all pairs of an earlier coordinator, may be of engines that kept data. The command says so, and exits with 0.
func TestDifferencesThatProveNothing(t *testing.T) {
	nodes := match.Player{Name: "n", Command: []string{"n"}, Limits: match.Limits{Nodes: 100}, Restart: match.RestartNever}
	plan := &match.Plan{Players: []match.Player{nodes, nodes}}
	for _, c := range []struct {
		fresh farm.Epoch
		epoch uint64
		kept  bool
	}{{7 << 32, 0, true}, {7 << 32, 7<<32 - 1, true}, {7 << 32, 7 << 32, false}, {0, 9 << 32, true}} {
		testutil.Equal(t, keptData(plan, c.fresh, match.Provenance{Epoch: c.epoch}), c.kept, "%+v", c)
	}
	nodes.Restart = match.RestartPair
	plan = &match.Plan{Players: []match.Player{nodes, nodes}}
	testutil.Check(t, !keptData(plan, 0, match.Provenance{}), "a plan that starts the engines for each pair")

	for _, kept := range []bool{true, false} {
		var out bytes.Buffer
		found := replay.Report{Run: "t", Played: 2,
			Different: []replay.Difference{{Pair: 3, Worker: "w1", Ply: 12, What: "a and b", Kept: kept}}}
		err := (&AuditCommand{}).print(&cli.Env{Out: &out}, found)
		exit, failed := errors.AsType[*cli.Exit](err)
		testutil.Check(t, failed != kept && (kept || exit.Code == cli.Differs), "kept %t: %v", kept, err)
		want := "t: 2 pairs played again, 1 the same move for move\n  pair 3 of w1, game 1, from ply 12 on: a and b"
		if kept {
			want += "; this proves nothing, because its engines may have kept data of earlier pairs"
		}
		testutil.Equal(t, out.String(), want+"\n")
	}
}
