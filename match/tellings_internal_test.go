package match

import (
	"strings"
	"testing"

	"gogi/kifu"
	"gogi/shogi"
)

// TestVotesAreOfCouncils: a council's records of votes, and a move of an engine's book, are
// no fault of a game that is verified by its stored plan; a vote of an engine is.
func TestVotesAreOfCouncils(t *testing.T) {
	t.Parallel()
	played := &Plan{
		Design: Design{Kind: DesignMatch, Swap: true}, Rules: RulesProfiles()[DefaultRules], Openings: []Opening{{ID: "1", Start: "startpos"}},
		Players: []Player{{Name: "trio", Council: &Council{}, Limits: Limits{Nodes: 1}}, {Name: "engine", Limits: Limits{Nodes: 1}}},
	}
	c, err := ParseCanonical(played.Canonical())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := c.Replayable()
	if err != nil {
		t.Fatal(err)
	}
	want := Game{Players: [2]int{0, 1}, Opening: Opening{Start: "startpos"}}
	vote, book := []byte(`{"by":"rule"}`), kifu.BookDetail()
	for name, test := range map[string]struct {
		black, white []byte
		want         string
	}{
		"a council's vote":  {vote, nil, ""},
		"an engine's book":  {vote, book, ""},
		"an engine's vote":  {nil, vote, "move 2"},
		"a vote that is no": {[]byte("{"), nil, "move 1"},
	} {
		g := Result{Verdict: LossFor(shogi.Black, Resignation, "")}
		g.Record.Moves = []kifu.Move{{Detail: test.black}, {Detail: test.white}}
		err := verifyTold(plan, want, &g)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
