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
	// maxCommand is the maximum length of a command in bytes. The position of a game of 500 moves has 3 kB.
	maxCommand = 4 << 20
	// maxWaitingCommands limits the commands that are read before their execution. After that many, even
	// "quit" must wait.
	maxWaitingCommands = 1 << 12
	// maxWaitingInfos limits the info lines that wait for the GUI. It is more than one search prints at once.
	maxWaitingInfos = 256
	// flushGrace is the time that a GUI has to read the last lines.
	flushGrace = time.Second
)

// commands reads lines before their execution, so that it sees "quit" at any time.
type commands struct {
	lines chan string   // the reader sends lines, and closes the channel at quit and at the end of the input
	gone  chan struct{} // abandon closes it when nothing receives lines any more
	err   error         // from the reader, set before it closes lines
}

// newCommands starts the reader, which calls end at "quit" and at the end of the input.
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

// read sends lines until quit, for which it returns the error io.EOF.
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

// readCommand reads one line without the blanks around it. From a line longer than maxCommand it returns the
// beginning with a prefix that makes it an unknown command.
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

// outbox writes lines in order from its own goroutine, so that no caller waits for the GUI.
type outbox struct {
	mu     sync.Mutex
	more   *sync.Cond // signalled when a line is added, and when closed is set
	lines  []outLine
	infos  int // number of info lines in lines
	closed bool
	done   chan struct{} // the writer closes it when it has written everything, or after a failed write
	out    io.Writer
}

type outLine struct {
	text string
	info bool // the line may be dropped
}

func newOutbox(out io.Writer) *outbox {
	o := &outbox{out: out, done: make(chan struct{})}
	o.more = sync.NewCond(&o.mu)
	go o.write()
	return o
}

// send queues a line that the outbox never drops.
func (o *outbox) send(line string) { o.add(outLine{text: line}) }

// info queues an info line. If too many info lines wait, the outbox drops the oldest, because GUIs show only
// the last one before the bestmove.
func (o *outbox) info(line string) { o.add(outLine{text: line, info: true}) }

func (o *outbox) add(l outLine) {
	if strings.ContainsAny(l.text, "\r\n") { // the GUI would read two lines
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

// write runs in a goroutine of its own, and writes the lines that are queued.
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
			// A closed pipe also ends the input, so no report is necessary.
			o.shut()
			return
		}
	}
}

// take waits for lines and returns them all. No lines mean the end.
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

// shut makes the outbox drop all further lines.
func (o *outbox) shut() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.more.Signal()
}

// close waits until everything is written, but not longer than about grace. It abandons a Write that cannot
// be interrupted.
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
