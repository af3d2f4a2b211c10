//go:build linux

package builder_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gogi/internal/testutil"
)

// A path is a way on which a build could read what is not its own. The script prints what it finds. control is in
// this text if the script works at all.
type path struct{ script, control string }

// secret is the content of the files and of the variable that no build may read.
const secret = "hunter2-of-the-owner"

// TestSecrets: a build reads nothing of the machine's owner. Each path is a job of its own, so that none hides another.
func TestSecrets(t *testing.T) {
	box := sandbox(t)
	t.Setenv("GOGI_TEST_SECRET", secret)
	dir := testutil.Must(os.MkdirTemp("", "gogi-secrets-"))(t) // everyone may read it, in contrast to t.TempDir
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	testutil.OK(t, os.Chmod(dir, 0o755))
	file := filepath.Join(dir, "file")
	testutil.OK(t, os.WriteFile(file, []byte(secret), 0o644))
	inherited := testutil.Must(os.Open(file))(t)
	defer inherited.Close()
	testutil.Must(unix.FcntlInt(inherited.Fd(), unix.F_SETFD, 0))(t) // as a descriptor that a shell or systemd opened
	for name, p := range map[string]path{
		"environment of each process": {"cat /proc/[0-9]*/environ | tr '\\0' '\\n'", "PATH=/usr/local/bin:/usr/bin:/bin"},
		"own environment":             {"env", "PATH=/usr/local/bin:/usr/bin:/bin"},
		"command of each process":     {"cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'; echo; echo end", "end"},
		"descriptors of each process": {"cat /proc/[0-9]*/fd/" + strconv.Itoa(int(inherited.Fd())) +
			" 2>/dev/null || :; echo end", "end"},
		"a file that all may read": {"cat " + file + " 2>/dev/null || echo end", "end"},
		"roots of other processes": {"cat /proc/[0-9]*/root" + file + " /proc/[0-9]*/cwd/../../.." + file +
			" 2>/dev/null || echo end", "end"},
	} {
		t.Run(name, func(t *testing.T) {
			out := testutil.Must(box.Run(t.Context(), p.script))(t)
			testutil.Contains(t, out, p.control, "output")
			testutil.Check(t, !strings.Contains(out, secret), "a build has read the secret: %s", out)
			testutil.Check(t, !strings.Contains(out, filepath.Base(os.Args[0])), "a build sees the process that started it: %s",
				out)
		})
	}
}

// TestSeen: a build sees exactly these files, names and processes of the machine.
func TestSeen(t *testing.T) {
	box := sandbox(t)
	shared := testutil.Must(unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o666))(t)
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(shared, unix.IPC_RMID, nil) })
	for name, c := range map[string]struct{ script, want string }{
		"files": {"ls -A / | grep -vE '^(bin|lib.*|sbin|opt|nix)$'", "dev etc proc tmp usr work"},
		"/etc":  {"ls -A /etc | grep -vE '^(ld.so.cache|alternatives|localtime)$' || :", ""},
		"/dev":  {"ls -A /dev", "core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero"},
		"/tmp":  {"ls -A /tmp", ""}, "/dev/shm": {"ls -A /dev/shm", ""},
		"descriptors":    {"ls /proc/$$/fd", "0 1 2"},
		"processes":      {"echo /proc/[0-9]*", "/proc/1 /proc/2"}, // bubblewrap and the shell
		"the own name":   {"uname -n", "gogi"},
		"System V IPC":   {"cat /proc/sysvipc/shm /proc/sysvipc/sem /proc/sysvipc/msg | grep -vc key || :", "0"},
		"interfaces":     {"sed 1,2d /proc/net/dev | cut -d: -f1", "lo"},
		"cgroup":         {"cut -d: -f3 /proc/self/cgroup | sort -u", "/"},
		"oom_score_adj":  {"cat /proc/self/oom_score_adj /proc/$$/oom_score_adj", "1000 1000"},
		"capabilities":   {"grep -hE '^Cap(Prm|Eff|Bnd|Amb)' /proc/self/status | cut -f2 | sort -u", "0000000000000000"},
		"new privileges": {"grep NoNewPrivs /proc/self/status | cut -f2", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			out := testutil.Must(box.Run(t.Context(), c.script))(t)
			testutil.Equal(t, strings.Join(strings.Fields(out), " "), c.want, "output")
		})
	}
}

// connect prints the error of connecting to the address @ARGV: a family, and a packed address in hexadecimal digits.
const connect = `perl -e 'socket(S, $ARGV[0], 1, 0) or do { print "socket: $!"; exit }; print connect(S, pack("H*", $ARGV[1])) ? "connected" : "connect: $!"' `

// TestSockets: a build reaches no socket of the machine: no path, no abstract name, no address, no other family, and no
// way around the filter. The same script reaches the sockets outside of the sandbox.
func TestSockets(t *testing.T) {
	box := sandbox(t)
	if _, err := exec.LookPath("perl"); err != nil {
		testutil.Require(t, os.Getenv("GOGI_SANDBOX") != "required", "%v", err)
		t.Skip(err)
	}
	dir := testutil.Must(os.MkdirTemp("", "gogi-sockets-"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	testutil.OK(t, os.Chmod(dir, 0o755))
	listen := func(network, address string) net.Listener {
		l := testutil.Must(new(net.ListenConfig).Listen(t.Context(), network, address))(t)
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	file, abstract := filepath.Join(dir, "socket"), "gogi-test-"+filepath.Base(dir)
	listen("unix", file)
	testutil.OK(t, os.Chmod(file, 0o777))
	listen("unix", "@"+abstract)
	port := listen("tcp", "127.0.0.1:0").Addr().(*net.TCPAddr).Port // the network is tcp
	unixAddress := func(name string) string { return fmt.Sprintf("%x", append([]byte{unix.AF_UNIX, 0}, name...)) }
	for name, c := range map[string]struct {
		script, inside string
		outside        string // "": the script is not run outside
	}{
		"path":     {connect + "1 " + unixAddress(file), "connect: No such file or directory", "connected"},
		"abstract": {connect + "1 " + unixAddress("\x00"+abstract), "connect: Connection refused", "connected"},
		"loopback": {connect + fmt.Sprintf("2 0200%04x7f0000010000000000000000", port), "connect: Connection refused",
			"connected"},
		"vsock":    {connect + "40 00", "socket: Permission denied", ""},
		"packets":  {connect + "17 00", "socket: Permission denied", ""},
		"crypto":   {connect + "38 00", "socket: Permission denied", ""},
		"io_uring": {perlCall(unix.SYS_IO_URING_SETUP, "1, $x = chr(0) x 200"), "Permission denied", ""},
		"keys":     {perlCall(unix.SYS_KEYCTL, "0, -3, 0"), "Permission denied", ""},
		"add key":  {perlCall(unix.SYS_ADD_KEY, `$u = "user", $n = "gogi", $x = "x", 1, -2`), "Permission denied", ""},
		"get key":  {perlCall(unix.SYS_REQUEST_KEY, `$u = "user", $n = "gogi", 0, 0`), "Permission denied", ""},
		"log":      {perlCall(unix.SYS_SYSLOG, "10, 0, 0"), "Permission denied", ""},
		"x32":      {perlCall(unix.SYS_SOCKET|0x40000000, "40, 1, 0"), "Permission denied", ""},
	} {
		t.Run(name, func(t *testing.T) {
			testutil.Equal(t, testutil.Must(box.Run(t.Context(), c.script))(t), c.inside, "in the sandbox")
			if c.outside != "" {
				out := testutil.Must(exec.CommandContext(t.Context(), "sh", "-c", c.script).Output())(t)
				testutil.Equal(t, string(out), c.outside, "outside of the sandbox")
			}
		})
	}
}

// perlCall returns a script that prints the error of a system call.
func perlCall(number int, arguments string) string {
	return fmt.Sprintf(`perl -e 'print syscall(%d, %s) < 0 ? "$!" : "allowed"'`, number, arguments)
}

// TestOtherBuilds: a build sees neither the files nor the processes of a build at the same time, and none of an earlier
// build.
func TestOtherBuilds(t *testing.T) {
	box := sandbox(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const mark = "4242424"
	script := "echo here >mark; echo here >$TMPDIR/mark; echo here >/dev/shm/mark; "
	look := "cat mark ../*/mark /tmp/mark /dev/shm/mark 2>/dev/null || :; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -o 'sleep [1-9][0-9]*' || :; echo end"
	testutil.Equal(t, testutil.Must(box.Run(ctx, script+look))(t), "here\nhere\nhere\nhere\nhere\nend\n", "the own marks")
	testutil.Equal(t, testutil.Must(box.Run(ctx, look))(t), "end\n", "what an earlier build left")
	ended := make(chan error, 1) // exactly one value
	go func() {
		_, err := box.Run(ctx, script+"sleep "+mark)
		ended <- err
	}()
	testutil.Eventually(t, "the other build sleeps", func() bool {
		list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		return slices.ContainsFunc(list, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && string(text) == "sleep\x00"+mark+"\x00"
		})
	})
	testutil.Equal(t, testutil.Must(box.Run(ctx, look))(t), "end\n", "what another build has")
	cancel()
	testutil.Is(t, <-ended, context.Canceled, "the end of the other build")
}
