package games

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/report/stored"
	"gogi/results"
	"gogi/results/repair"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
	kifutext "gogi/shogi/kifu/text"
)

// TestMain lets the test binary be the exporting process of TestKilled.
func TestMain(m *testing.M) {
	if db := os.Getenv("RECORDS_EXPORT_FROM"); db != "" {
		exportForEver(db, os.Getenv("RECORDS_EXPORT_TO"))
	}
	os.Exit(m.Run())
}

func openStore(t *testing.T) *results.Store {
	t.Helper()
	store := testutil.Must(results.Open(t.Context(), filepath.Join(t.TempDir(), "gogi.db")))(t)
	t.Cleanup(func() {
		testutil.OK(t, store.Close())
	})
	return store
}

// lines returns games as JSON lines, in the order of their names.
func lines(t *testing.T, games map[string]*kifu.Record) []byte {
	t.Helper()
	var text []byte
	for _, name := range slices.Sorted(mapKeys(games)) {
		var err error
		if text, err = kifutext.AppendJSON(text, games[name]); err != nil {
			t.Fatal(err)
		}
	}
	return text
}

func mapKeys(games map[string]*kifu.Record) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range games {
			if !yield(name) {
				return
			}
		}
	}
}

func importText(t *testing.T, store *results.Store, run string, text []byte) (*Imported, []Refusal) {
	t.Helper()
	var refused []Refusal
	i := Import{Run: run, Sources: []string{"-"}, In: bytes.NewReader(text), OpeningPlies: 24, Refused: func(r Refusal) {
		refused = append(refused, r)
	}}
	done := testutil.Must(i.Into(t.Context(), store))(t)
	return done, refused
}

func runOf(t *testing.T, store *results.Store, name string) *results.RunInfo {
	t.Helper()
	return testutil.Must(store.FindRun(t.Context(), name))(t)
}

func exported(t *testing.T, store *results.Store, run, format string, f Filter) ([]*kifu.Record, *Tally) {
	t.Helper()
	kind := testutil.Must(kifutext.Find(Formats(packed.Options{}, &packed.Tally{}), format))(t)
	var out bytes.Buffer
	tally := testutil.Must((&Export{Format: kind, Filter: f}).Run(t.Context(), store, runOf(t, store, run), "-", &out))(t)
	if kind.Read == nil {
		return nil, tally
	}
	list := testutil.Must(testutil.ReadAll(kind.Read(kifutext.NewInput("out", &out)).Next))(t)
	return list, tally
}

// TestImportedComesBack: an imported game is exported unchanged, with comments, ratings, clocks and all other data. A
// second import adds nothing. Other games under the same name are rejected.
func TestImportedComesBack(t *testing.T) {
	games := playedGames(t)
	for _, g := range games {
		g.Ratings, g.About, g.Comment, g.MaxMoves = [2]float64{3500, 0}, [2]string{"x", ""}, "before", 320
		g.Clocks = [2]kifu.Clock{{Main: time.Minute}, {Byoyomi: time.Second}}
		g.Moves[1].Comment, g.Header.Opening, g.Jishogi = "here", "book:1", 27
	}
	store := openStore(t)
	text := lines(t, games)
	done, refused := importText(t, store, "run", text)
	testutil.Require(t, done.Games == len(games) && done.Added == len(games) && done.Players == 2 && len(refused) == 0,
		"%+v, %v", done, refused)
	again, _ := importText(t, store, "run", text)
	testutil.Check(t, again.Added == 0 && again.Games == len(games), "again: %+v", again)
	list, tally := exported(t, store, "run", "jsonl", Filter{})
	testutil.Check(t, tally.Games == len(games) && tally.Skips() <= 0, "%+v", tally)
	for i, name := range slices.Sorted(mapKeys(games)) {
		diff := otherRecord(games[name], list[i])
		testutil.Require(t, diff == "", "%s (-imported +exported):\n%s", name, diff)
	}
	i := Import{Run: "run", Sources: []string{"-"},
		In: bytes.NewReader(text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1]), Refused: func(Refusal) {}}
	var other *results.DifferentPlan
	if _, err := i.Into(t.Context(), store); !errors.As(err, &other) {
		t.Errorf("other games under the name: %v", err)
	}
	checkup, err := repair.Check(t.Context(), store, repair.CheckOptions{Replay: true})
	testutil.Check(t, err == nil && checkup.Sound(), "the database is not sound: %v, %+v", err, checkup)
}

// otherRecord returns the difference of two games, or "" if they are equal. reflect compares first, because cmp is far
// slower. reflect distinguishes the zones of a time, so equal times are copied.
func otherRecord(want, got *kifu.Record) string {
	there := *got
	if want.Started.Equal(got.Started) {
		there.Started = want.Started
	}
	if want.Header.Ended.Equal(got.Header.Ended) {
		there.Header.Ended = want.Header.Ended
	}
	if reflect.DeepEqual(want, &there) {
		return ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.Comparer(time.Time.Equal))
}

// TestFilters: each filter passes as many games as the test counts from the games.
func TestFilters(t *testing.T) {
	games := playedGames(t)
	store := openStore(t)
	importText(t, store, "run", lines(t, games))
	lostFrom := func(player string) func(*kifu.Record, int) bool {
		return func(g *kifu.Record, _ int) bool {
			loser := map[string]int{"white": 0, "black": 1}
			c, lost := loser[g.Winner]
			if !lost || player != "" && g.Names()[c] != player {
				return false
			}
			for i, m := range g.Moves {
				if (i+firstSide(g))%2 == c && m.HasScore && m.Score >= 1800 {
					return true
				}
			}
			return false
		}
	}
	for name, c := range map[string]struct {
		filter Filter
		want   func(g *kifu.Record, pair int) bool
	}{
		"all": {Filter{}, func(*kifu.Record, int) bool { return true }},
		"termination": {Filter{Search: results.Search{Termination: match.Crash}}, func(g *kifu.Record, _ int) bool {
			return g.Result == "crash"
		}},
		"plies": {Filter{Search: results.Search{MinPlies: 60}}, func(g *kifu.Record, _ int) bool {
			return len(g.Moves) >= 60
		}},
		"pairs": {Filter{Search: results.Search{Pairs: &[2]int{3, 7}}}, func(_ *kifu.Record, pair int) bool {
			return pair >= 3 && pair <= 7
		}},
		"lost from":   {Filter{LostFrom: 1800}, lostFrom("")},
		"B lost from": {Filter{LostFrom: 1800, Search: results.Search{Player: "B"}}, lostFrom("B")},
		"games by name": {Filter{Games: []results.GamePlace{{Pair: 9}, {Pair: 2}}}, func(_ *kifu.Record, pair int) bool {
			return pair == 9 || pair == 2
		}},
	} {
		want := 0
		for pair, game := range slices.Sorted(mapKeys(games)) { // imported in this order
			if c.want(games[game], pair) {
				want++
			}
		}
		_, tally := exported(t, store, "run", "csa", c.filter)
		testutil.Check(t, tally.Games == want && want != 0, "%s: %d games, want %d", name, tally.Games, want)
	}
	x := Export{Format: kifutext.Text()[0], Filter: Filter{Games: []results.GamePlace{{Pair: 9999}}}}
	testutil.Fails(t, testutil.Err(x.Run(t.Context(), store, runOf(t, store, "run"), "-", io.Discard)), "no game 9999.0")
}

// TestSkipped: games that a format cannot represent are counted by reason. The format pack needs a score of every move.
func TestSkipped(t *testing.T) {
	games := playedGames(t)
	store := openStore(t)
	importText(t, store, "run", lines(t, games))
	_, tally := exported(t, store, "run", "pack", Filter{})
	testutil.Check(t, tally.Skipped[ReasonUnscored] == tally.Skips() && tally.Skips() != 0 &&
		tally.Skips()+tally.Games == len(games),
		"%+v of %d", tally, len(games))
}

// TestExportEqualsRecount: the results of each player are equal in floodgate's summaries of the exported files, in the
// stored rows and in the report's JSON.
func TestExportEqualsRecount(t *testing.T) {
	games := playedGames(t)
	store := openStore(t)
	importText(t, store, "run", lines(t, games))
	folder := filepath.Join(t.TempDir(), "out") + "/"
	testutil.Must((&Export{Format: kifutext.Text()[0]}).Run(t.Context(), store, runOf(t, store, "run"), folder, nil))(t)
	paths, err := filepath.Glob(folder + "run+*.csa")
	testutil.Require(t, err == nil && len(paths) == len(games), "%d files, %v", len(paths), err)
	got, want := map[string]int{}, map[string]int{}
	for _, path := range paths {
		text := testutil.Must(os.ReadFile(path))(t)
		for line := range strings.Lines(string(text)) {
			if parts := strings.Split(strings.TrimSpace(line), ":"); parts[0] == "'summary" {
				got[parts[2]]++
			}
		}
	}
	err = store.Games(t.Context(), runOf(t, store, "run").ID, func(r match.Row) error {
		word := map[match.Outcome]string{match.BlackWins: " win", match.WhiteWins: " lose", match.Draw: " draw"}[r.Outcome]
		want[strings.ReplaceAll(r.Black, ",", `\c`)+word]++
		return nil
	})
	diff := cmp.Diff(want, got)
	testutil.Check(t, err == nil && diff == "" && len(want) == 3, "%v (-stored +exported):\n%s", err, diff)
	testutil.Diff(t, reported(t, store), got, "(-reported +exported)")
}

// reported returns the results of each player as Black from the report's JSON.
func reported(t *testing.T, store *results.Store) map[string]int {
	t.Helper()
	report := testutil.Must(stored.Report(t.Context(), store, "run"))(t)
	text := testutil.Must(json.Marshal(report))(t)
	var said struct {
		Players []struct {
			Name  string
			Black map[string]int
		}
	}
	testutil.OK(t, json.Unmarshal(text, &said))
	ends := map[string]int{}
	for _, p := range said.Players {
		for word, key := range map[string]string{" win": "wins", " lose": "losses", " draw": "draws"} {
			if n := p.Black[key]; n > 0 {
				ends[strings.ReplaceAll(p.Name, ",", `\c`)+word] += n
			}
		}
	}
	return ends
}

// zipOf returns an archive of one file.
func zipOf(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write(data)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestSources: folders, archives and compressed files are read completely, each in its own format. A file of another
// kind is named, and the others are still read.
func TestSources(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	games := playedGames(t)
	names := slices.Sorted(mapKeys(games))
	dir := t.TempDir()
	text := func(format string, n int) []byte {
		f := testutil.Must(kifutext.Find(kifutext.Text(), format))(t)
		return testutil.Must(f.Append(nil, games[names[n]]))(t)
	}
	write(t, filepath.Join(dir, "a.csa"),
		append(append(text("csa", 0), "/\nV2.2\nPI\n+\n+9999FU\n/\n"...), text("csa", 1)...))
	write(t, filepath.Join(dir, "b.txt"), []byte("hello\n"))
	write(t, filepath.Join(dir, "c.kifu"), text("kif", 2))
	write(t, filepath.Join(dir, "d.7z"), []byte("7z"))
	write(t, filepath.Join(dir, "e.usi"), text("usi", 3))
	var zipped, squeezed bytes.Buffer
	z := zip.NewWriter(&zipped)
	for i, format := range []string{"jkf", "ki2"} {
		w := testutil.Must(z.Create("2024/game." + format))(t)
		testutil.Must(w.Write(text(format, 4+i)))(t)
	}
	g := gzip.NewWriter(&squeezed)
	_, err := g.Write(text("csa3", 6))
	if err = errors.Join(err, g.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "f.zip"), zipped.Bytes())
	write(t, filepath.Join(dir, "g.csa.gz"), squeezed.Bytes())
	write(t, filepath.Join(dir, "h.zip"), []byte("no archive"))
	write(t, filepath.Join(dir, "i.zip"), zipOf(t, "inner.zip", zipped.Bytes()))
	write(t, filepath.Join(dir, "j.zip"), zipOf(t, "games.csa", text("csa", 7)))
	var refused []string
	i := Import{Run: "run", Sources: []string{dir}, Refused: func(r Refusal) {
		testutil.Check(t, filepath.Ext(r.File) != ".7z" || strings.Contains(r.Why, `7z x "d.7z"`),
			"the refusal of a .7z names no command that unpacks it: %s", r.Why)
		refused = append(refused, fmt.Sprintf("%s:%d:%d", filepath.Base(r.File), r.Game, r.Line))
	}}
	done, err := i.Into(t.Context(), openStore(t))
	testutil.Check(t, err == nil && done.Games == 7, "%+v, %v", done, err)
	left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "gogi-import-*"))
	testutil.Check(t, len(left) == 0, "left behind: %v", left)
	lines := bytes.Count(text("csa", 0), []byte("\n"))
	want := []string{fmt.Sprintf("a.csa:2:%d", lines+5), "b.txt:0:0", "d.7z:0:0", "e.usi:1:0", "h.zip:0:0",
		"inner.zip:0:0"}
	testutil.Diff(t, want, refused, "refused")
	i = Import{Run: "none", Sources: []string{filepath.Join(dir, "b.txt")}, Refused: func(Refusal) {}}
	testutil.Is(t, testutil.Err(i.Into(t.Context(), openStore(t))), ErrNoGames, "nothing to import")
}

// TestYearOfFloodgate: an archive of three floodgate games is read completely, with the ratings. A damaged archive is
// rejected, and the import continues.
func TestYearOfFloodgate(t *testing.T) {
	t.Parallel()
	whole := testutil.Must(os.ReadFile("testdata/floodgate.zip"))(t)
	var names, refused []string
	read := func(path string) {
		names, refused = nil, nil
		err := Each(t.Context(), []string{path}, nil, func(r Refusal) { refused = append(refused, r.File) },
			func(r *kifu.Record, at Refusal) error {
				names = append(names, r.Black)
				if r.Ratings != [2]float64{3512, 2812.5} || r.Winner != "white" ||
					!strings.Contains(at.File, "floodgate.zip/2024/01/01/wdoor+") {
					t.Errorf("%s: %v, won by %s", at.File, r.Ratings, r.Winner)
				}
				return nil
			})
		testutil.OK(t, err)
	}
	read("testdata/floodgate.zip")
	if slices.Sort(names); !slices.Equal(names, []string{"gikou", "gps", "suisho"}) || len(refused) != 0 {
		t.Errorf("%q, refused %q", names, refused)
	}
	path := filepath.Join(t.TempDir(), "floodgate.zip")
	for at := 0; at < len(whole); at += testutil.ByLength(5, 1) { // a byte of the header or of the packed data
		broken := bytes.Clone(whole)
		broken[at] ^= 0x55
		write(t, path, broken)
		_ = Each(t.Context(), []string{path}, nil, func(Refusal) {}, func(*kifu.Record, Refusal) error { return nil })
	}
	write(t, path, whole[:len(whole)-1])
	if read(path); len(names) != 0 || len(refused) != 1 {
		t.Errorf("cut: %q, refused %q", names, refused)
	}
}

// TestBounds: the unpacked size of a file in an archive has a limit, and so has the length of a game.
func TestBounds(t *testing.T) {
	t.Parallel()
	testutil.Fails(t, testutil.Err(io.ReadAll(&bounded{strings.NewReader("hello"), 4})), "unpacks to more")
	text, err := io.ReadAll(&bounded{strings.NewReader("hello"), 5})
	testutil.Check(t, err == nil && string(text) == "hello", "%q, %v", text, err)
	r := kifu.Record{Winner: "black", Moves: make([]kifu.Move, kifu.MaxPlies+1)}
	testutil.Contains(t, unfit(&r), "32769 plies")
}

// TestSourcesThatShrink: an import returns an error if games disappear after the first reading.
func TestSourcesThatShrink(t *testing.T) {
	games := playedGames(t)
	path := filepath.Join(t.TempDir(), "a.jsonl")
	write(t, path, lines(t, games))
	write(t, path+"x.txt", []byte("hello\n"))
	i := Import{Run: "run", Sources: []string{path, path + "x.txt"}, Refused: func(r Refusal) {
		if strings.HasSuffix(r.File, "x.txt") { // every file was read once
			write(t, path, nil)
		}
	}}
	_, err := i.Into(t.Context(), openStore(t))
	testutil.Check(t, errors.Is(err, errChanged), "all games are gone: %v", err)
}

// TestWhereAnExportMustNotGo: an export does not overwrite a database, or the target of a link.
func TestWhereAnExportMustNotGo(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	hello := func(w io.Writer) error {
		_, err := io.WriteString(w, "hello")
		return err
	}
	db := file("gogi.db")
	store, err := results.Open(t.Context(), db)
	if err = errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	before := testutil.Must(os.ReadFile(db))(t)
	testutil.Fails(t, Whole(db, hello), "database", "over a database")
	if after, err := os.ReadFile(db); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database has changed: %v", err)
	}
	write(t, file("real"), []byte("before"))
	if err := os.Symlink("real", file("link")); err != nil {
		t.Skip(err)
	}
	testutil.OK(t, Whole(file("link"), hello))
	at, err := os.Lstat(file("link"))
	if text, readErr := os.ReadFile(file("real")); err != nil || readErr != nil || at.Mode()&os.ModeSymlink == 0 ||
		string(text) != "hello" {
		t.Errorf("through a link: %v, %v, %v, %q", err, readErr, at, text)
	}
}

// TestAPrivateFileStaysPrivate: a file that is written again keeps its mode.
func TestAPrivateFileStaysPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	write(t, path, []byte("before"))
	for _, mode := range []os.FileMode{0o600, 0o640} {
		testutil.OK(t, os.Chmod(path, mode))
		testutil.OK(t, Whole(path, func(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }))
		testutil.Equal(t, testutil.Must(os.Stat(path))(t).Mode(), mode)
	}
}

// TestKilled: an export to a folder that is killed leaves only whole games under final names. An export to a file that
// is killed leaves no file.
func TestKilled(t *testing.T) {
	games := playedGames(t)
	path := filepath.Join(t.TempDir(), "gogi.db")
	store := testutil.Must(results.Open(t.Context(), path))(t)
	importText(t, store, "run", lines(t, games))
	testutil.OK(t, store.Close())
	for _, to := range []string{"folder/", "file.csa"} {
		out := filepath.Join(t.TempDir(), to)
		if strings.HasSuffix(to, "/") {
			out += "/"
		}
		kill(t, path, out)
		paths := testutil.Must(filepath.Glob(filepath.Join(out, "*.csa")))(t)
		if _, err := os.Stat(out); to == "file.csa" && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a file that was not finished has its name: %v", err)
		}
		testutil.Require(t, to != "folder/" || len(paths) >= 20, "%d files", len(paths))
		for _, p := range paths {
			text, err := os.ReadFile(p)
			testutil.Check(t, err == nil && strings.Contains(string(text), "\n'gogi:"), "%s is half a game: %v", p, err)
		}
	}
}

// kill exports in another process, and kills it in the middle.
func kill(t *testing.T, db, to string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RECORDS_EXPORT_FROM="+db, "RECORDS_EXPORT_TO="+to)
	out := testutil.Must(cmd.StdoutPipe())(t)
	testutil.OK(t, cmd.Start())
	scanner := bufio.NewScanner(out)
	for n := 0; n < 60 && scanner.Scan(); n++ {
	}
	testutil.OK(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
}

// exportForEver exports until it is killed, and prints a line for each game.
func exportForEver(db, to string) {
	ctx := context.Background()
	store, err := results.OpenExisting(ctx, db)
	if err != nil {
		panic(err)
	}
	info, err := store.FindRun(ctx, "run")
	if err != nil {
		panic(err)
	}
	told := kifutext.Text()[0]
	write := told.Append
	told.Append = func(dst []byte, r *kifu.Record) ([]byte, error) {
		fmt.Println("game")
		return write(dst, r)
	}
	for {
		x := Export{Format: told}
		if strings.HasSuffix(to, "/") {
			_, err = x.Run(ctx, store, info, to, nil)
		} else {
			x.Filter.Games = slices.Repeat([]results.GamePlace{{Pair: 1}}, 1_000_000)
			_, err = x.Run(ctx, store, info, to, nil)
		}
		if err != nil {
			panic(err)
		}
	}
}

// TestFileNames: no two games of a run have the same file name, for any names of players.
func TestFileNames(t *testing.T) {
	r := &kifu.Record{Black: "a/b c", White: ".." + strings.Repeat("長", 100),
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)}
	got := FileName("run", match.Row{Pair: 12, Leg: 1}, r)
	testutil.Equal(t, "run+a_b_c+"+strings.Repeat("長", 19)+"+20260102030405+12.1", got)
}

// cut is a stream without an end that calls first at each read.
type cut struct{ first func() }

func (c *cut) Read(p []byte) (int, error) {
	c.first()
	clear(p)
	return len(p), nil
}

// TestCancelledImport: a cancelled context ends the copy of the standard input, and leaves no file.
func TestCancelledImport(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	err := Each(ctx, []string{"-"}, &cut{first: cancel}, nil, nil)
	testutil.Check(t, errors.Is(err, context.Canceled), "the standard input: %v", err)
	left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*"))
	testutil.Check(t, len(left) == 0, "left behind: %v", left)
}
