package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/internal/fail"
	"gogi/internal/shellwords"
	"gogi/match/tournament"
	"gogi/report/ratings"
	"gogi/report/stored"
	"gogi/ui/web"
)

// ladderCommand rates all versions of an engine on one scale.
type ladderCommand struct{ versionFlags }

// ladderGames is the default number of games of each pairing.
const ladderGames = 100

// Help returns the text below the usage line of --help.
func (*ladderCommand) Help() string {
	return `Example: rate five versions.

	gogi ladder --run main builds/v1 builds/v2 builds/v3 builds/v4 builds/v5 \
	    --option all.Threads=1 --tc 8+0.08 --games 200

Each version plays --games games (default 100) against the versions 1, 2, 4, 8, … before it. Each pairing is an ordinary
run: NAME-v1-v2, …. The ratings are relative to --anchor (default: the first version). To add a version, add it at the end and
run the command again; gogi plays only the missing games. With --json the last line on stdout has the ratings.

Exit codes: 0 done, 3 pairs unplayed, 2 usage, 1 error, 130 interrupted.`
}

// Run plays the missing games between the versions, and prints the versions' ratings.
func (c *ladderCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.Session.Run(ctx, env, session.Target{DB: c.DB, Run: c.Flags.Run}, c.ladder)
}

func (c *ladderCommand) ladder(ctx context.Context, s *session.Session) error {
	v, err := c.open(s, "ladder")
	if err != nil {
		return fail.Usage(err)
	}
	games := ladderGames
	if v.games != nil {
		games = *v.games
	}
	if games%2 != 0 {
		return fail.Usage(fmt.Errorf("--games %d: expected an even number, because each pairing plays each opening twice",
			games))
	}
	pairings := tournament.Ladder(len(v.names))
	var runs []string
	for i, p := range pairings {
		older, newer := v.names[p[0]], v.names[p[1]]
		run := strings.ReplaceAll(fmt.Sprintf("%s-%s-%s", v.run, older, newer), "/", "_")
		look := func() []string { return []string{fmt.Sprintf("pairing %d/%d", i+1, len(pairings))} }
		next := pairing{Run: run, A: older, B: newer, Pairs: games / 2, Seed: uint64(i), Offset: -1, Look: look}
		if _, _, err := v.play(ctx, s.Env, next); err != nil {
			return err
		}
		runs = append(runs, run)
	}
	return c.rate(ctx, v, runs)
}

// rate prints the ratings of the versions.
func (c *ladderCommand) rate(ctx context.Context, v *versions, runs []string) error {
	s, all := v.match.session, ratings.NewGames()
	infos, err := s.Store.FindRuns(ctx, runs)
	if err == nil {
		_, err = stored.Rate(ctx, s.Store, infos, all)
	}
	if err != nil {
		return err
	}
	r, err := ratings.Rate(all, ratings.Options{
		Model: "all", Draws: "half", Confidence: 0.95, Seed: 1, Anchor: &ratings.Anchor{Player: v.anchor},
		Command: stored.RateCommand(c.DB, runs),
	})
	if err != nil {
		return err
	}
	if c.Session.JSON {
		return json.NewEncoder(s.Env.Out).Encode(r)
	}
	r.Print(s.Env.Out, s.Env.Language)
	if len(runs) <= web.MaxRated {
		fmt.Fprintf(s.Env.Out, "\nStrength over the versions: gogi serve --db %s, then /ratings?%s\n",
			shellwords.Quote(c.DB), url.Values{"run": runs, "anchor": {v.anchor}}.Encode())
	}
	return nil
}
