package machine_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gogi/farm"
	"gogi/farm/files"
	"gogi/farm/worker/machine"
	"gogi/internal/testutil"
	"gogi/match"
)

// shelf is a farm that has only artefacts.
type shelf struct {
	farm.Transport

	has   map[string]string // by SHA-256
	asked int
}

func (s *shelf) Artefact(_ context.Context, sum string) (io.ReadCloser, error) {
	s.asked++
	text, ok := s.has[sum]
	if !ok {
		return nil, errors.New("there is no such artefact")
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

// signed returns a release of a program for this machine, and the key that signed it.
func signed(t *testing.T, text string, change func(*farm.Release)) (*farm.Release, ed25519.PublicKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	testutil.OK(t, err)
	sum := sha256.Sum256([]byte(text))
	r := &farm.Release{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(text)), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Version: "v2"}
	change(r)
	testutil.OK(t, r.Sign(func(text []byte) ([]byte, error) { return ed25519.Sign(private, text), nil }))
	return r, public
}

func open(t *testing.T, s *shelf) (*machine.Machine, string) {
	t.Helper()
	dir := t.TempDir()
	m := testutil.Must(machine.Open(machine.Config{Dir: dir, Transport: s, Slots: 1,
		Log: slog.New(slog.DiscardHandler)}))(t)
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m, dir
}

// TestProgram: Program stores a release as an executable file once, and removes the one before. It replaces a damaged
// file.
func TestProgram(t *testing.T) {
	t.Parallel()
	s := &shelf{has: map[string]string{}}
	m, dir := open(t, s)
	var last string
	for _, text := range []string{"first", "second"} {
		r, key := signed(t, text, func(*farm.Release) {})
		s.has[r.SHA256] = text
		for range 2 {
			file := testutil.Must(m.Program(t.Context(), r, key))(t)
			info := testutil.Must(os.Stat(file))(t)
			if got, err := os.ReadFile(file); string(got) != text || err != nil || runtime.GOOS != "windows" &&
				info.Mode().Perm() != 0o700 {
				t.Errorf("%s: %q, %v, %v", file, got, info.Mode(), err)
			}
			last = file
		}
	}
	testutil.Check(t, s.asked == 2, "the farm was asked %d times for two programs", s.asked)
	if all, err := os.ReadDir(filepath.Join(dir, "program")); err != nil || len(all) != 1 ||
		filepath.Join(dir, "program", all[0].Name()) != filepath.Dir(last) {
		t.Errorf("%v, %v", all, err)
	}
	if err := os.WriteFile(last, []byte("damaged"), 0o700); err != nil {
		t.Fatal(err)
	}
	r, key := signed(t, "second", func(*farm.Release) {})
	if file, err := m.Program(t.Context(), r, key); err != nil {
		t.Error(err)
	} else if sum, _, err := files.Sum(file); sum != r.SHA256 || err != nil {
		t.Errorf("a damaged program was taken for the right one: %s, %v", sum, err)
	}
}

// TestProgramsThatAreNotTaken: Program rejects a wrong release with the reason, and leaves no file that could be run.
func TestProgramsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	same := func(*farm.Release) {}
	for what, c := range map[string]struct {
		change func(*farm.Release)
		after  func(r *farm.Release, key *ed25519.PublicKey, s *shelf)
		why    error
		says   string
	}{
		"nobody's": {same, func(_ *farm.Release, key *ed25519.PublicKey, _ *shelf) { *key = nil },
			machine.ErrNoMaintainers, ""},
		"of another key": {same, func(_ *farm.Release, key *ed25519.PublicKey,
			_ *shelf) {
			*key = make(ed25519.PublicKey, 32)
		}, farm.ErrSignature, ""},
		"another version": {same, func(r *farm.Release, _ *ed25519.PublicKey, _ *shelf) { r.Version = "v9" },
			farm.ErrSignature, ""},
		"another system's":  {func(r *farm.Release) { r.OS = "plan9" }, nil, nil, "is for plan9"},
		"another machine's": {func(r *farm.Release) { r.Arch = "vax" }, nil, nil, "vax"},
		"of another size":   {func(r *farm.Release) { r.Size++ }, nil, nil, "expected 6"},
		"other bytes": {same, func(r *farm.Release, _ *ed25519.PublicKey, s *shelf) { s.has[r.SHA256] = "other" },
			files.ErrHash, ""},
		"not there": {same, func(r *farm.Release, _ *ed25519.PublicKey, s *shelf) { delete(s.has, r.SHA256) }, nil,
			"no such artefact"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := &shelf{has: map[string]string{}}
			m, dir := open(t, s)
			r, key := signed(t, "first", c.change)
			s.has[r.SHA256] = "first"
			if c.after != nil {
				c.after(r, &key, s)
			}
			file, err := m.Program(t.Context(), r, key)
			testutil.Check(t, err != nil && (c.why == nil || errors.Is(err, c.why)) && strings.Contains(err.Error(), c.says),
				"%s, %v", file, err)
			all, _ := filepath.Glob(filepath.Join(dir, "program", "*", "*"))
			testutil.Check(t, len(all) == 0, "%v can be run", all)
		})
	}
	m, _ := open(t, &shelf{})
	testutil.Fails(t, testutil.Err(m.Program(t.Context(), nil, make(ed25519.PublicKey, 32))), "does not say who made")
}

// TestWhatWasNotMadeReady: a run that was not made ready is not played, and the error names the run.
func TestWhatWasNotMadeReady(t *testing.T) {
	t.Parallel()
	m, _ := open(t, &shelf{})
	p := &match.Plan{Run: "lost"}
	testutil.Fails(t, testutil.Err(m.OpenFor(p)(t.Context(), match.Player{}, nil)), "run lost was not made ready here",
		"a pair")
}

// TestOwn: Own returns the hash of the running program.
func TestOwn(t *testing.T) {
	t.Parallel()
	self := testutil.Must(os.Executable())(t)
	data := testutil.Must(os.ReadFile(self))(t)
	want := sha256.Sum256(data)
	got, err := machine.Own()
	testutil.Check(t, err == nil && got == hex.EncodeToString(want[:]), "%s, %v, expected %x", got, err, want)
}
