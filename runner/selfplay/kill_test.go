package selfplay

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"gogi/internal/testutil"
	"gogi/usi"
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

// told is a Player that writes a byte for every search, so that whoever reads them knows
// how far the child is, and can kill it there.
type told struct{ builtinEngine }

func (p told) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	_, _ = os.Stdout.WriteString(".")
	return p.builtinEngine.Think(ctx, r)
}

// toldContext writes a byte whenever it is asked, as Make does between blocks.
type toldContext struct{ context.Context }

func (c toldContext) Err() error {
	_, _ = os.Stdout.WriteString("m")
	return c.Context.Err()
}

// child plays into a folder and makes the data.
func child(path string) error {
	t := &testing.T{} // nothing is told of it: these steps do not fail
	g := generator(t)
	g.Open = func(ctx context.Context) (Player, error) {
		p, err := openBuiltin(ctx)
		if err != nil {
			return nil, err
		}
		return told{p.(builtinEngine)}, nil
	}
	f, err := OpenFolder(path, g.Plan, g.Design)
	if err != nil {
		return err
	}
	r := Run{Folder: f, Generator: g, Blocks: childBlocks, Slots: 2}
	if _, err := r.Play(context.Background()); err != nil {
		return err
	}
	if _, err := f.Make(toldContext{context.Background()}, childBlocks, testData(t, "psv")); err != nil {
		return err
	}
	return f.Close()
}

// Killed at any moment, many times over, the child makes in the end what one that nobody
// disturbs makes: the same files with the same bytes, and no others.
func TestKill(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	g := generator(t)
	f := openFolder(t, g, whole)
	m := testutil.Must(made(t.Context(), g, f, childBlocks, 1, testData(t, "psv")))(t)
	if m.Statistics.Games != childBlocks*g.Design.Games || len(m.Shards) < 2 {
		t.Fatalf("%d games, %d shards", m.Statistics.Games, len(m.Shards))
	}
	path := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	kills, playing, making := 0, 0, 0
	for ended := false; !ended; {
		if kills > 500 {
			t.Fatal("it does not get on")
		}
		// Now and then it is let alone for longer, so that it gets as far as the data.
		var last byte
		last, ended = killed(t, path, 1+random.IntN(100<<random.IntN(4)))
		switch {
		case ended:
		case last == 'm':
			making++
		default:
			playing++
		}
		kills++
	}
	t.Logf("%d kills while it played, %d while it made the data", playing, making)
	if playing < 10 {
		t.Errorf("it was killed %d times while it played, and %d times while it made the data", playing, making)
	}
	for range 5 { // while the data are made, over and over
		if last, ended := killed(t, path, 1+random.IntN(childBlocks)); ended || last != 'm' {
			t.Errorf("it was not killed while it made the data: %q", last)
		}
	}
	if _, ended := killed(t, path, 1<<30); !ended {
		t.Error("it did not end")
	}
	same(t, files(t, path), files(t, whole))
}

// killed starts the child and kills it once it has told so many bytes. last is the last of
// these; ended: it had ended before.
func killed(t *testing.T, path string, after int) (last byte, ended bool) {
	t.Helper()
	c := exec.Command(os.Args[0], childWord, path) //nolint:gosec // it is this program
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	testutil.OK(t, err)
	b := make([]byte, 1)
	for range after {
		if _, err := io.ReadFull(out, b); err != nil {
			testutil.OK(t, c.Wait())
			return b[0], true
		}
	}
	testutil.OK(t, c.Process.Signal(syscall.SIGKILL))
	_ = c.Wait() // it was killed
	return b[0], false
}
