package usi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// maxCommand is the longest command that is looked at, in bytes. The
	// position of a game of 500 moves has 3 kB.
	maxCommand = 4 << 20
	// maxWaitingCommands may be read before the first of them is done. Behind
	// that many even "quit" waits its turn.
	maxWaitingCommands = 1 << 12
	// maxWaitingInfos may wait for the GUI; more than one search prints at once.
	maxWaitingInfos = 256
	// flushGrace is how long a GUI has to read the last lines.
	flushGrace = time.Second
)

// commands reads lines ahead of who does them, so that "quit" is seen whatever
// is being done.
type commands struct {
	lines chan string   // from the reader, which closes it at quit and the end of the input
	gone  chan struct{} // closed by abandon: nobody takes lines any more
	err   error         // of the reading; set before lines is closed
}

// newCommands starts the reader. It calls end at "quit" and the end of the
// input.
func newCommands(in io.Reader, end context.CancelFunc) *commands {
	c := &commands{lines: make(chan string, maxWaitingCommands), gone: make(chan struct{})}
	go func() {
		defer close(c.lines)
		defer end()
		if err := c.read(bufio.NewReaderSize(in, 64<<10)); !errors.Is(err, io.EOF) {
			c.err = fmt.Errorf("usi: reading commands: %w", err)
		}
	}()
	return c
}

// read hands on lines up to quit, which it reports as the end of the input.
func (c *commands) read(in *bufio.Reader) error {
	for {
		line, err := readCommand(in)
		if line == "quit" || strings.HasPrefix(line, "quit ") {
			return io.EOF
		}
		if line != "" {
			select {
			case c.lines <- line:
			case <-c.gone:
				return io.EOF
			}
		}
		if err != nil {
			return err
		}
	}
}

// abandon is called instead of reading to the end.
func (c *commands) abandon() { close(c.gone) }

// readCommand reads one line without the space around it. Of a line longer than
// maxCommand a short piece is left, behind a mark that makes it no command.
func readCommand(in *bufio.Reader) (string, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		switch {
		case len(line)+len(part) > maxCommand:
			line, long = line[:min(len(line), 40)], true
		case !long:
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		text := strings.TrimSpace(string(line))
		if long {
			text = "(too-long) " + text
		}
		return text, err
	}
}

// outbox writes lines in order from a goroutine of its own, so that nobody ever
// waits for the GUI.
type outbox struct {
	mu     sync.Mutex
	more   *sync.Cond // signalled when there is a line, or closed is set
	lines  []outLine
	infos  int // among lines
	closed bool
	done   chan struct{} // closed by the writer, when all is written or cannot be
	out    io.Writer
}

type outLine struct {
	text string
	info bool // may be dropped
}

func newOutbox(out io.Writer) *outbox {
	o := &outbox{out: out, done: make(chan struct{})}
	o.more = sync.NewCond(&o.mu)
	go o.write()
	return o
}

// say sends a line that is never dropped.
func (o *outbox) say(line string) { o.add(outLine{text: line}) }

// info sends a line that may be dropped: of too many the oldest, because GUIs
// show the last one before the bestmove.
func (o *outbox) info(line string) { o.add(outLine{text: line, info: true}) }

func (o *outbox) add(l outLine) {
	if strings.ContainsAny(l.text, "\r\n") { // it would be read as two lines
		l.text = strings.NewReplacer("\r", " ", "\n", " ").Replace(l.text)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	if l.info && o.infos == maxWaitingInfos {
		i := slices.IndexFunc(o.lines, func(l outLine) bool { return l.info })
		o.lines = slices.Delete(o.lines, i, i+1)
		o.infos--
	}
	if l.info {
		o.infos++
	}
	o.lines = append(o.lines, l)
	o.more.Signal()
}

// write is the writer's goroutine.
func (o *outbox) write() {
	defer close(o.done)
	var text []byte
	for {
		lines := o.take()
		if len(lines) == 0 {
			return
		}
		text = text[:0]
		for _, l := range lines {
			text = append(append(text, l.text...), '\n')
		}
		if _, err := o.out.Write(text); err != nil {
			// A closed pipe shows as the end of the input too; there is nobody to tell.
			o.shut()
			return
		}
	}
}

// take waits for lines and takes them all; none means the end.
func (o *outbox) take() []outLine {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.lines) == 0 && !o.closed {
		o.more.Wait()
	}
	lines := o.lines
	o.lines, o.infos = nil, 0
	return lines
}

// shut lets no more lines in.
func (o *outbox) shut() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.more.Signal()
}

// close waits until everything is written, but not much longer than grace. A
// Write that cannot be interrupted is then left behind.
func (o *outbox) close(grace time.Duration) {
	o.shut()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-o.done:
		return
	case <-timer.C:
	}
	if d, ok := o.out.(WriteDeadliner); ok && d.SetWriteDeadline(time.Now()) == nil {
		<-o.done
	}
}
