package farmstate_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/results/farmstate"
)

// TestReplace: another machine's rows and actions replace the local ones, and later actions follow them.
func TestReplace(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	here, there := open(t, filepath.Join(t.TempDir(), "a.db")), open(t, filepath.Join(t.TempDir(), "b.db"))
	act := func(what string) farmstate.Action {
		return farmstate.Action{At: time.UnixMicro(7).UTC(), By: "ann", On: "test", Name: "t", What: what}
	}
	put := func(s *farmstate.State, name, body string, revision uint64) {
		testutil.Must(s.Put(ctx, "tests", name, []byte(body), revision, act(body)))(t)
	}
	put(here, "a", "here", 0)
	put(here, "gone", "here, too", 0)
	put(there, "a", "one", 0)
	put(there, "a", "two", 1)
	put(there, "b", "", 0)
	var all []farmstate.Row
	testutil.OK(t, there.Rows(ctx, func(r farmstate.Row) error { all = append(all, r); return nil }))
	log := testutil.Must(there.Actions(ctx, farmstate.Filter{From: 1}))(t)
	testutil.Check(t, len(all) == 2 && len(log) == 3 && log[0].What == "one", "%v %v", all, log)
	testutil.OK(t, here.Replace(ctx, all, log[1:]))
	got := rows(t, here, "tests")
	testutil.Check(t, len(got) == 2 && got["a"] == "two@2" && got["b"] == "@1", "%v", got)
	put(here, "a", "three", 2)
	got2 := testutil.Must(here.Actions(ctx, farmstate.Filter{From: log[1].ID}))(t)
	testutil.Check(t, len(got2) == 3 && slices.Equal(got2[:2], log[1:]) && got2[2].What == "three" &&
		got2[2].ID > log[2].ID, "%v", got2)
}

// TestActions: the log has an action if, and only if, its change is stored. Another process finds it, a filter selects
// it, and a changed byte is an error.
func TestActions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path)
	at := time.Date(2026, 1, 2, 3, 4, 5, 6789000, time.UTC)
	action := func(by, on, name, what string) farmstate.Action {
		return farmstate.Action{At: at, By: by, On: on, Name: name, What: what}
	}
	testutil.Must(s.Put(t.Context(), "tests", "d", []byte("a"), 0, action("ann", "test", "lmr", "submitted")))(t)
	if _, err := s.Put(t.Context(), "tests", "d", []byte("b"), 0, action("eve", "test", "lmr",
		"stolen")); !errors.Is(err, farmstate.ErrStale) {
		t.Errorf("a stale change: %v", err)
	}
	testutil.OK(t, s.Delete(t.Context(), "tests", "d", action("boss", "test", "lmr", "deleted")))
	testutil.OK(t, s.Delete(t.Context(), "tests", "d"))
	testutil.OK(t, s.Log(t.Context(), action("boss", "key", "lmr", "ä"+strings.Repeat("x", 2*farmstate.MaxWhat)),
		action("", "key", "w1", "signed up")))
	if body, revision, err := s.Get(t.Context(), "tests", "d"); body != nil || revision != 0 || err != nil {
		t.Errorf("a deleted row: %q, %d, %v", body, revision, err)
	}
	testutil.OK(t, s.Close())
	s = open(t, path)
	for _, c := range []struct {
		filter farmstate.Filter
		want   []int64
	}{
		{farmstate.Filter{}, []int64{4, 3, 2, 1}},
		{farmstate.Filter{Before: 3}, []int64{2, 1}},
		{farmstate.Filter{Most: 1}, []int64{4}},
		{farmstate.Filter{By: "boss"}, []int64{3, 2}},
		{farmstate.Filter{On: "test", Name: "lmr"}, []int64{2, 1}},
		{farmstate.Filter{On: "test", By: "eve"}, nil},
	} {
		var ids []int64
		all := testutil.Must(s.Actions(t.Context(), c.filter))(t)
		for _, a := range all {
			ids = append(ids, a.ID)
		}
		testutil.Check(t, slices.Equal(ids, c.want), "%+v: %v, expected %v", c.filter, ids, c.want)
	}
	all := testutil.Must(s.Actions(t.Context(), farmstate.Filter{}))(t)
	want := action("ann", "test", "lmr", "submitted")
	if want.ID = 1; all[3] != want || len(all[1].What) != farmstate.MaxWhat {
		t.Errorf("%+v, and a text of %d bytes", all[3], len(all[1].What))
	}
	testutil.OK(t, s.Close())
	text := testutil.Must(os.ReadFile(path))(t)
	testutil.OK(t, os.WriteFile(path, bytes.Replace(text, []byte("submitted"), []byte("submittee"), 1), 0o600))
	testutil.Fails(t, testutil.Err(open(t, path).Actions(t.Context(), farmstate.Filter{})), "",
		"a changed action was read")
}
