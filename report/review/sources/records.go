// Package sources makes games to review from shogi records ([Files]), stored runs ([Run]) and SGF files ([SGF]). It
// also writes records with the results of a review ([Annotate], [AnnotateSGF]).
package sources

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"gogi/internal/disk"
	"gogi/match"
	"gogi/report/review"
	"gogi/report/review/goban"
	"gogi/report/review/sgf"
	"gogi/results"
	"gogi/results/games"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// FromRecord returns the game to review from a shogi record, with the moves up to the first illegal move.
func FromRecord(r *kifu.Record) (*review.Game, error) {
	p, err := shogi.ParseSFEN(strings.TrimPrefix(r.Start, "sfen "))
	if err != nil {
		return nil, err
	}
	g := &review.Game{Event: r.Event, Names: r.Names(), Start: "sfen " + p.SFEN(), Moves: []string{}}
	if start := shogi.StartPos(); start.SFEN() == p.SFEN() {
		g.Start = "startpos"
	}
	for c, rating := range r.Ratings {
		if rating != 0 {
			g.Ranks[c] = strconv.FormatFloat(rating, 'f', -1, 64)
		}
	}
	g.Winner = map[string]string{"black": review.Black, "white": review.White, "draw": review.Draw}[r.Winner]
	var sides strings.Builder
	given := true
	for i := range r.Moves {
		m := &r.Moves[i]
		if p.CheckLegal(m.Move) != nil {
			break
		}
		if given = given && m.Opening; given {
			g.Given++
		}
		sides.WriteString([...]string{review.Black, review.White}[p.Side()])
		g.Moves = append(g.Moves, m.Move.String())
		p.Apply(m.Move)
	}
	g.Sides = sides.String()
	g.Identify()
	return g, nil
}

// FromSGF returns the game to review from an SGF game of Go. Its Start has the komi and the setup stones,
// such as "komi 6.5 B D4 B Q16".
func FromSGF(s *sgf.Game) *review.Game {
	g := &review.Game{Event: s.Event, Names: [2]string{s.Black, s.White}, Ranks: [2]string{s.BlackRank, s.WhiteRank}, Moves: []string{}}
	g.Start = "komi " + strconv.FormatFloat(s.Komi, 'f', -1, 64)
	for _, m := range s.Setup {
		g.Start += " " + m.String()
	}
	var sides strings.Builder
	for i := range s.Moves {
		sides.WriteString(s.Moves[i].Colour.String())
		g.Moves = append(g.Moves, s.Moves[i].Point.String())
	}
	g.Sides = sides.String()
	if winner, known := s.Winner(); known {
		g.Winner = map[goban.Colour]string{goban.Black: review.Black, goban.White: review.White, goban.Empty: review.Draw}[winner]
	}
	g.Identify()
	return g
}

// Refused is a function that is called for each unreadable game. place is the game's place in the files, and
// why the reason.
type Refused func(place, why string)

// Files passes each shogi game in files to see. It reads the formats of package records, folders and
// archives. in is the input for the file name "-".
func Files(ctx context.Context, paths []string, in io.Reader, refused Refused, see func(*review.Game, *kifu.Record) error) error {
	refuse := func(r games.Refusal) { refused(r.Place(), r.Why) }
	return games.Each(ctx, paths, in, refuse, func(r *kifu.Record, at games.Refusal) error {
		if r.Event == "" {
			r.Event = at.Place() // so that two games without an origin are not taken for one game
		}
		g, err := FromRecord(r)
		if err != nil {
			refused(at.Place(), err.Error())
			return nil
		}
		return see(g, r)
	})
}

// Run calls see for each game of a stored run that matches the search what.
func Run(ctx context.Context, store *results.Store, info *results.RunInfo, what results.Search, see func(*review.Game, *kifu.Record) error) error {
	completer, err := games.NewCompleter(info)
	if err != nil {
		return err
	}
	return store.Records(ctx, info.ID, what, func(row match.Row, r kifu.Record) error {
		completer.Complete(row, &r)
		g, err := FromRecord(&r)
		if err != nil {
			return err
		}
		return see(g, &r)
	})
}

// maxSGF is the largest size of an SGF file, in bytes.
const maxSGF = 1 << 30

// SGF calls see for each game in SGF files. In a folder it reads the files named *.sgf.
func SGF(ctx context.Context, paths []string, in io.Reader, refused Refused, see func(*review.Game, *sgf.Game) error) error {
	each := func(name string, data []byte) error {
		games, bad := sgf.Parse(data)
		for _, b := range bad {
			refused(name, b.Error())
		}
		if len(games) == 0 && len(bad) == 0 {
			refused(name, "there is no game in it: expected SGF")
		}
		for n, s := range games {
			if s.Event == "" {
				s.Event = name + " " + strconv.Itoa(n+1)
			}
			if err := errors.Join(context.Cause(ctx), see(FromSGF(s), s)); err != nil {
				return err
			}
		}
		return nil
	}
	for _, path := range paths {
		if path == "-" {
			data, err := disk.ReadAll(in, maxSGF)
			if err == nil {
				err = each("standard input", data)
			}
			if err != nil {
				return err
			}
			continue
		}
		err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || name != path && !strings.EqualFold(filepath.Ext(name), ".sgf") {
				return err
			}
			data, err := disk.ReadFile(name, maxSGF)
			if err != nil {
				return err
			}
			return each(name, data)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
