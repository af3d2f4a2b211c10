package selfplay

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"gogi/match"
	"gogi/shogi/kifu/packed"
)

// Unit is what a plan of blocks says that were handed to others to be played.
type Unit struct {
	Plan   *match.Plan // as this machine plays blocks: the digest of the blocks is over it
	Design Design
	Blocks int // wanted
	Data   Data
}

// handed is a Unit as match.Plan.Selfplay has it. What is made of the blocks stands with
// what they are, so that whoever fetches them can make it.
type handed struct {
	Version   int    `json:"version"`
	Design    Design `json:"block"`
	Format    string `json:"format"`
	Positions int    `json:"positions_a_shard"`
	Shuffle   bool   `json:"shuffle"`
	Seed      uint64 `json:"shuffle_seed"`
	NoMate    bool   `json:"no_mate"`
	Distinct  int    `json:"distinct_mib"`
}

const handedVersion = 1

// The bounds of what others may be handed. A block travels as one file.
const (
	MaxHandedGames  = 4096     // of a block
	MaxHandedBlocks = 10 << 20 // of a plan
	maxHandedSeen   = 4096     // MiB
)

// Hand is a plan by which others play these blocks: its pairs are the blocks.
func (u *Unit) Hand() (*match.Plan, error) {
	if err := u.check(); err != nil {
		return nil, err
	}
	d := &u.Data
	text, err := json.Marshal(handed{handedVersion, u.Design, d.Format.Name, d.Positions, d.Shuffle, d.Seed, d.NoMate, d.Distinct})
	if err != nil {
		return nil, err
	}
	plan := *u.Plan
	plan.Selfplay, plan.Pairs = string(text), u.Blocks
	return &plan, plan.Check()
}

// Handed is the inverse of Hand, of a plan that anybody may have written; nil where it is
// no plan of blocks.
func Handed(plan *match.Plan) (*Unit, error) {
	if plan.Selfplay == "" {
		return nil, nil //nolint:nilnil // most plans are of pairs
	}
	var h handed
	if err := json.Unmarshal([]byte(plan.Selfplay), &h); err != nil {
		return nil, fmt.Errorf("reading what blocks of self-play are: %w", err)
	}
	if h.Version != handedVersion {
		return nil, fmt.Errorf("blocks of self-play of version %d: this program knows %d", h.Version, handedVersion)
	}
	format, err := packed.Find(h.Format)
	if err != nil {
		return nil, err
	}
	own := *plan
	own.Selfplay = ""
	u := &Unit{Plan: &own, Design: h.Design, Blocks: plan.Pairs, Data: Data{
		Format: format, Positions: h.Positions, Shuffle: h.Shuffle, Seed: h.Seed, NoMate: h.NoMate, Distinct: h.Distinct,
	}}
	return u, u.check()
}

// Digest is that of the blocks.
func (u *Unit) Digest() (string, error) { return Digest(u.Plan, u.Design) }

func (u *Unit) check() error {
	for _, f := range u.Design.Faults() {
		return fmt.Errorf("selfplay.%s: %s", f.Key, f.Why)
	}
	switch d := &u.Data; {
	case u.Design.Games > MaxHandedGames:
		return fmt.Errorf("selfplay.block: blocks of %d games are too long to travel: expected at most %d", u.Design.Games, MaxHandedGames)
	case u.Blocks < 1 || u.Blocks > MaxHandedBlocks:
		return fmt.Errorf("%d blocks: expected 1 to %d", u.Blocks, MaxHandedBlocks)
	case d.Positions < 0 || d.Distinct < 0 || d.Distinct > maxHandedSeen:
		return errors.New("selfplay.shard or selfplay.distinct_mib is negative, or too much is remembered")
	}
	return nil
}

// Counts are of a block's games.
type Counts struct {
	Games     int `json:"games" cbor:"games"`
	Discarded int `json:"discarded" cbor:"discarded"` // games that a fault ended
	Black     int `json:"black_wins" cbor:"black"`
	Draws     int `json:"draws" cbor:"draws"`
	White     int `json:"white_wins" cbor:"white"`
	Plies     int `json:"plies" cbor:"plies"`
	Positions int `json:"positions" cbor:"positions"` // that the player thought about and moved in
}

// Counts counts.
func (b *Block) Counts() Counts {
	c := Counts{Games: len(b.Games)}
	for _, n := range b.Discarded {
		c.Discarded += n
	}
	for i := range b.Games {
		g := &b.Games[i]
		switch g.Winner {
		case packed.BlackWins.String():
			c.Black++
		case packed.WhiteWins.String():
			c.White++
		default:
			c.Draws++
		}
		c.Plies += len(g.Moves)
		for j := range g.Moves {
			if !g.Moves[j].Opening {
				c.Positions++
			}
		}
	}
	return c
}

// Encoded is the file of a block.
func (f *Folder) Encoded(number int) ([]byte, error) { return os.ReadFile(f.blockPath(number)) }

// Remove removes a block: it is to be played again.
func (f *Folder) Remove(number int) error { return os.Remove(f.blockPath(number)) }

// SetAside takes a block out and keeps its file, under a name that ends in ".gone".
func (f *Folder) SetAside(number int) error {
	return os.Rename(f.blockPath(number), f.blockPath(number)+".gone")
}

// PutEncoded keeps a block as Encode wrote it, which is looked through.
func (f *Folder) PutEncoded(number int, data []byte) error {
	if _, err := Decode(data, f.Digest, number); err != nil {
		return fmt.Errorf("block %d: %w", number, err)
	}
	if err := writeWhole(f.blockPath(number), data); err != nil {
		return fmt.Errorf("keeping block %d: %w", number, err)
	}
	return nil
}
