package builtin

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/usi"
)

func BenchmarkNodes(b *testing.B) {
	for name, start := range map[string]string{
		"start":  "startpos",
		"middle": "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
	} {
		b.Run(name, func(b *testing.B) {
			e, nodes := New(), uint64(0)
			for b.Loop() {
				r := testutil.Must(e.Think(b.Context(), usi.Request{
					Position: usi.Position{Start: start}, Go: usi.Go{Nodes: 300_000},
				}))(b)
				nodes += r.Nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
