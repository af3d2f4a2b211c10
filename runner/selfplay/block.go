package selfplay

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gogi/match/arbiter"
	"gogi/shogi/kifu"
)

// Block contains the games of one pair of self-play, in order. Training data consist of blocks.
type Block struct {
	Number    int
	Games     []Game
	Redrawn   arbiter.Redrawn
	Discarded map[string]int // games that a fault of the player ended, by termination
}

// Game is one game of self-play, in which one engine plays both sides.
type Game struct {
	Start string `json:"start"` // SFEN
	// random moves have Opening set; the Detail of the others is a list of packed.Candidate
	Moves    []kifu.Move `json:"-"`
	Packed   []byte      `json:"moves"` // Moves, by kifu.Pack
	Result   string      `json:"result"`
	Winner   string      `json:"winner"`             // black, white or draw
	Audited  bool        `json:"audited,omitempty"`  // it continued although the scores would have ended it
	Adjudged string      `json:"adjudged,omitempty"` // the winner by the scores; "" if they ended nothing
	// the number of plies when the scores ended, or would have ended, the game
	At int `json:"adjudged_at,omitempty"`
}

// Record returns the game as a record that shares its moves.
func (g *Game) Record() kifu.Record {
	return kifu.Record{Start: g.Start, Moves: g.Moves, Result: g.Result, Winner: g.Winner}
}

// blockHead, Game and blockEnd are the lines of a block: one head line, a line for each game, and an end line. The end
// line shows that the block is complete.
type (
	blockHead struct {
		Version int    `json:"gogi_block"`
		Digest  string `json:"digest"`
		Number  int    `json:"block"`
	}
	blockEnd struct {
		Games     int             `json:"games"`
		Redrawn   arbiter.Redrawn `json:"redrawn"`
		Discarded map[string]int  `json:"discarded"`
		SHA256    string          `json:"sha256"` // of all earlier lines
	}
)

const blockVersion = 1

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// Encode returns the block as JSON lines. digest is the SHA-256 of the settings that determine the blocks;
// the first line contains it. Equal blocks with equal digests give equal bytes.
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

// Decode reads a complete block that Encode wrote. It returns an error if the block is damaged, or if its
// digest or its number differs from the arguments. digest is the SHA-256 of the settings that determine the
// blocks.
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
		return nil, fmt.Errorf("it is block %d of %.12s, expected block %d of %.12s", head.Number, head.Digest, number,
			digest)
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
