package usi

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"gogi/internal/sanitize"
)

// maxLine is the maximum length of a line in bytes; gogi drops the rest of a longer line. A principal
// variation of 250 moves has 1.3 kB.
const maxLine = 64 << 10

// lineKind is the kind of a line that can end a wait. lineOther is the kind of all other lines.
type lineKind uint8

const (
	lineOther lineKind = iota
	lineUsiok
	lineReadyok
	lineBestmove
	lineCheckmate // a bestmove also ends this wait, because engines without a mate search send one
)

// maxGathered limits the number of stored id and option lines.
const maxGathered = 10_000

// event is a line that ends a wait, or the end of the engine's output.
type event struct {
	line  []byte    // a buffer of the inbox, valid until the next call of expect
	stamp time.Time // the time when the read that completed the line returned
	err   error     // the reason for the end of the output; then line is empty
	// informed reports whether an info line came before this line, since the start of the search. For a
	// second bestmove it counts from the first one.
	informed bool
}

// inbox receives the lines of an engine. One goroutine, the reader, gives each line a time stamp. It sends a
// line that ends a wait to the goroutine that waits. For each multipv it stores the latest info line as
// bytes, and parses it once, at the end of the search. It drops all other lines. The reader waits only for
// the engine, so a flood of lines cannot block it.
type inbox struct {
	burst    sync.Mutex // the reader holds it while it handles the lines of one read
	mu       sync.Mutex
	want     lineKind
	wait     chan event // see expect
	answer   []byte     // the last line that ended a wait
	over     error      // why the output ended; nil: it has not ended
	dropped  int        // bestmoves that no wait expected
	extra    event      // the latest bestmove after the last answer; without a stamp there is none
	informed bool       // an info line has come since the start of the search, or since its answer
	gather   bool
	gathered []string
	onInfo   func(Info)
	infos    infoKeeper
	outside  lastLines // the last lines outside of searches, which explain a failed start
	tap      Tap       // may be nil; only the reader uses it
}

// lastLines has the last few lines, oldest first, without empty lines and without lines of the handshake.
type lastLines []string

const (
	maxLastLines = 5
	maxLastLine  = 200 // bytes
)

func (l *lastLines) add(line []byte) {
	if len(line) == 0 || bytes.HasPrefix(line, []byte("id ")) || bytes.HasPrefix(line, []byte("option ")) {
		return
	}
	if len(*l) == maxLastLines {
		*l = slices.Delete(*l, 0, 1)
	}
	*l = append(*l, sanitize.Decode(line[:min(len(line), maxLastLine)]))
}

func newInbox(tap Tap) *inbox { return &inbox{wait: make(chan event, 1), tap: tap} }

// expect registers the kind of line to wait for, and returns the channel that receives it. The caller calls
// expect before it writes the command that causes the line. The channel receives one event: the line, or the
// end of the output. All waits share this channel, so expect first removes the event of an abandoned wait.
// The channel has capacity 1 and is never closed. Senders hold mu.
func (in *inbox) expect(kind lineKind) <-chan event {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.register(kind)
}

// search does the work of expect for the line that ends a search. It discards the infos of the last search
// and sends new ones to onInfo.
func (in *inbox) search(kind lineKind, onInfo func(Info)) <-chan event {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.begin(onInfo)
	return in.register(kind)
}

// begin discards everything from the last search. The caller holds the lock.
func (in *inbox) begin(onInfo func(Info)) {
	in.infos.reset()
	in.outside = in.outside[:0]
	in.onInfo, in.extra, in.informed = onInfo, event{}, false
}

// register does the work of expect. The caller holds the lock.
func (in *inbox) register(kind lineKind) <-chan event {
	select {
	case <-in.wait:
	default:
	}
	in.want = kind
	if in.over != nil {
		in.wait <- event{stamp: time.Now(), err: in.over}
		in.want = lineOther
	}
	return in.wait
}

// collect begins to store id and option lines if on is true, else it stops. It returns all lines that were stored.
func (in *inbox) collect(on bool) []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.gather = on
	return in.gathered
}

// forget discards the stored infos, because they belong to another position.
func (in *inbox) forget() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.begin(nil)
}

// behind returns the second bestmove of the last search, if the engine has sent one. It first waits until the reader
// has handled all lines of its current read, which may contain both. ok is false if there is no second bestmove.
func (in *inbox) behind() (ev event, ok bool) {
	in.burst.Lock() // the reader may still be handling the lines of one read
	defer in.burst.Unlock()
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.extra, !in.extra.stamp.IsZero()
}

// expectAnother registers a wait for a second bestmove and returns its channel. If the second bestmove has already
// come, the channel contains it.
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

// unknownCommand returns the last line by which the engine rejected a command, or "".
func (in *inbox) unknownCommand() string {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, line := range slices.Backward(in.outside) {
		if strings.Contains(strings.ToLower(line), "unknown command") {
			return sanitize.Printable(line, maxLastLine)
		}
	}
	return ""
}

// isInformed reports whether an info line has come since the last answer.
func (in *inbox) isInformed() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.informed
}

// expectNothing cancels the last call of expect.
func (in *inbox) expectNothing() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.want = lineOther
}

// listen sets the receiver of the infos. nil removes it.
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

// reply returns the infos of the current search that the inbox has stored.
func (in *inbox) reply() Reply {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.infos.reply(0)
}

// finish returns the stored infos at the end of a search, and removes the receiver of the infos. It parses at most
// maxPV plies of each variation. It waits until the reader has handled every line of the read that contained the
// answer. So the result does not depend on timing.
func (in *inbox) finish(maxPV int) Reply {
	in.burst.Lock()
	defer in.burst.Unlock()
	in.mu.Lock()
	defer in.mu.Unlock()
	in.onInfo = nil
	return in.infos.reply(maxPV)
}

// read handles lines until the output ends.
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
			in.end(err, buf, stamp) // buf is an unfinished line, which may explain the end
			return
		}
	}
}

// lines handles all complete lines of buf, and returns their total length in bytes. skipping is true inside a
// line that is too long.
func (in *inbox) lines(buf []byte, stamp time.Time, skipping bool) (int, bool) {
	done := 0
	for {
		i := bytes.IndexByte(buf[done:], '\n')
		if i < 0 {
			return done, skipping
		}
		if !skipping {
			in.line(buf[done:done+i], stamp)
		}
		skipping = false
		done += i + 1
	}
}

// line handles one line. It first removes blanks at the start and carriage returns at the end.
func (in *inbox) line(line []byte, stamp time.Time) {
	for len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	if in.tap != nil {
		in.tap.Received(stamp, line)
	}
	for len(line) > 0 && isBlank(line[0]) {
		line = line[1:]
	}
	in.mu.Lock()
	onInfo := in.store(line, stamp)
	in.mu.Unlock()
	if onInfo != nil {
		onInfo(ParseInfo(sanitize.Decode(line)))
	}
}

// store stores a line, or sends it to the goroutine that waits for it. For an info line it returns the
// receiver of infos, else nil.
func (in *inbox) store(line []byte, stamp time.Time) func(Info) {
	if !in.searching() && !in.wants(kindOf(line)) {
		in.outside.add(line)
	}
	if isWord(line, "info") {
		in.infos.keep(line)
		in.informed = true
		return in.onInfo
	}
	kind := kindOf(line)
	switch {
	case in.wants(kind):
		in.want = lineOther
		in.answer = append(in.answer[:0], line...)
		in.wait <- event{line: in.answer, stamp: stamp, informed: in.informed}
		in.informed, in.extra = false, event{}
	case kind == lineBestmove:
		in.dropped++
		in.extra = event{line: bytes.Clone(line), stamp: stamp, informed: in.informed}
	case in.gather && len(in.gathered) < maxGathered &&
		(bytes.HasPrefix(line, []byte("id ")) || bytes.HasPrefix(line, []byte("option "))):
		in.gathered = append(in.gathered, sanitize.Decode(line))
	}
	return nil
}

// searching reports whether the inbox waits for the answer of a search.
func (in *inbox) searching() bool { return in.want == lineBestmove || in.want == lineCheckmate }

// outsideText returns the engine's last lines outside of searches as one line that is safe to print.
func (in *inbox) outsideText() string {
	in.burst.Lock() // the reader may still be handling the last lines
	defer in.burst.Unlock()
	in.mu.Lock()
	defer in.mu.Unlock()
	return sanitize.Printable(strings.Join(in.outside, " | "), 600)
}

// wants reports whether a line of this kind ends the wait.
func (in *inbox) wants(kind lineKind) bool {
	return kind != lineOther && (kind == in.want || kind == lineBestmove && in.want == lineCheckmate)
}

// isWord reports whether the line is the word, or starts with the word and a blank.
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

// end sends the end of the output to the waiting goroutine, if there is one. err is the reason of the end, and rest
// is an unfinished line.
func (in *inbox) end(err error, rest []byte, stamp time.Time) {
	if len(rest) > 0 && in.tap != nil {
		in.tap.Received(stamp, rest)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.searching() {
		in.outside.add(rest)
	}
	in.over = err
	if in.want != lineOther {
		in.want = lineOther
		in.wait <- event{stamp: time.Now(), err: err}
	}
}

// infoKeeper stores some info lines as bytes. For each multipv it stores the last line with a score, and for
// multipv 1 also the last line with an exact score. It also stores the last line with a node count. It parses
// only the lines that are used, each once.
type infoKeeper struct {
	scored    [][]byte // index: multipv - 1
	exact     []byte   // the last line of multipv 1 with an exact score, if it is not scored[0]
	isExact   bool     // the score of scored[0] is exact: it is not a bound, and the line has a variation
	firm      []byte   // the last line of multipv 1 that has an exact score and no variation, if it is later than exact
	isFirm    bool     // scored[0] has an exact score and no variation
	counted   []byte   // the last line with a node count, if it is not scored[countedAt-1]
	countedAt int      // multipv of the last line with a node count; 0: counted has that line, or there is none
}

// maxMultiPV limits the number of lines that gogi stores for an engine.
const maxMultiPV = 600

func (k *infoKeeper) reset() {
	for i := range k.scored {
		k.scored[i] = k.scored[i][:0]
	}
	k.exact, k.isExact = k.exact[:0], false
	k.firm, k.isFirm = k.firm[:0], false
	k.counted, k.countedAt = k.counted[:0], 0
}

func (k *infoKeeper) keep(line []byte) {
	if bytes.HasPrefix(line, []byte("info string")) {
		return
	}
	counts := find(line, " nodes ", 1) >= 0
	if find(line, " score ", 2) < 0 {
		if counts {
			k.counted, k.countedAt = append(k.counted[:0], line...), 0
		}
		return
	}
	i := multiPVOf(line) - 1
	for len(k.scored) <= i {
		k.scored = append(k.scored, nil)
	}
	switch {
	case counts:
		k.countedAt = i + 1
	case k.countedAt == i+1: // another line replaces the line with the node count
		k.counted, k.countedAt = append(k.counted[:0], k.scored[i]...), 0
	}
	if i == 0 {
		k.saveExact(line)
	}
	k.scored[i] = append(k.scored[i][:0], line...)
}

// saveExact saves a line with an exact score before another line replaces it. It swaps the buffers instead of copying.
func (k *infoKeeper) saveExact(next []byte) {
	exact, firm := scoreKind(next)
	switch {
	case k.isExact && !exact:
		k.exact, k.scored[0], k.firm = k.scored[0], k.exact, k.firm[:0]
	case k.isFirm && !exact && !firm:
		k.firm, k.scored[0] = k.scored[0], k.firm
	}
	k.isExact, k.isFirm = exact, firm
}

// scoreKind returns the kind of a line with a score. The line is exact if it has a variation with a move, and no bound.
// It is firm if it has neither. A variation that starts with a small letter or a bracket is "resign", "win" or
// "(none)".
func scoreKind(line []byte) (exact, firm bool) {
	i := find(line, " pv ", 2)
	head, varies := line, false
	if i >= 0 {
		head, varies = line[:i], startsWithMove(line[i+len(" pv "):])
	}
	bound := find(head, "erbound", 2) >= 0
	return varies && !bound, !varies && !bound
}

func startsWithMove(pv []byte) bool {
	for len(pv) > 0 && isBlank(pv[0]) {
		pv = pv[1:]
	}
	return len(pv) > 0 && (pv[0] >= '1' && pv[0] <= '9' || pv[0] >= 'A' && pv[0] <= 'Z')
}

// find returns the index of a short word in a line, like bytes.Index. It searches for the letter word[rare], which is
// rare in these lines. bytes.Index would search for the first byte, which is a space and very common.
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

// multiPVOf returns the multipv of a line. It is 1 if the line has none.
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

// reply parses the stored lines. It parses at most maxPV plies of each variation (0: all; NoPV: none).
func (k *infoKeeper) reply(maxPV int) Reply {
	var r Reply
	for i, line := range k.scored {
		if len(line) == 0 {
			continue
		}
		if r.Lines == nil {
			r.Lines = make([]Info, 0, len(k.scored)-i)
		}
		r.Lines = append(r.Lines, parseInfo(sanitize.Decode(line), maxPV))
		if k.countedAt == i+1 {
			r.Nodes = r.Lines[len(r.Lines)-1].Nodes
		}
	}
	switch {
	case k.isExact:
		r.Exact = r.Lines[0]
	case len(k.exact) > 0:
		r.Exact = parseInfo(sanitize.Decode(k.exact), maxPV)
	}
	if len(k.firm) > 0 && !k.isExact && !k.isFirm {
		r.Firm = parseInfo(sanitize.Decode(k.firm), maxPV)
	}
	if k.countedAt == 0 && len(k.counted) > 0 {
		r.Nodes = ParseInfo(sanitize.Decode(k.counted)).Nodes
	}
	return r
}
