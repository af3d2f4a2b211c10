package web

import (
	"sync"
	"testing"
	"time"
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
