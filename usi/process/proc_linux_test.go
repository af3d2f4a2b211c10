package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gogi/internal/testutil"
)

// TestReadProc requires that readProc returns the content and the errors of os.ReadFile, for any size.
func TestReadProc(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{0, 1, 511, 512, 513, 5000} {
		name, want := filepath.Join(dir, "file"), strings.Repeat("0123456789", 500)[:size]
		testutil.OK(t, os.WriteFile(name, []byte(want), 0o600))
		if got, err := readProc(name); err != nil || string(got) != want {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
	}
	testutil.Is(t, testutil.Err(readProc(filepath.Join(dir, "none"))), fs.ErrNotExist)
	testutil.Fails(t, testutil.Err(readProc(dir)), "", "a folder was read")
	open := testutil.Must(os.ReadDir("/proc/self/fd"))(t)
	for range 100 {
		testutil.Must(readProc("/proc/self/stat"))(t)
	}
	if now, err := os.ReadDir("/proc/self/fd"); err != nil || len(now) >= len(open)+100 {
		t.Errorf("%d files are open, before %d: %v", len(now), len(open), err)
	}
}

// BenchmarkReadProc reads one file of /proc with os.ReadFile and with readProc.
func BenchmarkReadProc(b *testing.B) {
	for name, read := range map[string]func(string) ([]byte, error){"os": os.ReadFile, "ours": readProc} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				testutil.Must(read("/proc/self/schedstat"))(b)
			}
		})
	}
}

// TestWaitsOfEachThread requires that a sample of a process has the times of each of its threads, not only those of the
// first one. The kernel's times of a thread before and after the sample are the bounds.
func TestWaitsOfEachThread(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if unix.Gettid() != os.Getpid() {
		checkOwnThread(t)
		return
	}
	done := make(chan struct{})
	go func() { // not on the first thread, because this goroutine has it
		defer close(done)
		runtime.LockOSThread()
		checkOwnThread(t)
	}()
	<-done
}

func checkOwnThread(t *testing.T) {
	t.Helper()
	thread := "/proc/self/task/" + strconv.Itoa(unix.Gettid())
	for began := time.Now(); time.Since(began) < 20*time.Millisecond; { // so that the times of two threads differ
	}
	var w waits
	before, err1 := readSchedstat(thread)
	_, err2 := w.look(os.Getpid(), time.Now())
	after, err3 := readSchedstat(thread)
	got := w.threads[unix.Gettid()].schedstat
	testutil.Check(t, errors.Join(err1, err2, err3) == nil, "%v, %v, %v", err1, err2, err3)
	testutil.Check(t, before.ran <= got.ran && got.ran <= after.ran && before.slices <= got.slices &&
		got.slices <= after.slices, "%+v, by the kernel from %+v to %+v", got, before, after)
}
