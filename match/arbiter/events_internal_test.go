package arbiter

import (
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// TestVotesAreOfCouncils: in a game that is verified by its stored plan, votes of a council and book moves of an engine
// are valid. A vote of an engine is not.
func TestVotesAreOfCouncils(t *testing.T) {
	t.Parallel()
	played := &match.Plan{
		Design: match.Design{Kind: match.DesignMatch, Swap: true}, Rules: match.RulesProfiles()[match.DefaultRules],
		Openings: []match.Opening{{ID: "1", Start: "startpos"}},
		Players: []match.Player{{Name: "trio", Council: &match.Council{}, Limits: match.Limits{Nodes: 1}},
			{Name: "engine", Limits: match.Limits{Nodes: 1}}},
	}
	c := testutil.Must(match.ParseCanonical(played.Canonical()))(t)
	plan := testutil.Must(c.Replayable())(t)
	want := match.Game{Players: [2]int{0, 1}, Opening: match.Opening{Start: "startpos"}}
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
		g := match.Result{Verdict: match.LossFor(shogi.Black, match.Resignation, "")}
		g.Record.Moves = []kifu.Move{{Detail: test.black}, {Detail: test.white}}
		err := verifyReported(plan, want, &g)
		testutil.Check(t, (err == nil) == (test.want == "") && (err == nil || strings.Contains(err.Error(), test.want)),
			"%s: %v, want %q", name, err, test.want)
	}
}

// TestAnswersAreOfTerminations: every termination has an entry for the answer that takes the place of a move.
func TestAnswersAreOfTerminations(t *testing.T) {
	t.Parallel()
	for _, known := range match.Terminations() {
		_, told := answers[known]
		testutil.Check(t, told, "%s has no answer", known)
	}
	testutil.Equal(t, len(answers), len(match.Terminations()))
}
