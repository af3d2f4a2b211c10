package text

import (
	"fmt"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/report"
)

func TestPrintWorkers(t *testing.T) {
	t.Parallel()
	f := func(v float64) *float64 { return &v }
	r := view{in: i18n.English, Report: &report.Report{Workers: []report.Worker{
		{Name: "attic\x1b[2J", Pairs: 4100, Share: 0.2, Score: f(0.452), Difference: f(-0.051), Bounds: report.Bounds{Lo: f(-0.062), Hi: f(-0.04)}, TimeLosses: 3, Crashes: 1, Slowed: 20, Log10E: f(8.24), StandsOut: "results"},
		{Name: "", Pairs: 1, Share: 0.001, Score: f(1)},
	}}}
	var b strings.Builder
	r.printWorkers(&b)
	t.Log("\n" + b.String())
	for _, want := range []string{"4,100", "-5.1 [-6.2, -4.0]", "10^8.2 !", "(this process)", "attic differs from the others by its results; gogi db void"} {
		testutil.Contains(t, b.String(), want, "lacks")
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("a worker's name reaches the terminal as it is")
	}
	for i := range 20 {
		r.Workers = append(r.Workers, report.Worker{Name: fmt.Sprint("w", i), Pairs: 1})
	}
	b.Reset()
	r.printWorkers(&b)
	if !strings.Contains(b.String(), "and 10 more workers, see --json") || strings.Contains(b.String(), "w10") {
		t.Errorf("many:\n%s", b.String())
	}
	b.Reset()
	view{&report.Report{}, i18n.English}.printWorkers(&b)
	if b.Len() > 0 {
		t.Errorf("no farm: %q", b.String())
	}
}
