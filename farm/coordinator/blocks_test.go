package coordinator_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/players/builtin"
	"gogi/runner/selfplay"
	"gogi/usi"
)

// AddBlock implements coordinator.BlockStore.
func (s *store) AddBlock(ctx context.Context, b farm.StoredBlock, data []byte) (bool, error) {
	added, err := s.Add(ctx, match.PairResult{Pair: match.Pair{ID: b.Number}, Played: match.Provenance{Worker: b.Worker}}, b.Take)
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	if added && err == nil {
		if s.blocks == nil {
			s.blocks = map[int]farm.StoredBlock{}
			s.files = map[int][]byte{}
		}
		s.blocks[b.Number], s.files[b.Number] = b, data
	}
	return added, err
}

// FirstBlock implements coordinator.BlockStore.
func (s *store) FirstBlock(_ context.Context, from int) (*farm.StoredBlock, []byte, error) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	for _, n := range slices.Sorted(maps.Keys(s.blocks)) {
		if _, there := s.pairs[n]; there && n >= from {
			b := s.blocks[n]
			return &b, s.files[n], nil
		}
	}
	return nil, nil, nil
}

// player is the built-in engine for blocks.
type player struct{ *builtin.Engine }

func (player) GameOver(context.Context, usi.Outcome) error { return nil }
func (player) Close() error                                { return nil }

// somebody plays blocks.
type somebody struct {
	t    *testing.T
	unit *selfplay.Unit
	plan *match.Plan
	seen map[int]*selfplay.Block
}

func newSomebody(t *testing.T, name string, blocks int) *somebody {
	t.Helper()
	p := testPlan(name, 0, 5)
	p.Players, p.Design, p.Openings = p.Players[:1], match.Design{}, p.Openings[:3]
	p.Rules.MaxPlies, p.Players[0].Limits = 24, match.Limits{Nodes: 5, Stall: match.DefaultStall}
	s := &somebody{t: t, seen: map[int]*selfplay.Block{}, unit: &selfplay.Unit{
		Plan: p, Design: selfplay.Design{Games: 2, RandomMin: 1, RandomMax: 3, Audit: 0.5}, Blocks: blocks, Data: selfplay.Data{Distinct: 1},
	}}
	s.unit.Data.Format.Name = "psv"
	var err error
	if s.plan, err = s.unit.Hand(); err != nil {
		t.Fatal(err)
	}
	return s
}

// block plays a block, which can be changed.
func (s *somebody) block(n int) *selfplay.Block {
	s.t.Helper()
	g := selfplay.Generator{Plan: s.unit.Plan, Design: s.unit.Design, Open: func(ctx context.Context) (selfplay.Player, error) {
		e := player{builtin.New()}
		return e, e.Ready(ctx)
	}}
	b, err := g.Block(s.t.Context(), n)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// file is a block's, and what is to be told of it.
func (s *somebody) file(b *selfplay.Block) ([]byte, farm.Block) {
	s.t.Helper()
	digest, err := s.unit.Digest()
	if err != nil {
		s.t.Fatal(err)
	}
	data, err := b.Encode(digest)
	if err != nil {
		s.t.Fatal(err)
	}
	n := b.Counts()
	told := farm.Block{Games: n.Games, Discarded: n.Discarded, Black: n.Black, Draws: n.Draws, White: n.White, Plies: n.Plies, Positions: n.Positions, Seconds: 3}
	return data, named(told, data)
}

// named is what is told of a file that has these bytes.
func named(b farm.Block, data []byte) farm.Block {
	sum := sha256.Sum256(data)
	b.SHA256, b.Size = hex.EncodeToString(sum[:]), int64(len(data))
	return b
}

// deliver uploads a file and tells of it.
func (l *line) deliver(g farm.Grant, data []byte, b farm.Block) {
	l.t.Helper()
	if _, err := l.f.hall.Connect(l.name).PutArtefact(l.f.ctx, bytes.NewReader(data), farm.MaxBlock); err != nil {
		l.t.Fatal(err)
	}
	l.send(farm.Item{Lease: g.Held(), Block: &b})
	synctest.Wait()
}

// TestBlocks: they are granted like pairs, stored once, given to whoever asks piece by
// piece, and void like pairs; when all are stored the test is over.
func TestBlocks(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		s := newSomebody(t, "blocks", 3)
		f.run(s.plan)
		w := f.line(t, "w0")
		for _, g := range w.want(3) {
			data, b := s.file(s.block(g.Pair))
			w.deliver(g, data, b)
			w.deliver(g, data, b) // once more
		}
		st := f.test("blocks")
		if st.State != farm.Over || st.Added != 3 || st.Duplicates != 3 || st.Refused != 0 || !st.Selfplay {
			t.Errorf("%+v", st)
		}
		if left, err := f.config.Bus.Artefacts(f.ctx); err != nil || len(left) > 0 {
			t.Errorf("uploads are left: %v, %v", left, err)
		}
		var page farm.PulledBlock
		testutil.OK(t, f.do("ann", "blocks", farm.PullBlock{Run: "blocks"}, &page))
		want, told := s.file(s.block(0))
		if page.Block == nil || page.Block.Block != told || page.Block.Worker != "w0" || page.Block.Owner != "red" || !bytes.Equal(page.Body, want) || len(page.Plan) == 0 {
			t.Errorf("%+v", page)
		}
		for verb, in := range map[string]any{"pull": farm.Pull{Run: "blocks"}, "push": farm.Push{Run: "blocks"}} {
			if err := f.do("boss", verb, in, nil); err == nil {
				t.Errorf("%s of a test of blocks is answered", verb)
			}
		}
		testutil.OK(t, f.do("boss", "purge", farm.Order{Run: "blocks", Worker: "w0", Why: "x"}, nil))
		again := w.want(1)
		if len(again) != 1 || again[0].Pair != 0 || again[0].Take != 1 {
			t.Fatalf("%+v", again)
		}
		f.restart()
		data, b := s.file(s.block(0))
		w.deliver(again[0], data, b)
		if st := f.test("blocks"); st.Stored != 1 {
			t.Errorf("%+v", st)
		}
	})
}

// TestBlocksThatAreLies: each is refused, its worker blamed, and the block granted anew;
// one whose file is not there is nobody's fault.
func TestBlocksThatAreLies(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		s := newSomebody(t, "lies", 40)
		f.run(s.plan)
		lies := map[string]func(g farm.Grant, w *line){
			"counts": func(g farm.Grant, w *line) {
				data, b := s.file(s.block(g.Pair))
				b.Positions++
				w.deliver(g, data, b)
			},
			"a size above": func(g farm.Grant, w *line) {
				data, b := s.file(s.block(g.Pair))
				b.Size++
				w.deliver(g, data, b)
			},
			"a size below": func(g farm.Grant, w *line) {
				data, b := s.file(s.block(g.Pair))
				b.Size--
				w.deliver(g, data, b)
			},
			"another block": func(g farm.Grant, w *line) {
				data, b := s.file(s.block(g.Pair + 1))
				w.deliver(g, data, b)
			},
			"another design's": func(g farm.Grant, w *line) {
				other := newSomebody(t, "lies", 40)
				other.unit.Design.RandomMax = 4
				data, b := other.file(other.block(g.Pair))
				w.deliver(g, data, b)
			},
			"a damaged one": func(g farm.Grant, w *line) {
				data, b := s.file(s.block(g.Pair))
				data = bytes.Replace(data, []byte(`"winner"`), []byte(`"Winner"`), 1)
				w.deliver(g, data, named(b, data))
			},
			"a game less": func(g farm.Grant, w *line) {
				block := s.block(g.Pair)
				block.Games = block.Games[1:]
				data, b := s.file(block)
				w.deliver(g, data, b)
			},
			"a game that nobody can have played": func(g farm.Grant, w *line) {
				block := s.block(g.Pair)
				block.Games[1].Winner = map[string]string{"black": "white", "white": "black", "draw": "black"}[block.Games[1].Winner]
				data, b := s.file(block)
				w.deliver(g, data, b)
			},
			"a pair": func(g farm.Grant, w *line) {
				w.send(result(t, g, play(testPlan("lies", 40, 5), g.Pair)))
				synctest.Wait()
			},
		}
		next := 0
		for i, name := range slices.Sorted(maps.Keys(lies)) {
			w := f.line(t, []string{"w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8"}[i])
			g := w.want(1)[0]
			if g.Pair != next {
				t.Fatalf("block %d is granted, expected %d", g.Pair, next)
			}
			lies[name](g, w)
			if got := f.worker(w.name); got.Refused != 1 || f.test("lies").Stored != 0 {
				t.Errorf("%s: %d refused, %d stored", name, got.Refused, f.test("lies").Stored)
			}
		}
		// Also where it is not replayed, a block has all of its games.
		if !slices.ContainsFunc(f.hall.Evidence(), func(e string) bool {
			return strings.Contains(e, "block 1 has 1 games and 0 that a fault ended: expected 2 together") || strings.Contains(e, "block 0 has 1 games and 0 that a fault ended: expected 2 together")
		}) {
			t.Errorf("a block with a game less: %q", f.hall.Evidence())
		}
		// The last of a new worker's first five.
		w := f.line(t, "w9")
		for range 4 {
			g := w.want(1)[0]
			data, b := s.file(s.block(g.Pair))
			w.deliver(g, data, b)
		}
		g := w.want(1)[0]
		lies["a game that nobody can have played"](g, w)
		if st := f.test("lies"); st.Stored != 4 || f.worker("w9").Refused != 1 {
			t.Errorf("%+v", st)
		}
		// A file that is not there.
		f.keys.add("w10", "red", "work")
		w = f.line(t, "w10")
		g = w.want(1)[0]
		_, b := s.file(s.block(g.Pair))
		w.send(farm.Item{Lease: g.Held(), Block: &b})
		synctest.Wait()
		if st := f.test("lies"); st.Stale != 1 || f.worker("w10").Refused != 0 {
			t.Errorf("%+v, %+v", st, f.worker("w10"))
		}
		if again := w.want(1); len(again) != 1 || again[0].Pair != g.Pair {
			t.Errorf("%+v", again)
		}
	})
}

// TestBlocksOfATestOfPairs: they are refused, and so is a plan of blocks that cannot be.
func TestBlocksOfATestOfPairs(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := testPlan("pairs", 10, 1)
		f.run(p)
		s := newSomebody(t, "pairs", 10)
		w := f.line(t, "w0")
		data, b := s.file(s.block(0))
		w.deliver(w.want(1)[0], data, b)
		if f.worker("w0").Refused != 1 {
			t.Errorf("%+v", f.worker("w0"))
		}
		bad := *s.plan
		bad.Run, bad.Selfplay = "bad", strings.Replace(s.plan.Selfplay, `"games":2`, `"games":9999`, 1)
		text, err := match.EncodePlan(&bad)
		testutil.OK(t, err)
		err = f.do("ann", "submit", farm.Submission{Plan: text}, nil)
		if _, refused := errors.AsType[*farm.Refusal](err); !refused || !strings.Contains(err.Error(), "9999 games") {
			t.Errorf("%v", err)
		}
	})
}
