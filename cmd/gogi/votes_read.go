package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"gogi/ensemble"
	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/kifu"
	"gogi/match"
	"gogi/results"
	"gogi/shogi"
)

// each gives every game that has votes to see, one after the other, and returns
// the run's name; none at all is an error.
func (s *votesSource) each(ctx context.Context, see func(*votedGame) error) (run string, err error) {
	if s.Log != "" {
		return "", s.eachLogged(see)
	}
	err = s.with(ctx, func(store *results.Store, info *results.RunInfo) error {
		run = info.Name
		return s.eachStored(ctx, store, info, see)
	})
	return run, err
}

// storedGame is what is kept of a game before its record is opened.
type storedGame struct{ pair, leg, plies int }

func (g storedGame) name() string { return fmt.Sprintf("%d.%d", g.pair, g.leg) }

func (s *votesSource) eachStored(ctx context.Context, store *results.Store, info *results.RunInfo, see func(*votedGame) error) error {
	if s.Player != "" && !slices.Contains(info.Players, s.Player) {
		return fmt.Errorf("run %s has no player %s: expected one of %s", info.Name, s.Player, strings.Join(info.Players, ", "))
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
		voted, err := s.votesOf(g, &record)
		if err != nil {
			return err
		}
		if len(voted.votes) == 0 {
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

// storedGames lists the games that were asked for.
func (s *votesSource) storedGames(ctx context.Context, store *results.Store, info *results.RunInfo) ([]storedGame, error) {
	pair, leg := -1, -1
	filter := results.Filter{Engine: s.Player}
	if s.Game != "" {
		var err error
		if pair, leg, err = parseGameName(s.Game); err != nil {
			return nil, usage.Wrap(err)
		}
		filter = results.Filter{FromPair: pair, Pairs: 1}
	}
	var games []storedGame
	err := store.GamesWhere(ctx, info.ID, filter, func(g match.Row) error {
		if leg < 0 || g.Leg == leg {
			games = append(games, storedGame{g.Pair, g.Leg, g.Plies - g.OpeningPlies})
		}
		return nil
	})
	if err == nil && pair >= 0 && len(games) == 0 {
		err = fmt.Errorf("run %s has no game %d.%d (gogi games %s lists them)", info.Name, pair, leg, info.Name)
	}
	return games, err
}

// noVotes says why there is nothing to show.
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
	return fmt.Errorf("run %s has no votes: none of %s is a council (%s)", info.Name, strings.Join(info.Players, ", "), format.NumberOf(games, "game"))
}

// votesOf reads the votes of a game's councils.
func (s *votesSource) votesOf(g storedGame, record *kifu.Record) (*votedGame, error) {
	voted := &votedGame{name: g.name(), plies: g.plies}
	sides := [2]councilVotes{{council: record.Black}, {council: record.White}}
	first, err := firstSide(record)
	if err != nil {
		return nil, fmt.Errorf("game %s: %w", voted.name, err)
	}
	for i := range len(record.Moves) + 1 {
		detail := record.Final // of an answer that is no move
		if i < len(record.Moves) {
			detail = record.Moves[i].Detail
		}
		side := &sides[(first+i)%2]
		if len(detail) == 0 || s.Player != "" && s.Player != side.council {
			continue
		}
		vote, err := ensemble.ParseRecord(detail)
		if err != nil {
			return nil, fmt.Errorf("game %s, move %d: %w", voted.name, i+1, err)
		}
		side.records = append(side.records, vote)
		side.places = append(side.places, fmt.Sprintf("game %s, ply %d", voted.name, vote.Ply))
	}
	for _, side := range sides {
		if len(side.records) > 0 {
			voted.votes = append(voted.votes, side)
		}
	}
	return voted, nil
}

// firstSide is who moves first: 0 for Black, 1 for White.
func firstSide(record *kifu.Record) (int, error) {
	if record.Start == "startpos" || record.Start == "" {
		return 0, nil
	}
	p, err := shogi.ParseSFEN(strings.TrimPrefix(record.Start, "sfen "))
	if err != nil {
		return 0, err
	}
	return int(p.Side()), nil
}

// logReader puts the records of a log together to games. Several councils may
// write into one log, each with games of its own.
type logReader struct {
	source *votesSource
	open   []*votedGame // the game that each council is in
	next   int          // the next game's number
	seen   int
	see    func(*votedGame) error
}

func (s *votesSource) eachLogged(see func(*votedGame) error) error {
	file, err := os.Open(s.Log)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	l := &logReader{source: s, see: see}
	lines := bufio.NewReader(file)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := l.line(line, fmt.Sprintf("%s:%d", s.Log, n)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return l.end()
		}
		if err != nil {
			return err
		}
	}
}

func (l *logReader) line(text []byte, place string) error {
	vote, err := ensemble.ParseRecord(text)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	i := slices.IndexFunc(l.open, func(g *votedGame) bool { return g.votes[0].council == vote.Council })
	if i >= 0 {
		v := &l.open[i].votes[0]
		if vote.Own != 1 && vote.Seed == v.records[0].Seed {
			v.records, v.places = append(v.records, vote), append(v.places, place)
			return nil
		}
		if err := l.close(l.open[i]); err != nil {
			return err
		}
		l.open = slices.Delete(l.open, i, i+1)
	}
	l.open = append(l.open, &votedGame{
		name: strconv.Itoa(l.next), plies: -1,
		votes: []councilVotes{{council: vote.Council, records: []*ensemble.Record{vote}, places: []string{place}}},
	})
	l.next++
	return nil
}

// close hands on a game that is complete, if it was asked for.
func (l *logReader) close(g *votedGame) error {
	if l.source.Player != "" && l.source.Player != g.votes[0].council {
		return nil
	}
	if l.source.Game != "" {
		if pair, leg, err := parseGameName(l.source.Game); err != nil || leg != 0 || strconv.Itoa(pair) != g.name {
			return usage.Wrap(err)
		}
	}
	l.seen++
	return l.see(g)
}

func (l *logReader) end() error {
	for _, g := range l.open {
		if err := l.close(g); err != nil {
			return err
		}
	}
	switch {
	case l.next == 0:
		return fmt.Errorf("%s: there are no votes in it", l.source.Log)
	case l.seen == 0:
		return fmt.Errorf("%s: none of its %s is the one that was asked for", l.source.Log, format.NumberOf(l.next, "game"))
	}
	return nil
}
