package site

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"gogi/farm"
)

// A Step is one event in the log that a Trace writes, such as a grant or a stored pair. The coordinator
// writes a grant before the worker gets it, and an acknowledgement before it sends it. So a test can check
// from the logs of all processes whether a farm followed its rules.
type Step struct {
	At     time.Time   `json:"at"`
	What   string      `json:"what"` // boot, hello, grant, beat, stored, drop, delivery, acked or refused
	Worker string      `json:"worker,omitempty"`
	Start  string      `json:"session,omitempty"` // number of the worker's session
	Leases []farm.Held `json:"leases,omitempty"`  // the leases that the event concerns
	Seq    uint64      `json:"seq,omitempty"`     // the sequence number in the stream. For boot it is the boot's number.
	Again  bool        `json:"again,omitempty"`   // the message was delivered before
	Why    string      `json:"why,omitempty"`
}

// A Trace is a log of a coordinator's events, for tests. It writes one JSON line for each event (Step).
type Trace struct {
	mu sync.Mutex
	w  io.Writer
}

// NewTrace returns a Trace that writes to w. If w is a file, open it for appending, because several processes
// may write to it. The Trace ignores errors of w.
func NewTrace(w io.Writer) *Trace { return &Trace{w: w} }

// Write writes a step as one line, with the current time. It calls the Write of the underlying writer once.
func (t *Trace) Write(s Step) {
	s.At = time.Now().UTC()
	line, err := json.Marshal(s)
	if err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.w.Write(append(line, '\n'))
}

// traced is a bus that writes its messages to a trace.
type traced struct {
	farm.Bus
	trace *Trace
}

// Answer implements farm.Bus.
func (b *traced) Answer(subject string, f func(context.Context, string, []byte) (any, error)) (stop func(), err error) {
	return b.Bus.Answer(subject, func(ctx context.Context, on string, body []byte) (any, error) {
		worker := farm.Sender(on)
		b.asked(subject, worker, body)
		out, err := f(ctx, on, body)
		switch answer := out.(type) {
		case farm.Grants:
			var leases []farm.Held
			for i := range answer.Grants {
				leases = append(leases, answer.Grants[i].Held)
			}
			b.leases("grant", worker, leases)
		case farm.BeatReply:
			b.leases("stored", worker, answer.Stored)
			b.leases("drop", worker, answer.Drop)
		case farm.HelloReply:
			if answer.Refusal != nil {
				b.trace.Write(Step{What: "refused", Worker: worker, Why: answer.Refusal.Why})
			}
		}
		return out, err
	})
}

func (b *traced) asked(subject, worker string, body []byte) {
	switch subject {
	case farm.SubjectHello + "*":
		var h farm.Hello
		if farm.Decode(body, &h) == nil {
			b.trace.Write(Step{What: "hello", Worker: worker, Start: h.Session})
		}
	case farm.SubjectBeat + "*":
		var beat farm.Beat
		if farm.Decode(body, &beat) != nil {
			return
		}
		b.trace.Write(Step{What: "beat", Worker: worker, Start: beat.Session, Leases: beat.Held})
	}
}

func (b *traced) leases(what, worker string, leases []farm.Held) {
	if len(leases) > 0 {
		b.trace.Write(Step{What: what, Worker: worker, Leases: leases})
	}
}

// Results implements farm.Bus.
func (b *traced) Results(ctx context.Context, n int) ([]farm.Delivery, error) {
	all, err := b.Bus.Results(ctx, n)
	for i := range all {
		d := &all[i]
		worker := farm.Sender(d.Subject)
		b.trace.Write(Step{What: "delivery", Worker: worker, Seq: d.Sequence, Again: d.Again, Leases: leasesOf(d.Body)})
		ack, refuse := d.Ack, d.Refuse
		d.Ack = func(ctx context.Context) error {
			b.trace.Write(Step{What: "acked", Worker: worker, Seq: d.Sequence})
			return ack(ctx)
		}
		d.Refuse = func(ctx context.Context, why string) error {
			b.trace.Write(Step{What: "refused", Worker: worker, Seq: d.Sequence, Why: why})
			return refuse(ctx, why)
		}
	}
	return all, err
}

// leasesOf returns the leases of the pairs in a message. It does not check the signature.
func leasesOf(body []byte) (leases []farm.Held) {
	var s farm.Signed
	var b farm.Batch
	if farm.Decode(body, &s) != nil || farm.Decode(s.Batch, &b) != nil {
		return nil
	}
	for i := range b.Items {
		if b.Items[i].Attempt == nil {
			leases = append(leases, b.Items[i].Lease)
		}
	}
	return leases
}
