package players

import (
	"bufio"
	"context"
	"time"

	"gogi/configs/identity"
	"gogi/match"
	"gogi/usi"
)

const (
	// protocolAfter is how long a program may be silent after "usi" before it is asked for
	// its protocol. Engines answer in milliseconds on an idle machine.
	protocolAfter = 2 * time.Second
	// protocolWait is how long it then has to answer "uci".
	protocolWait = 20 * time.Second
	// protocolGrace is how long the process that was asked has to end by itself.
	protocolGrace = 100 * time.Millisecond
)

// Recognise returns ctx for greeting an engine that has not been greeted before. Its cause
// is a *usi.Fault as soon as the program turns out to be a UCI engine, which never answers
// "usi". A process of its own is asked, so that a slow USI engine is not disturbed: some
// engines speak both protocols, and change from one to the other. stop ends that process;
// call it when the engine has answered.
func (o *Opener) Recognise(ctx context.Context, p match.Player) (_ context.Context, stop func()) {
	if p.Builtin || identity.IsRemote(p.Command) {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{}) // closed by the goroutine
	go func() {
		defer close(ended)
		timer := time.NewTimer(protocolAfter)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if o.speaksUCI(ctx, p) {
			cancel(&usi.Fault{Kind: usi.FaultStart, Engine: p.Name, Note: "it answers uci, but not usi: it is a UCI engine, for chess or set to chess; expected a USI engine"})
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
	}
}

// speaksUCI asks another process of an engine for both protocols. One that knows usi answers
// it first.
func (o *Opener) speaksUCI(ctx context.Context, p match.Player) bool {
	proc, err := o.Start(p, nil, protocolGrace)
	if err != nil {
		return false // the one that is greeted runs, and says more
	}
	defer proc.Close() //nolint:errcheck // how it ends says nothing
	defer context.AfterFunc(ctx, proc.Kill)()
	end := time.Now().Add(protocolWait)
	if proc.SetWriteDeadline(end) != nil || proc.SetReadDeadline(end) != nil {
		return false
	}
	if _, err := proc.Write([]byte("usi\nuci\n")); err != nil {
		return false
	}
	for lines := bufio.NewScanner(proc); lines.Scan(); {
		switch lines.Text() {
		case "usiok", "usiok\r":
			return false
		case "uciok", "uciok\r":
			return ctx.Err() == nil
		}
	}
	return false
}
