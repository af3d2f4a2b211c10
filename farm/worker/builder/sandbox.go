package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gogi/internal/sanitize"
	"gogi/usi/process"
)

// A Sandbox runs untrusted commands, separated from the rest of the machine. Create it with NewSandbox. The
// zero value runs nothing.
type Sandbox struct {
	Kind string // "bubblewrap", "user", "user with network", or "off", which runs nothing
	Why  string // the reason for the kind off, with the remedy

	guard     *process.Guard
	user      *user.User // runs the commands if the kind is a user; nil means bubblewrap
	program   string     // absolute path of bubblewrap, or "" if the kind is a user
	cgroup    string     // folder of a cgroup that limits the memory of all processes of a job; "": none
	processes int        // largest number of processes
	space     int        // largest size in bytes of all files of a job, or of each file if the kind is a user
	nice      int        // nice value of the commands. With 10, builds get about a tenth of a core that games use.
}

// NewSandbox returns a Sandbox for word, a value of the flag --builds. With "sandbox" it uses the program
// bubblewrap. With "user:NAME" it uses bubblewrap or, if that does not work, runs the commands as this user.
// With "off", or if nothing works, the Sandbox has the Kind "off" and runs nothing. Any other word is an
// error. The guard kills the commands if this process is killed; it may be nil.
func NewSandbox(ctx context.Context, word string, guard *process.Guard) (*Sandbox, error) {
	try := []*Sandbox{{Kind: "bubblewrap"}}
	name, own := strings.CutPrefix(word, "user:")
	switch {
	case word == "off":
		return &Sandbox{Kind: "off", Why: "--builds off is set"}, nil
	case own:
		u, err := user.Lookup(name)
		if err != nil || os.Geteuid() != 0 || u.Uid == "0" {
			return nil, fmt.Errorf("%q: expected the name of a user other than root, and a worker that root started", word)
		}
		try = append(try, &Sandbox{Kind: "user", user: u}, &Sandbox{Kind: "user with network", user: u})
	case word != "sandbox":
		return nil, fmt.Errorf("%q: expected sandbox, user:NAME or off", word)
	}
	group := builds(delegated("/sys/fs/cgroup", "/proc"))
	program, missing := process.LookPath("bwrap")
	err := missing
	for _, s := range try {
		if s.program = program; s.user == nil && missing != nil {
			continue
		}
		s.guard, s.processes, s.space, s.nice = guard, tasks, fileSpace, 10
		for _, s.cgroup = range slices.Compact([]string{group, ""}) { // without the cgroup if the system rejects it
			if _, err = s.run(ctx, job{script: "true", limit: time.Minute}); err == nil {
				return s, nil
			}
		}
	}
	return &Sandbox{Kind: "off",
		Why: fmt.Sprintf("bubblewrap 0.8 or later does not work here; install it, or see --builds (%v)", err)}, nil
}

// A job is a script for a Sandbox.
type job struct {
	script string   // for sh -eu, in an empty folder
	args   []string // of the script
	env    []string // KEY=VALUE
	limit  time.Duration
	online bool   // whether the script has the network
	folder string // absolute path of a folder that the script may read as /repository; "" without one
	in     []byte // standard input, which has no end
	most   int64  // largest size of the standard output in bytes
}

// prologue starts each script. TMPDIR and HOME are outside of the script's folder.
const prologue = `mkdir tmp src
export TMPDIR="$PWD/tmp" HOME="$PWD/tmp"
cd src
`

// run runs a job and returns its standard output. Afterwards no process and no file of the job is left, also if
// ctx has ended. The error has the end of the standard error output.
func (s *Sandbox) run(ctx context.Context, j job) (out []byte, err error) {
	if s.processes == 0 {
		return nil, fmt.Errorf("this machine builds no engines from git commits: %s", s.Why)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, j.limit, fmt.Errorf("it took longer than %v", j.limit))
	defer cancel()
	dir := "/"
	if s.user != nil {
		if err = s.kill(); err == nil {
			dir, err = os.MkdirTemp("", "gogi-build-")
		}
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.kill(), os.RemoveAll(dir)) }()
	}
	p, err := s.start(&j, dir)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	var writing sync.WaitGroup
	writing.Go(func() { _, _ = p.Write(j.in) }) // the exit status reports a failure
	if out, err = io.ReadAll(io.LimitReader(p, j.most+1)); int64(len(out)) > j.most {
		err = fmt.Errorf("it printed more than %d bytes", j.most)
		p.Kill()
	}
	<-p.Done()
	exit := p.Exit()
	err = cmp.Or(context.Cause(ctx), err, p.Close())
	writing.Wait()
	if err == nil && exit.Status != 0 {
		err = fmt.Errorf("%s: %s", exit.Ending(), cmp.Or(sanitize.LastLine(p.Stderr(), true, 160), "it printed no reason"))
	}
	return out, err
}

// start starts a job in the folder dir.
func (s *Sandbox) start(j *job, dir string) (*process.Process, error) {
	spec := process.Spec{Dir: dir}
	if s.user == nil {
		rules, err := filter()
		if err != nil {
			return nil, err
		}
		if rules != nil {
			defer func() { _ = rules.Close() }()
			spec.Files = []*os.File{rules}
		}
	}
	spec.Command = s.words(j, len(spec.Files) > 0)
	return process.Start(spec, s.guard)
}

// entry runs the words after its first argument, the folder of a cgroup or "", in this cgroup. If memory is short, the
// system first kills processes with an oom_score_adj of 1000. If the worker runs as root, the job cannot lower it.
const entry = `{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null || :
[ -z "$0" ] || echo $$ >"$0/cgroup.procs"
exec "$@"`

// words returns the command of a job. The environment is empty from the first program on: process 1 of a sandbox is
// bubblewrap itself, and each process can read the environment of the others. filtered means that descriptor 3 is a
// filter of system calls.
func (s *Sandbox) words(j *job, filtered bool) []string {
	words := append(strings.Fields("env -i PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8"), j.env...)
	words = append(words, "sh", "-euc", entry, s.cgroup)
	shell := strings.Fields(fmt.Sprintf("prlimit --core=0 --nproc=%d --data=%d --fsize=%d nice -n %d", s.processes, memory,
		s.space, s.nice))
	shell = append(append(shell, "sh", "-euc", prologue+j.script, "gogi"), j.args...)
	switch {
	case s.user != nil:
		shell = append([]string{"sh", "-euc", `chown "$0" .; exec "$@"`, s.user.Uid}, as(s.user, shell...)...)
		if s.Kind == "user" && !j.online {
			shell = append([]string{"unshare", "--net", "--"}, shell...)
		}
	case os.Geteuid() == 0: // the limit of processes does not count for root
		shell = as(&user.User{Uid: "65534", Gid: "65534"}, append(s.bubblewrap(j, filtered), shell...)...)
	default:
		shell = append(s.bubblewrap(j, filtered), shell...)
	}
	return append(words, shell...)
}

// as returns a command that runs words as another user.
func as(u *user.User, words ...string) []string {
	return append([]string{"setpriv", "--reuid=" + u.Uid, "--regid=" + u.Gid, "--clear-groups", "--no-new-privs", "--"},
		words...)
}

// bubblewrap returns the words that make a command run in namespaces. It sees the system's programs and
// libraries and the few files below /etc that they need. It can write only to one tmpfs of a limited size, in
// which /tmp is, too. A further user namespace is forbidden, because in it the command could mount more.
func (s *Sandbox) bubblewrap(j *job, filtered bool) []string {
	words := append([]string{s.program},
		strings.Fields("--unshare-all --unshare-user --disable-userns --die-with-parent --new-session --cap-drop ALL --hostname gogi")...)
	if filtered {
		words = append(words, "--seccomp", "3")
	}
	files := "/usr /bin /sbin /lib /lib32 /lib64 /opt /nix /etc/ld.so.cache /etc/alternatives /etc/localtime"
	if j.online {
		words = append(words, "--share-net")
		files += " /etc/ssl /etc/pki /etc/ca-certificates /etc/resolv.conf /etc/hosts /etc/nsswitch.conf"
	}
	for name := range strings.FieldsSeq(files) {
		words = append(words, "--ro-bind-try", name, name)
	}
	words = append(words,
		strings.Fields("--proc /proc --dev /dev --size 1048576 --tmpfs /dev/shm --remount-ro /dev --size "+
			strconv.Itoa(s.space)+" --tmpfs /work --symlink work/tmp /tmp --chdir /work")...)
	if j.folder != "" {
		words = append(words, "--ro-bind", j.folder, "/repository")
	}
	return append(words, "--remount-ro", "/", "--")
}

// kill kills all processes of the user until the system has none. It returns an error if some are left after many
// tries, such as zombies in a container without an init process.
func (s *Sandbox) kill() error {
	for try := range 100 {
		if !s.running() {
			return nil
		}
		if p, err := process.Start(process.Spec{Command: as(s.user, "sh", "-c", "kill -9 -1"), Dir: "/"}, s.guard); err ==
			nil {
			<-p.Done()
			_ = p.Close() // running finds what is left
		}
		time.Sleep(time.Duration(try) * time.Millisecond) //nolint:forbidigo // the system announces no end of another user's processes
	}
	return fmt.Errorf("processes of the user %s are left after kill -9; end them, or start the container with an init process", s.user.Username)
}

// running reports whether the user has a process or a zombie, which the limit of processes counts, too.
func (s *Sandbox) running() bool {
	all, _ := filepath.Glob("/proc/[0-9]*/status") // the pattern is valid
	return slices.ContainsFunc(all, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "\nUid:\t"+s.user.Uid+"\t")
	})
}
