package players

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"gogi/internal/fail"
	"gogi/internal/testutil"
)

// TestCannotStart: a file that is no program is the engine's failure. A machine without free files or memory is not.
func TestCannotStart(t *testing.T) {
	t.Parallel()
	for why, own := range map[syscall.Errno]bool{
		syscall.ENOENT: true, syscall.EACCES: true, syscall.ENOEXEC: true, syscall.EAGAIN: false, syscall.ENOMEM: false,
		syscall.EMFILE: false, syscall.ENFILE: false,
	} {
		err := cannotStart("e", &os.PathError{Op: "fork/exec", Path: "./e", Err: why})
		_, marked := errors.AsType[*fail.EngineError](err)
		testutil.Check(t, marked == own, "%v: marked %v, want %v", why, marked, own)
		if !errors.Is(err, ErrStart) || !errors.Is(err, why) ||
			err.Error() != "engine e: it cannot be started: fork/exec ./e: "+why.Error() {
			t.Errorf("%v: %v", why, err)
		}
	}
}
