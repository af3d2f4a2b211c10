// Package hook runs the user's own commands when something has happened, so that a
// phone can ring. They run without a shell; what they are told is in their
// environment.
package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// patience is how long a command may take.
const patience = time.Minute

// Command is a user's command; the zero value is none.
type Command []string

// New is a command of these words; none is none. Its error says that there is no such
// program.
func New(words []string) (Command, error) {
	if len(words) > 0 {
		if _, err := exec.LookPath(words[0]); err != nil {
			return nil, err
		}
	}
	return words, nil
}

// Run runs it with more in its environment, each KEY=VALUE; what it prints goes to out.
// It is killed when ctx ends, or after a minute.
func (c Command) Run(ctx context.Context, out io.Writer, more ...string) error {
	if len(c) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c[0], c[1:]...) //nolint:gosec // it is the user's own
	cmd.Env = append(os.Environ(), more...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second // for those that left a child with their output
	err := cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it did not end within %v", patience)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c[0], err)
	}
	return nil
}
