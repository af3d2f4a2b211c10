package selfplay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"gogi/internal/hurry"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
	"gogi/usi"
)

// Generator plays blocks. Its methods may be called from many goroutines.
type Generator struct {
	Plan   *match.Plan // of one player, who plays both sides
	Design Design
	Open   func(ctx context.Context) (Player, error)
	// Candidates are the moves that the detail of a reply, a council's vote, tells; nil:
	// nobody votes.
	Candidates func(detail []byte) []packed.Candidate
	// Ending, when it is not nil, is closed when the blocks in play become the last: a
	// start of the player that takes longer than hurry.Grace from then on ends its block
	// with hurry.ErrEnding.
	Ending <-chan struct{}
}

// Redrawn counts beginnings of games that were drawn again.
type Redrawn = arbiter.Redrawn

// Block is a number of games in their order.
type Block struct {
	Number    int
	Games     []Game
	Redrawn   Redrawn
	Discarded map[string]int // games that a fault of the player ended, by how

	// What follows is of this playing of the block, and is not kept.
	Failures  []error       // of players, for which it was begun again
	Searching time.Duration // in searches
	Took      time.Duration // in all, without Failures
}

// maxTries is how often a block is begun whose player fails.
const maxTries = 3

// Block plays a block with a process of its own. Where the player fails, it is begun
// again, with another process; after three times that is the error.
func (g *Generator) Block(ctx context.Context, number int) (*Block, error) {
	var failures []error
	for {
		b, err := g.try(ctx, number)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if errors.Is(err, hurry.ErrEnding) {
			return nil, err
		}
		if err == nil {
			b.Failures = failures
			return b, nil
		}
		if failures = append(failures, err); len(failures) >= maxTries {
			return nil, fmt.Errorf("block %d could not be played %d times in a row: %w", number, maxTries, err)
		}
	}
}

func (g *Generator) try(ctx context.Context, number int) (b *Block, err error) {
	begun := time.Now()
	s := seat{Generator: g}
	defer func() {
		if s.player != nil {
			err = errors.Join(err, s.player.Close())
		}
	}()
	b = &Block{Number: number, Discarded: map[string]int{}}
	for n := range g.Design.Games {
		if err := s.ready(ctx); err != nil {
			return nil, err
		}
		game, v, err := s.play(ctx, number, n)
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", n, err)
		}
		if v.Termination.IsFault() {
			b.Discarded[v.Termination.String()]++
			continue
		}
		b.Games = append(b.Games, game)
	}
	b.Redrawn, b.Searching, b.Took = s.redrawn, s.searching, time.Since(begun)
	return b, nil
}

// ready opens the player: at the beginning of a block, or of each game.
func (s *seat) ready(ctx context.Context) (err error) {
	ctx, stop := hurry.Start(ctx, s.Ending)
	defer stop()
	if s.player != nil && s.Plan.Players[0].Restart == match.RestartGame {
		err, s.player, s.lines = s.player.Close(), nil, 0
	}
	if err == nil && s.player == nil {
		s.player, err = s.Open(ctx)
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Rehearse opens a player as for a block and closes it: what it cannot do is known before
// many are opened at a time, and a cache that its first start fills is there.
func (g *Generator) Rehearse(ctx context.Context) error {
	s := seat{Generator: g}
	err := s.ready(ctx)
	if err != nil {
		return err
	}
	if err = s.setLines(0); err == nil {
		err = s.player.NewGame(ctx, usi.Game{Pair: usi.NoPair})
	}
	return errors.Join(err, s.player.Close())
}

// The lines of a block: a head, the games, and an end, by which it is whole.
type (
	blockHead struct {
		Version int    `json:"gogi_block"`
		Digest  string `json:"digest"`
		Number  int    `json:"block"`
	}
	blockEnd struct {
		Games     int            `json:"games"`
		Redrawn   Redrawn        `json:"redrawn"`
		Discarded map[string]int `json:"discarded"`
		SHA256    string         `json:"sha256"` // of all lines before
	}
)

const blockVersion = 1

// Encode writes a block of the given digest as JSON lines. Equal blocks give equal bytes.
func (b *Block) Encode(digest string) ([]byte, error) {
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	if err := lines.Encode(blockHead{blockVersion, digest, b.Number}); err != nil {
		return nil, err
	}
	for i := range b.Games {
		g := b.Games[i]
		var err error
		if g.Packed, err = kifu.Pack(g.Moves, 0); err == nil {
			err = lines.Encode(&g)
		}
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", i, err)
		}
	}
	err := lines.Encode(blockEnd{len(b.Games), b.Redrawn, b.Discarded, sum(out.Bytes())})
	return out.Bytes(), err
}

// Decode reads a block, which must be whole, of this digest and number.
func Decode(data []byte, digest string, number int) (*Block, error) {
	cut := bytes.LastIndexByte(bytes.TrimSuffix(data, []byte("\n")), '\n') + 1
	var end blockEnd
	if err := json.Unmarshal(data[cut:], &end); err != nil || end.SHA256 != sum(data[:cut]) {
		return nil, errors.New("it is damaged: its last line does not have the SHA-256 of those before")
	}
	lines := json.NewDecoder(bufio.NewReader(bytes.NewReader(data[:cut])))
	var head blockHead
	if err := lines.Decode(&head); err != nil || head.Version != blockVersion {
		return nil, fmt.Errorf("it begins with no head of version %d", blockVersion)
	}
	if head.Digest != digest || head.Number != number {
		return nil, fmt.Errorf("it is block %d of %.12s, expected block %d of %.12s", head.Number, head.Digest, number, digest)
	}
	b := &Block{Number: number, Redrawn: end.Redrawn, Discarded: end.Discarded}
	for {
		var g Game
		err := lines.Decode(&g)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			g.Moves, err = kifu.Unpack(g.Packed)
		}
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", len(b.Games), err)
		}
		g.Packed = nil
		b.Games = append(b.Games, g)
	}
	if len(b.Games) != end.Games {
		return nil, fmt.Errorf("it has %d games, expected %d", len(b.Games), end.Games)
	}
	return b, nil
}
