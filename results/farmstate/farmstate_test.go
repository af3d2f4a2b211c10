package farmstate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/results/farmstate"
)

func open(t *testing.T, path string) *farmstate.State {
	t.Helper()
	s := testutil.Must(farmstate.Open(t.Context(), path))(t)
	t.Cleanup(func() { _ = s.Close() }) // some tests close it twice
	return s
}

func rows(t *testing.T, s *farmstate.State, bucket string) map[string]string {
	t.Helper()
	all := map[string]string{}
	testutil.OK(t, s.Each(t.Context(), bucket, func(name string, body []byte, revision uint64) error {
		all[name] = fmt.Sprint(string(body), "@", revision)
		return nil
	}))
	return all
}

// TestState: a coordinator that writes with an old revision gets an error and changes nothing. A canceled request still
// stores its data, and another process finds all data.
func TestState(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state ?%.db")
	first, second := open(t, path), open(t, path)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	put := func(s *farmstate.State, bucket, name, body string, revision uint64, want error) {
		t.Helper()
		next, err := s.Put(ended, bucket, name, []byte(body), revision)
		testutil.Check(t, errors.Is(err, want) && (err != nil || next == revision+1),
			"%s %s %s: revision %d, %v, want %v", bucket, name, body, next, err, want)
	}
	put(first, "workers", "w1", "a", 0, nil)
	put(second, "workers", "w1", "b", 0, farmstate.ErrStale)
	put(second, "workers", "w1", "b", 1, nil)
	put(first, "workers", "w1", "c", 1, farmstate.ErrStale)
	put(first, "workers", "w2", "c", 1, farmstate.ErrStale) // the row does not exist
	put(first, "tests", "w1", "another bucket", 0, nil)
	copied := filepath.Join(t.TempDir(), "copy.db")
	testutil.OK(t, farmstate.Copy(t.Context(), path, copied))
	put(second, "workers", "w0", "after the copy", 0, nil)
	testutil.OK(t, errors.Join(first.Close(), second.Close()))
	if got := rows(t, open(t, path), "workers"); !maps.Equal(got,
		map[string]string{"w0": "after the copy@1", "w1": "b@2"}) {
		t.Errorf("stored %v", got)
	}
	if got := rows(t, open(t, copied), "workers"); !maps.Equal(got, map[string]string{"w1": "b@2"}) {
		t.Errorf("copied %v", got)
	}
	wrong := errors.New("wrong")
	testutil.Is(t, open(t, path).Each(t.Context(), "tests", func(string, []byte, uint64) error { return wrong }), wrong,
		"the error of f")
	testutil.Is(t, farmstate.Copy(t.Context(), path+".none", copied+".none"), fs.ErrNotExist, "a copy of nothing")
}

// TestDamage: a changed byte of a row, a truncated file, and another program's file are errors. None of them counts as
// an empty state.
func TestDamage(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(text []byte) []byte{
		"a byte of a row": func(text []byte) []byte {
			return bytes.Replace(text, []byte("approved"), []byte("approvee"), 1)
		},
		"half of the file": func(text []byte) []byte { return text[:len(text)/2] },
		"no database":      func(text []byte) []byte { return []byte("not a database, and longer than a header") },
		"another program":  func(text []byte) []byte { text[71] ^= 1; return text },
	} {
		path := filepath.Join(t.TempDir(), "state.db")
		s := open(t, path)
		testutil.Must(s.Put(t.Context(), "tests", "d", []byte("approved"), 0))(t)
		testutil.OK(t, s.Close())
		text, err := os.ReadFile(path)
		testutil.OK(t, err)
		testutil.OK(t, os.WriteFile(path, damage(text), 0o600))
		if s, err = farmstate.Open(t.Context(), path); err == nil {
			err = s.Each(t.Context(), "tests", func(string, []byte, uint64) error { return nil })
			_ = s.Close()
		}
		testutil.Check(t, err != nil, "%s: it was read", name)
	}
}
