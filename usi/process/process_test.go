//go:build linux

package process

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"gogi/internal/testutil"
)

func closeOK(t *testing.T, p *Process) time.Duration {
	t.Helper()
	begin := time.Now()
	testutil.OK(t, p.Close())
	took := time.Since(begin)
	// Close kills all processes of the group. On a busy machine the kernel needs time to end them.
	testutil.Eventually(t, "the group of the process ends", func() bool { return len(group(p.PID())) == 0 })
	select {
	case <-p.Done():
	default:
		t.Error("Close returned before Done")
	}
	return took
}

func TestEchoAndOrderlyEnd(t *testing.T) {
	p := start(t, self("echo"), nil)
	testutil.Must(p.Write([]byte("isready\n")))(t)
	testutil.Equal(t, line(t, p), "isready", "echo said")
	testutil.Equal(t, p.Diagnosis(), "still running", "Diagnosis")
	closeOK(t, p)
	if got := p.Diagnosis(); got != "exit status 0" { // a signal would show here
		t.Errorf("Diagnosis = %q", got)
	}
	testutil.Is(t, testutil.Err(p.Write([]byte("x"))), os.ErrClosed, "Write after Close")
	testutil.Is(t, testutil.Err(p.Read(make([]byte, 1))), os.ErrClosed, "Read after Close")
}

func TestGroupAndDescriptorsAreItsOwn(t *testing.T) {
	start(t, sh("cat"), startGuard(t)) // these pipes must not leak into p
	inherited := testutil.Must(os.Open(os.DevNull))(t)
	defer inherited.Close()
	testutil.Must(unix.FcntlInt(inherited.Fd(), unix.F_SETFD, 0))(t) // as a descriptor that a shell or systemd opened
	p := start(t, sh("exec cat"), nil)
	testutil.Must(io.WriteString(p, "here\n"))(t)
	line(t, p) // now it is cat and not a shell, and has closed other descriptors
	files := testutil.Must(os.ReadDir("/proc/" + itoa(p.PID()) + "/fd"))(t)
	for _, f := range files {
		testutil.Check(t, testutil.Must(strconv.Atoi(f.Name()))(t) <= 2, "descriptor %s leaked into the child", f.Name())
	}
	if _, pgid := stat(p.PID()); pgid != p.PID() {
		t.Errorf("group %d of process %d", pgid, p.PID())
	}
}

func TestStubbornIsKilledWithinTheBound(t *testing.T) {
	spec := sh(stubbornScript)
	spec.Grace = 300 * time.Millisecond
	var cuts atomic.Int32
	spec.Cut = func() { cuts.Add(1) }
	p := start(t, spec, nil)
	line(t, p)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			took := closeOK(t, p)
			least := spec.Grace + DefaultTermGrace
			testutil.Check(t, took >= least, "Close took %v", took)
		})
	}
	wg.Wait()
	testutil.Equal(t, p.Diagnosis(), "killed by signal 9 (killed)", "Diagnosis")
	testutil.Equal(t, cuts.Load(), 1, "calls of Cut")
}

func TestTermIsHeard(t *testing.T) {
	spec := sh(`trap 'exit 7' TERM; echo ready; while :; do :; done`)
	spec.Grace, spec.TermGrace = 20*time.Millisecond, waitLimit
	p := start(t, spec, nil)
	line(t, p)
	closeOK(t, p)
	testutil.Equal(t, p.Diagnosis(), "exit status 7", "Diagnosis")
}

// TestTermGrace requires that a process that needs longer than Grace after SIGTERM has all of TermGrace.
func TestTermGrace(t *testing.T) {
	spec := sh(`trap 'sleep 0.3; exit 7' TERM; echo ready; while :; do :; done`)
	spec.Grace, spec.TermGrace = time.Millisecond, waitLimit
	p := start(t, spec, nil)
	line(t, p)
	closeOK(t, p)
	testutil.Equal(t, p.Diagnosis(), "exit status 7", "Diagnosis")
}

func TestKillIsImmediate(t *testing.T) {
	spec := sh(stubbornScript)
	spec.Grace, spec.TermGrace = waitLimit, waitLimit
	spec.Cut = func() { t.Error("Cut was called for a process that ended within Grace") }
	p := start(t, spec, nil)
	line(t, p)
	p.Kill()
	took := closeOK(t, p)
	testutil.Check(t, took <= waitLimit/2, "Close after Kill took %v", took)
	p.Kill() // does nothing, because the process has ended
}

func TestStoppedProcessIsKilled(t *testing.T) {
	spec := sh("echo ready; read quit")
	spec.Grace, spec.TermGrace = 10*time.Millisecond, 10*time.Millisecond
	p := start(t, spec, nil)
	line(t, p)
	p.withTree(func(t tree) { t.signal(syscall.SIGSTOP) })
	testutil.Eventually(t, "the process stops", func() bool { s, _ := stat(p.PID()); return s == "T" })
	closeOK(t, p)
}

func TestWrappersChildDiesWithClose(t *testing.T) {
	p := start(t, sh(wrapperScript), nil)
	child := lineNumber(t, p)
	testutil.Require(t, alive(child), "the wrapper has no child: nothing is tested")
	// The wrapper itself ends at EOF, at once and with status 0. Its child does not.
	closeOK(t, p)
	testutil.Check(t, !alive(child), "the wrapper's child outlived Close")
	testutil.Equal(t, p.Diagnosis(), "exit status 0", "Diagnosis")
}

// TestWrappersChildDiesWithItsLeader requires that the child dies, because it has stdout open and Read would never end.
func TestWrappersChildDiesWithItsLeader(t *testing.T) {
	p := start(t, sh(`trap "" TERM; sleep 1000 & echo $!; read go; exit 3`), nil)
	child := lineNumber(t, p)
	_, pgid := stat(child)
	testutil.Require(t, pgid == p.PID() && alive(child), "child %d is not a living member of the group: nothing is tested",
		child)
	testutil.Must(io.WriteString(p, "go\n"))(t)
	rest, err := io.ReadAll(p)
	testutil.Check(t, err == nil && len(rest) == 0, "Read %q, %v; want the end", rest, err)
	<-p.Done()
	testutil.Eventually(t, "the child dies", func() bool { return !alive(child) })
	testutil.Equal(t, p.Diagnosis(), "exit status 3", "Diagnosis")
}

func TestOutputOutlivesTheProcess(t *testing.T) {
	p := start(t, sh("head -c 50000 /dev/zero"), nil)
	<-p.Done()
	got, err := io.ReadAll(p)
	testutil.Check(t, err == nil && len(got) == 50000, "read %d bytes, %v", len(got), err)
}

// TestOutputIsThereHoweverLateItIsRead requires that a late reader gets all output. After a deadline, an os.File
// returns no data, even if there are some. So the deadline that ends the wait must not cut off the output.
func TestOutputIsThereHoweverLateItIsRead(t *testing.T) {
	p := start(t, sh("head -c 50000 /dev/zero; exit 3"), nil)
	<-p.Done()
	longAfterTheEnd(t, p)
	got, err := io.ReadAll(p)
	testutil.Check(t, err == nil && len(got) == 50000, "read %d bytes, %v", len(got), err)
	e := p.Exit()
	testutil.Check(t, e.Status == 3, "exit %+v", e)
}

// longAfterTheEnd sets the state after escapedWait.
func longAfterTheEnd(t *testing.T, p *Process) {
	t.Helper()
	testutil.OK(t, p.stdout.SetReadDeadline(time.Unix(1, 0)))
}

// TestWhoLeftTheGroupCannotKeepTheOutputOpen has a process that left the group, so gogi cannot kill it, and stdout
// stays open. The process is silent or floods stdout. The leader's output can be read, and the reading ends.
func TestWhoLeftTheGroupCannotKeepTheOutputOpen(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid: ", err)
	}
	for name, script := range map[string]string{
		"silent": "exec sleep 1000",
		"floods": "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done",
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, sh("echo said; setsid sh -c 'echo $$ >&2; "+script+"' & read go"), nil)
			testutil.Eventually(t, "the child has left", func() bool {
				b, _ := p.errors.last()
				return bytes.HasSuffix(b, []byte("\n"))
			})
			b, _ := p.errors.last()
			escaped := testutil.Must(strconv.Atoi(strings.TrimSpace(string(b))))(t)
			defer unix.Kill(escaped, unix.SIGKILL)
			testutil.Must(io.WriteString(p, "go\n"))(t)
			<-p.Done()
			longAfterTheEnd(t, p)
			for _, late := range []time.Time{{}, time.Now().Add(time.Hour)} {
				if err := p.SetReadDeadline(late); err != nil { // must not restart the wait
					t.Fatal(err)
				}
			}
			got, err := io.ReadAll(p)
			if err != nil || !bytes.HasPrefix(got, []byte("said\n")) || len(got) > 2*defaultPipeSize {
				t.Errorf("read %d bytes that begin with %q, %v", len(got), got[:min(len(got), 20)], err)
			}
			testutil.Check(t, alive(escaped), "nobody held stdout open: nothing is tested")
		})
	}
}

// TestRestIsOnePipeFull requires that a dead leader's pipe is read once, even if it is refilled.
func TestRestIsOnePipeFull(t *testing.T) {
	r, w, err := os.Pipe()
	testutil.OK(t, err)
	defer closeAll([3]*os.File{r, w})
	p := &Process{stdout: newPipeEnd(r)}
	p.endOutput()
	longAfterTheEnd(t, p)
	chunk, read := make([]byte, 4096), 0
	for range 1000 {
		testutil.Must(w.Write(chunk))(t)
		n, err := p.Read(chunk)
		read += n
		if err != nil {
			break
		}
	}
	testutil.Check(t, read == int(pipeSize(r)), "read %d bytes of a pipe that holds %d", read, pipeSize(r))
}

// TestCloseWaitsForTheMemoryOfAHundredGigabytes requires that Close waits for an engine of 100 GB. The kernel frees its
// memory with at least 1 GB/s: see killWait. The test has only the channel that the end of the process closes.
func TestCloseWaitsForTheMemoryOfAHundredGigabytes(t *testing.T) {
	for took, wantErr := range map[time.Duration]bool{100 * time.Second: false, time.Hour: true} {
		synctest.Test(t, func(t *testing.T) {
			p := &Process{pid: 77, reaped: true, grace: DefaultGrace, termGrace: DefaultTermGrace, done: make(chan struct{})}
			time.AfterFunc(took, func() { close(p.done) })
			err := p.endLeader()
			testutil.Check(t, (err != nil) == wantErr, "gone after %v: %v", took, err)
			<-p.done
		})
	}
}

func TestStderrNeverBlocks(t *testing.T) {
	for _, size := range []string{"400000", "20000000"} {
		p := start(t, sh("head -c "+size+" /dev/zero | tr '\\0' x >&2; echo >&2; echo last words >&2; echo through; cat"),
			nil)
		testutil.Equal(t, line(t, p), "through", "%s bytes: read", size)
		closeOK(t, p)
		if b, cut := p.errors.last(); len(b) != tailSize || !cut || cap(p.errors.buf) > 2*tailSize {
			t.Errorf("%s bytes: kept %d, cut %v, room for %d", size, len(b), cut, cap(p.errors.buf))
		}
		got := p.Diagnosis()
		testutil.Check(t, strings.HasSuffix(got, "xxx | last words"), "%s bytes: Diagnosis = %q", size, got)
	}
}

func TestWriteDeadline(t *testing.T) {
	p := start(t, sh("echo ready; exec sleep 1000"), nil)
	line(t, p)
	testutil.OK(t, p.SetWriteDeadline(time.Now().Add(time.Second)))
	flood := bytes.Repeat([]byte("position\n"), 100_000)
	n, err := p.Write(flood)
	testutil.Check(t, errors.Is(err, os.ErrDeadlineExceeded) && n != 0 && n < len(flood), "Write = %d, %v", n, err)
	p.Kill()
	closeOK(t, p)
}

func TestCloseEndsABlockedWriteAndRead(t *testing.T) {
	p := start(t, sh(stubbornScript), nil)
	line(t, p)
	written := make(chan error, 1) // the writer sends once
	go func() {
		_, err := p.Write(make([]byte, 1<<20))
		written <- err
	}()
	read := make(chan error, 1) // the reader sends once
	go func() {
		_, err := io.ReadAll(p)
		read <- err
	}()
	closeOK(t, p)
	testutil.Fails(t, <-written, "", "a megabyte went to a process that does not read")
	if err := <-read; err != nil && !errors.Is(err, os.ErrClosed) {
		t.Errorf("Read: %v", err)
	}
}

func TestWriteToTheDead(t *testing.T) {
	p := start(t, sh("exit 0"), nil)
	<-p.Done()
	_, err := p.Write([]byte("quit\n"))
	testutil.Check(t, errors.Is(err, syscall.EPIPE), "Write: %v", err)
}

func TestClosedStdoutButAlive(t *testing.T) {
	p := start(t, sh("echo ready; exec >&-; read quit"), nil)
	line(t, p)
	_, err := p.Read(make([]byte, 1))
	testutil.Require(t, errors.Is(err, io.EOF), "Read: %v", err)
	begin := time.Now()
	testutil.Equal(t, p.Diagnosis(), "it closed its output, and is still running", "Diagnosis")
	took := time.Since(begin)
	testutil.Check(t, took >= diagnosisWait, "Diagnosis did not wait for the exit status, only %v", took)
	testutil.Require(t, alive(p.PID()), "the process has ended: nothing is tested")
	closeOK(t, p)
}

// golang/go#27505: the child must not die with the thread that called Start.
func TestCallersThreadMayEnd(t *testing.T) {
	started := make(chan *Process, 1) // the goroutine sends once
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		p, err := Start(self("echo"), nil)
		testutil.Check(t, err == nil, "%v", err)
		started <- p
	}()
	p := <-started
	defer p.Close()
	testutil.Must(io.WriteString(p, "alive\n"))(t)
	testutil.Equal(t, line(t, p), "alive", "read")
}

// TestAffinity requires that a child has its CPUs, that no thread of this program keeps them, and that the next child
// has the CPUs of this program.
func TestAffinity(t *testing.T) {
	cpu, before := lastCPU(t)
	shown := "grep Cpus_allowed_list /proc/self/status; cat"
	spec := sh(shown)
	spec.CPUs = []int{cpu}
	p := start(t, spec, nil)
	testutil.Equal(t, line(t, p), "Cpus_allowed_list:\t"+itoa(cpu), "the child says")
	if pinned := threadsWith(t, itoa(cpu)); before != itoa(cpu) && len(pinned) > 0 {
		t.Errorf("our threads %v are pinned while the child runs, want none", pinned)
	}
	free := start(t, sh(shown), nil)
	testutil.Equal(t, line(t, free), "Cpus_allowed_list:\t"+before, "the next child says")
	closeOK(t, p)
	closeOK(t, free)
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		testutil.OK(t, os.WriteFile(path, []byte(text), mode))
		return path
	}
	plain := write("plain", "#!/bin/sh\n", 0o644)
	orphan := write("orphan", "#!/no/such/sh\n", 0o755)
	noexec := write("noexec", "not a program\n", 0o755)
	for _, test := range []struct {
		name string
		spec Spec
		is   error
		want string
	}{
		{"nothing", Spec{}, nil, "process: no command to start"},
		{
			"no file",
			Spec{Command: []string{dir + "/x"}},
			syscall.ENOENT,
			"process: starting " + dir + "/x: no such file or directory",
		},
		{
			"no file in dir",
			Spec{Command: []string{"./x"}, Dir: dir},
			syscall.ENOENT,
			"process: starting ./x: " + dir + "/x: no such file or directory",
		},
		{
			"not in path",
			Spec{Command: []string{"no-such-engine"}},
			nil,
			"process: starting no-such-engine: executable file not found in $PATH (a program in the working directory is written ./no-such-engine)",
		},
		{
			"folder",
			Spec{Command: []string{dir}},
			syscall.EISDIR,
			"process: starting " + dir + ": is a directory",
		},
		{
			"not executable",
			Spec{Command: []string{plain}},
			syscall.EACCES,
			"process: starting " + plain + ": not executable (chmod +x): permission denied",
		},
		{
			"no interpreter",
			Spec{Command: []string{orphan}},
			syscall.ENOENT,
			"process: starting " + orphan +
				": the file exists, but the interpreter of its #! line, or its loader, does not: no such file or directory",
		},
		{
			"no format",
			Spec{Command: []string{noexec}},
			syscall.ENOEXEC,
			"process: starting " + noexec +
				": neither a program for this machine nor a script with a #! line: exec format error",
		},
		{
			"no dir",
			Spec{Command: []string{"/bin/sh"}, Dir: dir + "/x"},
			syscall.ENOENT,
			"process: starting /bin/sh: working directory " + dir + "/x: no such file or directory",
		},
		{
			"dir is a file",
			Spec{Command: []string{"/bin/sh"}, Dir: plain},
			syscall.ENOTDIR,
			"process: starting /bin/sh: working directory " + plain + ": not a directory",
		},
		{
			"negative CPU",
			Spec{Command: []string{"/bin/sh"}, CPUs: []int{-1}},
			nil,
			"process: starting /bin/sh: CPUs [-1]: there can be no CPU -1",
		},
		{
			"no CPU",
			Spec{Command: []string{"/bin/sh"}, CPUs: []int{1023}},
			syscall.EINVAL,
			"process: starting /bin/sh: CPUs [1023]: none of them can be used here: invalid argument",
		},
		{
			"some CPUs",
			Spec{Command: []string{"/bin/sh"}, CPUs: []int{first(lastCPU(t)), 1023}},
			nil,
			"process: starting /bin/sh: CPUs [" + itoa(first(lastCPU(t))) + " 1023]: only 1 of them can be used here",
		},
		{
			"environment",
			Spec{Command: []string{"/bin/sh"}, Env: []string{"OOPS"}},
			nil,
			`process: starting /bin/sh: environment "OOPS": want KEY=VALUE`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := Start(test.spec, nil)
			if err == nil {
				p.Close()
				t.Fatal("it started")
			}
			testutil.Equal(t, err.Error(), test.want, "got  %s", err)
			testutil.Check(t, test.is == nil || errors.Is(err, test.is), "%v is not %v", err, test.is)
		})
	}
}

func TestDirAndEnv(t *testing.T) {
	dir := t.TempDir()
	testutil.WriteProgram(t, dir+"/engine", "#!/bin/sh\necho $PWD $NAME\ncat\n")
	p := start(t, Spec{Command: []string{"./engine"}, Dir: dir, Env: []string{"NAME=lost", "NAME=won"}}, nil)
	testutil.Equal(t, line(t, p), dir+" won")
}

// TestNoSecretsInTheEnvironment: a process does not get the variables with which a user gives gogi a secret, unless the
// Spec has them.
func TestNoSecretsInTheEnvironment(t *testing.T) {
	for _, name := range []string{"GOGI_CSA_PASSWORD", "GOGI_FARM_CREDS", "GOGI_TOKEN_FILE", "GOGI_TEST_OTHER"} {
		t.Setenv(name, "hunter2")
	}
	spec := sh("env | grep hunter2 | tr '\\n' ' '; echo")
	testutil.Equal(t, strings.TrimSpace(line(t, start(t, spec, nil))), "GOGI_TEST_OTHER=hunter2", "the environment")
	spec.Env = append(spec.Env, "GOGI_CSA_PASSWORD=hunter2 of the match file")
	testutil.Contains(t, line(t, start(t, spec, nil)), "GOGI_CSA_PASSWORD=hunter2 of the match file", "the environment")
}

func TestFiftyAtOnceLeakNothing(t *testing.T) {
	guard := startGuard(t)
	closeOK(t, start(t, sh("cat"), guard)) // creates everything that is created only once
	files, goroutines := descriptors(t), runtime.NumGoroutine()
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			script := []string{"echo 1; cat", wrapperScript, "echo 1; exit 1", "echo 1; exec >&- 2>&-; read quit"}[i%4]
			spec := sh(script)
			if i%2 == 0 {
				spec.CPUs = []int{first(lastCPU(t))}
			}
			p, err := Start(spec, guard)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := p.Read(make([]byte, 16)); err != nil {
				t.Error(err)
			}
			closeOK(t, p)
		})
	}
	wg.Wait()
	testutil.Eventually(t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= goroutines })
	testutil.Equal(t, descriptors(t), files, "open files before")
	for _, bad := range []Spec{sh(""), {Command: []string{"/nowhere"}}, {Command: []string{"/bin/sh"}, CPUs: []int{-1}}} {
		if p, err := Start(bad, guard); err == nil {
			p.Close()
		}
	}
	testutil.Equal(t, descriptors(t), files, "open files before the start errors")
}
