package selfplay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
)

// A folder has the same files whoever plays into it, however many blocks at a time.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	g := generator(t)
	var want map[string]string
	for _, slots := range []int{1, 3} {
		path := t.TempDir()
		testutil.OK(t, testutil.Err(made(t.Context(), g, openFolder(t, g, path), 5, slots, testData(t, "pack"))))
		if got := files(t, path); want == nil {
			want = got
		} else {
			same(t, got, want)
		}
	}
}

// played is a folder of a few blocks, and their games.
func played(t *testing.T, g *Generator, blocks int) (*Folder, []Game) {
	t.Helper()
	f := openFolder(t, g, t.TempDir())
	r := Run{Folder: f, Generator: g, Blocks: blocks, Slots: 2}
	testutil.OK(t, testutil.Err(r.Play(t.Context())))
	var games []Game
	for n := range blocks {
		b, _, err := f.block(n)
		testutil.OK(t, err)
		games = append(games, b.Games...)
	}
	return f, games
}

// sample is a position as every format has it, in words.
func sample(p *shogi.Position, m shogi.Move, score int, winner string) string {
	sfen := p.SFEN()
	score = max(-packed.MaxScore, min(packed.MaxScore, score))
	return fmt.Sprint(sfen[:strings.LastIndexByte(sfen, ' ')], " ", m, " ", score, " ", winner)
}

// expected is what should be written of games: by sfen, not by the keys that Make uses.
func expected(t *testing.T, games []Game, distinct, noMate bool) (list []string, again int) {
	t.Helper()
	seen := map[string]bool{}
	for i := range games {
		p := testutil.Must(shogi.ParseSFEN(games[i].Start))(t)
		for _, m := range games[i].Moves {
			sfen := p.SFEN()
			sfen = sfen[:strings.LastIndexByte(sfen, ' ')]
			switch {
			case m.Opening, noMate && (m.Score > 500_000 || m.Score < -500_000):
			case distinct && seen[sfen]:
				again++
			default:
				seen[sfen] = true
				list = append(list, sample(&p, m.Move, m.Score, games[i].Winner))
			}
			p.Apply(m.Move)
		}
	}
	return list, again
}

// samples are what the shards of a folder have, read by package packed, in their order.
func samples(t *testing.T, f *Folder, m *Manifest, format packed.Format) (list []string) {
	t.Helper()
	for _, s := range m.Shards {
		data := testutil.Must(os.ReadFile(filepath.Join(f.Path, s.File)))(t)
		if s.Bytes != int64(len(data)) || s.SHA256 != sum(data) {
			t.Errorf("%+v is not what is there", s)
		}
		r := format.Samples(bytes.NewReader(data))
		for {
			s, _, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil {
				err = s.Legal()
			}
			testutil.OK(t, err)
			list = append(list, sample(&s.Position, s.Move, int(s.Score), s.Outcome.String()))
		}
	}
	return list
}

// Every position of the player's is written once, with what was played, its score and the
// true result; those of chance are not.
func TestSamples(t *testing.T) {
	t.Parallel()
	g := generator(t)
	g.Design.RandomMin, g.Design.RandomMax = 1, 2 // so that positions come again
	f, games := played(t, g, 6)
	for _, name := range []string{"psv", "hcpe"} {
		for _, distinct := range []int{0, 1} {
			for _, noMate := range []bool{false, true} {
				data := testData(t, name)
				data.Distinct, data.NoMate = distinct, noMate
				m := testutil.Must(f.Make(t.Context(), 6, data))(t)
				want, again := expected(t, games, distinct > 0, noMate)
				got := samples(t, f, m, data.Format)
				if slices.Equal(got, want) {
					t.Error("it is not shuffled")
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%s: %d positions, expected %d equal ones", name, len(got), len(want))
				}
				if s := m.Statistics; s.Positions != len(want) || s.Duplicates != again || distinct > 0 != (again > 0) || s.Forgotten != 0 {
					t.Errorf("%+v, expected %d positions and %d duplicates", s, len(want), again)
				}
				if n := len(m.Shards); n != (len(want)+199)/200 {
					t.Errorf("%d shards of %d positions", n, len(want))
				}
			}
		}
	}
}

// Games of hcpe3 and pack are those that were played, from the player's first move on; in
// hcpe3 a position that came before has no candidate, so that nobody learns from it.
func TestGames(t *testing.T) {
	t.Parallel()
	g := generator(t)
	g.Design.RandomMin, g.Design.RandomMax = 1, 2
	f, games := played(t, g, 6)
	for _, name := range []string{"hcpe3", "pack"} {
		data := testData(t, name)
		data.Shuffle, data.Positions = false, 0
		m, err := f.Make(t.Context(), 6, data)
		testutil.OK(t, err)
		text, err := os.ReadFile(filepath.Join(f.Path, m.Shards[0].File))
		if err != nil || len(m.Shards) != 1 {
			t.Fatal(err)
		}
		r := data.Format.Games(bytes.NewReader(text))
		learned := 0
		for i := range games {
			got, _, err := r.Next()
			testutil.OK(t, err)
			moves := games[i].Moves
			for len(moves) > 0 && moves[0].Opening {
				moves = moves[1:]
			}
			if len(got.Plies) != len(moves) || got.Outcome.String() != games[i].Winner {
				t.Fatalf("%s: game %d has %d plies for %s, expected %d for %s", name, i, len(got.Plies), got.Outcome, len(moves), games[i].Winner)
			}
			for j, p := range got.Plies {
				if p.Move != moves[j].Move || moves[j].Opening && len(p.Candidates) > 0 {
					t.Errorf("%s: game %d, ply %d: %+v", name, i, j, p)
				}
				learned += len(p.Candidates)
			}
		}
		if _, _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: after the last game %v", name, err)
		}
		want, _ := expected(t, games, true, false)
		if name == "hcpe3" && (learned != len(want) || m.Statistics.Positions != learned) {
			t.Errorf("%d positions to learn from, told %d, expected %d", learned, m.Statistics.Positions, len(want))
		}
	}
}

// Of equal games pack has one.
func TestPackOnce(t *testing.T) {
	t.Parallel()
	g, _ := answers(t, shuffles(0))
	g.Design.Games = 3
	f, games := played(t, g, 1)
	m := testutil.Must(f.Make(t.Context(), 1, testData(t, "pack")))(t)
	if s := m.Statistics; len(games) != 3 || s.Games != 3 || s.Positions != 12 || s.Duplicates != 24 {
		t.Errorf("%+v", s)
	}
}

// The data are the blocks without a gap: one beyond the first that is missing does not
// count. With it they are other data, and shards of before do not stay.
func TestPrefix(t *testing.T) {
	t.Parallel()
	g := generator(t)
	f, _ := played(t, g, 4)
	data := testData(t, "psv")
	all, err := f.Make(t.Context(), 4, data)
	testutil.OK(t, err)
	testutil.OK(t, os.Remove(f.blockPath(2)))
	two, err := f.Make(t.Context(), 4, data)
	if err != nil || len(two.Blocks) != 2 || two.Dataset == all.Dataset || len(two.Shards) >= len(all.Shards) {
		t.Fatalf("%+v, %v", two, err)
	}
	shards, err := os.ReadDir(filepath.Join(f.Path, shardsName))
	if err != nil || len(shards) != len(two.Shards) {
		t.Errorf("%d files, %v", len(shards), err)
	}
	r := Run{Folder: f, Generator: g, Blocks: 4, Slots: 3}
	if s, err := r.Play(t.Context()); err != nil || s.Blocks != 1 {
		t.Errorf("%+v, %v: expected the one that is missing to be played", s, err)
	}
	again, err := f.Make(t.Context(), 4, data)
	if err != nil || again.Dataset != all.Dataset {
		t.Errorf("%v, %v", again, err)
	}
	if stored, err := f.Manifest(); err != nil || stored.Dataset != all.Dataset || stored.Statistics.Positions != all.Statistics.Positions {
		t.Errorf("%+v, %v", stored, err)
	}
	if m, err := f.Made(4, data); err != nil || m == nil || m.Dataset != all.Dataset {
		t.Errorf("%+v, %v", m, err)
	}
	other := data
	other.Seed++
	for _, wanted := range []Data{other, testData(t, "hcpe")} {
		if m, err := f.Made(4, wanted); err != nil || m != nil {
			t.Errorf("%+v, %v", m, err)
		}
	}
	if m, err := f.Made(3, data); err != nil || m != nil {
		t.Errorf("%+v, %v", m, err)
	}
	testutil.OK(t, os.Truncate(filepath.Join(f.Path, all.Shards[1].File), 40))
	if m, err := f.Made(4, data); err != nil || m != nil {
		t.Errorf("%+v, %v", m, err)
	}
	// The hash over the list, reckoned apart.
	var list string
	for n := range 4 {
		text := testutil.Must(os.ReadFile(f.blockPath(n)))(t)
		list += sum(text) + "\n"
	}
	if all.Dataset != sum([]byte(list)) {
		t.Error(all.Dataset)
	}
}

// A damaged block is told, by its name, and makes no data.
func TestDamage(t *testing.T) {
	t.Parallel()
	g := generator(t)
	f, _ := played(t, g, 2)
	text := testutil.Must(os.ReadFile(f.blockPath(1)))(t)
	text[len(text)/2] ^= 1
	testutil.OK(t, os.WriteFile(f.blockPath(1), text, 0o600))
	if _, err := f.Make(t.Context(), 2, testData(t, "psv")); err == nil || !strings.Contains(err.Error(), "00000001.block: it is damaged") {
		t.Error(err)
	}
	if _, err := f.Manifest(); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if shards, err := os.ReadDir(filepath.Join(f.Path, shardsName)); err != nil || len(shards) != 0 {
		t.Errorf("%v, %v", shards, err)
	}
}

// On a full disk the run ends with that error, and goes on where there is room again:
// nothing is lost of what it had, and nothing half is there.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	g := generator(t)
	f := openFolder(t, g, t.TempDir())
	full := func(path string) string {
		dir, name := filepath.Split(path)
		part := filepath.Join(dir, "."+name+".part")
		if err := os.Symlink("/dev/full", part); err != nil { // writing there says ENOSPC
			t.Fatal(err)
		}
		return part
	}
	full(f.blockPath(2))
	r := Run{Folder: f, Generator: g, Blocks: 4, Slots: 1}
	if _, err := r.Play(t.Context()); err == nil || !strings.Contains(err.Error(), "keeping block 2") || !strings.Contains(err.Error(), "no space left on device") {
		t.Fatal(err)
	}
	if there, err := f.Blocks(); err != nil || len(there) != 2 || r.Missing() != 2 {
		t.Errorf("%v, %v", there, err)
	}
	if _, err := os.Stat(f.blockPath(2)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	m, err := made(t.Context(), g, f, 4, 1, testData(t, "psv"))
	if err != nil || len(m.Blocks) != 4 {
		t.Fatal(m, err)
	}
	// The manifest has no room: the data are made again, from the blocks.
	full(filepath.Join(f.Path, manifestName))
	if _, err := f.Make(t.Context(), 4, testData(t, "psv")); err == nil {
		t.Error("nothing was wrong")
	}
	if _, err := f.Manifest(); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	again, err := f.Make(t.Context(), 4, testData(t, "psv"))
	if err != nil || again.Dataset != m.Dataset || !slices.Equal(again.Shards, m.Shards) {
		t.Errorf("%+v, %v", again, err)
	}
}

// A folder is of one design and one process at a time, and tells what differs.
func TestFolder(t *testing.T) {
	t.Parallel()
	g := generator(t)
	path := t.TempDir()
	f := openFolder(t, g, path)
	if _, err := OpenFolder(path, g.Plan, g.Design); err == nil || !strings.Contains(err.Error(), "another process has it open") {
		t.Error(err)
	}
	testutil.OK(t, f.Close())
	other := *g.Plan
	other.Players = slices.Clone(other.Players)
	other.Players[0].Limits.Nodes++
	d := g.Design
	d.Noise = 0.2
	_, err := OpenFolder(path, &other, d)
	if !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "0.1 before, 0.2 now") || !strings.Contains(err.Error(), "60 before") {
		t.Error(err)
	}
	again := openFolder(t, g, path)
	testutil.OK(t, again.Put(&Block{Number: 1, Discarded: map[string]int{}}))
	testutil.OK(t, errors.Join(again.Close(), os.Remove(filepath.Join(path, settingsName))))
	if _, err := OpenFolder(path, g.Plan, g.Design); err == nil || !strings.Contains(err.Error(), "it has blocks and no settings.json") {
		t.Error(err)
	}
}

// Stop lets the blocks in play be the last; the end of the context ends them at once.
func TestStop(t *testing.T) {
	t.Parallel()
	g := generator(t)
	f := openFolder(t, g, t.TempDir())
	stop := make(chan struct{})
	r := Run{Folder: f, Generator: g, Blocks: 50, Slots: 1, Stop: stop, Told: func(_ *Block, there int) {
		if there == 2 {
			close(stop)
		}
	}}
	s, err := r.Play(t.Context())
	if err != nil || s.Blocks != 2 || r.Missing() != 48 || s.Games != 8 || s.Positions == 0 || s.Searching <= 0 || s.Busy < s.Searching {
		t.Errorf("%+v, %v, %d missing", s, err, r.Missing())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	r = Run{Folder: f, Generator: g, Blocks: 50, Slots: 2, Told: func(_ *Block, there int) { cancel(why) }}
	if _, err := r.Play(ctx); !errors.Is(err, why) {
		t.Error(err)
	}
	// Fewer are wanted than there are: nothing is played, and the data are of those.
	r = Run{Folder: f, Generator: g, Blocks: 1, Slots: 2}
	if s, err := r.Play(t.Context()); err != nil || s.Blocks != 0 || r.Missing() != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if m, err := f.Make(t.Context(), 1, testData(t, "psv")); err != nil || len(m.Blocks) != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

// What is remembered is never taken for new, what was not added never for known; what the
// memory has no room for is counted.
func TestSeen(t *testing.T) {
	t.Parallel()
	s := newSeen(1) // 131,072 keys
	for k := range uint64(40_000) {
		if !s.add(k + 1) {
			t.Fatalf("key %d is taken for another", k+1)
		}
	}
	known := 0
	for k := range uint64(40_000) {
		if !s.add(k + 1) {
			known++
		}
	}
	if known < 39_500 {
		t.Errorf("%d of 40,000 are known", known)
	}
	for k := uint64(1_000_000); k < 1_300_000; k++ {
		s.add(k)
	}
	if held := 0; s.forgotten == 0 {
		t.Error("nothing was forgotten")
	} else {
		for _, k := range s.table {
			if k != 0 {
				held++
			}
		}
		added := 40_000 + 40_000 - known + 300_000
		if held+s.forgotten != added {
			t.Errorf("%d are held and %d were forgotten of %d", held, s.forgotten, added)
		}
	}
}

// What a council votes for are the candidates of hcpe3.
func TestVotes(t *testing.T) {
	t.Parallel()
	think := shuffles(0)
	g, _ := answers(t, think)
	m, err := shogi.ParseMove("7g7f")
	testutil.OK(t, err)
	var move kifu.Move
	g.Candidates = func(detail []byte) []packed.Candidate {
		return []packed.Candidate{{Move: m, Visits: uint16(len(detail))}}
	}
	p := newPlaying(&seat{Generator: g}, 0)
	if ok, err := p.draw(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	r := reply(m, 5)
	r.Detail = []byte("abc")
	if move, err = p.choose(&r); err != nil {
		t.Fatal(err)
	}
	if list := candidatesOf(move.Detail); len(list) != 1 || list[0] != (packed.Candidate{Move: m, Visits: 3}) {
		t.Errorf("%v", list)
	}
}
