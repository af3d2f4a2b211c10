package series

import (
	"context"
	"errors"
	"io"
	"sync"

	"gogi/match"
	"gogi/runner"
)

// valve is a source that can be shut: for a while, or for good.
type valve struct {
	source runner.Source

	mu    sync.Mutex
	phase match.RunPhase
	// turned is closed, and made anew, whenever the phase changes.
	turned chan struct{}
}

func newValve(source runner.Source) *valve {
	return &valve{source: source, phase: match.RunPlaying, turned: make(chan struct{})}
}

// turn sets the phase, unless the session is ending: then only RunStopping may follow
// RunDraining, and nothing RunStopping.
func (v *valve) turn(to match.RunPhase) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.phase == match.RunStopping || v.phase == match.RunDraining && to != match.RunStopping {
		return
	}
	v.phase = to
	close(v.turned)
	v.turned = make(chan struct{})
}

func (v *valve) state() (match.RunPhase, <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.phase, v.turned
}

// errTurned is why a wait for a pair ends when the phase changes.
var errTurned = errors.New("series: the session was told otherwise")

// Next waits while the session is paused, and ends when it drains. A pair that was
// waited for and comes when it is paused is kept until it goes on.
func (v *valve) Next(ctx context.Context) (runner.Lease, error) {
	for {
		phase, turned := v.state()
		switch phase {
		case match.RunPlaying:
			l, err := v.ask(ctx, turned)
			if errors.Is(err, errTurned) {
				continue
			}
			if err != nil {
				return l, err
			}
			return v.hold(ctx, l)
		case match.RunDraining, match.RunStopping:
			return runner.Lease{}, io.EOF
		case match.RunPaused:
		}
		if err := closed(ctx, turned); err != nil {
			return runner.Lease{}, err
		}
	}
}

// ask waits for a pair for as long as the phase lasts.
func (v *valve) ask(ctx context.Context, turned <-chan struct{}) (runner.Lease, error) {
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := make(chan struct{}) // closed when the wait is over
	defer close(stop)
	go func() {
		select {
		case <-turned:
			cancel(errTurned)
		case <-stop:
		}
	}()
	l, err := v.source.Next(waiting)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(waiting), errTurned) {
		return l, errTurned
	}
	return l, err
}

// hold hands a pair out, once the session plays; one that drains gives it back.
func (v *valve) hold(ctx context.Context, l runner.Lease) (runner.Lease, error) {
	for {
		phase, turned := v.state()
		switch phase {
		case match.RunPlaying:
			return l, nil
		case match.RunDraining, match.RunStopping:
			l.Return(errTurned)
			return runner.Lease{}, io.EOF
		case match.RunPaused:
		}
		if err := closed(ctx, turned); err != nil {
			l.Return(err)
			return runner.Lease{}, err
		}
	}
}

// closed waits for a channel's close; its error is the cause of ctx's end.
func closed(ctx context.Context, ch <-chan struct{}) error {
	select {
	case <-ch:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
