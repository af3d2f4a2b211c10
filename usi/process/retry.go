package process

import (
	"context"
	"errors"
	"time"
)

const (
	// busyWait is how long Start retries a program file that is open for writing.
	busyWait = 5 * time.Second
	// busyPause is the pause between two tries. The usual cause is a child that another thread forked while
	// it wrote the file. That child has the file open until its exec.
	busyPause = 10 * time.Millisecond
	// scarceWait is the longest time for which Patiently waits for a free file descriptor.
	scarceWait = 2 * time.Minute
	// scarcePause is the pause between two calls of start by Patiently.
	scarcePause = 200 * time.Millisecond
)

// startWhenFree repeats startOnce while the program file is open for writing.
func startWhenFree(spec Spec, guard *Guard) (*Process, error) {
	for end := time.Now().Add(busyWait); ; time.Sleep(busyPause) { //nolint:forbidigo // the system sends no event for it
		p, err := startOnce(spec, guard)
		if err == nil || !isBusy(err) || time.Now().After(end) {
			return p, err
		}
	}
}

// Patiently calls start, and calls it again while it fails because this program or the system has no free
// file descriptor. It gives up after two minutes or when ctx ends, and returns the last error. It calls
// waiting, which may be nil, once when it begins to wait.
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
