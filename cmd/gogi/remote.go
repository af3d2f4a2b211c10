package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"gogi/configs"
	"gogi/internal/foreign"
	"gogi/usi/process"
)

// sshLost is ssh's exit status for errors of its own, such as a lost connection.
const sshLost = 255

// probeLimit bounds a second connection: a probe, a kill, a hash.
const probeLimit = 10 * time.Second

// sshCommand is a command that runs an engine on another machine.
type sshCommand struct {
	ssh    []string // the program, its options and the host
	remote string   // what the host's shell runs
}

// parseSSH splits an ssh command before and after the host; ok is false for
// commands that are not ssh's, or name no host or no program.
func parseSSH(command []string) (c sshCommand, ok bool) {
	if filepath.Base(command[0]) != "ssh" {
		return c, false
	}
	const withValue = "BbcDEeFIiJLlmOoPpQRSWw" // ssh(1): options with an argument
	for i := 1; i < len(command); i++ {
		word := command[i]
		switch {
		case len(word) == 2 && word[0] == '-' && strings.Contains(withValue, word[1:]):
			i++
		case strings.HasPrefix(word, "-"):
		default:
			c.ssh, c.remote = command[:i+1], strings.Join(command[i+1:], " ")
			return c, c.remote != ""
		}
	}
	return c, false
}

// pidLine is what the remote shell says first: the number of its process group.
const pidLine = "info string gogi group "

// wrapped is the whole command with the remote part in a group of its own, whose
// number it prints first, so that a hung engine can be killed over there.
func (c sshCommand) wrapped() []string {
	inner := "echo " + pidLine + "$$; " + c.remote
	return append(append([]string(nil), c.ssh...),
		"$(command -v setsid) $(command -v setsid >/dev/null && echo -w) sh -c "+quote(inner))
}

// quote makes one word of a POSIX shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// remoteEngine is the connection to an engine behind ssh.
type remoteEngine struct {
	*process.Process
	command sshCommand
	guard   *process.Guard

	mu    sync.Mutex // Read runs beside Close
	head  []byte     // of the output, until the first line is complete
	group string     // the remote process group, once it was read
}

// startRemote starts ssh and the engine behind it.
func startRemote(spec process.Spec, c sshCommand, guard *process.Guard) (*remoteEngine, error) {
	spec.Command = c.wrapped()
	p, err := process.Start(spec, guard)
	if err != nil {
		return nil, err
	}
	return &remoteEngine{Process: p, command: c, guard: guard}, nil
}

// Read looks for the number of the remote group in the first bytes that pass.
func (r *remoteEngine) Read(b []byte) (int, error) {
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
func (r *remoteEngine) ConnectionLost() bool {
	status, exited := r.ExitStatus()
	select {
	case <-r.Done():
		return !exited || status == sshLost
	default:
	}
	_, err := r.command.ask(r.guard, "true")
	return err != nil
}

// Close ends the connection, and kills the engine over there when ssh had to be
// killed: it has not ended by itself then.
func (r *remoteEngine) Close() error {
	err := r.Process.Close()
	r.mu.Lock()
	group := r.group
	r.mu.Unlock()
	if _, ended := r.ExitStatus(); ended || group == "" {
		return err
	}
	// If this fails, the host cannot be reached, and its sshd ends the engine's
	// input when it notices.
	_, _ = r.command.ask(r.guard, "kill -9 -- -"+group+" || kill -9 "+group)
	return err
}

// ask runs a command on the host and returns its output.
func (c sshCommand) ask(guard *process.Guard, command string) (string, error) {
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

// askIdentities fills in the identities of remote engines that were not given by
// hand: the SHA-256 of the program, as the remote host computes it.
func askIdentities(_ context.Context, file *configs.File, guard *process.Guard) error {
	for i := range file.Engines {
		e := &file.Engines[i]
		command := e.Command
		if len(command) == 0 {
			words, err := configs.SplitWords(e.Cmd)
			if err != nil || len(words) == 0 {
				continue // Plan says what is wrong
			}
			command = words
		}
		ssh, ok := parseSSH(command)
		if !ok || e.Identity != "" {
			continue
		}
		identity, err := ssh.identity(guard)
		if err != nil {
			return fmt.Errorf("engine %s: asking %s for the SHA-256 of its program: %w; identity = \"…\" gives it by hand", e.Name, ssh.ssh[len(ssh.ssh)-1], err)
		}
		e.Identity = identity
	}
	return nil
}

// identity hashes the remote program, where the command is a plain one.
func (c sshCommand) identity(guard *process.Guard) (string, error) {
	words, err := configs.SplitWords(c.remote)
	if err != nil || len(words) == 0 || strings.ContainsAny(c.remote, "&|;<>$`") {
		return "", fmt.Errorf("%q is not a plain command", c.remote)
	}
	out, err := c.ask(guard, "sha256sum -- "+quote(words[0]))
	if err != nil {
		return "", err
	}
	sum, _, _ := strings.Cut(out, " ")
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(sum) {
		return "", fmt.Errorf("it answered %q", foreign.Printable(out, 100))
	}
	return "sha256:" + sum, nil
}
