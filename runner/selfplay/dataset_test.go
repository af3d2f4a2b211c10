package selfplay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gogi/ensemble/voting"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu/packed"
	"gogi/usi"
)

// TestConcurrency: the data do not depend on the number of concurrent pairs.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	var want map[string]string
	for _, slots := range []int{1, 3} {
		path := t.TempDir()
		testutil.OK(t, testutil.Err(Make(t.Context(), path, p.source(t, slots, 5), 5, testData(t, "pack"))))
		if got := files(t, path); want == nil {
			want = got
		} else {
			same(t, got, want)
		}
	}
}

// sample returns the fields that every format stores of a position, as text.
func sample(p *shogi.Position, m shogi.Move, score int, winner string) string {
	sfen := p.SFEN()
	score = max(-packed.MaxScore, min(packed.MaxScore, score))
	return fmt.Sprint(sfen[:strings.LastIndexByte(sfen, ' ')], " ", m, " ", score, " ", winner)
}

// expected returns the samples that Make must write. It recognises repeated positions by their SFEN, not by the keys
// that Make uses.
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

// samples reads the samples in the shards of a folder with package packed, in their order.
func samples(t *testing.T, path string, m *Manifest, format packed.Format) (list []string) {
	t.Helper()
	for _, s := range m.Shards {
		data := testutil.Must(os.ReadFile(filepath.Join(path, s.File)))(t)
		testutil.Check(t, s.Bytes == int64(len(data)) && s.SHA256 == sum(data), "%+v is not what is there", s)
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

// TestSamples: every position with a move of the player is written once, with the move, its score and the true result.
// Positions with a random move are not written.
func TestSamples(t *testing.T) {
	t.Parallel()
	p, path := newPlayer(t), t.TempDir()
	p.Design.RandomMin, p.Design.RandomMax = 1, 2 // so that positions repeat
	from := p.source(t, 2, 6)
	games := games(t, from, 6)
	for _, name := range []string{"psv", "hcpe"} {
		for _, distinct := range []int{0, 1} {
			for _, noMate := range []bool{false, true} {
				data := testData(t, name)
				data.Distinct, data.NoMate = distinct, noMate
				m := testutil.Must(Make(t.Context(), path, from, 6, data))(t)
				want, again := expected(t, games, distinct > 0, noMate)
				got := samples(t, path, m, data.Format)
				testutil.Check(t, !slices.Equal(got, want), "it is not shuffled")
				slices.Sort(got)
				slices.Sort(want)
				testutil.Check(t, slices.Equal(got, want), "%s: %d positions, expected %d equal ones", name, len(got), len(want))
				if s := m.Statistics; s.Positions != len(want) || s.Duplicates != again || distinct > 0 != (again > 0) ||
					s.Forgotten != 0 {
					t.Errorf("%+v, expected %d positions and %d duplicates", s, len(want), again)
				}
				n := len(m.Shards)
				testutil.Check(t, n == (len(want)+199)/200, "%d shards of %d positions", n, len(want))
			}
		}
	}
}

// TestGames: games in hcpe3 and pack are the played games from the player's first move on. In hcpe3 a repeated
// position has no candidate, so that no training uses it.
func TestGames(t *testing.T) {
	t.Parallel()
	p, path := newPlayer(t), t.TempDir()
	p.Design.RandomMin, p.Design.RandomMax = 1, 2
	from := p.source(t, 2, 6)
	games := games(t, from, 6)
	for _, name := range []string{"hcpe3", "pack"} {
		data := testData(t, name)
		data.Shuffle, data.Positions = false, 0
		m := testutil.Must(Make(t.Context(), path, from, 6, data))(t)
		text, err := os.ReadFile(filepath.Join(path, m.Shards[0].File))
		testutil.Require(t, err == nil && len(m.Shards) == 1, "%v", err)
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
				t.Fatalf("%s: game %d has %d plies for %s, expected %d for %s", name, i, len(got.Plies), got.Outcome, len(moves),
					games[i].Winner)
			}
			for j, p := range got.Plies {
				testutil.Check(t, p.Move == moves[j].Move && (!moves[j].Opening || len(p.Candidates) == 0),
					"%s: game %d, ply %d: %+v", name, i, j, p)
				learned += len(p.Candidates)
			}
		}
		if _, _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: after the last game %v", name, err)
		}
		want, _ := expected(t, games, true, false)
		testutil.Check(t, name != "hcpe3" || learned == len(want) && m.Statistics.Positions == learned,
			"%d positions to learn from, told %d, expected %d", learned, m.Statistics.Positions, len(want))
	}
}

// TestClamped: the manifest counts the written positions whose score training data cannot store. A score that is left
// out is not among them.
func TestClamped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		score  int
		beyond bool
	}{{-31999, false}, {32000, false}, {32001, true}, {-999990, true}} {
		p, _ := answers(t, shuffles(c.score))
		from := p.source(t, 1, 1)
		for _, name := range []string{"psv", "hcpe3", "pack"} {
			data := testData(t, name)
			m := testutil.Must(Make(t.Context(), t.TempDir(), from, 1, data))(t)
			s := m.Statistics
			want := map[bool]int{true: s.Positions}[c.beyond]
			testutil.Check(t, s.Clamped == want && s.Positions > 0 && s.Mates == 0, "%s, %d: %d of %d positions", name, c.score,
				s.Clamped, s.Positions)
			if data.NoMate = c.beyond; c.beyond && name != "pack" {
				s = testutil.Must(Make(t.Context(), t.TempDir(), from, 1, data))(t).Statistics
				testutil.Check(t, s.Clamped == 0 && s.Positions == 0 && s.Mates > 0, "%s, %d without mates: %+v", name, c.score, s)
			}
		}
	}
}

// TestPackOnce: pack has only one of several equal games.
func TestPackOnce(t *testing.T) {
	t.Parallel()
	p, _ := answers(t, shuffles(0))
	p.Design.Games = 3
	m := testutil.Must(Make(t.Context(), t.TempDir(), p.source(t, 1, 1), 1, testData(t, "pack")))(t)
	s := m.Statistics
	testutil.Check(t, s.Games == 3 && s.Positions == 12 && s.Duplicates == 24, "%+v", s)
}

// TestPrefix: the data are the blocks before the first missing block; later blocks do not count. Other blocks give
// another data set, and the shards of the earlier data set are removed.
func TestPrefix(t *testing.T) {
	t.Parallel()
	path, data := t.TempDir(), testData(t, "psv")
	from := newPlayer(t).source(t, 2, 4)
	all := testutil.Must(Make(t.Context(), path, from, 4, data))(t)
	gap := Source{from.Digest, from.Rule, func(ctx context.Context, n int) (*Block, string, error) {
		if n == 2 {
			return nil, "", fs.ErrNotExist
		}
		return from.Read(ctx, n)
	}}
	two, err := Make(t.Context(), path, gap, 4, data)
	testutil.Require(t, err == nil && len(two.Blocks) == 2 && two.Dataset != all.Dataset &&
		len(two.Shards) < len(all.Shards),
		"%+v, %v", two, err)
	shards, err := os.ReadDir(filepath.Join(path, shardsName))
	testutil.Check(t, err == nil && len(shards) == len(two.Shards), "%d files, %v", len(shards), err)
	if one, err := Make(t.Context(), path, from, 1, data); err != nil || len(one.Blocks) != 1 {
		t.Errorf("%+v, %v", one, err)
	}
	again, err := Make(t.Context(), path, from, 9, data)
	testutil.Check(t, err == nil && again.Dataset == all.Dataset && len(again.Blocks) == 4, "%v, %v", again, err)
	var stored Manifest
	testutil.OK(t, json.Unmarshal(testutil.Must(os.ReadFile(filepath.Join(path, manifestName)))(t), &stored))
	sameManifest(t, again, &stored)
	// The test calculates the hash of the list itself.
	var list string
	for n := range 4 {
		b, _, err := from.Read(t.Context(), n)
		testutil.OK(t, err)
		list += sum(testutil.Must(b.Encode(from.Digest))(t)) + "\n"
	}
	testutil.Check(t, all.Dataset == sum([]byte(list)), "the data set is %s, expected the hash of %q", all.Dataset, list)
}

// TestStoredRefuses: Stored rejects openings other than those of the games, and a run with another design.
func TestStoredRefuses(t *testing.T) {
	t.Parallel()
	plan := testPlan(t)
	canonical := testutil.Must(match.ParseCanonical(plan.Canonical()))(t)
	testutil.Fails(t, testutil.Err(Stored(canonical, []match.Opening{{ID: "2", Start: "startpos"}}, nil)),
		"other openings")
	canonical.Design = match.DesignMatch
	testutil.Fails(t, testutil.Err(Stored(canonical, plan.Openings, nil)), `its design is "match"`)
}

// TestOld: a folder of an earlier gogi gives its blocks. A damaged block gives an error with its file name, and no
// data.
func TestOld(t *testing.T) {
	t.Parallel()
	old, path, data := t.TempDir(), t.TempDir(), testData(t, "psv")
	testutil.Check(t, !IsOld(old), "an empty folder is an old one")
	p := newPlayer(t)
	from := p.source(t, 2, 2)
	want := testutil.Must(Make(t.Context(), path, from, 2, data))(t)
	oldFolder(t, old, p, from, 2)
	block := filepath.Join(old, blocksName, "00000001.block")
	testutil.Check(t, IsOld(old), "it is an old folder")
	read := testutil.Must(Old(old))(t)
	sameManifest(t, want, testutil.Must(Make(t.Context(), old, read, 9, data))(t))
	changed := testutil.Must(os.ReadFile(block))(t)
	changed[len(changed)/2] ^= 1
	testutil.OK(t, os.WriteFile(block, changed, 0o600))
	testutil.Fails(t, testutil.Err(Make(t.Context(), path, read, 2, data)), "00000001.block: it is damaged")
	testutil.Is(t, testutil.Err(os.Stat(filepath.Join(path, manifestName))), fs.ErrNotExist)
	if shards, err := os.ReadDir(filepath.Join(path, shardsName)); err != nil || len(shards) != 0 {
		t.Errorf("%v, %v", shards, err)
	}
}

// TestDiskFull: a full disk gives an error and no manifest. With free space again, Make makes the data.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	path, data := t.TempDir(), testData(t, "psv")
	from := newPlayer(t).source(t, 2, 2)
	want := testutil.Must(Make(t.Context(), path, from, 2, data))(t)
	// a write to it fails with ENOSPC
	if err := os.Symlink("/dev/full", filepath.Join(path, "."+manifestName+".part")); err != nil {
		t.Fatal(err)
	}
	testutil.Fails(t, testutil.Err(Make(t.Context(), path, from, 2, data)), "", "nothing was wrong")
	testutil.Is(t, testutil.Err(os.Stat(filepath.Join(path, manifestName))), fs.ErrNotExist)
	again := testutil.Must(Make(t.Context(), path, from, 2, data))(t)
	sameManifest(t, want, again)
}

// sameManifest compares the JSON, because a Manifest that was read has no Data.Format.
func sameManifest(t *testing.T, want, got *Manifest) {
	t.Helper()
	testutil.Diff(t, string(testutil.Must(json.Marshal(want))(t)), string(testutil.Must(json.Marshal(got))(t)))
}

// TestLocked: only one process at a time makes data in a folder.
func TestLocked(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	lock := testutil.Must(lockFolder(path))(t)
	defer lock.Close()
	from := Source{Read: func(context.Context, int) (*Block, string, error) { return nil, "", fs.ErrNotExist }}
	testutil.Fails(t, testutil.Err(Make(t.Context(), path, from, 2, testData(t, "psv"))),
		"another process makes data there")
}

// TestSeen: a new key never counts as a stored one, and most stored keys are recognised. Keys that no longer fit into
// memory are counted as forgotten.
func TestSeen(t *testing.T) {
	t.Parallel()
	s := newSeen(1) // 131,072 keys
	for k := range uint64(40_000) {
		testutil.Require(t, s.add(k+1), "key %d is taken for another", k+1)
	}
	known := 0
	for k := range uint64(40_000) {
		if !s.add(k + 1) {
			known++
		}
	}
	testutil.Check(t, known >= 39_500, "%d of 40,000 are known", known)
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
		testutil.Check(t, held+s.forgotten == added, "%d are held and %d were forgotten of %d", held, s.forgotten, added)
	}
}

// TestVotes: the moves with votes of a council are the candidates in hcpe3. A move without a vote has no
// candidates.
func TestVotes(t *testing.T) {
	t.Parallel()
	detail := testutil.Must(json.Marshal(voting.Record{Version: 1, Type: "vote", Members: []string{"a"},
		Counts: voting.Ordered[int]{{Key: "7g7f", Value: 3}, {Key: "resign", Value: 1}, {Key: "2g2f", Value: 0}}}))(t)
	p, _ := answers(t, func(r usi.Request) (usi.Reply, error) {
		reply, err := shuffles(0)(r)
		if len(r.Position.Moves) == 0 {
			reply.Detail = detail
		}
		return reply, err
	})
	b, _, err := p.source(t, 1, 1).Read(t.Context(), 0)
	testutil.OK(t, err)
	want := []packed.Candidate{{Move: testutil.Must(shogi.ParseMove("7g7f"))(t), Visits: 3}}
	testutil.Slices(t, candidatesOf(b.Games[0].Moves[0].Detail), want)
	if got := b.Games[0].Moves[1].Detail; got != nil {
		t.Errorf("%s", got)
	}
}
