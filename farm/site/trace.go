package site

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"gogi/farm"
)

// Step is a line of a trace: something that a coordinator was asked, told or gave. What
// is written of a grant stands there before its worker can know of it, and of an
// acknowledgement before it is made; so the traces of all processes are a history by
// which others may judge them.
type Step struct {
	At     time.Time   `json:"at"`
	What   string      `json:"what"` // boot, hello, grant, beat, stored, drop, delivery, acked or refused
	Worker string      `json:"worker,omitempty"`
	Start  string      `json:"session,omitempty"`
	Leases []farm.Held `json:"leases,omitempty"` // that it is about
	Seq    uint64      `json:"seq,omitempty"`    // of the stream; of boot: its number
	Again  bool        `json:"again,omitempty"`  // delivered before
	Why    string      `json:"why,omitempty"`
}

// Trace writes steps, each whole, in one call.
type Trace struct {
	mu sync.Mutex
	w  io.Writer
}

// NewTrace writes to w, which should append; a failure of it ends nothing.
func NewTrace(w io.Writer) *Trace { return &Trace{w: w} }

// Tell writes a step.
func (t *Trace) Tell(s Step) {
	s.At = time.Now().UTC()
	line, err := json.Marshal(s)
	if err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.w.Write(append(line, '\n'))
}

// traced is a bus that tells what goes through it.
type traced struct {
	farm.Bus
	trace *Trace
}

// Answer implements farm.Bus.
func (b *traced) Answer(subject string, f func(context.Context, string, []byte) (any, error)) (stop func(), err error) {
	return b.Bus.Answer(subject, func(ctx context.Context, on string, body []byte) (any, error) {
		worker := farm.Speaker(on)
		b.asked(subject, worker, body)
		out, err := f(ctx, on, body)
		switch answer := out.(type) {
		case farm.Grants:
			var leases []farm.Held
			for i := range answer.Grants {
				leases = append(leases, answer.Grants[i].Held)
			}
			b.told("grant", worker, leases)
		case farm.BeatReply:
			b.told("stored", worker, answer.Stored)
			b.told("drop", worker, answer.Drop)
		case farm.HelloReply:
			if answer.Refusal != nil {
				b.trace.Tell(Step{What: "refused", Worker: worker, Why: answer.Refusal.Why})
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
			b.trace.Tell(Step{What: "hello", Worker: worker, Start: h.Session})
		}
	case farm.SubjectBeat + "*":
		var beat farm.Beat
		if farm.Decode(body, &beat) != nil {
			return
		}
		b.trace.Tell(Step{What: "beat", Worker: worker, Start: beat.Session, Leases: beat.Held})
	}
}

func (b *traced) told(what, worker string, leases []farm.Held) {
	if len(leases) > 0 {
		b.trace.Tell(Step{What: what, Worker: worker, Leases: leases})
	}
}

// Results implements farm.Bus.
func (b *traced) Results(ctx context.Context, n int) ([]farm.Delivery, error) {
	all, err := b.Bus.Results(ctx, n)
	for i := range all {
		d := &all[i]
		worker := farm.Speaker(d.Subject)
		b.trace.Tell(Step{What: "delivery", Worker: worker, Seq: d.Sequence, Again: d.Again, Leases: leasesOf(d.Body)})
		ack, refuse := d.Ack, d.Refuse
		d.Ack = func(ctx context.Context) error {
			b.trace.Tell(Step{What: "acked", Worker: worker, Seq: d.Sequence})
			return ack(ctx)
		}
		d.Refuse = func(ctx context.Context, why string) error {
			b.trace.Tell(Step{What: "refused", Worker: worker, Seq: d.Sequence, Why: why})
			return refuse(ctx, why)
		}
	}
	return all, err
}

// leasesOf are the pairs that a message says to bring, whether or not it is signed.
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
