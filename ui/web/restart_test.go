package web

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match/control"
	"gogi/results"
	"gogi/runner/socket"
)

// servesDB names the database that this binary serves instead of testing, and servesAt the address. So a test can kill
// a process that serves.
const servesDB, servesAt = "GOGI_TEST_SERVES_DB", "GOGI_TEST_SERVES_AT"

func TestMain(m *testing.M) {
	if db := os.Getenv(servesDB); db != "" {
		if err := serveProcess(db, os.Getenv(servesAt)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// most tests wait for the browser, unless -parallel sets another number
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// serveProcess does the same as gogi serve: it serves all stored runs, and the runs that other processes play.
func serveProcess(db, addr string) error {
	ctx := context.Background()
	store, err := results.OpenExisting(ctx, db)
	if err != nil {
		return err
	}
	s, err := Listen(ctx, Config{Addr: addr, Store: store, Live: socket.NewNearby(ctx, db),
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err != nil {
		return err
	}
	fmt.Println(s.URL())
	return s.Serve(ctx)
}

// serving is a process that runs serveProcess.
type serving struct {
	cmd *exec.Cmd
	url string
}

func startServing(t *testing.T, db, addr string) *serving {
	t.Helper()
	p := &serving{cmd: exec.CommandContext(t.Context(), os.Args[0])}
	p.cmd.Env = append(os.Environ(), servesDB+"="+db, servesAt+"="+addr)
	p.cmd.Stderr = os.Stderr
	out := testutil.Must(p.cmd.StdoutPipe())(t)
	testutil.OK(t, p.cmd.Start())
	t.Cleanup(p.kill)
	said := bufio.NewReader(out)
	line, err := said.ReadString('\n')
	testutil.OK(t, err, "the server said %q", line)
	go io.Copy(io.Discard, said) // until its end
	p.url = strings.TrimSpace(line)
	return p
}

// kill sends SIGKILL and waits until the process has ended.
func (p *serving) kill() {
	_ = p.cmd.Process.Kill() // the process may have ended
	_ = p.cmd.Wait()
}

// testKilled kills the serving process (SIGKILL) and starts another. A page of boards then continues with the moves
// that were played in between, and shows nothing twice. Links of stored games lead to the same games.
func (b *browser) testKilled(t *testing.T) {
	db := filepath.Join(t.TempDir(), "games.db")
	store := testutil.Must(results.Open(t.Context(), db))(t)
	storeRun(t, store, "run", 3)
	testutil.OK(t, store.Close())
	s := newStage("run", 2)
	way := testutil.Must(socket.Listen(socket.Path(db, "run"),
		func(context.Context, control.Command) error { return nil }))(t)
	served := make(chan struct{})
	go func() { way.Serve(s.hub); close(served) }()
	t.Cleanup(func() { s.hub.Close(); <-served })

	first := startServing(t, db, "127.0.0.1:0")
	boards, stored := b.tab(t), b.tab(t)
	link := first.url + "r/run/g/1.0?ply=2&lang=en"
	stored.open(link)
	before := says[string](stored, `document.querySelector('main').innerHTML`)
	s.step(0, 0, 99)
	s.step(1, 0, 99)
	boards.open(first.url + "r/run/live?lang=en")
	boards.until(`document.querySelector('[data-seat="/0"] [data-f=game]').textContent === '0.0'`)

	first.kill()
	boards.until(`document.querySelector('[data-f=link]').textContent !== ''`)
	for i := range 40 { // a whole game and more
		s.step(i%2, i, 12)
	}
	second := startServing(t, db, strings.TrimSuffix(strings.TrimPrefix(first.url, "http://"), "/"))
	testutil.Require(t, second.url == first.url, "at %s, then at %s", first.url, second.url)
	for i, table := range s.tables {
		boards.until(fmt.Sprintf(`document.querySelector('[data-seat="/%d"] [data-f=picture]').dataset.sfen === %q`, i,
			table.board.SFEN()))
		boards.until(fmt.Sprintf(`document.querySelector('[data-seat="/%d"] [data-f=game]').textContent === %q`, i,
			gameName(table.pair, table.leg)))
	}
	boards.until(`document.querySelector('[data-f=link]').textContent === ''`)
	testutil.Equal(t, says[int](boards,
		`document.querySelectorAll('[data-seats] [data-seat], [data-more] [data-seat]').length`), 2, "seats")
	s.step(0, 5, 99) // the run continues
	boards.until(fmt.Sprintf(`document.querySelector('[data-seat="/0"] [data-f=picture]').dataset.sfen === %q`,
		s.tables[0].board.SFEN()))
	finished := s.hub.State().State.Finished
	boards.until(fmt.Sprintf(`document.querySelector('[data-f=finished]').textContent === '%d'`, finished))

	stored.open(link)
	after := says[string](stored, `document.querySelector('main').innerHTML`)
	testutil.Check(t, after == before, "the link of a game led to\n%s\nand then to\n%s", before, after)
	stored.quiet()
}
