//go:build linux

package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gogi/internal/testutil"
)

// TestABusyProgramIsTriedAgain requires that a program that is open for writing is started after it is closed.
func TestABusyProgramIsTriedAgain(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "engine")
	testutil.WriteProgram(t, program, "#!/bin/sh\necho here\ncat\n")
	held := testutil.Must(os.OpenFile(program, os.O_WRONLY, 0))(t)
	testutil.Is(t, exec.CommandContext(t.Context(), program).Run(), syscall.ETXTBSY, "the program is not busy")
	closed := make(chan error, 1) // one value
	time.AfterFunc(10*busyPause, func() { closed <- held.Close() })
	p := start(t, Spec{Command: []string{program}}, nil)
	testutil.Equal(t, line(t, p), "here", "it says")
	testutil.OK(t, <-closed)
}

// beScarce starts a process while no file descriptor is free. It frees one after the start has reported that it waits.
func beScarce() error {
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 64, Max: 64}); err != nil {
		return err
	}
	var taken []*os.File
	for {
		file, err := os.Open("/dev/null")
		if errors.Is(err, syscall.EMFILE) {
			break
		}
		if err != nil {
			return err
		}
		taken = append(taken, file)
	}
	var p *Process
	waited := 0
	err := Patiently(context.Background(), func(why error) {
		waited++
		os.Stdout.WriteString("waits: " + why.Error() + "\n")
		for _, file := range taken {
			_ = file.Close()
		}
	}, func() (err error) {
		p, err = Start(Spec{Command: []string{"/bin/true"}}, nil)
		return err
	})
	if err != nil {
		return err
	}
	os.Stdout.WriteString("started after " + itoa(waited) + " waits\n")
	return p.Close()
}

// TestAStartWaitsForDescriptors requires that a start without a free descriptor waits for one, and reports this once.
func TestAStartWaitsForDescriptors(t *testing.T) {
	t.Parallel()
	p := start(t, self("scarce"), nil)
	got := line(t, p)
	testutil.Check(t, strings.HasPrefix(got, "waits: ") && strings.Contains(got, "too many open files"), "first %q", got)
	testutil.Equal(t, line(t, p), "started after 1 waits", "then")
}

// TestPatientlyEnds requires that the wait ends with the context, and that other errors cause no wait.
func TestPatientlyEnds(t *testing.T) {
	t.Parallel()
	other := errors.New("no such engine")
	tries := 0
	if err := Patiently(t.Context(), nil, func() error { tries++; return other }); !errors.Is(err, other) || tries != 1 {
		t.Errorf("%d tries, %v", tries, err)
	}
	ended, stop := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	err := Patiently(ended, func(error) { stop(interrupted) }, func() error { return syscall.EMFILE })
	testutil.Check(t, errors.Is(err, interrupted), "%v", err)
}
