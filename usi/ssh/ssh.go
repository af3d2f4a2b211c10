// Package ssh runs an engine on another machine through the program ssh. [Parse] recognises such a command
// line, and [Start] starts the engine. If the connection ends, the remote process is killed. The package
// distinguishes a lost connection from a crash of the engine.
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

// sshLost is ssh's exit status for its own errors, such as a lost connection.
const sshLost = 255

// probeLimit is how long Ask waits for the output of its command. Ask uses a second ssh connection, to test whether
// the host can be reached, to kill an engine, or to hash a file.
const probeLimit = 10 * time.Second

// Command is an ssh command that runs an engine on another machine.
type Command struct {
	ssh    []string // the program, its options, the host, and options after it
	host   string
	Remote string // the command for the host's shell
}

// withValue has the letters of the ssh options that take a value, in OpenSSH 9.2, ssh(1).
const withValue = "BbcDEeFIiJLlmOoPpQRSWw"

// Parse parses an ssh command into the part for ssh (options and host) and the command for the host. ok is
// false if the command is not ssh, or has no host or no program. Parse recognises options as OpenSSH does,
// with getopt: -Cp 22, -p22 and -oK=V are options, "--" ends them, and further options may follow the host.
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

// options returns the number of words that are options and their values, including a final "--". It counts a
// missing value as if it were present.
func options(words []string) int {
	n := 0
	for n < len(words) && len(words[n]) > 1 && words[n][0] == '-' {
		word := words[n]
		n++
		if word == "--" {
			break
		}
		// The value of the first such letter is the rest of the word, or the next word if the rest is empty.
		if i := strings.IndexAny(word[1:], withValue); i == len(word)-2 {
			n++
		}
	}
	return n
}

// Host returns the host as written in the command, such as "user@host".
func (c Command) Host() string { return c.host }

// pidLine is the remote shell's first output: the number of its process group.
const pidLine = "info string gogi group "

// wrapped returns the whole command. The remote part runs in its own group and prints its number first, so
// that Close can kill a hung engine there.
func (c Command) wrapped() []string {
	inner := "echo " + pidLine + "$$; " + c.Remote
	return append(append([]string(nil), c.ssh...),
		"$(command -v setsid) $(command -v setsid >/dev/null && echo -w) sh -c "+shellwords.Quote(inner))
}

// Engine is the connection to an engine that Start has started on another machine.
type Engine struct {
	*process.Process
	command Command
	guard   *process.Guard

	mu    sync.Mutex // Read and Close may run at the same time
	head  []byte     // the output until the first line is complete
	group string     // the remote process group, once known
}

// Start starts ssh with the command c, and so the engine on the host.
func Start(spec process.Spec, c Command, guard *process.Guard) (*Engine, error) {
	spec.Command = c.wrapped()
	p, err := process.Start(spec, guard)
	if err != nil {
		return nil, err
	}
	return &Engine{Process: p, command: c, guard: guard}, nil
}

// Read reads the output of the engine. Near its beginning it finds the number of the remote process group,
// and stores the number so that Close can kill the group.
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

// ConnectionLost reports whether the connection to the host is cut. This is true if ssh reported a lost
// connection, if a signal ended ssh, or if ssh runs but a second connection fails.
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

// Close ends the connection. If ssh had to be killed, the remote engine may still run, so Close also kills
// the engine.
func (r *Engine) Close() error {
	err := r.Process.Close()
	r.mu.Lock()
	group := r.group
	r.mu.Unlock()
	if _, ended := r.ExitStatus(); ended || group == "" {
		return err
	}
	// If this fails, the host is unreachable, and its sshd closes the engine's input when it notices.
	_, _ = r.command.Ask(r.guard, "kill -9 -"+group+" || kill -9 "+group)
	return err
}

// Ask runs a command on the host over a new connection and returns its output, at most 64 KiB.
func (c Command) Ask(guard *process.Guard, command string) (string, error) {
	p, err := process.Start(process.Spec{Command: append(append([]string(nil), c.ssh...), command)}, guard)
	if err != nil {
		return "", err
	}
	defer p.Close() //nolint:errcheck // only the output matters
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
