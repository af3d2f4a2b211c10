package nats_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gogi/farm"
	"gogi/farm/keys"
	bus "gogi/farm/nats"
	"gogi/internal/testutil"
)

// TestAcknowledgementsGoToTheSender: a worker names a reply subject of its choice for its results. Nothing arrives
// there: no result in another worker's name, nothing in the stream, no change of a stream.
func TestAcknowledgementsGoToTheSender(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	victim := w.dial(t, w.key(t, "victim", time.Time{}, keys.Work))
	mallory := testutil.Must(raw(t, w, w.key(t, "mallory", time.Time{}, keys.Work)))(t)
	defer mallory.Close()
	attacks := 0
	for _, reply := range []string{"res.victim.0", "journal.victim.0", "journal.mallory.0", "evidence.victim",
		"$KV.farm.boot", "$KV.tests.ab", "$JS.API.STREAM.PURGE.RESULTS_0", "$JS.API.STREAM.DELETE.RESULTS_0", "ctl.all",
		"_INBOX_victim.x"} {
		for range 4 {
			attacks++
			testutil.OK(t, mallory.PublishRequest("res.mallory.0", reply, []byte("x")))
		}
	}
	testutil.OK(t, mallory.Flush())
	// The control: an honest acknowledgement comes, and the stream has exactly the two honest messages.
	answer, err := mallory.Request("res.mallory.0", []byte("mine"), testutil.WaitLimit)
	testutil.Require(t, err == nil && bytes.Contains(answer.Data, []byte(`"stream":"RESULTS_0"`)),
		"an honest acknowledgement: %v, %v", answer, err)
	testutil.OK(t, victim.Publish(t.Context(), "res.victim.0", "1", []byte("yours")))
	for _, want := range []string{"mine", "yours"} {
		got := testutil.Must(w.bus.Results(t.Context(), 1))(t)
		testutil.Check(t, len(got) == 1 && string(got[0].Body) == want,
			"after %d attacks the stream has %+v, want %q", attacks, got, want)
	}
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if more, err := w.bus.Results(short, 1); err == nil {
		t.Errorf("the stream has %+v, too", more)
	}
}

// TestFloodOfOneWorker: a worker sends bad messages as fast as it can. The server stores none of them and closes the
// connection in the end. The results of others arrive. The server reads one result of a key at a time and drops most of
// a flood unread. So the test sends more slowly after ten thousand messages, until 16 were read.
func TestFloodOfOneWorker(t *testing.T) {
	t.Parallel()
	bad := errors.New("no signature")
	w := open(t, func(c *bus.Config) {
		c.Check = func(_ string, body []byte) error {
			if bytes.HasPrefix(body, []byte("good")) {
				return nil
			}
			return bad
		}
	})
	honest := w.dial(t, w.key(t, "honest", time.Time{}, keys.Work))
	closed := make(chan struct{})
	mallory := testutil.Must(raw(t, w, w.key(t, "mallory", time.Time{}, keys.Work), nats.NoReconnect(),
		nats.ClosedHandler(func(*nats.Conn) { close(closed) })))(t)
	defer mallory.Close()
	inbox := keys.Inbox("mallory") + ".x"
	done := make(chan int)
	go func() {
		sent := 0
		for mallory.PublishRequest("res.mallory.0", inbox, bytes.Repeat([]byte("bad"), 70)) == nil &&
			t.Context().Err() == nil {
			if sent++; sent > 10_000 {
				time.Sleep(time.Millisecond)
			}
		}
		done <- sent
	}()
	const results = 20
	for i := range results {
		publishAs(t, honest, "honest", fmt.Sprint(i))
	}
	select {
	case <-closed:
	case <-time.After(testutil.WaitLimit):
		t.Fatal("the connection of the flood is still open")
	}
	if sent := <-done; sent < 100 {
		t.Errorf("only %d bad messages were sent", sent)
	}
	for got := 0; got < results; {
		all := testutil.Must(w.bus.Results(t.Context(), results))(t)
		for _, d := range all {
			testutil.Require(t, bytes.HasPrefix(d.Body, []byte("good")), "the stream has %q of %s", d.Body, d.Subject)
			testutil.OK(t, d.Ack(t.Context()))
			got++
		}
	}
}

// publishAs publishes a good result. A worker that waits for each answer never gets the answer busy.
func publishAs(t *testing.T, way farm.Transport, name, id string) {
	t.Helper()
	testutil.OK(t, way.Publish(t.Context(), farm.SubjectResults+name+".0", id, []byte("good"+id)))
}

// TestBarredWorker: the server stores no result of a barred worker, and closes its connections. The worker may connect
// again and gets the reason. After a pardon the server accepts its results.
func TestBarredWorker(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	testutil.OK(t, testutil.Err(w.bus.Answer("hello.*", func(context.Context, string, []byte) (any, error) {
		return farm.HelloReply{}, nil
	})))
	creds := w.key(t, "w1", time.Time{}, keys.Work)
	gone := make(chan struct{})
	n := testutil.Must(raw(t, w, creds, nats.NoReconnect(), nats.ClosedHandler(func(*nats.Conn) { close(gone) })))(t)
	defer n.Close()
	w.bus.Bar("w1", "two others agree")
	select {
	case <-gone:
	case <-time.After(testutil.WaitLimit):
		t.Fatal("its connection is still open")
	}
	again := w.dial(t, creds)
	if err := again.Publish(t.Context(), "res.w1.0", "1", []byte("x")); err == nil ||
		!bytes.Contains([]byte(err.Error()), []byte("two others agree")) {
		t.Errorf("a result of a barred worker: %v", err)
	}
	testutil.OK(t, again.Request(t.Context(), "hello.w1", farm.Hello{}, &farm.HelloReply{}))
	w.bus.Bar("w1", "")
	publishAs(t, again, "w1", "2")
	got := testutil.Must(w.bus.Results(t.Context(), 1))(t)
	testutil.Check(t, string(got[0].Body) == "good2", "the stream has %q", got[0].Body)
}

// TestLongID: the server rejects a long id, because the stream keeps each id in memory for two minutes.
func TestLongID(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	way := w.dial(t, w.key(t, "w1", time.Time{}, keys.Work))
	testutil.Fails(t, way.Publish(t.Context(), "res.w1.0", strings.Repeat("i", 60_000), []byte("x")),
		"an id of 60000 bytes")
	testutil.OK(t, way.Publish(t.Context(), "res.w1.0", strings.Repeat("i", 200), []byte("x")))
}

// TestFloodOfRequests: a flood of one key's requests does not delay the requests of others until their deadline.
func TestFloodOfRequests(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	hold := make(chan struct{})
	defer close(hold)
	testutil.OK(t, testutil.Err(w.bus.Answer("beat.*", func(ctx context.Context, subject string, _ []byte) (any, error) {
		if subject == "beat.mallory" {
			select {
			case <-hold:
			case <-ctx.Done():
			}
		}
		return farm.BeatReply{}, nil
	})))
	honest := w.dial(t, w.key(t, "honest", time.Time{}, keys.Work))
	mallory := testutil.Must(raw(t, w, w.key(t, "mallory", time.Time{}, keys.Work)))(t)
	defer mallory.Close()
	for range 1000 {
		testutil.OK(t, mallory.PublishRequest("beat.mallory", keys.Inbox("mallory")+".x", []byte{0xa0}))
	}
	testutil.OK(t, mallory.Flush())
	ctx, cancel := context.WithTimeout(t.Context(), testutil.WaitLimit)
	defer cancel()
	testutil.OK(t, honest.Request(ctx, "beat.honest", farm.Beat{}, &farm.BeatReply{}))
}

// TestConnectionsOfOneKey: a key has at most 64 connections, and others still connect. After closing some it may
// connect again. Two results at once get the error for a busy key, not the error for a full stream.
func TestConnectionsOfOneKey(t *testing.T) {
	t.Parallel()
	w := open(t, func(c *bus.Config) { c.SweepEvery = 50 * time.Millisecond })
	mallory, honest := w.key(t, "mallory", time.Time{}, keys.Work), w.key(t, "honest", time.Time{}, keys.Work)
	var open []*nats.Conn
	for range 200 {
		n, err := raw(t, w, mallory, nats.NoReconnect())
		if err != nil {
			break
		}
		defer n.Close()
		open = append(open, n)
	}
	testutil.Require(t, len(open) == 64, "a key has %d connections", len(open))
	publishAs(t, w.dial(t, honest), "honest", "1")
	for _, n := range open[1:] {
		n.Close()
	}
	testutil.Eventually(t, "it may connect again", func() bool {
		n, err := raw(t, w, mallory, nats.NoReconnect())
		if err == nil {
			n.Close()
		}
		return err == nil
	})
	var answer struct {
		Error *jetstream.APIError `json:"error"`
	}
	for try := 0; answer.Error == nil && try < 1000; try++ { // two results at once
		inbox := keys.Inbox("mallory") + ".y"
		sub := testutil.Must(open[0].SubscribeSync(inbox))(t)
		for i := range 2 {
			testutil.OK(t, open[0].PublishRequest("res.mallory.0", inbox, []byte{byte(i)}))
		}
		for range 2 {
			m := testutil.Must(sub.NextMsg(testutil.WaitLimit))(t)
			testutil.OK(t, json.Unmarshal(m.Data, &answer))
		}
		testutil.OK(t, sub.Unsubscribe())
	}
	testutil.Check(t, answer.Error != nil && answer.Error.ErrorCode == 10008, "%+v", answer.Error)
}
