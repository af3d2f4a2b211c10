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
	// protocolAfter is the time without an answer to "usi" after which gogi checks the protocol. On an idle
	// machine engines answer in milliseconds.
	protocolAfter = 2 * time.Second
	// protocolWait is the time in which the program must answer "uci".
	protocolWait = 20 * time.Second
	// protocolGrace is the time that the checked process has to end by itself.
	protocolGrace = 100 * time.Millisecond
)

// Recognise returns a context for the first greeting of an engine. If the program is a UCI engine, which
// never answers "usi", the context ends with a *usi.Fault as its cause. Recognise checks the protocol with a
// second process, so that it does not disturb a slow USI engine: some engines have both protocols and change
// from one to the other. stop ends the second process. The caller calls stop when the engine has answered.
func (o *Opener) Recognise(ctx context.Context, p match.Player) (_ context.Context, stop func()) {
	if p.Builtin || identity.IsRemote(p.Command) {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{}) // the goroutine closes it
	go func() {
		defer close(ended)
		timer := time.NewTimer(protocolAfter)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if o.usesUCI(ctx, p) {
			cancel(&usi.Fault{Kind: usi.FaultStart, Engine: p.Name, Note: "it answers uci, but not usi: it is a UCI engine, for chess or set to chess; expected a USI engine"})
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
	}
}

// usesUCI reports whether an engine uses UCI. It sends usi and uci to a second process; a USI engine
// answers usi first.
func (o *Opener) usesUCI(ctx context.Context, p match.Player) bool {
	proc, err := o.Start(p, nil, protocolGrace)
	if err != nil {
		return false // the first process reports more about the error
	}
	defer proc.Close() //nolint:errcheck // how this process ends does not matter
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
