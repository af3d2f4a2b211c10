// Package ssh runs an engine behind ssh. [Parse] recognises the command line, and [Start]
// starts the engine. The remote process is killed if the connection ends, and a lost connection
// is distinguished from a crash.
package ssh

import (
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"gogi/internal/shellwords"
	"gogi/usi/process"
)

// sshLost is ssh's exit status for errors of its own, such as a lost connection.
const sshLost = 255

// probeLimit bounds a second connection: a probe, a kill, a hash.
const probeLimit = 10 * time.Second

// Command is a command that runs an engine on another machine.
type Command struct {
	ssh    []string // the program, its options and the host, and options behind it
	host   string
	Remote string // what the host's shell runs
}

// withValue are ssh's options that take a value: those of OpenSSH 9.2, ssh(1).
const withValue = "BbcDEeFIiJLlmOoPpQRSWw"

// Parse splits an ssh command before what the host runs; ok is false for commands that
// are not ssh's, or name no host or no program. It reads the words as OpenSSH does, with
// getopt: -Cp 22, -p22 and -oK=V are options, "--" ends them, and more of them may stand
// behind the host.
func Parse(command []string) (c Command, ok bool) {
	if filepath.Base(command[0]) != "ssh" {
		return c, false
	}
	host := 1 + options(command[1:])
	if host >= len(command) {
		return c, false
	}
	first := host + 1 + options(command[host+1:])
	if first >= len(command) {
		return c, false
	}
	c = Command{ssh: command[:first], host: command[host], Remote: strings.Join(command[first:], " ")}
	return c, c.Remote != ""
}

// options is how many of the words are options and their values; a "--" behind them is
// one more. A value that is missing counts as if it were there.
func options(words []string) int {
	n := 0
	for n < len(words) && len(words[n]) > 1 && words[n][0] == '-' {
		word := words[n]
		n++
		if word == "--" {
			break
		}
		// The first letter that takes a value has the rest of the word or, where there is
		// none, the next word.
		if i := strings.IndexAny(word[1:], withValue); i == len(word)-2 {
			n++
		}
	}
	return n
}

// Host is where the engine runs, as the command says it.
func (c Command) Host() string { return c.host }

// pidLine is what the remote shell says first: the number of its process group.
const pidLine = "info string gogi group "

// wrapped is the whole command with the remote part in a group of its own, whose
// number it prints first, so that a hung engine can be killed over there.
func (c Command) wrapped() []string {
	inner := "echo " + pidLine + "$$; " + c.Remote
	return append(append([]string(nil), c.ssh...),
		"$(command -v setsid) $(command -v setsid >/dev/null && echo -w) sh -c "+shellwords.Quote(inner))
}

// Engine is the connection to an engine behind ssh.
type Engine struct {
	*process.Process
	command Command
	guard   *process.Guard

	mu    sync.Mutex // Read runs beside Close
	head  []byte     // of the output, until the first line is complete
	group string     // the remote process group, once it was read
}

// Start starts ssh and the engine behind it.
func Start(spec process.Spec, c Command, guard *process.Guard) (*Engine, error) {
	spec.Command = c.wrapped()
	p, err := process.Start(spec, guard)
	if err != nil {
		return nil, err
	}
	return &Engine{Process: p, command: c, guard: guard}, nil
}

// Read looks for the number of the remote group in the first bytes that pass.
func (r *Engine) Read(b []byte) (int, error) {
	n, err := r.Process.Read(b)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.group == "" && len(r.head) < 4096 {
		r.head = append(r.head, b[:n]...)
		if m := regexp.MustCompile(pidLine + `(\d+)\n`).FindSubmatch(r.head); m != nil {
			r.group = string(m[1])
		}
	}
	return n, err
}

// ConnectionLost reports whether the way to the host is cut: ssh said so, or a
// signal ended it, or it lives and a second connection cannot be made.
func (r *Engine) ConnectionLost() bool {
	status, exited := r.ExitStatus()
	select {
	case <-r.Done():
		return !exited || status == sshLost
	default:
	}
	_, err := r.command.Ask(r.guard, "true")
	return err != nil
}

// Close ends the connection, and kills the engine over there when ssh had to be
// killed: it has not ended by itself then.
func (r *Engine) Close() error {
	err := r.Process.Close()
	r.mu.Lock()
	group := r.group
	r.mu.Unlock()
	if _, ended := r.ExitStatus(); ended || group == "" {
		return err
	}
	// If this fails, the host cannot be reached, and its sshd ends the engine's
	// input when it notices.
	_, _ = r.command.Ask(r.guard, "kill -9 -"+group+" || kill -9 "+group)
	return err
}

// Ask runs a command on the host and returns its output.
func (c Command) Ask(guard *process.Guard, command string) (string, error) {
	p, err := process.Start(process.Spec{Command: append(append([]string(nil), c.ssh...), command)}, guard)
	if err != nil {
		return "", err
	}
	defer p.Close() //nolint:errcheck // its answer is what counts
	if err := p.SetReadDeadline(time.Now().Add(probeLimit)); err != nil {
		return "", err
	}
	out, err := io.ReadAll(io.LimitReader(p, 64<<10))
	if err != nil {
		return "", err
	}
	if status, ended := p.ExitStatus(); !ended || status != 0 {
		return "", errors.New(p.Diagnosis())
	}
	return string(out), nil
}
