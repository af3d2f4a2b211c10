package web

import (
	"slices"
	"sync"
	"testing"
	"time"

	"gogi/report"
)

// TestSheetsAreMadeOnce: many who ask at once get one and the same report, and so does who
// asks later, until another pair is stored and the old one has been shown for its time.
func TestSheetsAreMadeOnce(t *testing.T) {
	s := shownRuns(t, "plain", "other")
	info, err := s.config.Store.FindRun(t.Context(), "other")
	if err != nil {
		t.Fatal(err)
	}
	made := make([]*sheet, 20)
	var wait sync.WaitGroup
	for i := range made {
		wait.Go(func() {
			var err error
			if made[i], err = s.sheets.of(t.Context(), s, info); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, m := range made {
		if m == nil || m != made[0] {
			t.Fatal("one run has several reports")
		}
	}
	storeRun(t, s.config.Store, "other", 2)
	later := func() *sheet {
		m, err := s.sheets.of(t.Context(), s, info)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	made[0].made, made[0].took = time.Now(), time.Hour
	if later() != made[0] {
		t.Error("a report that took long is made anew at once")
	}
	made[0].took = 0
	if m := later(); m == made[0] || m.report.Pairs != 2 {
		t.Errorf("the new pair is not seen: %d pairs", m.report.Pairs)
	}
}

// TestSheetsAreBounded: the reports of many runs do not pile up, and the one that was looked
// at last stays.
func TestSheetsAreBounded(t *testing.T) {
	var c sheets
	for id := range int64(3 * keptSheets) {
		c.keep(id, &sheet{})
		if c.find(0, c.kept[0].stamp) == nil {
			t.Fatal("the report that is looked at all the time is gone")
		}
	}
	if len(c.kept) != keptSheets {
		t.Errorf("%d reports are kept", len(c.kept))
	}
}

// TestChangesWithoutPaths: the log of changes is shown without what names a path.
func TestChangesWithoutPaths(t *testing.T) {
	r := report.Report{Looks: report.Looks{Changes: []string{"2026-01-02 – pairs: 1 became 2", "2026-01-03 – the command of a: /home/x became /home/y"}}}
	got := discreet(&r).Looks.Changes
	if len(got) != 2 || got[0] != r.Looks.Changes[0] || got[1] != "2026-01-03 – …" {
		t.Errorf("%q", got)
	}
}

// A reason for voiding may name a path: it is not shown to everybody, and neither is the
// remark that quotes it.
func TestDiscreetVoids(t *testing.T) {
	t.Parallel()
	r := report.Report{Voided: []report.Voiding{{Why: "/mnt/secret was full", Pairs: []int{1}}, {Why: "slow", Pairs: []int{2}}}}
	for i := range r.Voided {
		r.Looks.Remarks = append(r.Looks.Remarks, r.Voided[i].Remarks()...)
	}
	got := discreet(&r)
	if got.Voided[0].Why != "…" || got.Voided[1].Why != "slow" || !slices.Equal(got.Looks.Remarks, []string{"1 pair voided: …", "1 pair voided: slow"}) {
		t.Errorf("%+v, %q", got.Voided, got.Looks.Remarks)
	}
	if r.Voided[0].Why == "…" || r.Looks.Remarks[0] == got.Looks.Remarks[0] {
		t.Error("the report itself was changed")
	}
}
