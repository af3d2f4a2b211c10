package nats_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/bustest"
	"gogi/internal/testutil"
)

// A contract is the input of a test of the suite: the coordinator's bus, and transports to it.
type contract struct {
	Bus farm.Bus
	// Worker returns the transport of a key with this name and the rights of a worker. Owner returns one with all
	// rights of an owner.
	Worker, Owner func(t *testing.T, name string) farm.Transport
	// Again ends the coordinator's process, and returns the bus of the next process, which has the durable data.
	// Existing transports connect to the new process.
	Again func(t *testing.T) farm.Bus
	// Full is a message so long that a few copies of it fill the stream.
	Full []byte
}

// deadline is a time limit far above the duration of any test of the suite.
const deadline = time.Minute

// runSuite runs the tests that every implementation of farm.Bus must pass. It calls open to create a new farm for each
// test.
func runSuite(t *testing.T, open func(t *testing.T) contract) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, ctx context.Context, f contract)
	}{
		{"RequestIsAnswered", requestIsAnswered},
		{"RequestWithoutAnswerer", requestWithoutAnswerer},
		{"Errors", errorsArrive},
		{"ManyAtATime", manyAtATime},
		{"ResultsInOrder", resultsInOrder},
		{"SameIDOnce", sameIDOnce},
		{"ResultsAgain", resultsAgain},
		{"RefusedIsDone", refusedIsDone},
		{"AnythingCanBeRefused", anythingCanBeRefused},
		{"LongAnswers", longAnswers},
		{"FullThenFree", fullThenFree},
		{"Hints", hintsArrive},
		{"Events", eventsArrive},
		{"Artefacts", artefacts},
		{"WaitEnds", waitEnds},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			defer cancel()
			test.run(t, ctx, open(t))
		})
	}
}

// TestInMemory: the bus in memory, which the tests of the coordinator use, passes the suite too.
func TestInMemory(t *testing.T) {
	t.Parallel()
	runSuite(t, func(t *testing.T) contract {
		broker := bustest.NewMemoryBroker()
		broker.Limit(1 << 20)
		connect := func(_ *testing.T, name string) farm.Transport { return broker.Connect(name) }
		return contract{
			Bus: broker.Open(), Worker: connect, Owner: connect, Full: bytes.Repeat([]byte("x"), 400_000),
			Again: func(*testing.T) farm.Bus { return broker.Open() },
		}
	})
}

// answer serves a subject until stop or the end of the test.
func answer(t *testing.T, b farm.Bus, subject string, f func(subject string, body []byte) (any, error)) (stop func()) {
	t.Helper()
	stop, err := b.Answer(subject, func(_ context.Context, subject string, body []byte) (any, error) {
		return f(subject, body)
	})
	testutil.OK(t, err)
	t.Cleanup(stop)
	return stop
}

func hello(ctx context.Context, w farm.Transport) error {
	return w.Request(ctx, farm.SubjectHello+"w1", farm.Hello{}, &farm.HelloReply{})
}

func answerHello(string, []byte) (any, error) { return farm.HelloReply{}, nil }

func requestIsAnswered(t *testing.T, ctx context.Context, f contract) {
	asked := make(chan string, 2)
	answer(t, f.Bus, farm.SubjectLease+"*", func(subject string, body []byte) (any, error) {
		var ask farm.Ask
		if err := farm.Decode(body, &ask); err != nil {
			return nil, err
		}
		asked <- subject
		return farm.Grants{Grants: []farm.Grant{{Held: farm.Held{Run: "r", Pair: ask.Want}}}, Retry: time.Second}, nil
	})
	var got farm.Grants
	testutil.OK(t, f.Worker(t, "w1").Request(ctx, farm.SubjectLease+"w1", farm.Ask{Want: 7}, &got))
	testutil.Check(t, len(got.Grants) == 1 && got.Grants[0].Pair == 7 && got.Retry == time.Second, "got %+v", got)
	testutil.Equal(t, <-asked, farm.SubjectLease+"w1", "the subject")
}

func requestWithoutAnswerer(t *testing.T, ctx context.Context, f contract) {
	w := f.Worker(t, "w1")
	testutil.Is(t, hello(ctx, w), farm.ErrAway, "before Answer")
	stop := answer(t, f.Bus, farm.SubjectHello+"*", answerHello)
	testutil.OK(t, hello(ctx, w))
	stop()
	testutil.Is(t, hello(ctx, w), farm.ErrAway, "after stop")
}

// errorsArrive tests that a rejection arrives with all its fields, and that another error is neither a
// rejection nor ErrAway.
func errorsArrive(t *testing.T, ctx context.Context, f contract) {
	w := f.Worker(t, "w1")
	fails := func(err error) error {
		stop := answer(t, f.Bus, farm.SubjectHello+"*", func(string, []byte) (any, error) { return nil, err })
		defer stop()
		return hello(ctx, w)
	}
	err := fails(fmt.Errorf("hello: %w", &farm.Refusal{Why: "too old\nby far", Exit: 5}))
	if r, is := errors.AsType[*farm.Refusal](err); !is || r.Exit != 5 || r.Why != "too old\nby far" {
		t.Errorf("got %v", err)
	}
	err = fails(errors.New("disk\non fire"))
	if _, is := errors.AsType[*farm.Refusal](err); err == nil || is || errors.Is(err, farm.ErrAway) {
		t.Errorf("got %v, want an error that is no rejection, and not ErrAway", err)
	}
}

// manyAtATime tests that a slow answer does not delay other requests.
func manyAtATime(t *testing.T, ctx context.Context, f contract) {
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
	testutil.OK(t, f.Worker(t, "quick").Request(ctx, farm.SubjectBeat+"quick", farm.Beat{}, &farm.BeatReply{}))
	close(slow)
	testutil.OK(t, <-done)
}

func subject(worker string) string { return farm.SubjectResults + worker + ".0" }

// take reads exactly n messages.
func take(t *testing.T, ctx context.Context, b farm.Bus, n int) []farm.Delivery {
	t.Helper()
	var all []farm.Delivery
	for len(all) < n {
		some, err := b.Results(ctx, n-len(all))
		testutil.OK(t, err)
		testutil.Require(t, len(some) != 0 && len(some) <= n-len(all), "asked for %d, got %d", n-len(all), len(some))
		all = append(all, some...)
	}
	return all
}

// takes checks the body of the next message, and returns it.
func takes(t *testing.T, ctx context.Context, b farm.Bus, want string) farm.Delivery {
	t.Helper()
	d := take(t, ctx, b, 1)[0]
	testutil.Check(t, string(d.Body) == want, "the next message is %.100q, want %q", d.Body, want)
	return d
}

func resultsInOrder(t *testing.T, ctx context.Context, f contract) {
	names := []string{"w2", "w1", "w1"}
	workers := map[string]farm.Transport{"w1": f.Worker(t, "w1"), "w2": f.Worker(t, "w2")}
	for i := range 10 {
		name := names[i%3]
		testutil.OK(t, workers[name].Publish(ctx, subject(name), fmt.Sprint(name, "/s/", i), []byte{byte(i)}))
	}
	last := uint64(0)
	for i, d := range take(t, ctx, f.Bus, 10) {
		testutil.Check(t, len(d.Body) == 1 && int(d.Body[0]) == i && d.Subject == subject(names[i%3]) && d.Sequence > last &&
			!d.Again,
			"message %d: %+v after sequence %d", i, d, last)
		last = d.Sequence
		testutil.OK(t, d.Ack(ctx))
	}
}

func sameIDOnce(t *testing.T, ctx context.Context, f contract) {
	w := f.Worker(t, "w1")
	for _, id := range []string{"a", "a", "b", "a", "end"} {
		testutil.OK(t, w.Publish(ctx, subject("w1"), id, []byte(id)))
	}
	for _, want := range []string{"a", "b", "end"} {
		takes(t, ctx, f.Bus, want)
	}
}

// resultsAgain tests that the next process receives the messages that were not acknowledged, first and in
// order.
func resultsAgain(t *testing.T, ctx context.Context, f contract) {
	w := f.Worker(t, "w1")
	for _, id := range []string{"0", "1", "2", "3"} {
		testutil.OK(t, w.Publish(ctx, subject("w1"), id, []byte(id)))
	}
	got := take(t, ctx, f.Bus, 4)
	testutil.OK(t, got[0].Ack(ctx))
	testutil.OK(t, got[2].Ack(ctx)) // got[1] is not acknowledged yet
	next := f.Again(t)
	publish(t, ctx, w, "new")
	for _, want := range []string{"1", "3", "new"} {
		d := takes(t, ctx, next, want)
		testutil.Check(t, d.Again == (want != "new"), "message %s: again %t", want, d.Again)
		testutil.OK(t, d.Ack(ctx))
	}
}

// publish repeats a publication until it is durable, as a worker does.
func publish(t *testing.T, ctx context.Context, w farm.Transport, id string) {
	t.Helper()
	for {
		err := w.Publish(ctx, subject("w1"), id, []byte(id))
		if err == nil {
			return
		}
		testutil.Require(t, errors.Is(err, farm.ErrAway) && ctx.Err() == nil, "%v", err)
		retry, cancel := context.WithTimeout(ctx, 20*time.Millisecond) // the pause between two tries
		<-retry.Done()
		cancel()
	}
}

func refusedIsDone(t *testing.T, ctx context.Context, f contract) {
	w := f.Worker(t, "w1")
	for _, id := range []string{"bad", "good"} {
		testutil.OK(t, w.Publish(ctx, subject("w1"), id, []byte(id)))
	}
	testutil.OK(t, take(t, ctx, f.Bus, 1)[0].Refuse(ctx, "forged\r\nNats-X: y"))
	takes(t, ctx, f.Again(t), "good")
}

// longAnswers tests that an answer of the greatest length arrives, and that a longer answer is an error that
// names the limit.
func longAnswers(t *testing.T, ctx context.Context, f contract) {
	w := f.Worker(t, "w1")
	for beyond, want := range map[int]bool{0: true, 1: false} {
		length := farm.MaxAnswer - 5 + beyond // the header of a byte string has 5 bytes
		stop := answer(t, f.Bus, farm.SubjectHello+"*", func(string, []byte) (any, error) {
			return make([]byte, length), nil
		})
		var got []byte
		err := w.Request(ctx, farm.SubjectHello+"w1", farm.Hello{}, &got)
		if (err == nil) != want || want && len(got) != length || !want && !strings.Contains(err.Error(), "are sent") {
			t.Errorf("an answer of %d bytes: %d came, %v", length+5, len(got), err)
		}
		stop()
	}
}

// anythingCanBeRefused tests that the longest message that the stream accepts can be rejected for a long
// reason.
func anythingCanBeRefused(t *testing.T, ctx context.Context, f contract) {
	w := f.Worker(t, "w1")
	size := farm.MaxBody
	for w.Publish(ctx, subject("w1"), fmt.Sprint(size), make([]byte, size)) != nil {
		if size -= 256; size < farm.MaxBody-farm.MaxBody/16 {
			t.Fatalf("the stream rejects %d bytes", size)
		}
	}
	testutil.OK(t, take(t, ctx, f.Bus, 1)[0].Refuse(ctx, strings.Repeat("no ", 1000)))
}

// fullThenFree tests that a full stream returns ErrFull and loses nothing, and that acknowledged messages
// free space.
func fullThenFree(t *testing.T, ctx context.Context, f contract) {
	w := f.Worker(t, "w1")
	kept := 0
	for ; ; kept++ {
		err := w.Publish(ctx, subject("w1"), fmt.Sprint(kept), f.Full)
		if errors.Is(err, farm.ErrFull) {
			break
		}
		testutil.OK(t, err)
		testutil.Require(t, kept <= 10_000, "it is never full")
	}
	if fill, err := f.Bus.Fill(ctx); err != nil || fill < 0.5 || fill > 1 || kept == 0 {
		t.Errorf("fill %v, %v when full with %d", fill, err, kept)
	}
	for _, d := range take(t, ctx, f.Bus, kept) {
		testutil.OK(t, d.Ack(ctx))
	}
	testutil.OK(t, w.Publish(ctx, subject("w1"), "after", []byte("after")))
	takes(t, ctx, f.Bus, "after")
	if fill, err := f.Bus.Fill(ctx); err != nil || fill > 0.5 {
		t.Errorf("fill %v, %v when nearly empty", fill, err)
	}
}

func hintsArrive(t *testing.T, ctx context.Context, f contract) {
	w := f.Worker(t, "w1")
	heard := make(chan string, 10)
	stops := map[string]func(){}
	for _, s := range []string{farm.SubjectAll, farm.SubjectWorker + "w1", farm.SubjectRun + "ab"} {
		stop, err := w.Listen(s, func(body []byte) { heard <- s + ":" + string(body) })
		testutil.OK(t, err)
		stops[s] = stop
		t.Cleanup(stop)
	}
	settle(t, ctx, f, w)
	for _, s := range []string{farm.SubjectWorker + "w2", farm.SubjectAll, farm.SubjectWorker + "w1",
		farm.SubjectRun + "ab"} {
		testutil.OK(t, f.Bus.Send(s, []byte("x")))
	}
	got := []string{next(t, ctx, heard), next(t, ctx, heard), next(t, ctx, heard)}
	slices.Sort(got)
	if want := []string{farm.SubjectRun + "ab:x", farm.SubjectAll + ":x", farm.SubjectWorker + "w1:x"}; !slices.Equal(got,
		slices.Sorted(slices.Values(want))) {
		t.Errorf("heard %q", got)
	}
	stops[farm.SubjectAll]()
	settle(t, ctx, f, w)
	testutil.OK(t, f.Bus.Send(farm.SubjectAll, []byte("y")))
	testutil.OK(t, f.Bus.Send(farm.SubjectWorker+"w1", []byte("z")))
	testutil.Equal(t, next(t, ctx, heard), farm.SubjectWorker+"w1:z", "after it stopped listening")
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

// settle makes a round trip, so that everything that the transport sent before has arrived.
func settle(t *testing.T, ctx context.Context, f contract, w farm.Transport) {
	t.Helper()
	stop := answer(t, f.Bus, farm.SubjectHello+"*", answerHello)
	testutil.OK(t, hello(ctx, w))
	stop()
}

func eventsArrive(t *testing.T, ctx context.Context, f contract) {
	heard := make(chan string, 1)
	stop, err := f.Bus.Listen(farm.SubjectEvents+"ab.*", func(body []byte) { heard <- string(body) })
	testutil.OK(t, err)
	defer stop()
	w := f.Worker(t, "w1")
	testutil.OK(t, w.Send(farm.SubjectEvents+"cd.w1", []byte("another run's")))
	testutil.OK(t, w.Send(farm.SubjectEvents+"ab.w1", []byte("event")))
	testutil.Equal(t, next(t, ctx, heard), "event", "the event")
}

// artefacts tests that artefacts of any size come back unchanged, also in the next process.
func artefacts(t *testing.T, ctx context.Context, f contract) {
	owner, w := f.Owner(t, "o1"), f.Worker(t, "w1")
	sizes := map[string]int64{}
	for _, size := range []int{0, 1, 128 << 10, 300_001} {
		body := bytes.Repeat([]byte("0123456789abcde"), size/15+1)[:size]
		sum := sha256.Sum256(body)
		name := hex.EncodeToString(sum[:])
		sizes[name] = int64(size)
		for range 2 { // the second time the farm has it already
			got, err := owner.PutArtefact(ctx, bytes.NewReader(body), int64(size))
			testutil.OK(t, err)
			testutil.Require(t, got == name, "%d bytes are stored as %s, want %s", size, got, name)
		}
		for who, from := range map[string]farm.Transport{"worker": w, "coordinator": f.Bus} {
			r, err := from.Artefact(ctx, name)
			testutil.OK(t, err)
			back, err := io.ReadAll(r)
			testutil.OK(t, errors.Join(err, r.Close()))
			testutil.Check(t, bytes.Equal(back, body), "%s: %d bytes came back as %d others", who, size, len(back))
		}
	}
	testutil.Fails(t, testutil.Err(owner.PutArtefact(ctx, bytes.NewReader(make([]byte, 11)), 10)), "",
		"11 bytes are stored with a limit of 10")
	_, err := w.Artefact(ctx, hex.EncodeToString(make([]byte, 32)))
	if _, is := errors.AsType[*farm.Refusal](err); !is {
		t.Errorf("an unknown artefact: %v, want a rejection", err)
	}
	sum, err := f.Bus.PutArtefact(ctx, bytes.NewReader([]byte("engine")), 100)
	testutil.OK(t, err)
	sizes[sum] = 6
	for _, again := range []bool{false, true} {
		if again {
			f.Bus = f.Again(t)
		}
		if all, err := f.Bus.Artefacts(ctx); err != nil || !maps.Equal(all, sizes) {
			t.Errorf("artefacts %v, %v, want %v; next process: %t", all, err, sizes, again)
		}
	}
}

// waitEnds tests that Results ends when its context ends. It also tests that a deadline, even a very near one, is
// not reported as a failure of the stream.
func waitEnds(t *testing.T, ctx context.Context, f contract) {
	ending, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		_, err := f.Bus.Results(ending, 1)
		done <- err
	}()
	cancel()
	testutil.Is(t, next(t, ctx, done), context.Canceled)
	for i := range 60 {
		waiting, cancel := context.WithTimeout(ctx, time.Duration(i)*100*time.Microsecond)
		_, err := f.Bus.Results(waiting, 4)
		cancel()
		testutil.Require(t, errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, farm.ErrAway),
			"after %d00 µs: %v, want the deadline", i, err)
	}
	testutil.OK(t, f.Worker(t, "w1").Publish(ctx, subject("w1"), "a", []byte("a")))
	takes(t, ctx, f.Bus, "a")
}
