package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/runner/crash"
	"gogi/shogi"
	"gogi/usi"
	"gogi/usi/process"
)

// Process is a started engine to which gogi has not yet sent usi.
type Process interface {
	usi.Connection
	usi.WriteDeadliner
	Exit() process.Exit
	Kill()
	Done() <-chan struct{}
}

// Starter is a function that starts the engine of a crash dump again.
type Starter func() (Process, error)

// Options are the settings of a replay.
type Options struct {
	Fast     bool // wait only during searches
	LastGame bool // leave out the earlier games
}

// Outcome reports whether the failure happened again in a replay.
type Outcome string

// These are the outcomes of a replay.
const (
	Happened Outcome = "happened" // the same kind of failure
	Absent   Outcome = "absent"   // the engine did not fail
	Unclear  Outcome = "unclear"  // something else went wrong
)

// Result is the outcome of one replay, with a note.
type Result struct {
	Outcome Outcome `json:"outcome"`
	Note    string  `json:"note"` // the observation, printable
}

// These constants limit how long a replay waits.
const (
	writeWait = 2 * time.Second        // as usi.Limits
	stopWait  = 500 * time.Millisecond // as usi.Limits
	closeWait = 500 * time.Millisecond // for a crash right after the answer
	extraWait = 10 * time.Second       // in addition to ten times the recorded time
)

// Once replays a bundle. It returns an error only if ctx ends. If the engine does not start, the outcome is Unclear.
func Once(ctx context.Context, b *crash.Bundle, start Starter, o Options) (Result, error) {
	proc, err := start()
	if err != nil {
		return Result{Unclear, sanitize.Printable(err.Error(), 1000)}, nil
	}
	defer context.AfterFunc(ctx, proc.Kill)()
	r := &replay{bundle: b, proc: proc, answers: make(chan answer, 1024)}
	go r.read()
	result := r.play(ctx, steps(script(b, o.LastGame), o.Fast))
	proc.Kill() // the replay does not judge how the engine quits
	err = proc.Close()
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	if err != nil && result.Outcome == Absent {
		return Result{Unclear, sanitize.Printable(err.Error(), 1000)}, nil
	}
	return result, nil
}

type replay struct {
	bundle *crash.Bundle
	proc   Process
	// answers receives the answers from read, which closes it at the end of the output. A full channel drops answers: then
	// the engine has sent a thousand answers without a question.
	answers chan answer

	waiting  string    // the awaited answer: usiok, readyok, bestmove, or ""
	began    time.Time // the go or ponderhit of the last search
	elapsed  time.Duration
	last     []byte // the last answer to a search
	position []byte // the last command of that name
}

type answer struct {
	word string
	line []byte
	at   time.Time
}

// read reads the answers from the engine's output. It uses only the beginning of a line that exceeds its buffer.
func (r *replay) read() {
	defer close(r.answers)
	lines := bufio.NewReaderSize(r.proc, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		at := time.Now()
		switch word := crash.Word(bytes.TrimRight(line, "\r\n")); word {
		case "usiok", "readyok", "bestmove", "checkmate":
			if err == nil {
				select {
				case r.answers <- answer{word, bytes.Clone(bytes.TrimSpace(line)), at}:
				default:
				}
			}
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = lines.ReadSlice('\n')
		}
		if err != nil {
			return
		}
	}
}

// play sends the script. It returns the result at the end of the script, or earlier if the replay cannot continue.
func (r *replay) play(ctx context.Context, script []step) Result {
	last := time.Now()
	for _, s := range script {
		var early *Result
		if s.send != nil {
			early = r.send(ctx, s, last)
		} else {
			early = r.await(ctx, s.await, 10*s.after+extraWait)
		}
		if early != nil {
			return *early
		}
		last = time.Now()
	}
	return r.judge(ctx)
}

// send sends a line after the recorded delay. It leaves out a stop or ponderhit if the search has already ended. It
// returns a result if the replay has ended, and else nil.
func (r *replay) send(ctx context.Context, s step, last time.Time) *Result {
	if early := r.pause(ctx, s.after-time.Since(last)); early != nil {
		return early
	}
	word := crash.Word(bytes.TrimSuffix(s.send, []byte{'\n'}))
	if s.searching && r.waiting != bestmove && (word == "stop" || word == "ponderhit") {
		return nil
	}
	_ = r.proc.SetWriteDeadline(time.Now().Add(writeWait)) // fails only if Write fails
	_, err := r.proc.Write(s.send)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return r.seen(string(usi.FaultNotRead), fmt.Sprintf("it did not read its input within %v", writeWait))
	case err != nil:
		return r.ended()
	}
	if asks := answerTo(word); asks != "" {
		r.waiting = asks
	}
	switch word {
	case "position":
		r.position = bytes.Clone(bytes.TrimSuffix(s.send, []byte{'\n'}))
	case "go":
		r.began, r.last = time.Now(), nil
	case "ponderhit":
		r.began = time.Now()
	}
	return nil
}

// pause waits for the duration d, and handles the answers that arrive in this time. It returns a result if the replay
// has ended, and else nil.
func (r *replay) pause(ctx context.Context, d time.Duration) *Result {
	_, end := r.hear(ctx, max(0, d), func() bool { return true })
	return end
}

// hear takes the engine's answers while more returns true, but no longer than limit. late means that the limit has
// passed. end is the result if the engine or ctx has ended.
func (r *replay) hear(ctx context.Context, limit time.Duration, more func() bool) (late bool, end *Result) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for more() {
		select {
		case a, ok := <-r.answers:
			if !ok {
				return false, r.ended()
			}
			r.take(a)
		case <-timer.C:
			return true, nil
		case <-ctx.Done():
			return false, &Result{}
		}
	}
	return false, nil
}

// take records an answer for which the replay waits, and ignores any other answer.
func (r *replay) take(a answer) {
	word := sort(a.word)
	if word != r.waiting {
		return
	}
	r.waiting = ""
	if word == bestmove {
		r.last, r.elapsed = a.line, max(0, a.at.Sub(r.began))
	}
}

const bestmove = "bestmove"

// sort returns the first word of an answer. For checkmate it returns bestmove, because both words end a search.
func sort(word string) string {
	if word == "checkmate" {
		return bestmove
	}
	return word
}

// await waits for the answer word, at most for the duration limit. It returns nil when the answer has come, and a
// result if the replay has ended.
func (r *replay) await(ctx context.Context, word string, limit time.Duration) *Result {
	word = sort(word)
	late, end := r.hear(ctx, limit, func() bool { return r.waiting == word })
	if !late {
		return end
	}
	kind := usi.FaultHang
	if word != bestmove {
		kind = usi.FaultStart
	}
	return r.seen(string(kind), fmt.Sprintf("no %s within %v", word, limit.Round(time.Millisecond)))
}

// ended returns the result of a replay in which the engine's output has ended.
func (r *replay) ended() *Result {
	exit := r.proc.Exit()
	note := sanitize.Printable(exit.String(), 1000)
	recorded := r.bundle.Exit
	same := exit.Running == recorded.Running && int(exit.Signal) == recorded.Signal &&
		(recorded.Status == nil || exit.Status == *recorded.Status)
	switch {
	case r.bundle.Kind != string(usi.FaultCrash) && r.bundle.Kind != match.Crash.String():
		return &Result{Unclear, fmt.Sprintf("it ended instead: %s", note)}
	case same:
		return &Result{Happened, note}
	}
	return &Result{Unclear, fmt.Sprintf("it ended in another way: %s, and not: %s", note,
		sanitize.Printable(recorded.Text, 100))}
}

// seen returns the result for an observed failure: Happened if its kind is the recorded kind, else Unclear. note
// describes the failure.
func (r *replay) seen(kind, note string) *Result {
	if kind == r.bundle.Kind || kind == string(usi.FaultHang) && tooLong(r.bundle.Kind) {
		return &Result{Happened, note}
	}
	return &Result{Unclear, note}
}

// tooLong reports whether the failure is a late or missing answer.
func tooLong(kind string) bool {
	return kind == string(usi.FaultHang) || kind == match.TimeForfeit.String() || kind == match.Stall.String()
}

// judge checks, after the last sent line, whether the engine fails as recorded. It returns the result of the replay.
func (r *replay) judge(ctx context.Context) Result {
	b := r.bundle
	elapsed := time.Duration(b.ElapsedMS * float64(time.Millisecond))
	switch kind := b.Kind; {
	case kind == string(usi.FaultCrash) || kind == match.Crash.String():
		return r.crash(ctx, elapsed)
	case kind == string(usi.FaultStart):
		return r.start(ctx)
	case kind == string(usi.FaultNotRead):
		return Result{Absent, "it read all of its input"}
	case kind == string(usi.FaultHang):
		return *orAbsent(r.await(ctx, bestmove, r.stopWait()), "it answered when it was stopped")
	case tooLong(kind):
		return r.late(ctx)
	case kind == match.IllegalMove.String():
		return r.illegal()
	case kind == match.FalseDeclaration.String():
		if usi.ParseBestmove(sanitize.Decode(r.last)).Answer == usi.AnswerWin {
			return Result{Happened, "it declares again"}
		}
		return Result{Absent, r.lastAnswer()}
	}
	return Result{Unclear, fmt.Sprintf("it came through; but how a failure of kind %q would show is not known",
		sanitize.Printable(b.Kind, 40))}
}

func orAbsent(r *Result, note string) *Result {
	if r == nil {
		return &Result{Absent, note}
	}
	return r
}

// crash waits for the end of the process. During a search it waits at most three times the recorded time plus
// extraWait. Before usiok or readyok it waits for startWait. After an answer it waits for closeWait.
func (r *replay) crash(ctx context.Context, elapsed time.Duration) Result {
	limit := closeWait
	switch r.waiting {
	case bestmove:
		limit = 3*elapsed + extraWait
	case "usiok", "readyok":
		limit = r.startWait()
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case a, ok := <-r.answers:
			if !ok {
				return *r.ended()
			}
			r.take(a)
			timer.Reset(closeWait)
		case <-timer.C:
			if r.waiting != "" {
				return Result{Unclear, fmt.Sprintf("it neither ended nor answered within %v", limit.Round(time.Millisecond))}
			}
			return Result{Absent, "it did not end: " + r.lastAnswer()}
		case <-ctx.Done():
			return Result{}
		}
	}
}

// startWait returns the time limit of the awaited answer to usi or isready.
func (r *replay) startWait() time.Duration {
	wait := r.bundle.Waits.ReadyMS
	if r.waiting == "usiok" {
		wait = r.bundle.Waits.GreetingMS
	}
	return time.Duration(wait * float64(time.Millisecond))
}

// stopWait returns the maximum wait for the answer to a stop: the recorded wait, but at least the constant stopWait.
func (r *replay) stopWait() time.Duration {
	lines := r.bundle.Dialogue.Lines()
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Sent {
			return max(stopWait, r.bundle.Time.Sub(lines[i].At))
		}
	}
	return stopWait
}

// start waits for the missing answer to usi or isready.
func (r *replay) start(ctx context.Context) Result {
	word := r.waiting
	return *orAbsent(r.await(ctx, word, r.startWait()), "it answered: "+word)
}

// late returns Happened if the last search exceeded its limit again.
func (r *replay) late(ctx context.Context) Result {
	limit := time.Duration(r.bundle.DeadlineMS * float64(time.Millisecond))
	if limit <= 0 {
		return Result{Unclear, "the bundle does not say how long the search might take"}
	}
	if early := r.await(ctx, bestmove, limit+stopWait); early != nil {
		return *early
	}
	note := fmt.Sprintf("the search took %v of %v", r.elapsed.Round(time.Millisecond), limit.Round(time.Millisecond))
	if r.elapsed > limit {
		return Result{Happened, note}
	}
	return Result{Absent, note}
}

// illegal checks the last move by the rules. It returns Happened if the move is illegal or cannot be read.
func (r *replay) illegal() Result {
	answer := usi.ParseBestmove(sanitize.Decode(r.last))
	position, err := usi.ParsePosition(string(r.position))
	if err == nil && answer.Answer == usi.AnswerMove {
		err = legal(position, answer.Move)
		if err == nil {
			return Result{Absent, r.lastAnswer()}
		}
		return Result{Happened, sanitize.Printable(err.Error(), 200)}
	}
	switch {
	case answer.Answer == usi.AnswerInvalid:
		return Result{Happened, "it cannot be read: " + r.lastAnswer()}
	case err != nil:
		return Result{Unclear, "the bundle's position cannot be read: " + sanitize.Printable(err.Error(), 200)}
	}
	return Result{Absent, r.lastAnswer()}
}

func legal(p usi.Position, m shogi.Move) error {
	h, err := p.History()
	if err != nil {
		return err
	}
	return h.Position().CheckLegal(m)
}

func (r *replay) lastAnswer() string {
	if r.last == nil {
		return "it came through"
	}
	return sanitize.Printable(sanitize.Decode(r.last), 80)
}
