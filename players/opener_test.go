package players

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"gogi/internal/unfit"
)

// TestCannotStart: a program that is not one is its engine's failure, a machine that has
// no more files or memory is not.
func TestCannotStart(t *testing.T) {
	t.Parallel()
	for why, own := range map[unix.Errno]bool{
		unix.ENOENT: true, unix.EACCES: true, unix.ENOEXEC: true, unix.EAGAIN: false, unix.ENOMEM: false, unix.EMFILE: false, unix.ENFILE: false,
	} {
		err := cannotStart("e", &os.PathError{Op: "fork/exec", Path: "./e", Err: why})
		if _, marked := errors.AsType[*unfit.Error](err); marked != own {
			t.Errorf("%v: marked %v, want %v", why, marked, own)
		}
		if !errors.Is(err, ErrStart) || !errors.Is(err, why) || err.Error() != "engine e: it cannot be started: fork/exec ./e: "+why.Error() {
			t.Errorf("%v: %v", why, err)
		}
	}
}
