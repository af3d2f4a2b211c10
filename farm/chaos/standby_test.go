//go:build unix

package chaos

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gogi/farm"
	"gogi/farm/folder"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/testutil"
)

// asServer is set in a process of this test that is a NATS server. Its value is the configuration file.
const asServer = "GOGI_CHAOS_NATS"

// beServer runs the NATS server if asServer is set.
func beServer() {
	file := os.Getenv(asServer)
	if file == "" {
		return
	}
	o, err := server.ProcessConfigFile(file)
	if err == nil {
		o.NoLog = true
		var s *server.Server
		if s, err = server.NewServer(o); err == nil {
			s.Start()
			s.WaitForShutdown()
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// takeover is the time after which a standby takes over. It is longer than the servers need to replace a lost one.
const takeover = 20 * time.Second

// ensemble is a farm with two coordinators and a cluster of three NATS servers.
type ensemble struct {
	*world
	servers  []*process
	ports    []string
	machines map[string]*process // coordinators, by folder
	js       jetstream.JetStream
	tests    []string // names of the tests
}

// freePorts returns ports of this machine that no process uses.
func freePorts(t *testing.T, n int) (ports []string) {
	t.Helper()
	for range n {
		l := testutil.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		_, port, err := net.SplitHostPort(l.Addr().String())
		testutil.OK(t, err)
		ports = append(ports, port)
	}
	return ports
}

// newEnsemble makes the servers, the keys and the settings of both machines, and starts the servers.
func newEnsemble(t *testing.T, workers ...string) *ensemble {
	t.Helper()
	ports := freePorts(t, 9)
	var urls, pages, routes []string
	for i := range 3 {
		urls = append(urls, "nats://127.0.0.1:"+ports[i])
		pages = append(pages, "http://127.0.0.1:"+ports[3+i])
		routes = append(routes, "nats://127.0.0.1:"+ports[6+i])
	}
	w := newWorld(t, setting{url: strings.Join(urls, ","),
		extra: fmt.Sprintf("[jetstream]\nurl = %q\nmonitor = %q\ntakeover = %q\nmax_bytes = \"64MB\"\n[backup]\noff = true\n",
			strings.Join(urls, ","), strings.Join(pages, ","), takeover)}, workers...)
	e := &ensemble{world: w, ports: ports, machines: map[string]*process{}}
	text := testutil.Must(os.ReadFile(w.file("farm.toml")))(t)
	two := strings.NewReplacer(`state = "farm"`, `state = "farm2"`, `db = "farm.db"`,
		`db = "farm2.db"`).Replace(string(text))
	testutil.OK(t, os.WriteFile(w.file("farm2.toml"), []byte(two), 0o600))
	state := testutil.Must(folder.Open(w.file("farm"), time.Now()))(t)
	for i := range 3 {
		conf := nats.ServerConf{
			Name: fmt.Sprint("n", i), Listen: "127.0.0.1:" + ports[i], Monitor: "127.0.0.1:" + ports[3+i],
			Store:   w.file(fmt.Sprint("store", i)),
			Cluster: "127.0.0.1:" + ports[6+i], Routes: routes, Coordinator: state.Public, Keys: state.Ring.Keys(),
		}
		testutil.OK(t, os.WriteFile(w.file(fmt.Sprintf("n%d.conf", i)), []byte(conf.Text(time.Now())), 0o600))
		e.servers = append(e.servers, e.server(i))
	}
	t.Cleanup(func() {
		for _, p := range append(e.servers, e.machines["farm"], e.machines["farm2"]) {
			if p != nil {
				_ = p.Process.Signal(syscall.SIGCONT)
				p.end(syscall.SIGKILL)
			}
		}
	})
	seed := testutil.Must(os.ReadFile(w.file("farm/coordinator.seed")))(t)
	sign, public, err := keys.Sign(strings.TrimSpace(string(seed)))
	testutil.OK(t, err)
	n := testutil.Must(natsgo.Connect(strings.Join(urls, ","),
		natsgo.Nkey(public, func(b []byte) ([]byte, error) { return sign(b) }),
		natsgo.RetryOnFailedConnect(true), natsgo.MaxReconnects(-1), natsgo.ReconnectWait(100*time.Millisecond)))(t)
	t.Cleanup(n.Close)
	e.js = testutil.Must(jetstream.New(n))(t)
	testutil.Eventually(t, "the cluster serves clients", func() bool { // its monitoring pages answer earlier
		_, err := e.js.AccountInfo(t.Context())
		return err == nil
	})
	return e
}

// server starts the i-th NATS server.
func (e *ensemble) server(i int) *process {
	e.t.Helper()
	name := fmt.Sprint("n", i)
	p := &process{Cmd: exec.Command(os.Args[0]), over: make(chan struct{})}
	p.Env = append(os.Environ(), asServer+"="+e.file(name+".conf"))
	out := testutil.Must(os.OpenFile(e.file(name+".err"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(e.t)
	defer out.Close()
	p.Stderr = out
	testutil.OK(e.t, p.Start())
	go func() { defer close(p.over); _ = p.Wait() }()
	return p
}

// machine starts a coordinator in a folder.
func (e *ensemble) machine(folder string, flags ...string) {
	e.t.Helper()
	e.machines[folder] = e.start(folder, nil, append([]string{"farm", "serve", folder + ".toml"}, flags...)...)
}

// count1 counts lines of the messages of a machine.
func (e *ensemble) count1(folder, words string) int {
	text, _ := os.ReadFile(e.file(folder + ".err"))
	return strings.Count(string(text), words)
}

// These are messages of a coordinator.
const (
	leads  = "this machine leads the farm"
	copied = "the copy is equal to the leader's games"
)

// does calls do, and waits until the machine logs the words again.
func (e *ensemble) does(folder, words string, do func()) {
	e.t.Helper()
	before := e.count1(folder, words)
	do()
	e.until(folder+" says: "+words, func() bool {
		e.lives(folder)
		return e.count1(folder, words) > before
	})
}

// lives fails the test if a machine has ended.
func (e *ensemble) lives(folder string) {
	e.t.Helper()
	select {
	case <-e.machines[folder].over:
		e.t.Fatalf("%s has ended: %v", folder, e.machines[folder].ProcessState)
	default:
	}
}

// trialGames is the number of games of a test with a fault. Workers send their first results after five seconds, so an
// immediate fault finds pairs that are not stored.
const trialGames = 12

// flags returns the flags of a test of the farm.
func (e *ensemble) flags(name string, n int) []string {
	return series(name, trialGames, 400, "--seed", fmt.Sprint(n+1))
}

// during submits a test, and calls fault when the test is approved. It waits until the machine then, which leads after
// the fault, has stored all pairs.
func (e *ensemble) during(what, leader, then string, fault func(name string)) {
	e.t.Helper()
	name := fmt.Sprint(what, len(e.tests))
	e.submit(e.flags(name, len(e.tests)))
	e.tests = append(e.tests, name)
	e.db = leader + ".db"
	testutil.Check(e.t, e.finished(name) < trialGames/2, "the fault of %s comes when everything is stored", name)
	fault(name)
	e.db = then + ".db"
	e.until(name+" is stored in "+e.db, func() bool { e.lives(then); return e.finished(name) == trialGames/2 })
	e.t.Log(name)
}

// holder returns the number of the server that leads the bucket with the lease.
func (e *ensemble) holder() (i int) {
	e.t.Helper()
	e.until("a server leads the bucket", func() bool {
		s, err := e.js.Stream(e.t.Context(), "KV_gogi_farm")
		if err != nil || s.CachedInfo().Cluster == nil || len(s.CachedInfo().Cluster.Replicas) != 2 {
			return false
		}
		_, err = fmt.Sscanf(s.CachedInfo().Cluster.Leader, "n%d", &i)
		return err == nil
	})
	return i
}

// current waits until all servers have all messages.
func (e *ensemble) current() {
	e.t.Helper()
	e.until("all servers are current", func() bool {
		s, err := e.js.Stream(e.t.Context(), "KV_gogi_farm")
		if err != nil || s.CachedInfo().Cluster == nil {
			return false
		}
		for _, r := range s.CachedInfo().Cluster.Replicas {
			if !r.Current || r.Offline {
				return false
			}
		}
		return true
	})
}

// killServer kills a server while the farm plays. It starts the server again when the farm has played without it.
func (e *ensemble) killServer(fault string, i int, leader string) {
	e.t.Helper()
	e.current()
	e.during(fault, leader, leader, func(string) { e.servers[i].end(syscall.SIGKILL) })
	e.servers[i] = e.server(i)
	e.current()
}

// TestChaosOfAStandby runs two coordinators with three NATS servers. It kills the standby and two of the servers. Then
// it kills the leader, which has pairs that the standby lacks. It suspends the next leader until the other one leads
// again. Each fault has its own test. The farm must store all pairs once, as one machine plays them, and at the end the
// standby must have the same pairs.
func TestChaosOfAStandby(t *testing.T) {
	needChaos(t)
	t.Parallel()
	lasting := testutil.Must(time.ParseDuration(os.Getenv("CHAOS")))(t)
	e := newEnsemble(t, "w0", "w1")
	e.does("farm", leads, func() { e.machine("farm") })
	e.work("w0")
	e.work("w1")
	e.during("calm", "farm", "farm", func(string) {})
	// The test restores a backup of the leader into the standby's folder.
	out := strings.TrimSpace(e.run("farm", "backup", "backups", "--state", "farm", "--db", "farm.db"))
	e.run("farm", "restore", out, "--state", "farm2")
	testutil.OK(t, os.Rename(e.file("farm2/farm.db"), e.file("farm2.db")))
	second := e.start("second", nil, "farm", "serve", "farm2.toml")
	<-second.over
	testutil.Check(t, second.ProcessState.ExitCode() == 7 && e.count1("second", "another coordinator leads") == 1,
		"a second leader: %v", second.ProcessState)
	e.does("farm2", copied, func() { e.machine("farm2", "--standby") })

	leader, standby := "farm", "farm2"
	for began := time.Now(); ; {
		e.during("standby", leader, leader, func(string) { e.machines[standby].end(syscall.SIGKILL) })
		e.does(standby, copied, func() { e.machine(standby, "--standby") })

		e.killServer("server", (e.holder()+1+rand.IntN(2))%3, leader)
		e.killServer("holder", e.holder(), leader)

		// The leader ends a test and is killed. The standby has no pair of this test.
		testutil.OK(t, e.machines[standby].Process.Signal(syscall.SIGSTOP))
		e.during("leader", leader, standby, func(name string) {
			e.stored(name, trialGames/2)
			e.until(name+" is over", func() bool { return e.told(name).State == "over" })
			e.db = standby + ".db"
			testutil.Check(t, e.finished(name) == 0, "the standby has pairs of %s", name)
			e.machines[leader].end(syscall.SIGKILL)
			e.does(standby, leads, func() { testutil.OK(t, e.machines[standby].Process.Signal(syscall.SIGCONT)) })
			e.until(name+" runs again", func() bool {
				return slices.ContainsFunc(e.told(name).Log, func(c farm.Change) bool {
					return strings.Contains(c.What, "the former leader had pairs")
				})
			})
		})
		e.does(leader, copied, func() { e.machine(leader, "--standby") })

		// The former standby leads now. The test suspends it until another leader replaces it, and then lets it
		// continue.
		asleep := e.machines[standby]
		e.during("sleeper", standby, leader, func(string) {
			testutil.OK(t, asleep.Process.Signal(syscall.SIGSTOP))
			e.does(leader, leads, func() {})
			testutil.OK(t, asleep.Process.Signal(syscall.SIGCONT))
			<-asleep.over
			testutil.Check(t, asleep.ProcessState.ExitCode() == 7, "the fenced leader: %v", asleep.ProcessState)
		})
		e.does(standby, copied, func() { e.machine(standby, "--standby") })
		if time.Since(began) >= lasting {
			break
		}
	}
	// An orderly end hands the farm over at once.
	e.db = standby + ".db"
	for _, name := range e.tests {
		e.stored(name, trialGames/2)
	}
	e.does(standby, leads, func() { e.machines[leader].end(os.Interrupt) })
	testutil.Check(t, e.machines[leader].ProcessState.ExitCode() == 0, "the orderly end: %v",
		e.machines[leader].ProcessState)
	for i, name := range e.tests {
		e.local(e.flags(name, i))
		e.same(name, e.dump("local.db", name))
		testutil.Check(t, e.told(name).State == "over", "test %s is %s", name, e.told(name).State)
		log := e.run("farm", "log", "--creds", "boss.creds", "--name", name)
		testutil.Check(t, strings.Contains(log, "submitted") && strings.Contains(log, "approved"),
			"the log of actions of %s: %s", name, log)
	}
	for _, p := range e.workers {
		p.end(os.Interrupt)
	}
	e.machines[standby].end(os.Interrupt)
	var text string
	for _, folder := range []string{"farm", "farm2"} {
		text += string(testutil.Must(os.ReadFile(e.file(folder + ".err")))(t))
	}
	terms := regexp.MustCompile(leads+`" term=(\d+)`).FindAllString(text, -1)
	once := map[string]bool{}
	for _, term := range terms {
		testutil.Check(t, !once[term], "two leaders had the %s", term)
		once[term] = true
	}
	testutil.Check(t, len(once) >= 4, "only %d terms: %v", len(once), terms)
}
