// Package builder builds engines from git commits on a worker's machine. It does not trust the authors of the
// commits and of the build scripts. So each command runs in a [Sandbox] and exchanges data with gogi only
// through its standard input and output. A [Builder] fetches a commit, builds it by its recipe, compares its
// bench (a node count) with the expected one, and stores the program under its SHA-256.
package builder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"gogi/farm"
	"gogi/farm/files"
	"gogi/internal/sanitize"
	"gogi/match"
)

// A Builder builds engines from git commits. Its methods are safe for concurrent use; one build runs at a
// time.
type Builder struct {
	Store   *files.Store // stores the programs
	Dir     string       // for the index of the programs in Store
	Sandbox *Sandbox
	ISAs    []string // instruction sets of this machine, the best first
	Jobs    int      // number of parallel jobs of a build
	Log     *slog.Logger

	mu     sync.Mutex
	failed map[string]error // failed builds, which are not tried again before the next start
}

const (
	maxFile   = 256 << 20 // bytes of a fetched commit and of a built program, which are in memory
	maxText   = 1 << 20   // bytes that a compiler prints as its version
	benchSize = 4096      // bytes of the end of a bench's text, and of the end of a commit's message
)

// Built describes a program that was built from a commit.
type Built struct {
	SHA256  string
	Message uint64 // number of nodes of the bench in the commit's message; 0: it has none
}

// Build returns the program that s describes; the program is in b.Store. If this machine has
// already built the same commit by the same recipe with the same compiler for the same instruction set, Build
// uses that program.
func (b *Builder) Build(ctx context.Context, s match.Source) (built Built, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, err := farm.ParseRecipe(s.Recipe)
	if err != nil {
		return built, err
	}
	isa, err := r.BestISA(b.ISAs)
	if err != nil {
		return built, err
	}
	compiler, err := b.Sandbox.run(ctx,
		job{script: `sh -c "$1" 2>&1`, args: []string{r.Compiler}, limit: time.Minute, most: maxText})
	if err != nil {
		return built, fmt.Errorf("the compiler of the recipe: %w", err)
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%q",
		[]string{s.Commit, s.Recipe, string(compiler), runtime.GOOS, runtime.GOARCH, isa, strconv.FormatUint(s.Bench, 10)}))
	key := hex.EncodeToString(hash[:])
	index := filepath.Join(b.Dir, key)
	if text, err := os.ReadFile(index); err == nil {
		if built, ok := parseBuilt(string(text)); ok && b.Store.Has(built.SHA256) {
			return built, nil
		}
	}
	if err := b.failed[key]; err != nil {
		return built, err
	}
	b.Log.Info("building an engine", "repository", s.Repository, "commit", s.Commit, "isa", isa, "sandbox", b.Sandbox.Kind)
	pack, err := b.fetch(ctx, s)
	if err != nil {
		return built, fmt.Errorf("commit %.10s cannot be fetched from %s: %w", s.Commit, s.Repository, err)
	}
	program, message, err := b.build(ctx, s, r, isa, pack)
	if err != nil {
		err = fmt.Errorf("commit %.10s: %w", s.Commit, err)
		if ctx.Err() == nil {
			if b.failed == nil {
				b.failed = map[string]error{}
			}
			b.failed[key] = err
		}
		return built, err
	}
	built.Message = message
	if built.SHA256, err = b.Store.Put(bytes.NewReader(program), "", maxFile); err == nil {
		err = errors.Join(os.MkdirAll(b.Dir, 0o700), os.WriteFile(index, []byte(built.text()), 0o600))
	}
	return built, err
}

// text returns the content of the index file of a build.
func (b Built) text() string { return fmt.Sprintf("%s %d", b.SHA256, b.Message) }

// parseBuilt parses the content of an index file. ok is false for a file of an earlier gogi, which has no bench of the
// message; the commit is then built again.
func parseBuilt(text string) (b Built, ok bool) {
	n, err := fmt.Sscanf(text, "%s %d", &b.SHA256, &b.Message)
	return b, n == 2 && err == nil
}

// fetch returns a pack with the objects of a commit.
func (b *Builder) fetch(ctx context.Context, s match.Source) ([]byte, error) {
	j := job{script: fetchScript, args: []string{s.Repository, s.Commit}, limit: 10 * time.Minute, online: true,
		most: maxFile}
	if path, local := strings.CutPrefix(s.Repository, "file://"); local {
		j.online = false
		if b.Sandbox.user == nil {
			j.folder, j.args[0] = path, "file:///repository"
		}
	}
	return b.Sandbox.run(ctx, j)
}

// build builds a commit, compares its bench, and returns the program and the bench in the commit's message.
func (b *Builder) build(ctx context.Context, s match.Source, r *farm.BuildRecipe, isa string,
	pack []byte) (program []byte, message uint64, err error) {
	out, err := b.Sandbox.run(ctx, job{
		script: buildScript, args: append([]string{s.Commit, r.Output, r.Bench}, r.Build...), limit: r.Timeout, in: pack,
		most: maxFile, online: r.Network,
		env: []string{"GOGI_ISA=" + isa, "GOGI_ARCH=" + runtime.GOARCH, "GOGI_JOBS=" + strconv.Itoa(max(1, b.Jobs))},
	})
	if err != nil {
		return nil, 0, fmt.Errorf("the build failed: %w", err)
	}
	next := func() string {
		size := min(benchSize, len(out))
		text := strings.TrimRight(string(out[:size]), "\x00")
		out = out[size:]
		return text
	}
	message = farm.BenchIn(next())
	bench := next()
	nodes, err := r.NodesIn(bench)
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("%w: %s", err, sanitize.LastLine([]byte(bench), true, 160))
	case nodes != s.Bench && message != 0:
		return nil, 0, fmt.Errorf("the bench has %d nodes here, %d at the submitter, and %d in the commit message", nodes,
			s.Bench, message)
	case nodes != s.Bench:
		return nil, 0, fmt.Errorf("the bench has %d nodes here, and %d at the submitter", nodes, s.Bench)
	}
	return out, message, nil
}

// fetchScript prints a pack with the objects of the commit $2 in the repository $1. Git may use no other protocol,
// no redirection and no configuration of the machine, and it asks for no password.
const fetchScript = `exec 3>&1 1>&2 </dev/null
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=true
git init -q --bare .
git config --global safe.directory '*'
git -c protocol.allow=never -c protocol.https.allow=always -c protocol.file.allow=always -c http.followRedirects=false \
	fetch -q --depth 1 --no-tags --no-recurse-submodules -- "$1" "$2:refs/heads/commit"
[ "$(git rev-parse refs/heads/commit)" = "$2" ]
echo "$2" | git pack-objects -q --revs --stdout >&3
`

// buildScript checks out the commit $1 from a pack, runs the steps $4 and so on, and prints the end of the commit's
// message and the end of the bench $3, each padded to benchSize bytes, and the file $2. It prints the message before
// the steps, which could change it. Git computes all hashes from the content of the pack, so that the files are those
// of the commit.
const buildScript = `exec 3>&1 1>&2
padded() { tail -c 4096 | dd ibs=4096 obs=4096 iflag=fullblock conv=sync count=1 status=none; }
commit=$1 output=$2 bench=$3
shift 3
export GIT_CONFIG_NOSYSTEM=1
git init -q .
git index-pack --stdin >/dev/null
echo "$commit" >.git/shallow
exec </dev/null
{ git log -1 --format=%B "$commit"; echo; } | padded >&3
git -c advice.detachedHead=false checkout -q "$commit"
for step; do sh -euc "$step" 3>&-; done
[ -f "$output" ] && [ ! -L "$output" ] && [ -s "$output" ] || { echo "output: $output is no regular file, or empty" >&2; exit 1; }
case $(realpath -- "$output") in
"$(realpath .)"/*) ;;
*) echo "output: $output is outside of the checkout" >&2; exit 1 ;;
esac
{ sh -euc "$bench" 2>&1 3>&- || echo "exit status $?"; echo; } | padded >&3
cat -- "$output" >&3
`
