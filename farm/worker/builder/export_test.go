package builder

import (
	"context"
	"time"
)

// Run runs a script as a job and returns its standard output.
func (s *Sandbox) Run(ctx context.Context, script string) (string, error) {
	out, err := s.run(ctx, job{script: script, limit: 3 * time.Minute, most: maxText})
	return string(out), err
}

// Cgroup returns the folder of the cgroup that NewSandbox would use on a system with these folders, or "".
func Cgroup(root, proc string) string { return builds(delegated(root, proc)) }

// Limited returns the Sandbox with other limits, so that a test reaches them fast and harms no other program. It has
// the priority of the test, so that a busy machine does not stop it.
func (s *Sandbox) Limited(processes, space int) *Sandbox {
	out := *s
	out.processes, out.space, out.nice = processes, space, 0
	return &out
}
