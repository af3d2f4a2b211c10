package farm

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
)

// Block is what is told of a block of self-play: its file was uploaded before, by whoever
// has played it.
type Block struct {
	SHA256    string `cbor:"sha256" json:"sha256"` // hex
	Size      int64  `cbor:"size" json:"bytes"`
	Games     int    `cbor:"games" json:"games"`
	Discarded int    `cbor:"discarded" json:"discarded"` // games that a fault ended, which it has not
	Black     int    `cbor:"black" json:"black_wins"`
	Draws     int    `cbor:"draws" json:"draws"`
	White     int    `cbor:"white" json:"white_wins"`
	Plies     int    `cbor:"plies" json:"plies"`
	Positions int    `cbor:"positions" json:"positions"` // that its player thought about and moved in
	Seconds   int    `cbor:"seconds" json:"seconds"`     // that it took, by its worker's word
}

// MaxBlock bounds the file of a block, in bytes: far more than one of MaxHandedGames has
// reason to be.
const MaxBlock = 64 << 20

// MaxUploads is how many bytes of a worker's uploads wait at most, with the coordinator,
// for the results that name them. Beyond, the oldest go, and whoever played them plays them
// again: a worker can fill no more than that, and take nothing away but its own.
const MaxUploads = 4 * MaxBlock

// maxSeconds bounds Block.Seconds: a month.
const maxSeconds = 31 * 24 * 3600

var hexSHA256 = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })

// Check says what of a block cannot be meant, or nil. Its file is not looked at.
func (b *Block) Check() error {
	switch {
	case !hexSHA256().MatchString(b.SHA256):
		return errors.New("a block without the SHA-256 of its file")
	case b.Size < 1 || b.Size > MaxBlock:
		return fmt.Errorf("a block of %d bytes: expected 1 to %d", b.Size, MaxBlock)
	case min(b.Games, b.Discarded, b.Black, b.Draws, b.White, b.Plies, b.Positions, b.Seconds) < 0 || b.Seconds > maxSeconds:
		return errors.New("a block with counts that are negative, or that took more than a month")
	}
	return nil
}

// StoredBlock is a block that counts: what is kept of it beside its file.
type StoredBlock struct {
	Block

	Number int    `cbor:"number" json:"block"`
	Take   int    `cbor:"take" json:"take"` // how often it was void before
	Worker string `cbor:"worker" json:"worker"`
	Owner  string `cbor:"owner" json:"owner"`
	Epoch  Epoch  `cbor:"epoch" json:"epoch"`
	Proof  []byte `cbor:"proof" json:"proof"` // the signature of the batch that told of it
}

// PullBlock asks for a piece of the first stored block of a test from a number on; the
// answer is a PulledBlock.
type PullBlock struct {
	Run    string `cbor:"run"` // a test's name or its plan's digest
	From   int    `cbor:"from"`
	Offset int64  `cbor:"offset"`
}

// PulledBlock answers PullBlock.
type PulledBlock struct {
	Test  TestStatus   `cbor:"test"`
	Plan  []byte       `cbor:"plan,omitempty"`  // match.EncodePlan; where nothing is asked for but the first
	Block *StoredBlock `cbor:"block,omitempty"` // nil: there is none from that number on
	Body  []byte       `cbor:"body,omitempty"`  // of its file, from the offset
}
