package chaos

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
)

// inside is set in a process of this test that has its own network and mounts.
const inside = "GOGI_CHAOS_INSIDE"

// inNamespaces starts the test again in its own namespaces if CHAOS is set. There it can cut networks and fill volumes,
// which nothing else sees and which end with the process.
func inNamespaces(m *testing.M) int {
	if os.Getenv("CHAOS") == "" {
		return m.Run()
	}
	if os.Getenv(inside) != "" {
		// This runs once for all tests. The new network has none of this machine's addresses.
		if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "ip link set lo up: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}
	if _, err := exec.LookPath("ip"); err != nil {
		noNamespaces = err.Error()
		return m.Run()
	}
	c := exec.Command(os.Args[0], os.Args[1:]...)
	c.Env = append(os.Environ(), inside+"=yes")
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET}
	if os.Geteuid() != 0 {
		c.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if err := c.Start(); err != nil {
		noNamespaces = err.Error()
		return m.Run()
	}
	err := c.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		return 1
	}
	return 0
}

// noNamespaces is the reason for running without namespaces, or "".
var noNamespaces string

// namespaces skips a test that needs namespaces if they are not available. With GOGI_NAMESPACES=required that is a
// failure.
func namespaces(t *testing.T) {
	t.Helper()
	why := noNamespaces
	for _, tool := range []string{"tc", "nsenter"} {
		if _, err := exec.LookPath(tool); err != nil && why == "" {
			why = err.Error()
		}
	}
	if why == "" {
		return
	}
	testutil.Require(t, os.Getenv("GOGI_NAMESPACES") != "required", "no networks and volumes of one's own: %s", why)
	t.Skipf("no networks and volumes of one's own: %s", why)
}

// sh runs a program, which must succeed, and returns its output.
func sh(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// volume mounts a small file system on a folder.
func volume(t *testing.T, dir string, bytes int) {
	t.Helper()
	testutil.OK(t, os.MkdirAll(dir, 0o700))
	testutil.OK(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+strconv.Itoa(bytes)))
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// fill fills a volume except for so many bytes, and returns the file that takes the space.
func fill(t *testing.T, dir string, but int64) (ballast string) {
	t.Helper()
	ballast = filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	testutil.OK(t, err)
	defer f.Close()
	var free syscall.Statfs_t
	testutil.OK(t, syscall.Statfs(dir, &free))
	_, err = f.Write(make([]byte, max(0, int64(free.Bavail)*free.Bsize-but)))
	testutil.Require(t, err == nil || errors.Is(err, syscall.ENOSPC), "%v", err)
	return ballast
}

// network is a machine's own network, with a cable to the coordinator's.
type network struct {
	t      *testing.T
	holder *exec.Cmd // keeps the network
	here   string    // the cable's end at the coordinator
	there  string    // the cable's end at the machine
	cable  int
}

// newNetwork makes the n-th network, from 1.
func newNetwork(t *testing.T, n int) *network {
	t.Helper()
	w := &network{t: t, cable: n, here: fmt.Sprintf("farm%d", n), there: fmt.Sprintf("work%d", n)}
	w.holder = exec.Command("sleep", "infinity")
	w.holder.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	testutil.OK(t, w.holder.Start())
	t.Cleanup(func() {
		_ = w.holder.Process.Kill()
		_ = w.holder.Wait() // killed
	})
	pid := strconv.Itoa(w.holder.Process.Pid)
	sh(t, "ip", "link", "add", w.here, "type", "veth", "peer", "name", w.there, "netns", pid)
	sh(t, "ip", "addr", "add", w.host()+"/30", "dev", w.here)
	sh(t, "ip", "link", "set", w.here, "up")
	w.in("ip", "addr", "add", fmt.Sprintf("10.77.%d.2/30", n), "dev", w.there)
	w.in("ip", "link", "set", w.there, "up")
	w.in("ip", "link", "set", "lo", "up")
	return w
}

// host returns the coordinator's address on the network.
func (w *network) host() string { return fmt.Sprintf("10.77.%d.1", w.cable) }

// enter returns the words that run a program in the network.
func (w *network) enter() []string {
	return []string{"nsenter", fmt.Sprintf("--net=/proc/%d/ns/net", w.holder.Process.Pid)}
}

func (w *network) in(args ...string) string {
	w.t.Helper()
	all := append(w.enter(), args...)
	return sh(w.t, all[0], all[1:]...)
}

// cut drops every packet at both ends, with a token bucket that is too small for any packet.
func (w *network) cut() {
	w.t.Helper()
	rule := []string{"root", "tbf", "rate", "8bit", "burst", "1", "limit", "1"}
	sh(w.t, "tc", append([]string{"qdisc", "replace", "dev", w.here}, rule...)...)
	w.in(append([]string{"tc", "qdisc", "replace", "dev", w.there}, rule...)...)
}

// heal ends the cut, and returns the numbers of packets dropped on the way to the coordinator and back.
func (w *network) heal() (to, from uint64) {
	w.t.Helper()
	from = dropped(w.t, sh(w.t, "tc", "-s", "qdisc", "show", "dev", w.here))
	to = dropped(w.t, w.in("tc", "-s", "qdisc", "show", "dev", w.there))
	sh(w.t, "tc", "qdisc", "del", "dev", w.here, "root")
	w.in("tc", "qdisc", "del", "dev", w.there, "root")
	return to, from
}

// dropped reads the counter of dropped packets in the output of tc.
func dropped(t *testing.T, text string) uint64 {
	t.Helper()
	_, rest, ok := strings.Cut(text, "(dropped ")
	n, err := strconv.ParseUint(rest[:max(0, strings.IndexByte(rest, ','))], 10, 64)
	testutil.Require(t, ok && err == nil, "tc says %q, expected a count of what was dropped", text)
	return n
}

// TestNetworksAreCut tests the network itself. Packets pass the cable, except while it is cut, and the drops are
// counted.
func TestNetworksAreCut(t *testing.T) {
	needChaos(t)
	namespaces(t)
	n := newNetwork(t, 1)
	// No program listens on this port, so a machine that is reached rejects the connection at once.
	reached := func() bool {
		_, err := net.DialTimeout("tcp", "10.77.1.2:9", 500*time.Millisecond)
		return errors.Is(err, syscall.ECONNREFUSED)
	}
	waitFor(t, "the machine is reached", reached)
	n.cut()
	testutil.Check(t, !reached(), "a packet gets through")
	_, from := n.heal()
	testutil.Check(t, from != 0, "nothing was dropped")
	waitFor(t, "the machine is reached again", reached)
}
