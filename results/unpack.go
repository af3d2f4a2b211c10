package results

import (
	"context"
	"database/sql"
	"fmt"

	"gogi/results/tables"
	"gogi/shogi/kifu"
)

// unpackedAtOnce is the number of games that a goroutine unpacks while selectRecords reads the next ones. A long game
// takes 40 kB.
const unpackedAtOnce = 16

// packedGame is a game with its record, which an unpacker completes.
type packedGame struct {
	game   tables.Game
	record kifu.Record
	id     int64
	blob   []byte        // the moves
	stored sql.NullInt64 // the checksum
	err    error
}

// unpack verifies the checksum and unpacks the record.
func (p *packedGame) unpack() {
	g, r := &p.game, &p.record
	if sum, err := tables.SumOf("records", p.id, r.Start, r.Event, r.Site, p.blob, r.Final); err != nil ||
		p.stored.Valid && p.stored.Int64 != sum {
		p.err = &tables.Damaged{Table: "records", Pair: g.Pair, Leg: g.Leg}
		return
	}
	r.Start = tables.Start(r.Start)
	r.Black, r.White, r.Started = g.Black, g.White, g.Started
	r.Result, r.Winner = g.Termination.String(), g.Outcome.String()
	if r.Moves, p.err = kifu.Unpack(p.blob); p.err != nil {
		p.err = fmt.Errorf("pair %d, leg %d: %w", g.Pair, g.Leg, p.err)
	}
}

// unpacker unpacks games in a goroutine, and yields them in order.
type unpacker struct {
	yield  func(*tables.Game, kifu.Record) error
	next   []packedGame  // packed
	before []packedGame  // the games before next; a goroutine unpacks them
	done   chan struct{} // closed when before is unpacked; nil before the first games
}

// turn begins to unpack the games of next, and yields those before. After an error it yields no more games.
func (u *unpacker) turn() error {
	games, done := u.next, make(chan struct{})
	if len(games) == 0 {
		close(done)
	} else {
		go func() {
			defer close(done)
			for i := range games {
				games[i].unpack()
			}
		}()
	}
	before := u.before
	if u.done != nil {
		<-u.done
	}
	u.next, u.before, u.done = before[:0], games, done
	for i := range before {
		if before[i].err != nil {
			return before[i].err
		}
		if err := u.yield(&before[i].game, before[i].record); err != nil {
			return err
		}
	}
	return nil
}

// selectRecords calls yield for the games selected by where, an SQL condition, with their records. It reads some games
// ahead, and yields all games before the first error.
func selectRecords(ctx context.Context, q tables.Querier, c playerTable, runID int64,
	yield func(*tables.Game, kifu.Record) error, where string, args ...any) error {
	var p packedGame
	head := &p.record
	reader := newGameReader(c, &p.id, &head.Start, &head.Event, &head.Site, &p.blob, &head.Final, &p.stored)
	u := unpacker{yield: yield}
	var stopped error
	err := tables.Each(ctx, q, func(rows *sql.Rows) error {
		if _, err := reader.read(rows); err != nil {
			return err
		}
		p.game = reader.game
		if u.next = append(u.next, p); len(u.next) == unpackedAtOnce {
			stopped = u.turn()
		}
		return stopped
	}, recordsQuery()+where, args...)
	for range 2 { // the games that were read but not yielded
		if stopped == nil {
			stopped = u.turn()
		}
	}
	if stopped != nil {
		err = stopped
	}
	return tables.NameRun(ctx, q, runID, err)
}
