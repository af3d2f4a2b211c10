// Package process runs one engine process: its start, its process group, its CPUs and its end. It knows
// nothing about USI: a [Process] is an io.ReadWriteCloser of the child's stdout and stdin. [Start] starts one
// from a [Spec], and [StartGuard] starts the [Guard], which kills engines if the runner is killed.
//
// A match starts and ends engines thousands of times. An engine may crash, hang, flood, or be a wrapper
// script that leaves the real engine running. [Process.Close] ends the whole process group, and takes a
// bounded time. The text below is about Linux. On Windows a job object replaces group, guard and death signal
// (process_windows.go); macOS has no death signal (process_darwin.go).
//
// # Traps
//
//   - Pdeathsig belongs to a thread. The kernel sends the child its parent death signal when
//     the thread that forked it ends, not the process (golang/go#27505), and Go ends threads
//     at any time. So one goroutine, locked to its thread, forks the child and stays until it
//     was reaped.
//   - CPU affinity also belongs to a thread, and a child inherits it. The same thread is
//     pinned before the fork, so the engine never runs elsewhere, and its threads inherit the
//     mask. The goroutine ends while locked, after the child was reaped, and Go destroys the
//     pinned thread. Go creates no threads from a locked one, so the mask does not leak.
//   - An engine may bind its threads itself; [Process.AffinityChanged] checks.
//   - Pdeathsig reaches the direct child only. If the runner is killed, the Guard kills the
//     child of a wrapper script.
//   - A group's number is free for reuse once its leader is reaped and its last member is
//     gone; a later kill(-pgid) may hit another process. So waitid(WNOWAIT) awaits the end of
//     the leader and leaves a zombie that holds the number; then the group is killed; then
//     the leader is reaped. No signal is sent after that.
//   - A wrapper's child that outlives it holds stdout open, and the reader would wait for EOF
//     forever. So the group dies with its leader at once, with or without Close.
//   - exec.Cmd's own StdoutPipe is closed by Wait, which loses unread output. So the pipes
//     are ours. They must be pollable for deadlines: never call Fd on the parent's ends,
//     because it makes them blocking.
//   - A write to an engine that does not read blocks once the pipe's 64 KiB are full: set a
//     write deadline. A write to an engine that is gone fails with EPIPE; SIGPIPE kills a Go
//     program for descriptors 1 and 2 only.
//   - An unread stderr blocks the engine after 64 KiB. The package always drains it.
//   - /proc/PID/schedstat counts the leader thread alone, which mostly sleeps.
//     [Process.Waited] sums /proc/PID/task/*/schedstat, and remembers threads that have
//     ended.
//   - A process that leaves its group (setsid, setpgid) is not killed with its leader. On
//     Linux the guard finds it at the end of the run by a variable in its environment, unless
//     it was started with another environment.
//
// An engine that should play on after its wrapper ends is not supported: it is killed. The init of the system
// reaps orphans; in a container start one (docker run --init), or they remain as zombies.
package process
