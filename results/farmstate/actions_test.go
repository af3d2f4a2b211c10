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

// TestActions: an action is in the log if, and only if, its change is stored; another process finds it; a filter
// selects; and a changed byte is an error.
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
		if !slices.Equal(ids, c.want) {
			t.Errorf("%+v: %v, expected %v", c.filter, ids, c.want)
		}
	}
	all := testutil.Must(s.Actions(t.Context(), farmstate.Filter{}))(t)
	want := action("ann", "test", "lmr", "submitted")
	if want.ID = 1; all[3] != want || len(all[1].What) != farmstate.MaxWhat {
		t.Errorf("%+v, and a text of %d bytes", all[3], len(all[1].What))
	}
	testutil.OK(t, s.Close())
	text := testutil.Must(os.ReadFile(path))(t)
	testutil.OK(t, os.WriteFile(path, bytes.Replace(text, []byte("submitted"), []byte("submittee"), 1), 0o600))
	if _, err := open(t, path).Actions(t.Context(), farmstate.Filter{}); err == nil {
		t.Error("a changed action was read")
	}
}
