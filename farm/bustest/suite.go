// Package bustest tests implementations of farm.Bus and farm.Transport, and contains one in
// memory. [Run] is the suite that every implementation must pass. A [MemoryBroker] is the broker
// in memory: it keeps the stream and the artefacts across restarts of a
// coordinator, and injects faults on demand.
package bustest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/farm"
)

// Farm is what a test is given: a coordinator's end, and ways to it.
type Farm struct {
	Bus farm.Bus
	// Worker and Owner are transports of keys with these names and all that a worker,
	// or an owner with every right, may do.
	Worker, Owner func(t *testing.T, name string) farm.Transport
	// Again ends the coordinator's process and gives the end of its next one, with what
	// is durable. Transports of before find their way to it.
	Again func(t *testing.T) farm.Bus
	// Full is a body so long that a few of them fill the stream.
	Full []byte
}

// deadline is far beyond what anything here takes.
const deadline = time.Minute

// Run runs the suite; open makes a new farm for each test.
func Run(t *testing.T, open func(t *testing.T) Farm) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, ctx context.Context, f Farm)
	}{
		{"RequestIsAnswered", requestIsAnswered},
		{"RequestMeetsNobody", requestMeetsNobody},
		{"RefusalArrives", refusalArrives},
		{"FailureArrives", failureArrives},
		{"ManyAtATime", manyAtATime},
		{"ResultsInOrder", resultsInOrder},
		{"SameIDOnce", sameIDOnce},
		{"ResultsAgain", resultsAgain},
		{"RefusedIsDone", refusedIsDone},
		{"AnythingCanBeRefused", anythingCanBeRefused},
		{"LongAnswers", longAnswers},
		{"FullThenFree", fullThenFree},
		{"HintsAreHeard", hintsAreHeard},
		{"EventsAreHeard", eventsAreHeard},
		{"ArtefactsSurvive", artefactsSurvive},
		{"Artefacts", artefactsComeBack},
		{"WaitEndsWithContext", waitEndsWithContext},
		{"WaitEndsInTime", waitEndsInTime},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			defer cancel()
			test.run(t, ctx, open(t))
		})
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// answer serves a subject until the end of the test.
func answer(t *testing.T, b farm.Bus, subject string, f func(subject string, body []byte) (any, error)) {
	t.Helper()
	stop, err := b.Answer(subject, func(_ context.Context, subject string, body []byte) (any, error) { return f(subject, body) })
	ok(t, err)
	t.Cleanup(stop)
}

func requestIsAnswered(t *testing.T, ctx context.Context, f Farm) {
	asked := make(chan string, 2)
	answer(t, f.Bus, farm.SubjectLease+"*", func(subject string, body []byte) (any, error) {
		var ask farm.Ask
		if err := farm.Decode(body, &ask); err != nil {
			return nil, err
		}
		asked <- subject
		return farm.Grants{Grants: []farm.Grant{{Run: "r", Pair: ask.Want}}, Retry: time.Second}, nil
	})
	var got farm.Grants
	ok(t, f.Worker(t, "w1").Request(ctx, farm.SubjectLease+"w1", farm.Ask{Want: 7}, &got))
	if len(got.Grants) != 1 || got.Grants[0].Pair != 7 || got.Retry != time.Second {
		t.Errorf("got %+v", got)
	}
	if s := <-asked; s != farm.SubjectLease+"w1" {
		t.Errorf("asked on %q", s)
	}
}

func requestMeetsNobody(t *testing.T, ctx context.Context, f Farm) {
	w := f.Worker(t, "w1")
	if err := w.Request(ctx, farm.SubjectHello+"w1", farm.Hello{}, &farm.HelloReply{}); !errors.Is(err, farm.ErrAway) {
		t.Errorf("nobody answers: %v, want ErrAway", err)
	}
	stop, err := f.Bus.Answer(farm.SubjectHello+"*", func(context.Context, string, []byte) (any, error) { return farm.HelloReply{}, nil })
	ok(t, err)
	ok(t, w.Request(ctx, farm.SubjectHello+"w1", farm.Hello{}, &farm.HelloReply{}))
	stop()
	if err := w.Request(ctx, farm.SubjectHello+"w1", farm.Hello{}, &farm.HelloReply{}); !errors.Is(err, farm.ErrAway) {
		t.Errorf("nobody answers any more: %v, want ErrAway", err)
	}
}

func refusalArrives(t *testing.T, ctx context.Context, f Farm) {
	answer(t, f.Bus, farm.SubjectHello+"*", func(string, []byte) (any, error) {
		return nil, fmt.Errorf("hello: %w", &farm.Refusal{Why: "too old\nby far", Exit: 5})
	})
	err := f.Worker(t, "w1").Request(ctx, farm.SubjectHello+"w1", farm.Hello{}, &farm.HelloReply{})
	if r, is := errors.AsType[*farm.Refusal](err); !is || r.Exit != 5 || r.Why != "too old\nby far" {
		t.Errorf("got %v", err)
	}
}

func failureArrives(t *testing.T, ctx context.Context, f Farm) {
	answer(t, f.Bus, farm.SubjectHello+"*", func(string, []byte) (any, error) { return nil, errors.New("disk\non fire") })
	err := f.Worker(t, "w1").Request(ctx, farm.SubjectHello+"w1", farm.Hello{}, &farm.HelloReply{})
	if _, is := errors.AsType[*farm.Refusal](err); err == nil || is || errors.Is(err, farm.ErrAway) {
		t.Errorf("got %v, want an error that is no refusal, and not ErrAway", err)
	}
}

// manyAtATime: one that is slow to be answered keeps nobody else waiting.
func manyAtATime(t *testing.T, ctx context.Context, f Farm) {
	slow := make(chan struct{})
	came := make(chan struct{})
	answer(t, f.Bus, farm.SubjectBeat+"*", func(subject string, _ []byte) (any, error) {
		if subject == farm.SubjectBeat+"slow" {
			close(came)
			<-slow
		}
		return farm.BeatReply{}, nil
	})
	done := make(chan error, 1)
	lazy := f.Worker(t, "slow")
	go func() { done <- lazy.Request(ctx, farm.SubjectBeat+"slow", farm.Beat{}, &farm.BeatReply{}) }()
	<-came
	ok(t, f.Worker(t, "quick").Request(ctx, farm.SubjectBeat+"quick", farm.Beat{}, &farm.BeatReply{}))
	close(slow)
	ok(t, <-done)
}

func subject(worker string) string { return farm.SubjectResults + worker + ".0" }

// take reads exactly n messages.
func take(t *testing.T, ctx context.Context, b farm.Bus, n int) []farm.Delivery {
	t.Helper()
	var all []farm.Delivery
	for len(all) < n {
		some, err := b.Results(ctx, n-len(all))
		ok(t, err)
		if len(some) == 0 || len(some) > n-len(all) {
			t.Fatalf("asked for %d, got %d", n-len(all), len(some))
		}
		all = append(all, some...)
	}
	return all
}

func resultsInOrder(t *testing.T, ctx context.Context, f Farm) {
	w1, w2 := f.Worker(t, "w1"), f.Worker(t, "w2")
	for i := range 10 {
		w, name := w1, "w1"
		if i%3 == 0 {
			w, name = w2, "w2"
		}
		ok(t, w.Publish(ctx, subject(name), fmt.Sprint(name, "/s/", i), []byte{byte(i)}))
	}
	last := uint64(0)
	for i, d := range take(t, ctx, f.Bus, 10) {
		name := "w1"
		if i%3 == 0 {
			name = "w2"
		}
		if len(d.Body) != 1 || int(d.Body[0]) != i || d.Subject != subject(name) || d.Sequence <= last || d.Again {
			t.Errorf("message %d: %+v after sequence %d", i, d, last)
		}
		last = d.Sequence
		ok(t, d.Ack(ctx))
	}
}

func sameIDOnce(t *testing.T, ctx context.Context, f Farm) {
	w := f.Worker(t, "w1")
	for _, id := range []string{"a", "a", "b", "a"} {
		ok(t, w.Publish(ctx, subject("w1"), id, []byte(id)))
	}
	ok(t, w.Publish(ctx, subject("w1"), "end", []byte("end")))
	var got []string
	for _, d := range take(t, ctx, f.Bus, 3) {
		got = append(got, string(d.Body))
	}
	if !slices.Equal(got, []string{"a", "b", "end"}) {
		t.Errorf("got %q", got)
	}
}

// resultsAgain: the next process gets what was not acknowledged, first and in order.
func resultsAgain(t *testing.T, ctx context.Context, f Farm) {
	w := f.Worker(t, "w1")
	for i := range 4 {
		ok(t, w.Publish(ctx, subject("w1"), fmt.Sprint(i), []byte{byte(i)}))
	}
	got := take(t, ctx, f.Bus, 4)
	ok(t, got[0].Ack(ctx))
	ok(t, got[2].Ack(ctx)) // out of turn
	next := f.Again(t)
	publish(t, ctx, w, "new", []byte{9})
	for i, want := range []struct {
		body  byte
		again bool
	}{{1, true}, {3, true}, {9, false}} {
		d := take(t, ctx, next, 1)[0]
		if d.Body[0] != want.body || d.Again != want.again {
			t.Errorf("message %d: %v, again %v; want %+v", i, d.Body, d.Again, want)
		}
		ok(t, d.Ack(ctx))
	}
}

// publish repeats until it is durable, as a worker does.
func publish(t *testing.T, ctx context.Context, w farm.Transport, id string, body []byte) {
	t.Helper()
	for {
		err := w.Publish(ctx, subject("w1"), id, body)
		if err == nil {
			return
		}
		if !errors.Is(err, farm.ErrAway) || ctx.Err() != nil {
			t.Fatal(err)
		}
		retry, cancel := context.WithTimeout(ctx, 20*time.Millisecond) // not too often
		<-retry.Done()
		cancel()
	}
}

func refusedIsDone(t *testing.T, ctx context.Context, f Farm) {
	w := f.Worker(t, "w1")
	ok(t, w.Publish(ctx, subject("w1"), "bad", []byte("bad")))
	ok(t, w.Publish(ctx, subject("w1"), "good", []byte("good")))
	ok(t, take(t, ctx, f.Bus, 1)[0].Refuse(ctx, "forged\r\nNats-X: y"))
	next := f.Again(t)
	if d := take(t, ctx, next, 1)[0]; string(d.Body) != "good" {
		t.Errorf("after a refused message: %q", d.Body)
	}
}

// longAnswers come as long as they may be, and what is longer is an error that says so.
func longAnswers(t *testing.T, ctx context.Context, f Farm) {
	w := f.Worker(t, "w1")
	for beyond, want := range map[int]bool{0: true, 1: false} {
		length := farm.MaxAnswer - 5 + beyond // beside them the head of a string of bytes
		stop, err := f.Bus.Answer(farm.SubjectHello+"*", func(context.Context, string, []byte) (any, error) { return make([]byte, length), nil })
		ok(t, err)
		var got []byte
		err = w.Request(ctx, farm.SubjectHello+"w1", farm.Hello{}, &got)
		if (err == nil) != want || want && len(got) != length || !want && !strings.Contains(err.Error(), "are sent") {
			t.Errorf("an answer of %d bytes: %d came, %v", length+5, len(got), err)
		}
		stop()
	}
}

// anythingCanBeRefused: also the longest message that the stream takes, for a long reason.
func anythingCanBeRefused(t *testing.T, ctx context.Context, f Farm) {
	w := f.Worker(t, "w1")
	size := farm.MaxBody
	for w.Publish(ctx, subject("w1"), fmt.Sprint(size), make([]byte, size)) != nil {
		if size -= 256; size < farm.MaxBody-farm.MaxBody/16 {
			t.Fatalf("%d bytes are not taken", size)
		}
	}
	ok(t, take(t, ctx, f.Bus, 1)[0].Refuse(ctx, strings.Repeat("no ", 1000)))
}

// fullThenFree: a full stream says so and loses nothing; what is acknowledged makes room.
func fullThenFree(t *testing.T, ctx context.Context, f Farm) {
	w := f.Worker(t, "w1")
	kept := 0
	for ; ; kept++ {
		err := w.Publish(ctx, subject("w1"), fmt.Sprint(kept), f.Full)
		if errors.Is(err, farm.ErrFull) {
			break
		}
		ok(t, err)
		if kept > 10_000 {
			t.Fatal("it is never full")
		}
	}
	if fill, err := f.Bus.Fill(ctx); err != nil || fill < 0.5 || fill > 1 {
		t.Errorf("fill %v, %v when full with %d", fill, err, kept)
	}
	if kept == 0 {
		t.Fatal("it takes nothing")
	}
	for _, d := range take(t, ctx, f.Bus, kept) {
		ok(t, d.Ack(ctx))
	}
	ok(t, w.Publish(ctx, subject("w1"), "after", []byte("after")))
	if d := take(t, ctx, f.Bus, 1)[0]; string(d.Body) != "after" {
		t.Errorf("after room was made: %d bytes", len(d.Body))
	}
	if fill, err := f.Bus.Fill(ctx); err != nil || fill > 0.5 {
		t.Errorf("fill %v, %v when nearly empty", fill, err)
	}
}

func hintsAreHeard(t *testing.T, ctx context.Context, f Farm) {
	w := f.Worker(t, "w1")
	heard := make(chan string, 10)
	stops := map[string]func(){}
	for _, s := range []string{farm.SubjectAll, farm.SubjectWorker + "w1", farm.SubjectRun + "ab"} {
		stop, err := w.Listen(s, func(body []byte) { heard <- s + ":" + string(body) })
		ok(t, err)
		stops[s] = stop
		t.Cleanup(stop)
	}
	settle(t, ctx, f, w)
	for _, s := range []string{farm.SubjectWorker + "w2", farm.SubjectAll, farm.SubjectWorker + "w1", farm.SubjectRun + "ab"} {
		ok(t, f.Bus.Tell(s, []byte("x")))
	}
	got := []string{next(t, ctx, heard), next(t, ctx, heard), next(t, ctx, heard)}
	slices.Sort(got)
	if want := []string{farm.SubjectRun + "ab:x", farm.SubjectAll + ":x", farm.SubjectWorker + "w1:x"}; !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("heard %q", got)
	}
	stops[farm.SubjectAll]()
	settle(t, ctx, f, w)
	ok(t, f.Bus.Tell(farm.SubjectAll, []byte("y")))
	ok(t, f.Bus.Tell(farm.SubjectWorker+"w1", []byte("z")))
	if got := next(t, ctx, heard); got != farm.SubjectWorker+"w1:z" {
		t.Errorf("after it stopped listening: %q", got)
	}
}

func next[T any](t *testing.T, ctx context.Context, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-ctx.Done():
		t.Fatal("it never came")
		panic("unreachable")
	}
}

// settle makes a round trip: what the transport said before has arrived.
func settle(t *testing.T, ctx context.Context, f Farm, w farm.Transport) {
	t.Helper()
	stop, err := f.Bus.Answer(farm.SubjectHello+"*", func(context.Context, string, []byte) (any, error) { return farm.HelloReply{}, nil })
	ok(t, err)
	ok(t, w.Request(ctx, farm.SubjectHello+"w1", farm.Hello{}, &farm.HelloReply{}))
	stop()
}

func eventsAreHeard(t *testing.T, ctx context.Context, f Farm) {
	heard := make(chan string, 1)
	stop, err := f.Bus.Listen(farm.SubjectEvents+"ab.*", func(body []byte) { heard <- string(body) })
	ok(t, err)
	defer stop()
	w := f.Worker(t, "w1")
	ok(t, w.Tell(farm.SubjectEvents+"cd.w1", []byte("another run's")))
	ok(t, w.Tell(farm.SubjectEvents+"ab.w1", []byte("event")))
	if got := next(t, ctx, heard); got != "event" {
		t.Errorf("heard %q", got)
	}
}

func artefactsSurvive(t *testing.T, ctx context.Context, f Farm) {
	sum, err := f.Bus.PutArtefact(ctx, bytes.NewReader([]byte("engine")), 100)
	ok(t, err)
	if all, err := f.Again(t).Artefacts(ctx); err != nil || all[sum] != 6 {
		t.Errorf("artefacts %v, %v", all, err)
	}
}

func artefactsComeBack(t *testing.T, ctx context.Context, f Farm) {
	owner, w := f.Owner(t, "o1"), f.Worker(t, "w1")
	for _, size := range []int{0, 1, 128 << 10, 300_001} {
		body := bytes.Repeat([]byte("0123456789abcde"), size/15+1)[:size]
		sum := sha256.Sum256(body)
		name := hex.EncodeToString(sum[:])
		for range 2 { // the second time it is there already
			got, err := owner.PutArtefact(ctx, bytes.NewReader(body), int64(size))
			ok(t, err)
			if got != name {
				t.Fatalf("%d bytes are kept as %s, want %s", size, got, name)
			}
		}
		for who, from := range map[string]farm.Transport{"worker": w, "coordinator": f.Bus} {
			r, err := from.Artefact(ctx, name)
			ok(t, err)
			back, err := io.ReadAll(r)
			ok(t, errors.Join(err, r.Close()))
			if !bytes.Equal(back, body) {
				t.Errorf("%s: %d bytes came back as %d others", who, size, len(back))
			}
		}
		if all, err := f.Bus.Artefacts(ctx); err != nil || all[name] != int64(size) {
			t.Errorf("listed with %d bytes, %v; want %d", all[name], err, size)
		}
	}
	if _, err := owner.PutArtefact(ctx, bytes.NewReader(make([]byte, 11)), 10); err == nil {
		t.Error("11 bytes are kept where 10 are the limit")
	}
	_, err := w.Artefact(ctx, hex.EncodeToString(make([]byte, 32)))
	if _, is := errors.AsType[*farm.Refusal](err); !is {
		t.Errorf("an artefact that nobody has: %v, want a refusal", err)
	}
}

func waitEndsWithContext(t *testing.T, ctx context.Context, f Farm) {
	ending, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		_, err := f.Bus.Results(ending, 1)
		done <- err
	}()
	cancel()
	if err := next(t, ctx, done); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's end", err)
	}
}

// waitEndsInTime: a deadline is no failure of the stream, however near it is.
func waitEndsInTime(t *testing.T, ctx context.Context, f Farm) {
	for i := range 60 {
		waiting, cancel := context.WithTimeout(ctx, time.Duration(i)*100*time.Microsecond)
		_, err := f.Bus.Results(waiting, 4)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, farm.ErrAway) {
			t.Fatalf("after %d00 µs: %v, want the deadline", i, err)
		}
	}
	ok(t, f.Worker(t, "w1").Publish(ctx, subject("w1"), "a", []byte("a")))
	if d := take(t, ctx, f.Bus, 1)[0]; string(d.Body) != "a" {
		t.Errorf("after all those: %q", d.Body)
	}
}
