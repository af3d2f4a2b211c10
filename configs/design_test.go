package configs_test

import (
	"fmt"
	"strings"
	"testing"

	"gogi/configs"
	"gogi/configs/configstest"
	"gogi/internal/testutil"
	"gogi/match"
)

// field returns a file with the lines and so many built-in engines p0, p1, ….
func field(players int, lines string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", lines)
	for i := range players {
		fmt.Fprintf(&b, "[[engine]]\nname = \"p%d\"\ncmd = \"builtin\"\nlimits = {nodes = %d}\n", i, i+1)
	}
	return b.String()
}

// TestDesigns covers the keys of swiss, knockout, adaptive and gauntlet, in files and flags.
func TestDesigns(t *testing.T) {
	env := configstest.Machine(t)
	type tournament = match.Tournament
	for _, test := range []struct {
		players int
		lines   string
		flags   configs.Flags
		want    match.Design
		pairs   int
	}{
		{5, "[design]\nkind = \"swiss\"\nrounds = 3\nmatch_pairs = 2\nseeding = \"lot\"", configs.Flags{},
			// 3 rounds of 2 matches
			match.Design{Kind: match.DesignSwiss, Tournament: tournament{MatchPairs: 2, Lot: true}}, 12},
		{6, "games = 24\ndesign = \"swiss\"", configs.Flags{},
			match.Design{Kind: match.DesignSwiss, Tournament: tournament{MatchPairs: 1}}, 12},
		{6, "", configs.Flags{Design: "swiss", Rounds: ptr(2), MatchPairs: ptr(4), Seeding: "given"},
			match.Design{Kind: match.DesignSwiss, Tournament: tournament{MatchPairs: 4}}, 24},
		// 4 matches and one for the third place, each of up to 1 + 4 pairs
		{5, "design = {kind = \"knockout\", third_place = true}", configs.Flags{},
			match.Design{Kind: match.DesignKnockout, Tournament: tournament{MatchPairs: 1, Tiebreaks: 4, ThirdPlace: true}}, 25},
		// one semifinal has no loser, so no match decides the third place
		{3, "design = {kind = \"knockout\", third_place = true, tiebreaks = 0}", configs.Flags{Tiebreaks: ptr(2)},
			match.Design{Kind: match.DesignKnockout, Tournament: tournament{MatchPairs: 1, Tiebreaks: 2, ThirdPlace: true}}, 6},
		{3, "design = {kind = \"knockout\", third_place = true, match_pairs = 9}\ngames = 10",
			configs.Flags{Design: "adaptive", Anchor: "p1"},
			match.Design{Kind: match.DesignAdaptive, Anchor: "p1", Tournament: tournament{Block: 16}}, 5},
		{20, "design = \"adaptive\"\ngames = 10", configs.Flags{},
			match.Design{Kind: match.DesignAdaptive, Tournament: tournament{Block: 20}}, 5},
		{3, "design = {kind = \"adaptive\", block = 3}\ngames = 10", configs.Flags{},
			match.Design{Kind: match.DesignAdaptive, Tournament: tournament{Block: 3}}, 5},
		{3, "design = {kind = \"gauntlet\", anchor = \"p0\"}\ngames = 8", configs.Flags{},
			match.Design{Kind: match.DesignGauntlet, Anchor: "p0"}, 4},
	} {
		got, warnings := configstest.Plan(t, field(test.players, test.lines), test.flags, env)
		test.want.Swap = true
		testutil.Check(t, got.Design == test.want && got.Pairs == test.pairs && len(warnings) == 0,
			"%d players, %q and %+v: %+v of %d pairs, %v, want %+v of %d", test.players, test.lines, test.flags, got.Design,
			got.Pairs, warnings, test.want, test.pairs)
		testutil.OK(t, got.Check(), "%q", test.lines)
	}
}

func TestDesignErrors(t *testing.T) {
	env := configstest.Machine(t)
	for lines, want := range map[string]string{
		"design = \"swiss\"":                                            "match.toml:1: design.rounds is missing: expected how many, such as rounds = 4 or --rounds 4",
		"design = \"swiss\"\ngames = 6":                                 "match.toml:2: games: 6 are no whole rounds of 4 games",
		"design = \"swiss\"\ngames = 0":                                 "match.toml:2: games: 0 are no whole rounds of 4 games",
		"design = {kind = \"swiss\", rounds = 0}":                       "match.toml:1: design.rounds: 0 is too few: expected at least 1",
		"design = {kind = \"swiss\", rounds = 1000000000}":              "match.toml:1: design.rounds: 1000000000 are too many: expected at most 100000",
		"design = {kind = \"swiss\", rounds = 2}\ngames = 4":            "match.toml:2: games = 4, but 2 rounds make 8 games: give rounds or games, not both",
		"design = {kind = \"swiss\", rounds = 2, seeding = \"best\"}":   `match.toml:1: design.seeding: "best" is not one of given, lot`,
		"design = {kind = \"swiss\", rounds = 2, match_pairs = 0}":      "match.toml:1: design.match_pairs: 0 is outside 1 to 10000",
		"design = {kind = \"swiss\", rounds = 2, tiebreaks = 1}":        "match.toml:1: design.tiebreaks belongs to design knockout, and not to swiss",
		"design = {kind = \"swiss\", rounds = 2, block = 1}":            "match.toml:1: design.block belongs to design adaptive, and not to swiss",
		"design = {kind = \"round_robin\", rounds = 2}\ngames = 12":     "match.toml:1: design.rounds belongs to design swiss, and not to round_robin",
		"design = {kind = \"adaptive\", match_pairs = 2}\ngames = 12":   "match.toml:1: design.match_pairs belongs to design swiss and knockout, and not to adaptive",
		"design = {kind = \"adaptive\", seeding = \"lot\"}\ngames = 12": "match.toml:1: design.seeding belongs to design swiss and knockout, and not to adaptive",
		"design = {kind = \"adaptive\", anchor = \"x\"}\ngames = 12":    `match.toml:1: design.anchor: "x" is not one of the players p0, p1, p2, p3`,
		"design = {kind = \"adaptive\", third_place = true}\ngames = 2": "match.toml:1: design.third_place belongs to design knockout, and not to adaptive",
		"design = \"adaptive\"":                                         "match.toml: games is missing: expected how many to play, such as games = 100 or --games 100",
		"design = \"adaptive\"\ngames = 12\nswap = false":               "match.toml:3: swap: design adaptive needs pairs of two games with colours swapped",
		"design = \"knockout\"\ngames = 12":                             "match.toml:2: games: a knockout counts its games itself, here up to 30: expected no games",
		"design = \"adaptive\"\ngames = 12\n[gate]\nsprt = \"0,4\"":     "match.toml:3: gate: a sequential test is about two players: expected design = \"match\" and two of them",
	} {
		f := parse(t, field(4, lines))
		_, _, err := f.Plan("", env)
		testutil.Check(t, err != nil && err.Error() == want, "%q:\n got %v\nwant %s", lines, err, want)
	}
}
