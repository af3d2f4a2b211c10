package nats

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gogi/farm"
)

// An intake takes the results of workers and stores them in the stream.
//
// A worker sends results as plain requests. The coordinator's own connection publishes them to the stream and
// answers the worker. So no message of a worker reaches JetStream. JetStream would send its acknowledgement,
// with the rights of the server, to any reply subject that the worker names.
//
// Each worker has at most one message in progress, because gogi's workers send one message at a time. So a
// flood of messages from one key uses only one of the intake's many slots. The intake rejects a bad message
// before anything is written to the disk.
type intake struct {
	mu     sync.Mutex
	busy   map[string]bool   // workers with a message in progress
	bad    map[string]int    // number of consecutive rejected messages, by worker
	barred map[string]string // reasons for which a worker is barred, by worker
	slots  chan struct{}     // capacity intakeAtATime
}

// journalSubject + worker + "." + shard is the subject of a result in the stream. Only the coordinator may publish
// there.
const journalSubject = "journal."

// badToShut is the number of consecutive bad messages after which the coordinator closes the worker's connections.
const badToShut = 16

// maxID is the longest id of a message, in bytes. The stream keeps the ids of two minutes in memory. An id of gogi's
// workers has less than 128 bytes.
const maxID = 256

// errUnderWay rejects a message because another message of the same worker is in progress. Workers know its error
// code: they wait and try again.
var errUnderWay = &jetstream.APIError{Code: 503, ErrorCode: busyCode,
	Description: "another message of this worker is under way"}

// busyCode is the code of JetStream's error that a service is temporarily unavailable.
const busyCode = 10008

// intakeAtATime is the maximum number of messages in progress, of all workers. Each takes up to farm.MaxBody of memory.
const intakeAtATime = 128

// takeResults subscribes to the results of all workers.
func (b *Bus) takeResults() error {
	s, err := b.nats.Subscribe(farm.SubjectResults+"*."+shard, b.receive)
	if err != nil {
		return b.failure(err)
	}
	b.settle()
	b.stops = append(b.stops, func() { b.unsubscribe(s) })
	return nil
}

// receive handles one message of a worker. It drops a message whose reply subject is not in the worker's own inbox.
func (b *Bus) receive(m *nats.Msg) {
	if !ownInbox(m) || b.config.Shared.Fence() != nil {
		return
	}
	worker := farm.Sender(m.Subject)
	if !b.intake.begin(worker) {
		b.acknowledge(m, nil, errUnderWay)
		return
	}
	select {
	case b.intake.slots <- struct{}{}: // if all slots are in use, this message and later messages wait
	case <-b.ctx.Done():
		b.intake.end(worker)
		return
	}
	b.running.Go(func() {
		defer func() { <-b.intake.slots }()
		ack, err := b.store(worker, m)
		// The answer comes after end, because the worker sends its next message as soon as it has the answer.
		b.intake.end(worker)
		b.acknowledge(m, ack, err)
	})
}

// store checks a worker's message and publishes it to the stream.
func (b *Bus) store(worker string, m *nats.Msg) (*jetstream.PubAck, error) {
	id := m.Header.Get(jetstream.MsgIDHeader)
	if err := b.admit(worker, id, m.Data); err != nil {
		return nil, err
	}
	// The id contains the worker's name. So one worker cannot make the stream ignore another worker's results
	// as repetitions.
	kept := &nats.Msg{Subject: journalSubject + strings.TrimPrefix(m.Subject, farm.SubjectResults), Data: m.Data,
		Header: nats.Header{}}
	if id != "" {
		kept.Header.Set(jetstream.MsgIDHeader, worker+"/"+id)
	}
	return b.js.PublishMsg(b.ctx, kept, jetstream.WithRetryAttempts(0))
}

// begin records that a message of a worker is in progress. It returns false if another message of the worker
// is in progress already.
func (i *intake) begin(worker string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.busy[worker] {
		return false
	}
	i.busy[worker] = true
	return true
}

func (i *intake) end(worker string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.busy, worker)
}

// admit returns the reason why a message is not stored, or nil. It rejects a message of a barred worker, a message with
// an id that is too long, and a message that Config.Check rejects. After badToShut consecutive bad messages it closes
// the connections of the worker.
func (b *Bus) admit(worker, id string, body []byte) error {
	b.intake.mu.Lock()
	why, barred := b.intake.barred[worker]
	b.intake.mu.Unlock()
	var err error
	if barred {
		err = errors.New(why)
	} else if len(id) > maxID {
		err = fmt.Errorf("an id of %d bytes: expected at most %d", len(id), maxID)
	} else if b.config.Check != nil {
		err = b.config.Check(worker, body)
	}
	b.intake.mu.Lock()
	defer b.intake.mu.Unlock()
	if err == nil {
		delete(b.intake.bad, worker)
		return nil
	}
	if b.intake.bad[worker]++; b.intake.bad[worker] >= badToShut {
		delete(b.intake.bad, worker)
		b.config.Log.Warn("a worker is disconnected: its messages are rejected", "worker", worker, "why", err)
		b.running.Go(func() { b.disconnect(worker) })
	}
	return rejection(err.Error())
}

// rejection returns an error that the worker cannot avoid by sending the message again.
func rejection(why string) error {
	return &jetstream.APIError{Code: 400, ErrorCode: 10003, Description: oneLine(why)}
}

// Bar makes the bus reject all results of a worker, and closes the worker's connections. With an empty reason
// the bus accepts the worker's results again. A barred worker may connect and receive the reason.
func (b *Bus) Bar(worker, why string) {
	b.intake.mu.Lock()
	if why == "" {
		delete(b.intake.barred, worker)
	} else {
		b.intake.barred[worker] = why
	}
	b.intake.mu.Unlock()
	if why != "" {
		b.disconnect(worker)
	}
}

// disconnect closes all connections of a key. With an outside server it does nothing, because only the
// operator of that server can close connections.
func (b *Bus) disconnect(name string) {
	if k, ok := b.config.Keys.Named(name); ok && b.server != nil {
		b.server.Disconnect(k.Public)
	}
}

// acknowledge sends a worker the answer to a result.
func (b *Bus) acknowledge(m *nats.Msg, ack *jetstream.PubAck, err error) {
	answer := acknowledgement{PubAck: ack}
	if err != nil {
		api, ok := errors.AsType[*jetstream.APIError](err)
		if !ok {
			api = &jetstream.APIError{Code: 503, ErrorCode: busyCode, Description: oneLine(err.Error())}
		}
		answer.Error, answer.PubAck = api, nil
	}
	body, err := json.Marshal(answer)
	if err == nil {
		err = b.nats.Publish(m.Reply, body)
	}
	if err != nil && b.ctx.Err() == nil {
		b.config.Log.Warn("an acknowledgement was not sent", "to", m.Subject, "err", err)
	}
}
