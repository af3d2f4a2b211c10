package usi

import (
	"bytes"
	"io"
	"slices"
	"sync"
	"time"

	"gogi/internal/foreign"
)

// maxLine is the longest line that is looked at; the rest of a longer one is
// dropped. A principal variation of 250 moves has 1.3 kB.
const maxLine = 64 << 10

// lineKind tells the lines that end a wait from all others.
type lineKind uint8

const (
	lineOther lineKind = iota
	lineUsiok
	lineReadyok
	lineBestmove
	lineCheckmate // as a want: also a bestmove, which engines without a mate search send
)

// maxGathered bounds the id and option lines that are kept.
const maxGathered = 10_000

// event is a line that somebody waited for, or the end of the output.
type event struct {
	line  []byte
	stamp time.Time // when the read that completed the line returned
	err   error     // the end of the output; then line is empty
	// informed: an info line has come since the search began, and, behind an answer
	// already, since that.
	informed bool
}

// inbox is the receiving half of a dialogue. Its one reader stamps and sorts
// every line: what ends a wait goes to the waiter, info lines are kept as bytes
// (the latest for each multipv; they are parsed once, at the end of the search),
// all others are dropped. The reader never blocks on anything but the engine,
// so no flood can stall it.
type inbox struct {
	burst    sync.Mutex // held while lines that were read at once are sorted
	mu       sync.Mutex
	want     lineKind
	wait     chan event
	over     error // why the output has ended; nil: it goes on
	dropped  int   // bestmoves that nobody waited for
	extra    event // the latest of these behind the answer that came last; without a stamp: none
	informed bool  // an info line has come since the search began, or its answer came
	gather   bool
	gathered []string
	onInfo   func(Info)
	infos    infoKeeper
}

func newInbox() *inbox { return &inbox{} }

// expect registers the line to wait for, before the command that asks for it is
// written. The channel gets one event, from the reader (or at once, if the
// output has ended); it is never closed, and has room so that nobody waits.
func (in *inbox) expect(kind lineKind) <-chan event {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.register(kind)
}

// register is expect with the lock held.
func (in *inbox) register(kind lineKind) <-chan event {
	in.want, in.wait = kind, make(chan event, 1)
	if in.over != nil {
		in.wait <- event{stamp: time.Now(), err: in.over}
		in.want = lineOther
	}
	return in.wait
}

// collect starts (or ends, returning them) the gathering of id and option lines.
func (in *inbox) collect(on bool) []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.gather = on
	return in.gathered
}

// begin forgets the infos of the last search.
func (in *inbox) begin(onInfo func(Info)) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.infos.reset()
	in.onInfo, in.extra, in.informed = onInfo, event{}, false
}

// behind is the bestmove that came behind the answer of the search that began last,
// what was read together with that included; ok is false where none has.
func (in *inbox) behind() (ev event, ok bool) {
	in.burst.Lock() // the reader may not have come to its end
	defer in.burst.Unlock()
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.extra, !in.extra.stamp.IsZero()
}

// expectAnother waits for a bestmove beside the one that came: one that is behind it
// already, or the next.
func (in *inbox) expectAnother() <-chan event {
	in.mu.Lock()
	defer in.mu.Unlock()
	wait := in.register(lineBestmove)
	if !in.extra.stamp.IsZero() && in.want == lineBestmove {
		in.want = lineOther
		in.wait <- in.extra
	}
	return wait
}

// expectNothing takes back what was expected last.
func (in *inbox) expectNothing() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.want = lineOther
}

// listen says who gets the infos from now on; nil: nobody.
func (in *inbox) listen(onInfo func(Info)) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.onInfo = onInfo
}

func (in *inbox) stale() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.dropped
}

// reply parses what was kept of the search.
func (in *inbox) reply() Reply {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.infos.reply()
}

// read takes lines until the output ends.
func (in *inbox) read(r io.Reader) {
	buf := make([]byte, 0, 8<<10)
	skipping := false // inside a line that is too long
	for {
		if cap(buf)-len(buf) < 4<<10 {
			buf = slices.Grow(buf, max(4<<10, len(buf)))
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		stamp := time.Now()
		buf = buf[:len(buf)+n]
		var whole int
		in.burst.Lock()
		whole, skipping = in.lines(buf, stamp, skipping)
		in.burst.Unlock()
		buf = buf[:copy(buf, buf[whole:])]
		if len(buf) > maxLine {
			if !skipping {
				in.line(buf[:maxLine], stamp)
			}
			buf, skipping = buf[:0], true
		}
		if err != nil {
			in.end(err)
			return
		}
	}
}

// lines handles all complete lines of buf and returns how many bytes they are.
func (in *inbox) lines(buf []byte, stamp time.Time, skipping bool) (int, bool) {
	done := 0
	for {
		i := bytes.IndexByte(buf[done:], '\n')
		if i < 0 {
			return done, skipping
		}
		if !skipping {
			in.line(bytes.TrimRight(buf[done:done+i], "\r"), stamp)
		}
		skipping = false
		done += i + 1
	}
}

// line sorts one line.
func (in *inbox) line(line []byte, stamp time.Time) {
	line = bytes.TrimLeft(line, " \t")
	in.mu.Lock()
	onInfo := in.sort(line, stamp)
	in.mu.Unlock()
	if onInfo != nil {
		onInfo(ParseInfo(foreign.Decode(line)))
	}
}

func (in *inbox) sort(line []byte, stamp time.Time) func(Info) {
	if isWord(line, "info") {
		in.infos.keep(line)
		in.informed = true
		return in.onInfo
	}
	kind := kindOf(line)
	switch {
	case in.wants(kind):
		in.want = lineOther
		in.wait <- event{line: bytes.Clone(line), stamp: stamp, informed: in.informed}
		in.informed, in.extra = false, event{}
	case kind == lineBestmove:
		in.dropped++
		in.extra = event{line: bytes.Clone(line), stamp: stamp, informed: in.informed}
	case in.gather && len(in.gathered) < maxGathered && (bytes.HasPrefix(line, []byte("id ")) || bytes.HasPrefix(line, []byte("option "))):
		in.gathered = append(in.gathered, foreign.Decode(line))
	}
	return nil
}

// wants reports whether a line of this kind ends the wait.
func (in *inbox) wants(kind lineKind) bool {
	return kind != lineOther && (kind == in.want || kind == lineBestmove && in.want == lineCheckmate)
}

// isWord reports whether the line is the word or starts with it and a space.
func isWord(line []byte, word string) bool {
	return len(line) >= len(word) && string(line[:len(word)]) == word &&
		(len(line) == len(word) || line[len(word)] == ' ' || line[len(word)] == '\t')
}

func kindOf(line []byte) lineKind {
	switch {
	case isWord(line, "bestmove"):
		return lineBestmove
	case isWord(line, "readyok"):
		return lineReadyok
	case isWord(line, "usiok"):
		return lineUsiok
	case isWord(line, "checkmate"):
		return lineCheckmate
	}
	return lineOther
}

// end tells the waiter, if there is one, that no line will come.
func (in *inbox) end(err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.over = err
	if in.want != lineOther {
		in.want = lineOther
		in.wait <- event{stamp: time.Now(), err: err}
	}
}

// infoKeeper keeps the last info line with a score for each multipv, the best
// line's last exact one, and the last with a count of nodes, as bytes: most
// lines are never parsed.
type infoKeeper struct {
	scored  [][]byte // by multipv - 1
	exact   []byte   // the best line's last exact one, when it is not scored[0]
	isExact bool     // scored[0] is exact: it has a variation, and its score is no bound
	counted []byte
}

// maxMultiPV bounds what an engine can make us keep.
const maxMultiPV = 600

func (k *infoKeeper) reset() {
	for i := range k.scored {
		k.scored[i] = k.scored[i][:0]
	}
	k.exact, k.isExact = k.exact[:0], false
	k.counted = k.counted[:0]
}

func (k *infoKeeper) keep(line []byte) {
	if bytes.HasPrefix(line, []byte("info string")) {
		return
	}
	if find(line, " nodes ", 1) >= 0 {
		k.counted = append(k.counted[:0], line...)
	}
	if find(line, " score ", 2) < 0 {
		return
	}
	i := multiPVOf(line) - 1
	for len(k.scored) <= i {
		k.scored = append(k.scored, nil)
	}
	if i == 0 {
		k.saveExact(line)
	}
	k.scored[i] = append(k.scored[i][:0], line...)
}

// saveExact puts an exact line aside before one that is not takes its place;
// the buffers change places, so that nothing is copied.
func (k *infoKeeper) saveExact(next []byte) {
	exact := isExactLine(next)
	if k.isExact && !exact {
		k.exact, k.scored[0] = k.scored[0], k.exact
	}
	k.isExact = exact
}

// isExactLine reports whether a line has a variation with a move and no bound.
// What begins with a small letter or a bracket is "resign", "win", "(none)".
func isExactLine(line []byte) bool {
	i := find(line, " pv ", 2)
	if i < 0 || find(line[:i], "erbound", 2) >= 0 {
		return false
	}
	pv := bytes.TrimLeft(line[i+len(" pv "):], " \t")
	return len(pv) > 0 && (pv[0] >= '1' && pv[0] <= '9' || pv[0] >= 'A' && pv[0] <= 'Z')
}

// find is bytes.Index for a short word, by its letter at rare: the first byte,
// which bytes.Index goes by, is a space and stands everywhere in these lines.
func find(line []byte, word string, rare int) int {
	for from := rare; from < len(line); {
		i := bytes.IndexByte(line[from:], word[rare])
		if i < 0 {
			break
		}
		at := from + i - rare
		if at+len(word) <= len(line) && string(line[at:at+len(word)]) == word {
			return at
		}
		from += i + 1
	}
	return -1
}

// multiPVOf is the line's multipv, 1 when it has none.
func multiPVOf(line []byte) int {
	i := find(line, " multipv ", 1)
	if i < 0 {
		return 1
	}
	n := 0
	for _, c := range line[i+len(" multipv "):] {
		if c < '0' || c > '9' || n > maxMultiPV {
			break
		}
		n = 10*n + int(c-'0')
	}
	return max(1, min(n, maxMultiPV))
}

func (k *infoKeeper) reply() Reply {
	var r Reply
	for _, line := range k.scored {
		if len(line) > 0 {
			r.Lines = append(r.Lines, ParseInfo(foreign.Decode(line)))
		}
	}
	switch {
	case k.isExact:
		r.Exact = r.Lines[0]
	case len(k.exact) > 0:
		r.Exact = ParseInfo(foreign.Decode(k.exact))
	}
	if len(k.counted) > 0 {
		r.Nodes = ParseInfo(foreign.Decode(k.counted)).Nodes
	}
	return r
}
