package votescmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/ensemble/votes"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/match"
	"gogi/results"
)

// A storedGame is a game whose record is not read yet.
type storedGame struct{ pair, leg, plies int }

// A votesSource has the flags that select votes of a database or a log.
type votesSource struct {
	cli.Stored
	Log    string `placeholder:"FILE" help:"Vote log (JSON lines) to read instead of a database."`
	Game   string `placeholder:"PAIR.LEG" help:"Only this game, such as 12.0; a log numbers its games from 0."`
	Player string `placeholder:"NAME" help:"Only the votes of this council."`

	whole bool // the command needs all decisions of a game
}

func (s *votesSource) check() error {
	if s.Log != "" && s.Name != "" {
		return fmt.Errorf("a run (%s) and --log %s: expected one of them", s.Name, s.Log)
	}
	if s.Game == "" {
		return nil
	}
	_, _, err := cli.GameName(s.Game)
	return err
}

// each calls see for every game that has votes, and returns the run's name. It returns an error if no game has
// votes.
func (s *votesSource) each(ctx context.Context, see func(*votes.Game) error) (run string, err error) {
	if s.Log != "" {
		return "", votes.ReadLog(s.Log, s.wants, see)
	}
	err = s.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		run = info.Name
		return s.eachStored(ctx, store, info, see)
	})
	return run, err
}

// wants reports whether the flags select a game of a vote log. The caller must have called check before.
func (s *votesSource) wants(g *votes.Game) bool {
	if s.Player != "" && s.Player != g.Votes[0].Council {
		return false
	}
	if s.Game == "" {
		return true
	}
	pair, leg, err := cli.GameName(s.Game)
	return err == nil && leg == 0 && strconv.Itoa(pair) == g.Name
}

func (s *votesSource) eachStored(ctx context.Context, store *results.Store, info *results.RunInfo,
	see func(*votes.Game) error) error {
	if s.Player != "" && !slices.Contains(info.Players, s.Player) {
		return fmt.Errorf("run %s has no player %s: expected one of %s", info.Name, s.Player,
			strings.Join(info.Players, ", "))
	}
	if plan, err := info.ParsePlan(); err != nil || s.whole && plan.Design == match.DesignSelfplay {
		return cmp.Or(err,
			fail.Usage(fmt.Errorf("run %s is self-play, which stores no votes about random moves and rejected beginnings, so they cannot be repeated; gogi votes show %s counts the others", info.Name, info.Name)))
	}
	games, err := s.storedGames(ctx, store, info)
	if err != nil {
		return err
	}
	found := false
	for _, g := range games {
		record, err := store.Record(ctx, info.ID, g.pair, g.leg)
		if err != nil {
			return err
		}
		voted, err := votes.OfGame(fmt.Sprintf("%d.%d", g.pair, g.leg), g.plies, &record, s.Player)
		if err != nil {
			return err
		}
		if len(voted.Votes) == 0 {
			continue
		}
		found = true
		if err := see(voted); err != nil {
			return err
		}
	}
	if !found {
		return s.noVotes(info, len(games))
	}
	return nil
}

func (s *votesSource) storedGames(ctx context.Context, store *results.Store, info *results.RunInfo) ([]storedGame,
	error) {
	pair, leg := -1, -1
	var filter results.Filter
	if s.Game != "" {
		var err error
		if pair, leg, err = cli.GameName(s.Game); err != nil {
			return nil, fail.Usage(err)
		}
		filter = results.Filter{FromPair: pair, Pairs: 1}
	}
	var games []storedGame
	err := store.GamesWhere(ctx, info.ID, filter, func(g match.Row) error {
		if g.Leg == leg || leg < 0 && (s.Player == "" || g.Black == s.Player || g.White == s.Player) {
			games = append(games, storedGame{g.Pair, g.Leg, g.Plies - g.OpeningPlies})
		}
		return nil
	})
	if err == nil && pair >= 0 && len(games) == 0 {
		err = fmt.Errorf("run %s has no game %d.%d (gogi games %s lists them)", info.Name, pair, leg, info.Name)
	}
	return games, err
}

func (s *votesSource) noVotes(info *results.RunInfo, games int) error {
	switch {
	case info.Finished == 0:
		return fmt.Errorf("run %s: no game is finished yet", info.Name)
	case s.Player != "" && s.Game != "":
		return fmt.Errorf("game %s of run %s has no votes of %s", s.Game, info.Name, s.Player)
	case s.Player != "":
		return fmt.Errorf("run %s: %s is not a council: none of its moves was voted for", info.Name, s.Player)
	case s.Game != "":
		return fmt.Errorf("game %s of run %s has no votes: neither side is a council", s.Game, info.Name)
	}
	return fmt.Errorf("run %s has no votes: none of %s is a council (%s)", info.Name, strings.Join(info.Players, ", "),
		format.NumberOf(games, "game"))
}
