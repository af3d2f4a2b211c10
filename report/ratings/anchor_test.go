package ratings

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// TestAnchor: ratings from an anchor are those from the mean, shifted. The intervals are of differences from the
// anchor. For two players two methods give nearly the same interval.
func TestAnchor(t *testing.T) {
	var b strings.Builder
	b.WriteString("black,white,black_wins,draws,white_wins\n")
	for _, row := range []string{"a,b,30,5,15", "b,a,20,5,25", "b,c,28,2,20", "c,b,22,2,26", "a,c,33,1,16"} {
		b.WriteString(row + "\n")
	}
	path := written(t, "games.csv", b.String())
	free := rated(t, Options{Model: "bt"}, path)
	fixed := rated(t, Options{Model: "bt", Anchor: &Anchor{"b", 1500}, Pairwise: true}, path)
	shift := 1500 - *playerOf(t, free, "b").Elo
	for _, p := range free.Players {
		near(t, p.Name, playerOf(t, fixed, p.Name).Elo, *p.Elo+shift, 1e-9)
	}
	if p := playerOf(t, fixed, "b"); p.Lo != nil || p.Hi != nil {
		t.Errorf("the anchor has an interval: %+v", p)
	}
	for _, c := range fixed.Comparisons { // Wald's intervals are near those of the profile
		if c.A != "b" && c.B != "b" {
			continue
		}
		name, middle := c.A, *c.Elo
		if c.A == "b" {
			name, middle = c.B, -*c.Elo
		}
		near(t, name+" lo", playerOf(t, fixed, name).Lo, 1500+middle-1.959964**c.SE, 1.5)
		near(t, name+" hi", playerOf(t, fixed, name).Hi, 1500+middle+1.959964**c.SE, 1.5)
	}
	testutil.Check(t, fixed.Anchor != nil && fixed.Anchor.Player == "b" && fixed.Intervals != "",
		"%+v, %q", fixed.Anchor, fixed.Intervals)
	for want, o := range map[string]Options{
		"x has no games":           {Anchor: &Anchor{Player: "x"}},
		"intervals of --bootstrap": {Anchor: &Anchor{Player: "b"}, Bootstrap: 10},
	} {
		testutil.Fails(t, testutil.Err(ratedOr(o, path)), want)
	}
	unbeaten := written(t, "unbeaten.csv", b.String()+"d,a,3,0,0\n")
	testutil.Fails(t, testutil.Err(ratedOr(Options{Model: "bt", Anchor: &Anchor{Player: "d"}}, unbeaten)), "do not rate d",
		"an anchor without a rating")
}

// TestAnchorOfMany: with many players, the quick intervals from an anchor are Wald's intervals of differences.
func TestAnchorOfMany(t *testing.T) {
	var b strings.Builder
	b.WriteString("black,white,black_wins,draws,white_wins\n")
	for i := range profiled + 2 {
		fmt.Fprintf(&b, "p%02d,p%02d,6,0,%d\np%02d,p00,5,0,5\n", i, (i+1)%(profiled+2), 3+i%3, max(1, i))
	}
	r := rated(t, Options{Model: "bt", Anchor: &Anchor{Player: "p07"}, Pairwise: true},
		written(t, "games.csv", b.String()))
	seen := 0
	for _, c := range r.Comparisons {
		if c.A != "p07" {
			continue
		}
		seen++
		near(t, c.B+" lo", playerOf(t, r, c.B).Lo, -*c.Elo-1.959964**c.SE, 1e-3)
		near(t, c.B+" hi", playerOf(t, r, c.B).Hi, -*c.Elo+1.959964**c.SE, 1e-3)
	}
	testutil.Check(t, seen != 0, "nothing was compared")
}

func TestParseAnchor(t *testing.T) {
	for text, want := range map[string]Anchor{"base": {"base", 0}, "base=1500": {"base", 1500},
		"a=b=-2.5": {"a=b", -2.5}} {
		if got, err := ParseAnchor(text); err != nil || *got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"=1", "a=", "a=x", "a=NaN", "a=1e9", "a=" + fmt.Sprint(math.Inf(1))} {
		testutil.Fails(t, testutil.Err(ParseAnchor(text)), "", "%s", text)
	}
	if got, err := ParseAnchor(""); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// TestPlannedAnchor: runs with one common anchor are rated from it. With a file, or with a run that has another anchor
// or none, there is no anchor.
func TestPlannedAnchor(t *testing.T) {
	for _, test := range []struct {
		of   []string
		want bool
	}{{nil, false}, {[]string{"b"}, true}, {[]string{"b", "b"}, true}, {[]string{"b", "c"}, false},
		{[]string{"b", ""}, false}, {[]string{""}, false}} {
		g := NewGames()
		for _, name := range test.of {
			g.Anchored(name)
		}
		got := g.anchor()
		testutil.Check(t, (got != nil) == test.want && (got == nil || got.Player == "b"), "%q: %+v", test.of, got)
	}
	g := NewGames()
	g.Anchored("b")
	testutil.OK(t, g.ReadFile(written(t, "games.csv", "black,white,black_wins,draws,white_wins\na,b,1,0,1\n")))
	testutil.Check(t, g.anchor() == nil, "a file's games have the anchor of a run")
	g.Paired("night")
	g.Competed("cup")
	r, err := Rate(g, Options{Model: "bt"}.filled())
	if err != nil || len(r.Warnings) != 2 || r.Warnings[0].Kind != PairedByResult ||
		!strings.Contains(r.Warnings[0].Text.String(), "night") ||
		r.Warnings[1].Kind != WinnerSelected || !strings.Contains(r.Warnings[1].Text.String(), "cup") {
		t.Errorf("%+v, %v", r, err)
	}
}
