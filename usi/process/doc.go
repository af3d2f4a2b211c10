// Package process runs one engine process: its start, its group, its CPUs and
// its death. It knows nothing of USI: a [Process] is an io.ReadWriteCloser
// whose bytes are the child's stdout and stdin. What follows is Linux; on Windows a job
// object takes the place of group, guard and death signal (process_windows.go), and macOS
// has no death signal (process_darwin.go).
//
// A series starts and ends engines thousands of times, many at once, and an
// engine may crash, hang, flood, or be a wrapper script that leaves the real
// engine behind. This package promises that after [Process.Close] nothing of
// it is left, and that this takes a bounded time. These traps decide how:
//
//   - Pdeathsig belongs to a thread. The kernel sends the child its parent
//     death signal when the thread that forked it ends, not the process
//     (golang/go#27505), and Go ends threads as it likes. So one goroutine,
//     locked to its thread, forks the child and stays until it was reaped.
//
//   - CPU affinity belongs to a thread too, and a child inherits it. The same
//     thread is pinned before the fork, so the engine never runs a single
//     instruction elsewhere, and its own threads inherit the mask. A pinned
//     thread is never given back to the scheduler: the goroutine ends while
//     locked, and Go destroys the thread (after the child has been reaped, or
//     Pdeathsig would kill it). Go creates no threads from a locked one, so
//     the mask does not leak.
//
//   - An engine may bind its threads itself, whatever it was started on;
//     [Process.Strayed] looks.
//
//   - Pdeathsig reaches the direct child only. If the runner is killed, the
//     child of a wrapper script would live on; the [Guard] kills it.
//
//   - A group's number is free for reuse once its leader is reaped and its last
//     member is gone; a kill(-pgid) after that may hit a stranger. So the end
//     of the leader is awaited with waitid(WNOWAIT), which leaves a zombie that
//     holds the number; then the group is killed; only then is the leader
//     reaped. After that no signal is ever sent.
//
//   - A wrapper's child that outlives it holds stdout open, and the reader
//     would wait for an EOF that never comes. So the group dies with its
//     leader at once, whether anybody called Close or not.
//
//   - exec.Cmd's own StdoutPipe is closed by Wait, which loses output that
//     nobody has read yet. So the pipes are ours. They must be pollable for
//     deadlines to work: never call Fd on the parent's ends, it makes them
//     blocking.
//
//   - A write to an engine that does not read blocks once the pipe's 64 KiB
//     are full: set a write deadline. A write to an engine that is gone fails
//     with EPIPE; SIGPIPE kills a Go program for descriptors 1 and 2 only.
//
//   - An unread stderr blocks the engine after 64 KiB. It is drained always.
//
//   - /proc/PID/schedstat counts the leader thread alone, which in an engine
//     mostly sleeps. [Process.Waited] sums /proc/PID/task/*/schedstat, which knows
//     neither threads that have ended nor a wait that is not over, and remembers.
//
//   - A process that leaves its group (setsid, setpgid) is not killed with its
//     leader. On Linux the guard finds it at the end of the run by a variable in
//     its environment, unless it was started with another environment.
//
// Out of scope: a wrapper that ends while its engine shall play on: the engine is killed.
// Orphans are reaped by the system's init; in a container give it one
// (docker run --init), or they stay as zombies.
package process
