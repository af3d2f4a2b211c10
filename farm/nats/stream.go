package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gogi/farm"
)

// fetchWait is the longest wait of one request for the next result.
const fetchWait = 5 * time.Second

// Results implements farm.Bus. It fails if the server can no longer write the stream of results to its disk.
func (b *Bus) Results(ctx context.Context, n int) ([]farm.Delivery, error) {
	tries := patience{bus: b}
	for {
		if err := b.unbroken(); err != nil {
			return nil, err
		}
		first, err := b.fetch(ctx, 1, false)
		if err != nil {
			if err = b.explain(ctx, err); tries.again(ctx, err) {
				continue
			}
			return nil, err
		}
		tries = patience{bus: b}
		if len(first) == 0 {
			continue
		}
		if n == 1 {
			return first, nil
		}
		rest, err := b.fetch(ctx, n-1, true) // further messages that are available now
		if err != nil {
			return first, nil // the next call returns the error
		}
		return append(first, rest...), nil
	}
}

// againAfter and tryFor are the wait after a failed try in a cluster, and the limit of one try.
const (
	againAfter = 100 * time.Millisecond
	tryFor     = 2 * time.Second
)

// A patience decides how long an operation is tried again. It begins with the first failure.
type patience struct {
	bus   *Bus
	since time.Time
}

// again reports whether the caller must try again after the error err, because another server of a cluster takes over
// the work of a lost one. It logs the first failure, and waits before it returns true. It returns false for an error
// that does not pass, if this process does not lead any more, and after the time of a takeover.
func (p *patience) again(ctx context.Context, err error) bool {
	b := p.bus
	if err == nil || b.config.Shared == nil || b.config.Shared.Fence() != nil || ctx.Err() != nil || !passing(err) {
		return false
	}
	if p.since.IsZero() {
		p.since = time.Now()
		b.config.Log.Warn("the NATS servers fail; gogi tries again", "err", err)
	}
	return time.Since(p.since) < b.config.Shared.ttl && farm.Wait(ctx, againAfter) == nil
}

// persist calls f until it succeeds, or until patience ends. It returns the last error of f.
func (b *Bus) persist(ctx context.Context, f func(context.Context) error) error {
	tries := patience{bus: b}
	for {
		if err := f(ctx); !tries.again(ctx, err) {
			return err
		}
	}
}

// noPeers is the JetStream error of a cluster that has just started, and does not know its servers yet.
const noPeers = jetstream.ErrorCode(10005)

// passing reports whether an error can end without a change of the farm or of the servers' settings.
func passing(err error) bool {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.Code >= 500 || api.ErrorCode == noPeers
	}
	_, refused := errors.AsType[*farm.Refusal](err)
	return !refused && !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, jetstream.ErrConsumerDeleted) &&
		!errors.Is(err, nats.ErrMaxPayload)
}

// explain returns err, the error of a fetch, or jetstream.ErrConsumerNotFound if the consumer does not exist. A fetch
// shows a missing consumer like a lost server.
func (b *Bus) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	trying, cancel := context.WithTimeout(ctx, tryFor)
	defer cancel()
	if _, missing := b.judge.Info(trying); errors.Is(missing, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("bus: consumer %s: %w", b.consumer(), jetstream.ErrConsumerNotFound)
	}
	return err
}

func (b *Bus) fetch(ctx context.Context, n int, there bool) ([]farm.Delivery, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var batch jetstream.MessageBatch
	var err error
	if there {
		batch, err = b.judge.FetchNoWait(n)
	} else {
		waiting, cancel := context.WithTimeout(ctx, fetchWait)
		defer cancel()
		batch, err = b.judge.Fetch(n, jetstream.FetchContext(waiting))
		if errors.Is(err, jetstream.ErrInvalidOption) { // the deadline was over before the request
			<-waiting.Done()
			return nil, b.fetched(ctx, waiting.Err())
		}
	}
	if errors.Is(err, jetstream.ErrInvalidOption) {
		return nil, nil // the deadline of ctx is near, and the caller checks ctx
	}
	if err != nil {
		return nil, b.failure(err)
	}
	var all []farm.Delivery
	for m := range batch.Messages() {
		d, err := b.delivery(m)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, b.fetched(ctx, batch.Error())
}

// fetched returns the error of a fetch, or the cause if ctx has ended. A fetch that got no messages is not an
// error.
func (b *Bus) fetched(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil || errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, jetstream.ErrNoMessages):
		return nil
	}
	return b.failure(err)
}

func (b *Bus) delivery(m jetstream.Msg) (farm.Delivery, error) {
	meta, err := m.Metadata()
	if err != nil {
		return farm.Delivery{}, fmt.Errorf("bus: %w", err)
	}
	sequence := meta.Sequence.Stream
	return farm.Delivery{
		Subject: farm.SubjectResults + strings.TrimPrefix(m.Subject(), journalSubject), Body: m.Data(), Sequence: sequence,
		Again: meta.NumDelivered > 1 || sequence <= b.before,
		Ack:   func(ctx context.Context) error { return b.ack(ctx, m) },
		Refuse: func(ctx context.Context, why string) error {
			if err := b.keepEvidence(ctx, m, sequence, why); err != nil {
				return err
			}
			return b.ack(ctx, m)
		},
	}, nil
}

// ack acknowledges a message and waits until the stream has confirmed the acknowledgement.
func (b *Bus) ack(ctx context.Context, m jetstream.Msg) error {
	return b.persist(ctx, func(ctx context.Context) error {
		if err := b.config.Shared.Fence(); err != nil {
			return err
		}
		if b.config.Shared != nil { // only then a later try is possible
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, tryFor)
			defer cancel()
		}
		if err := m.DoubleAck(ctx); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return b.failure(err)
		}
		return nil
	})
}

// besideEvidence is the largest size of the data that the stream stores in addition to a rejected message: the
// reason (see oneLine), the number of deliveries and the names of the headers.
const besideEvidence = 2 << 10

// maxMessage is the largest size of a message of the stream. Every message must fit into the stream again
// when it is rejected, with the reason. Otherwise an invalid message of one worker could stop the coordinator
// again and again.
const maxMessage = farm.MaxBody - besideEvidence

// headerWhy is the header with the reason for the rejection.
const headerWhy = "Gogi-Why"

func (b *Bus) keepEvidence(ctx context.Context, m jetstream.Msg, sequence uint64, why string) error {
	name := farm.Sender(farm.SubjectResults + strings.TrimPrefix(m.Subject(), journalSubject))
	name = cmp.Or(name, "unknown")
	kept := &nats.Msg{Subject: evidenceSubject + name, Data: m.Data(), Header: nats.Header{
		headerWhy: {oneLine(why)}, jetstream.MsgIDHeader: {fmt.Sprintf("%d", sequence)},
	}}
	err := b.persist(ctx, func(ctx context.Context) error {
		_, err := b.js.PublishMsg(ctx, kept)
		return err
	})
	if err != nil {
		return fmt.Errorf("bus: evidence of %s: %w", m.Subject(), err)
	}
	return nil
}

// oneLine returns a text that is allowed in a header: without control characters and with at most 1000 bytes.
func oneLine(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c < ' ' || c == 0x7f {
			b[i] = ' '
		}
	}
	return string(b[:min(len(b), 1000)])
}

// Fill implements farm.Bus.
func (b *Bus) Fill(ctx context.Context) (float64, error) {
	s, err := b.js.Stream(ctx, stream)
	if err != nil {
		return 0, b.failure(err)
	}
	info := s.CachedInfo()
	if info.Config.MaxBytes <= 0 {
		return 0, fmt.Errorf("bus: stream %s has no bound", stream)
	}
	return min(float64(info.State.Bytes)/float64(info.Config.MaxBytes), 1), nil
}
