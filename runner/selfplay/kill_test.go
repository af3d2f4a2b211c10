package selfplay

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

const (
	childWord   = "selfplay-child"
	childBlocks = 10
)

// TestMain makes this process the child of TestKill where that started it.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == childWord {
		if err := child(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(m.Run())
}

// toldContext writes a byte whenever it is asked, as Make does between blocks.
type toldContext struct{ context.Context }

func (c toldContext) Err() error {
	_, _ = os.Stdout.WriteString("m")
	return c.Context.Err()
}

// child makes the data of a folder of an earlier gogi.
func child(path string) error {
	from, err := Old(path)
	if err != nil {
		return err
	}
	_, err = Make(toldContext{context.Background()}, path, from, childBlocks, testData(&testing.T{}, "psv"))
	return err
}

// oldFolder writes blocks as an earlier gogi did.
func oldFolder(t *testing.T, path string, p *player, from Source, blocks int) {
	t.Helper()
	own := *p.Plan
	own.Design = match.Design{}
	text := testutil.Must(json.Marshal(settings{settingsVersion, own.Canonical(), *p.Design}))(t)
	testutil.OK(t, os.WriteFile(filepath.Join(path, settingsName), append(text, '\n'), 0o600))
	testutil.OK(t, os.Mkdir(filepath.Join(path, blocksName), 0o700))
	for n := range blocks {
		b, _, err := from.Read(t.Context(), n)
		testutil.OK(t, err)
		name := filepath.Join(path, blocksName, fmt.Sprintf("%08d.block", n))
		testutil.OK(t, os.WriteFile(name, testutil.Must(b.Encode(from.Digest))(t), 0o600))
	}
}

// Killed at any block while it makes the data, many times over, the child makes in the end
// what one that nobody disturbs makes: the same files with the same bytes, and no others.
func TestKill(t *testing.T) {
	t.Parallel()
	p, path := newPlayer(t), t.TempDir()
	from := p.source(t, 2, childBlocks)
	oldFolder(t, path, p, from, childBlocks)
	m := testutil.Must(Make(t.Context(), path, from, childBlocks, testData(t, "psv")))(t)
	if m.Statistics.Games != childBlocks*p.Design.Games || len(m.Shards) < 2 {
		t.Fatalf("%d games, %d shards", m.Statistics.Games, len(m.Shards))
	}
	want := files(t, path)
	for after := range childBlocks {
		if killed(t, path, after+1) {
			t.Errorf("it was not killed at block %d", after)
		}
		if _, err := os.Stat(filepath.Join(path, manifestName)); err == nil {
			t.Errorf("killed at block %d, it has a manifest", after)
		}
	}
	if !killed(t, path, 1<<30) {
		t.Error("it did not end")
	}
	same(t, files(t, path), want)
}

// killed starts the child and kills it once it has written so many bytes; false: it had ended
// before.
func killed(t *testing.T, path string, after int) (ended bool) {
	t.Helper()
	c := exec.Command(os.Args[0], childWord, path) //nolint:gosec // it is this program
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	testutil.OK(t, err)
	if _, err := io.CopyN(io.Discard, out, int64(after)); err != nil {
		testutil.OK(t, c.Wait())
		return true
	}
	testutil.OK(t, c.Process.Signal(syscall.SIGKILL))
	_ = c.Wait() // it was killed
	return false
}
