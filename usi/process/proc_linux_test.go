package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readProc reads what os.ReadFile does, however long it is, and fails as that does.
func TestReadProc(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{0, 1, 511, 512, 513, 5000} {
		name, want := filepath.Join(dir, "file"), strings.Repeat("0123456789", 500)[:size]
		if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readProc(name); err != nil || string(got) != want {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
	}
	if _, err := readProc(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := readProc(dir); err == nil {
		t.Error("a folder was read")
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := readProc("/proc/self/stat"); err != nil {
			t.Fatal(err)
		}
	}
	if now, err := os.ReadDir("/proc/self/fd"); err != nil || len(now) >= len(open)+100 {
		t.Errorf("%d files are open, before %d: %v", len(now), len(open), err)
	}
}

// BenchmarkReadProc is one file of a look at a process, as os.ReadFile and readProc read it.
func BenchmarkReadProc(b *testing.B) {
	for name, read := range map[string]func(string) ([]byte, error){"os": os.ReadFile, "ours": readProc} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := read("/proc/self/schedstat"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
