package builder_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/farm/files"
	"gogi/farm/worker/builder"
	"gogi/internal/testutil"
	"gogi/match"
)

// limits are the processes and the bytes of a Sandbox in tests. A fork bomb with more processes would slow down all
// other programs of the machine.
const (
	mostProcesses = 64
	mostSpace     = 600_000_000
)

// sandbox returns a Sandbox of bubblewrap with low limits. Without bubblewrap it skips the test, or fails if
// GOGI_SANDBOX is "required".
func sandbox(t *testing.T) *builder.Sandbox {
	t.Helper()
	s := testutil.Must(builder.NewSandbox(t.Context(), "sandbox", nil))(t)
	if s.Kind != "bubblewrap" {
		testutil.Require(t, os.Getenv("GOGI_SANDBOX") != "required", "%v", s.Why)
		t.Skip(s.Why)
	}
	return s.Limited(mostProcesses, mostSpace)
}

// A repo is a git repository that every user may read.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	dir := testutil.Must(os.MkdirTemp("", "gogi-repo-"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	testutil.OK(t, os.Chmod(dir, 0o755)) // the sandbox of root reads it as another user
	r := &repo{t, dir}
	r.git("init", "-q")
	return r
}

func (r *repo) git(words ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=a", "-c", "user.email=a@example.com"},
		words...)...)
	out, err := cmd.CombinedOutput()
	testutil.OK(r.t, err, "git %v: %s", words, out)
	return strings.TrimSpace(string(out))
}

// commit commits files and returns the commit.
func (r *repo) commit(files map[string]string) string { return r.commitAs("c", files) }

// commitAs commits files with a message and returns the commit.
func (r *repo) commitAs(message string, files map[string]string) string {
	r.t.Helper()
	for name, text := range files {
		path := filepath.Join(r.dir, name)
		testutil.OK(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
		testutil.OK(r.t, os.WriteFile(path, []byte(text), 0o644)) // the sandbox reads it
	}
	r.git("add", "-A", "-f")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

// source returns a source whose build is "sh build.sh", with the output engine.
func (r *repo) source(commit string, lines ...string) match.Source {
	text := "compiler = 'echo 1'\nnodes = 'nodes ([0-9]+)'\n"
	for key, line := range map[string]string{"build": "build = ['sh build.sh']", "output": "output = 'engine'",
		"timeout": "timeout = '2m'", "bench": "bench = 'sh engine'"} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, key) }) {
			text += line + "\n"
		}
	}
	return match.Source{Repository: "file://" + r.dir, Commit: commit, Recipe: text + strings.Join(lines, "\n"), Bench: 42}
}

func newBuilder(t *testing.T, s *builder.Sandbox) *builder.Builder {
	t.Helper()
	dir := t.TempDir()
	store := testutil.Must(files.Open(filepath.Join(dir, "artefacts"), 1<<30, true))(t)
	return &builder.Builder{Store: store, Dir: filepath.Join(dir, "builds"), Sandbox: s,
		ISAs: []string{"x86-64-v3", "x86-64-v2"}, Jobs: 2, Log: slog.New(slog.DiscardHandler)}
}

// engine returns a build script for an engine whose bench prints text.
func engine(text string) map[string]string {
	return map[string]string{"build.sh": "printf '#!/bin/sh\\n" + text + "\\n' >engine\n"}
}

// build builds a source with a time limit.
func build(t *testing.T, b *builder.Builder, s match.Source) (sum string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	built, err := b.Build(ctx, s)
	return built.SHA256, err
}

// TestBenchOfTheMessage: the builder reads the bench in the commit's message before the build, which could change the
// repository. A build of the index still has it, and a wrong node count names it.
func TestBenchOfTheMessage(t *testing.T) {
	t.Parallel()
	b, r := newBuilder(t, sandbox(t)), newRepo(t)
	script := engine("echo nodes 42")
	script["build.sh"] += "git -c user.name=x -c user.email=x commit -q --amend --allow-empty -m 'Bench: 99' || true\n"
	s := r.source(r.commitAs("LMR by history\n\nBench: 41\n", script))
	for range 2 { // the second one is of the index
		built := testutil.Must(b.Build(t.Context(), s))(t)
		testutil.Check(t, built.Message == 41 && b.Store.Has(built.SHA256), "%+v", built)
		testutil.OK(t, os.RemoveAll(r.dir))
	}
	r = newRepo(t)
	s = r.source(r.commitAs("Bench: 42", engine("echo nodes 42")))
	s.Bench = 7
	testutil.Fails(t, testutil.Err(b.Build(t.Context(), s)),
		"the bench has 42 nodes here, 7 at the submitter, and 42 in the commit message")
}

// TestBuild: gogi fetches and builds a commit once, and compares its bench with that of the submitter.
func TestBuild(t *testing.T) {
	t.Parallel()
	b, r := newBuilder(t, sandbox(t)), newRepo(t)
	script := engine(`echo nodes 1; echo nodes 42 $GOGI_ISA; printf "\\\\000"`)
	script["build.sh"] = "git rev-parse --verify -q HEAD; test $GOGI_JOBS = 2\n" +
		strings.ReplaceAll(script["build.sh"], "$GOGI_ISA", `'$GOGI_ISA'`)
	commit := r.commit(script)
	r.commit(map[string]string{"build.sh": "exit 1"}) // a later commit must not count
	s := r.source(commit, "isa = ['x86-64-v2']")
	sum := testutil.Must(build(t, b, s))(t)
	built := testutil.Must(b.Store.Path(sum))(t)
	if text, err := os.ReadFile(built); err != nil || !strings.HasPrefix(string(text), "#!/bin/sh\n") ||
		!strings.Contains(string(text), "nodes 42 x86-64-v2") {
		t.Fatalf("%q, %v", text, err)
	}
	other := s
	other.Bench = 43
	testutil.Fails(t, testutil.Err(build(t, b, other)), "the bench has 42 nodes here, and 43 at the submitter")
	testutil.OK(t, os.RemoveAll(r.dir))
	testutil.Equal(t, testutil.Must(build(t, b, s))(t), sum, "the build of the index")
	s.Recipe += "\n# another recipe"
	testutil.Fails(t, testutil.Err(build(t, b, s)), "cannot be fetched from file://")
	s.Recipe = strings.ReplaceAll(s.Recipe, "x86-64-v2", "armv8.2")
	testutil.Fails(t, testutil.Err(build(t, b, s)),
		"the recipe builds for armv8.2, and this machine has x86-64-v3, x86-64-v2")
	testutil.Fails(t, testutil.Err(build(t, newBuilder(t, new(builder.Sandbox)), r.source(commit))),
		"the compiler of the recipe: this machine builds no engines from git commits")
}

// TestCompilers: a new version of the compiler makes gogi build again.
func TestCompilers(t *testing.T) {
	t.Parallel()
	b, r := newBuilder(t, sandbox(t)), newRepo(t)
	s := r.source(r.commit(engine("echo nodes 42")))
	s.Recipe = strings.Replace(s.Recipe, "'echo 1'", "'date +%s%N'", 1)
	testutil.Must(build(t, b, s))(t)
	testutil.OK(t, os.RemoveAll(r.dir))
	testutil.Fails(t, testutil.Err(build(t, b, s)), "cannot be fetched")
}

// TestHostileRepositories: a hostile repository does no harm, and the error names the reason.
func TestHostileRepositories(t *testing.T) {
	t.Parallel()
	box := sandbox(t)
	here := testutil.Must(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = here.Close() })
	outside := t.TempDir()
	testutil.OK(t, os.Chmod(outside, 0o777))
	for name, c := range map[string]struct {
		script string
		lines  []string
		want   string
	}{
		"fork bomb": {script: "f() { f | f & f; }; f 2>/dev/null; sleep 100", lines: []string{"timeout = '3s'"},
			want: "the build failed"},
		"endless": {script: "while :; do :; done", lines: []string{"timeout = '2s'"},
			want: "it took longer than 2s"},
		"daemon": {script: "setsid sleep 1000 & exit 3", want: "exit status 3"},
		"writes outside": {script: "echo x >" + outside +
			"/mark || echo x >/usr/mark || echo x >/mark || echo x >/etc/mark || echo x >/dev/mark", want: "the build failed"},
		"huge output": {script: "truncate -s 300000000 engine", lines: []string{"bench = 'echo nodes 42'"},
			want: "it printed more than 268435456 bytes"},
		"huge file": {script: "truncate -s 1T engine", want: "the build failed"},
		"huge files": {script: "for i in 1 2 3 4 5 6 7; do head -c 100000000 /dev/zero >f$i; done",
			want: "No space left on device"},
		"huge shared memory": {script: "head -c 100000000 /dev/zero >/dev/shm/x", want: "No space left on device"},
		"endless text":       {script: "timeout 2 yes; timeout 2 yes >&2; exit 4", want: "exit status 4"},
		"the network": {script: "! bash -c 'exec 5<>/dev/tcp/" +
			strings.ReplaceAll(here.Addr().String(), ":", "/") + "' && exit 5", want: "exit status 5"},
		"a user namespace":  {script: "unshare -Urm true || exit 6", want: "exit status 6"},
		"symlink as output": {script: "ln -s /usr/bin/true engine", want: "output: engine is no regular file"},
		"symlink as folder": {script: "ln -s /usr/bin out", lines: []string{"output = 'out/true'"},
			want: "output: out/true is outside of the checkout"},
		"fifo as output":  {script: "mkfifo engine", want: "output: engine is no regular file"},
		"no output":       {script: ":", want: "output: engine is no regular file"},
		"empty output":    {script: ": >engine", want: "or empty"},
		"output with ..":  {script: ":", lines: []string{"output = 'a/../../engine'"}, want: "inside the checkout"},
		"other processes": {script: "kill -9 -1; exit 7", want: "the build failed"},
		// it may kill the build
		"kills the bench": {script: "echo 'kill -9 -1; kill -9 $PPID' >engine", want: "the b"},
		"endless bench": {script: "echo 'yes nodes 42' >engine", lines: []string{"timeout = '3s'"},
			want: "it took longer than 3s"},
		"no nodes in bench": {script: "echo 'echo no eval file' >engine",
			want: "the bench prints nothing that matches \"nodes ([0-9]+)\": no eval file"},
		"silent bench": {script: "echo : >engine", want: "the bench prints nothing that matches"},
		"no program":   {script: "echo 42 >engine", want: "not found | exit status 127"},
		"a background process": {script: "(sleep 1000 & ) ; echo 'sleep 1000 & exec 1>&-; exit 3' >engine",
			lines: []string{"timeout = '3s'"}, want: "the b"},
		"deep folders":           {script: deep, want: "exit status 8"},
		"escape from the screen": {script: `printf '\033[2J\033]0;x\007bad' >&2; exit 9`, want: "bad"},
	} {
		if slices.Contains([]string{"fork bomb", "endless text", "endless bench", "huge output", "huge files",
			"huge shared memory", "deep folders"}, name) && !testutil.Long() {
			continue // they take the CPUs for seconds
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := newBuilder(t, box), newRepo(t)
			s := r.source(r.commit(map[string]string{"build.sh": c.script + "\n"}), c.lines...)
			_, err := build(t, b, s)
			testutil.Fails(t, err, c.want)
			testutil.Check(t, !strings.ContainsRune(err.Error(), 0x1b), "%q", err)
			unharmed(t, b)
		})
	}
	t.Cleanup(func() {
		for _, name := range []string{outside + "/mark", "/usr/mark", "/mark", "/etc/mark"} {
			testutil.Fails(t, testutil.Err(os.Stat(name)), "", "%s was written", name)
		}
	})
}

// deep makes a tree that is deeper than the number of files that a process may open.
const deep = "p=$(printf 'd/%.0s' $(seq 1900)); for i in 1 2 3; do mkdir -p $p && cd $p; done; exit 8"

// unharmed checks that a Builder still works, and that nothing but its index and its store is left.
func unharmed(t *testing.T, b *builder.Builder) {
	t.Helper()
	left := testutil.Must(filepath.Glob(filepath.Join(b.Dir, ".*")))(t)
	testutil.Check(t, len(left) == 0, "left: %v", left)
	r := newRepo(t)
	testutil.Must(build(t, b, r.source(r.commit(engine("echo nodes 42")))))(t)
}

// TestHostileTrees: git itself rejects a path with .. and a path in .git. A hook or a filter of the repository does not
// run.
func TestHostileTrees(t *testing.T) {
	t.Parallel()
	b := newBuilder(t, sandbox(t))
	for _, name := range []string{"..", ".git", "."} {
		r := newRepo(t)
		r.commit(engine("echo nodes 42"))
		blob := r.git("rev-parse", "HEAD:build.sh")
		tree := r.object("tree", fmt.Sprintf("100644 %s\x00", name)+raw(t, blob))
		s := r.source(r.git("commit-tree", "-m", "x", tree))
		testutil.Fails(t, testutil.Err(build(t, b, s)), "the build failed", "%q", name)
	}
	r := newRepo(t)
	files := engine("echo nodes 42")
	files[".gitattributes"] = "* filter=evil\n"
	files[".gitmodules"] = "[submodule \"x\"]\n\tpath = x\n\turl = file:///etc\n"
	files[".git-hooks/post-checkout"] = "#!/bin/sh\nexit 1\n"
	s := r.source(r.commit(files))
	testutil.Must(build(t, b, s))(t)
}

// object stores an object that git would not make, and returns its name.
func (r *repo) object(kind, content string) string {
	r.t.Helper()
	cmd := exec.Command("git", "-C", r.dir, "hash-object", "-t", kind, "--literally", "-w", "--stdin")
	cmd.Stdin = strings.NewReader(content)
	out, err := cmd.CombinedOutput()
	testutil.OK(r.t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

func raw(t *testing.T, name string) (bytes string) {
	t.Helper()
	for i := 0; i < len(name); i += 2 {
		var b byte
		_, err := fmt.Sscanf(name[i:i+2], "%02x", &b)
		testutil.OK(t, err)
		bytes += string([]byte{b})
	}
	return bytes
}

// TestAFailedBuildIsNotRepeated: the same Builder returns the first error of a failed build again. A new Builder tries
// again. A canceled build is tried again, too.
func TestAFailedBuildIsNotRepeated(t *testing.T) {
	t.Parallel()
	box := sandbox(t)
	b, r := newBuilder(t, box), newRepo(t)
	s := r.source(r.commit(map[string]string{"build.sh": "echo no compiler >&2; exit 2"}))
	first := testutil.Err(build(t, b, s))
	testutil.Fails(t, first, "exit status 2: no compiler")
	testutil.OK(t, os.RemoveAll(r.dir))
	testutil.Equal(t, testutil.Err(build(t, b, s)).Error(), first.Error(), "the second error")
	testutil.Fails(t, testutil.Err(newBuilder(t, box).Build(t.Context(), s)), "cannot be fetched")
	r = newRepo(t)
	s = r.source(r.commit(map[string]string{"build.sh": "sleep 1000"}))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel)
	testutil.Fails(t, testutil.Err(b.Build(ctx, s)), "context canceled")
	testutil.OK(t, os.RemoveAll(r.dir))
	testutil.Fails(t, testutil.Err(build(t, b, s)), "cannot be fetched", "a canceled build is not tried again")
}

// TestKinds: NewSandbox rejects unknown words. Without bubblewrap, the kind is off and the reason names the remedy.
func TestKinds(t *testing.T) {
	for _, word := range []string{"", "docker", "sandbox ", "open", "user:", "user:nosuchuser", "user:root"} {
		testutil.Fails(t, testutil.Err(builder.NewSandbox(t.Context(), word, nil)), "expected ", "%q", word)
	}
	r := newRepo(t)
	s := r.source(r.commit(engine("echo nodes 42")))
	off := testutil.Must(builder.NewSandbox(t.Context(), "off", nil))(t)
	testutil.Fails(t, testutil.Err(build(t, newBuilder(t, off), s)), "--builds off")
	withoutBubblewrap(t)
	none := testutil.Must(builder.NewSandbox(t.Context(), "sandbox", nil))(t)
	testutil.Equal(t, none.Kind, "off", "the kind")
	testutil.Contains(t, none.Why, "bubblewrap 0.8 or later does not work here; install it, or see --builds", "why")
}

// withoutBubblewrap gives the test a PATH without bubblewrap.
func withoutBubblewrap(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	for _, name := range []string{"sh", "git", "env", "nice", "prlimit", "setpriv", "unshare", "chown"} {
		if path, err := exec.LookPath(name); err == nil {
			testutil.OK(t, os.Symlink(path, filepath.Join(bin, name)))
		}
	}
	t.Setenv("PATH", bin)
}

// TestAnotherUser: without bubblewrap a build runs as another user, without the network, and leaves no process and
// no file.
func TestAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can run builds as another user")
	}
	if !testutil.Long() {
		t.Skip("it kills all processes of the user games; make test-long runs it")
	}
	withoutBubblewrap(t)
	box, err := builder.NewSandbox(t.Context(), "user:games", nil)
	if err != nil {
		t.Skip(err)
	}
	testutil.Require(t, box.Kind != "off", "%s", box.Why)
	box = box.Limited(mostProcesses, mostSpace)
	b, r := newBuilder(t, box), newRepo(t)
	t.Setenv("SECRET", "1")
	testutil.Must(build(t, b, r.source(r.commit(engine("echo nodes 42; [ -z $SECRET ] || echo nodes 43")))))(t)
	secret := filepath.Join(t.TempDir(), "secret")
	testutil.OK(t, os.WriteFile(secret, []byte("secret"), 0o600))
	here := testutil.Must(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer here.Close()
	for _, c := range []struct{ script, want string }{
		{"f() { f | f & f; }; f 2>/dev/null; sleep 100", "the build failed"},
		{"cat " + secret + " >engine", "Permission denied"}, {"echo x >" + secret, "Permission denied"},
		{"for i in 1 2 3 4 5 6 7 8; do setsid sleep 98765 & done; exit 3", "exit status 3"},
		{"setsid sleep 98765 & setsid sh -c 'while :; do sleep 0; done' & sleep 100", "it took longer than 3s"},
		{"kill -9 -1; exit 4", "the build failed"}, {"ln -s /etc/hostname engine", "no regular file"},
		{deep, "exit status 8"},
	} {
		limit := "timeout = '2m'"
		if strings.Contains(c.script, "sleep 100") {
			limit = "timeout = '3s'"
		}
		testutil.Fails(t, testutil.Err(build(t, b, r.source(r.commit(map[string]string{"build.sh": c.script}), limit))),
			c.want, "%s", c.script)
		testutil.Check(t, processesOf(t, "games") == 0, "%s: %d processes are left", c.script, processesOf(t, "games"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel)
	testutil.Fails(t, testutil.Err(b.Build(ctx,
		r.source(r.commit(map[string]string{"build.sh": "setsid sleep 98765 & sleep 1000"})))), "context canceled")
	testutil.Check(t, processesOf(t, "games") == 0, "processes are left after a cancelled build")
	if box.Kind == "user" {
		script := "bash -c 'exec 5<>/dev/tcp/" + strings.ReplaceAll(here.Addr().String(), ":", "/") + "' && exit 5; exit 6"
		testutil.Fails(t, testutil.Err(build(t, b, r.source(r.commit(map[string]string{"build.sh": script})))),
			"exit status 6")
	}
	unharmed(t, b)
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "gogi-build-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// processesOf returns the number of processes of a user.
func processesOf(t *testing.T, name string) (n int) {
	t.Helper()
	u := testutil.Must(user.Lookup(name))(t)
	for _, file := range testutil.Must(filepath.Glob("/proc/[0-9]*/status"))(t) {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), "\nUid:\t"+u.Uid+"\t") {
			n++
		}
	}
	return n
}
