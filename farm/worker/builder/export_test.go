package builder

// Limited returns the Sandbox with other limits, so that a test reaches them fast and harms no other program. It has
// the priority of the test, so that a busy machine does not stop it.
func (s *Sandbox) Limited(processes, space int) *Sandbox {
	out := *s
	out.processes, out.space, out.nice = processes, space, 0
	return &out
}
