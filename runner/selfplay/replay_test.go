package selfplay

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// blocksOf plays the first blocks of the test's design.
func blocksOf(t *testing.T, n int) (*Generator, []*Block) {
	t.Helper()
	g := generator(t)
	var all []*Block
	for i := range n {
		b := testutil.Must(g.Block(t.Context(), i))(t)
		all = append(all, b)
	}
	return g, all
}

// clone is a block that can be changed.
func clone(b *Block) *Block {
	c := *b
	c.Games = slices.Clone(b.Games)
	for i := range c.Games {
		c.Games[i].Moves = slices.Clone(c.Games[i].Moves)
	}
	c.Discarded = map[string]int{}
	return &c
}

// TestReplay: what was played is found to be so, also after it travelled, and what was
// not is refused, with the reason.
func TestReplay(t *testing.T) {
	t.Parallel()
	g, blocks := blocksOf(t, 4)
	digest := testutil.Must(Digest(g.Plan, g.Design))(t)
	audited := 0
	for _, b := range blocks {
		data, err := b.Encode(digest)
		testutil.OK(t, err)
		read, err := Decode(data, digest, b.Number)
		testutil.OK(t, err)
		if err := read.Replay(g.Plan, g.Design); err != nil {
			t.Errorf("block %d was played, and %v", b.Number, err)
		}
		for i := range b.Games {
			if b.Games[i].Audited {
				audited++
			}
		}
	}
	if audited == 0 {
		t.Error("no game was audited: expected some, to see that they are replayed as such")
	}
	last := func(b *Block) *Game { return &b.Games[1] }
	for name, lie := range map[string]struct {
		tell func(b *Block)
		want string
	}{
		"another winner": {func(b *Block) {
			last(b).Winner = map[string]string{"black": "white", "white": "black", "draw": "black"}[last(b).Winner]
		}, "by its moves it is"},
		"another result":        {func(b *Block) { last(b).Result = "nyugyoku" }, "by its moves it is"},
		"the last move cut":     {func(b *Block) { g := last(b); g.Moves = g.Moves[:len(g.Moves)-1] }, "game 1"},
		"a move twice":          {func(b *Block) { g := last(b); g.Moves[len(g.Moves)-1] = g.Moves[len(g.Moves)-2] }, "is illegal"},
		"more after the end":    {func(b *Block) { g := last(b); g.Moves = append(g.Moves, g.Moves[0]) }, "game 1"},
		"another beginning":     {func(b *Block) { last(b).Moves = blocks[1].Games[1].Moves }, "does not begin"},
		"another start":         {func(b *Block) { last(b).Start = "4k4/9/9/9/9/9/9/9/4K4 b - 1" }, "does not begin"},
		"chance that is chosen": {func(b *Block) { g := last(b); g.Moves[0].Opening = false }, "does not begin"},
		"another order":         {func(b *Block) { slices.Reverse(b.Games) }, "does not begin"},
		"another block":         {func(b *Block) { b.Number++ }, "does not begin"},
		"an audit denied":       {func(b *Block) { last(b).Audited = !last(b).Audited }, "does not begin"},
		"an end by scores":      {func(b *Block) { last(b).At++ }, "its scores would end it"},
		"a game left out":       {func(b *Block) { b.Games = b.Games[1:] }, "3 games and 0"},
		"nothing discarded":     {func(b *Block) { b.Games = b.Games[1:]; b.Discarded["crash"] = -1 }, "-1 games"},
	} {
		b := clone(blocks[0])
		lie.tell(b)
		if err := b.Replay(g.Plan, g.Design); err == nil || !strings.Contains(err.Error(), lie.want) {
			t.Errorf("%s: %v, expected %q", name, err, lie.want)
		}
	}
	// A game that a fault ended is left out, and those after it keep their numbers.
	b := clone(blocks[0])
	b.Games, b.Discarded = b.Games[1:], map[string]int{"crash": 1}
	if err := b.Replay(g.Plan, g.Design); err != nil {
		t.Errorf("with a game that was discarded: %v", err)
	}
}

// TestHanded: whoever is handed blocks plays those that the hander would have.
func TestHanded(t *testing.T) {
	t.Parallel()
	g := generator(t)
	u := &Unit{Plan: g.Plan, Design: g.Design, Blocks: 7, Data: testData(t, "psv")}
	u.Data.Rule = g.Plan.Rules.Declaration
	plan, err := u.Hand()
	testutil.OK(t, err)
	got, err := Handed(plan)
	testutil.OK(t, err)
	got.Data.Format, u.Data.Format = testData(t, "psv").Format, testData(t, "psv").Format
	if got.Blocks != 7 || plan.Pairs != 7 || !reflect.DeepEqual(got.Design, u.Design) || got.Data.Positions != u.Data.Positions || got.Data.Rule != u.Data.Rule {
		t.Errorf("%+v, expected %+v", got, u)
	}
	a, _ := u.Digest() // nothing of it can fail
	if b, err := got.Digest(); err != nil || a != b {
		t.Errorf("the digest of the blocks is %s, expected %s: %v", b, a, err)
	}
	if plan.Digest() == g.Plan.Digest() {
		t.Error("a plan of blocks has the digest of another")
	}
	if none, err := Handed(g.Plan); none != nil || err != nil {
		t.Errorf("%v, %v", none, err)
	}
	for name, spoil := range map[string]func(){
		"no blocks": func() { u.Blocks = 0 }, "long ones": func() { u.Design.Games = MaxHandedGames + 1 }, "a bad design": func() { u.Design.Audit = 2 },
		"two players": func() { p := *u.Plan; p.Players = append(slices.Clone(p.Players), p.Players[0]); u.Plan = &p },
	} {
		before := *u
		spoil()
		if _, err := u.Hand(); err == nil {
			t.Errorf("%s is handed in", name)
		}
		*u = before
	}
}

// TestReplayOfRejectedBeginnings: the search by which a beginning was found to be unequal has
// drawn its nodes, and what is drawn after it is found again only if that is remembered.
func TestReplayOfRejectedBeginnings(t *testing.T) {
	t.Parallel()
	g := generator(t)
	g.Design.Window, g.Design.NodeJitter, g.Design.Games = 40, 0.5, 12
	b := testutil.Must(g.Block(t.Context(), 0))(t)
	if b.Redrawn.Unequal < 3 {
		t.Fatalf("%d beginnings were unequal: expected some", b.Redrawn.Unequal)
	}
	if err := b.Replay(g.Plan, g.Design); err != nil {
		t.Errorf("%d beginnings were unequal, and %v", b.Redrawn.Unequal, err)
	}
}
