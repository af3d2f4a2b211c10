package process

import (
	"context"
	"errors"
	"time"
)

const (
	// busyWait is how long a program is tried that somebody has open for writing.
	busyWait = 5 * time.Second
	// busyPause is how long to wait between two tries. The usual reason is a process that
	// another thread has forked while the file was written, and passes with its exec.
	busyPause = 10 * time.Millisecond
	// scarceWait is how long Patiently waits for what the system is short of.
	scarceWait = 2 * time.Minute
	// scarcePause is how long it waits between two tries.
	scarcePause = 200 * time.Millisecond
)

// startWhenFree is startOnce, tried again while the program's file is open for writing.
func startWhenFree(spec Spec, guard *Guard) (*Process, error) {
	for end := time.Now().Add(busyWait); ; time.Sleep(busyPause) { //nolint:forbidigo // the system sends no event for it
		p, err := startOnce(spec, guard)
		if err == nil || !isBusy(err) || time.Now().After(end) {
			return p, err
		}
	}
}

// Patiently calls start again while it fails because this program, or the system, has no
// file descriptor left. It gives up, with the last error, after two minutes or at the end of
// ctx. waiting, which may be nil, is told once when the wait begins.
func Patiently(ctx context.Context, waiting func(why error), start func() error) error {
	limit := time.NewTimer(scarceWait)
	defer limit.Stop()
	pause := time.NewTicker(scarcePause)
	defer pause.Stop()
	for first := true; ; first = false {
		err := start()
		if err == nil || !isScarce(err) {
			return err
		}
		if first && waiting != nil {
			waiting(err)
		}
		select {
		case <-pause.C:
		case <-limit.C:
			return err
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}
