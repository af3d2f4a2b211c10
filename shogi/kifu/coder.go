package kifu

import (
	"errors"
	"io"
	"math/bits"
)

// coder is an adaptive binary arithmetic coder (a range coder). The same calls in the same order write a text and read
// it, so a format is defined once. Each method takes the value to write, and returns the value that it wrote or read.
type coder struct {
	text    []byte
	reading bool
	at      int    // when reading, the offset of the next byte; bytes after the end are 0
	low     uint32 // when writing, the next four bytes of the least text; when reading, those of the text less these
	size    uint32 // the number of values that the next four bytes can have
}

// chance is the estimated probability that a bit is 1. It learns from each bit. Its zero value is one half.
type chance struct {
	lean int16 // the probability less one half, in units of 1/65536
	seen uint8 // the number of bits that it has learned from, at most mostSeen
}

// These constants are part of the format. mostSeen limits the memory of a chance, so that it follows changes within a
// game. mostLean limits the certainty of a chance, so that no bit takes more than 11 bits of the text.
const (
	mostSeen  = 60
	mostLean  = 1<<15 - 33
	leastSize = 1 << 24
)

// rates has the part of its error that a chance corrects after a number of bits, in units of 1/32768.
var rates = func() (list [mostSeen + 1]int32) {
	for n := range list {
		list[n] = int32(1 << 16 / (2*n + 3))
	}
	return list
}()

// writingCoder returns a coder that writes after head.
func writingCoder(head ...byte) coder { return coder{text: head, size: 1<<32 - 1} }

// readingCoder returns a coder that reads what a writing coder wrote after its head.
func readingCoder(text []byte) coder {
	c := coder{text: text, reading: true}
	for range 4 {
		c.shift()
	}
	c.size = 1<<32 - 1
	return c
}

// written ends the text and returns it with the head. With zeros after it, it is a text that agrees with all bits.
func (c *coder) written() []byte {
	c.add(leastSize - 1)
	return append(c.text, byte(c.low>>24))
}

// overrun returns an error if a reading coder has read after the end of the text. The last three of four bytes may be
// after the end.
func (c *coder) overrun() error {
	if c.reading && c.at > len(c.text)+3 {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// ended returns an error unless a reading coder has read the whole text.
func (c *coder) ended() error {
	if c.at < len(c.text)+3 {
		return errors.New("it has too many bytes")
	}
	return c.overrun()
}

// add adds to the text. The sum can carry into the bytes that are already written.
func (c *coder) add(n uint32) {
	c.low += n
	if c.low < n {
		for i := len(c.text) - 1; ; i-- {
			if c.text[i]++; c.text[i] != 0 {
				break
			}
		}
	}
}

// shift writes or reads a byte.
func (c *coder) shift() {
	next := byte(0)
	switch {
	case !c.reading:
		c.text = append(c.text, byte(c.low>>24))
	case c.at < len(c.text):
		next = c.text[c.at]
		fallthrough
	default:
		c.at++
	}
	c.low, c.size = c.low<<8|uint32(next), c.size<<8
}

// fill writes or reads bytes until size is large enough for the next bit.
func (c *coder) fill() {
	for c.size < leastSize {
		c.shift()
	}
}

// one returns 1 for true and 0 for false.
func one(v bool) uint {
	if v {
		return 1
	}
	return 0
}

// bit codes a bit with its chance. Its arithmetic has no branch that depends on the bit, because a CPU cannot predict
// such a branch.
func (c *coder) bit(p *chance, v uint) uint {
	size := c.size
	part := size >> 16 * uint32(int32(p.lean)+1<<15) // the values for 1; the others follow
	var ones uint32                                  // 32 times the bit
	if c.reading {
		ones = uint32((int64(c.low) - int64(part)) >> 63)
		c.low -= part &^ ones
	} else {
		ones = -uint32(v)
		c.add(part &^ ones)
	}
	size = part&ones | (size-part)&^ones
	if c.size = size; size < leastSize {
		c.fill()
	}
	p.learn(ones)
	return uint(ones & 1)
}

// learn learns from a bit. ones is 32 times the bit.
func (p *chance) learn(ones uint32) {
	certain := mostLean ^ ^int32(ones) // mostLean for 1, and -mostLean-1 for 0
	p.lean += int16((certain - int32(p.lean)) * rates[p.seen] >> 15)
	p.seen = min(p.seen+1, mostSeen)
}

// raw codes the n lowest bits of v. It does not expect some of them more than others.
func (c *coder) raw(n int, v uint64) (got uint64) {
	for n > 0 {
		k := min(n, 16)
		n -= k
		c.size >>= k
		digit := uint32(v>>n) & (1<<k - 1)
		if c.reading {
			digit = min(c.low/c.size, 1<<k-1) // only a damaged text has more
			c.low -= digit * c.size
		} else {
			c.add(digit * c.size)
		}
		c.fill()
		got = got<<k | uint64(digit)
	}
	return got
}

// tree codes a number below len(t), which is a power of two, from the highest bit to the lowest. The chance of a bit
// depends on the bits above it.
func (c *coder) tree(t []chance, v uint) uint {
	if c.reading {
		return c.readTree(t)
	}
	at := uint(1)
	for n := bits.Len(uint(len(t))) - 2; n >= 0; n-- {
		at = at<<1 | c.bit(&t[at], v>>n&1)
	}
	return at - uint(len(t))
}

// readTree is tree for a reading coder. It does what bit does, with the state of the coder in variables, because that
// takes less time.
func (c *coder) readTree(t []chance) uint {
	low, size := c.low, c.size
	at := uint(1)
	for at < uint(len(t)) {
		p := &t[at]
		part := size >> 16 * uint32(int32(p.lean)+1<<15)
		ones := uint32((int64(low) - int64(part)) >> 63)
		low -= part &^ ones
		size = part&ones | (size-part)&^ones
		if size < leastSize {
			c.low, c.size = low, size
			c.fill()
			low, size = c.low, c.size
		}
		p.learn(ones)
		at = at<<1 | uint(ones&1)
	}
	c.low, c.size = low, size
	return at - uint(len(t))
}

// numbers has the chances of numbers. First comes whether a number is above 0, and then its number of bits. The highest
// of these bits is 1. The bit below it has a chance, and all others are 0 or 1 with equal chances.
type numbers struct {
	some   chance
	length [long]chance // less 1
	more   [64]chance   // has a number more bits than its index?
	second [65]chance   // by the number of bits
}

// long is the first number of bits that length does not distinguish from larger ones.
const long = 16

// uint codes a number.
func (c *coder) uint(m *numbers, v uint64) uint64 {
	size := bits.Len64(v)
	if c.bit(&m.some, one(size > 0)) == 0 {
		return 0
	}
	n := 1 + int(c.tree(m.length[:], uint(min(max(size, 1), long)-1)))
	for n >= long && n < 64 && c.bit(&m.more[n], one(n < size)) == 1 {
		n++
	}
	if n < 2 {
		return uint64(n)
	}
	second := uint64(c.bit(&m.second[n], uint(v>>(n-2)&1)))
	return (2|second)<<(n-2) | c.raw(n-2, v)
}

// int codes a number of either sign in the zigzag form of encoding/binary.
func (c *coder) int(m *numbers, v int64) int64 {
	u := c.uint(m, uint64(v)<<1^uint64(v>>63))
	return int64(u>>1) ^ -int64(u&1)
}
