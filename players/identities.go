package players

import (
	"fmt"
	"regexp"
	"strings"

	"gogi/configs"
	"gogi/internal/sanitize"
	"gogi/internal/shellwords"
	"gogi/usi/process"
	"gogi/usi/ssh"
)

// AskIdentities sets the missing identities of engines behind ssh. The identity is the SHA-256 of the
// engine's program, which the remote host calculates.
func AskIdentities(file *configs.File, guard *process.Guard) error {
	for i := range file.Engines {
		e := &file.Engines[i]
		command := e.Command
		if len(command) == 0 {
			words, err := shellwords.Split(e.Cmd)
			if err != nil || len(words) == 0 {
				continue // Plan reports the error
			}
			command = words
		}
		ssh, ok := ssh.Parse(command)
		if !ok || e.Identity.Text != "" || len(e.Identity.Files) > 0 {
			continue
		}
		identity, err := remoteIdentity(ssh, guard)
		if err != nil {
			return fmt.Errorf("engine %s: asking %s for the SHA-256 of its program: %w; identity = \"…\" gives it by hand",
				e.Name, ssh.Host(), err)
		}
		e.Identity.Text = identity
	}
	return nil
}

// remoteIdentity gets the hash of the remote program. It returns an error if the command runs more than one
// plain program.
func remoteIdentity(c ssh.Command, guard *process.Guard) (string, error) {
	words, err := shellwords.Split(c.Remote)
	if err != nil || len(words) == 0 || strings.ContainsAny(c.Remote, "&|;<>$`") {
		return "", fmt.Errorf("%q is not a plain command", c.Remote)
	}
	out, err := c.Ask(guard, "sha256sum -- "+shellwords.Quote(words[0]))
	if err != nil {
		return "", err
	}
	sum, _, _ := strings.Cut(out, " ")
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(sum) {
		return "", fmt.Errorf("it answered %q", sanitize.Printable(out, 100))
	}
	return "sha256:" + sum, nil
}
