package ratings

import (
	"math"

	"gogi/stats/rating/crosstable"
)

// fileGames are the games of files. A name is kept once, and a count is a few numbers: ten million games
// between a thousand players are a million counts.
type fileGames struct {
	names   interned
	sources interned // the files
	counts  countList
}

// fileTerms are the terms of a game in a file: the players by their names in the file, and the conditions.
type fileTerms struct {
	source, black, white int32
	handicap             int16 // at most mostHandicap
	receiver             receiver
	cluster              int32
}

// receiver is the receiver of a handicap.
type receiver int8

const (
	unsaid receiver = iota
	byBlack
	byWhite
)

// fileCount is the games of one row, or of many under the same terms.
type fileCount struct {
	fileTerms
	blackWins, draws, whiteWins uint32
}

func (c *fileCount) games() int { return int(c.blackWins) + int(c.draws) + int(c.whiteWins) }

// fits reports whether more games can be counted with these.
func (c *fileCount) fits(more *fileCount) bool {
	return c.games()+more.games() <= math.MaxUint32
}

// interned are texts by number, in the order of their coming.
type interned struct {
	list   []string
	number map[string]int32
}

func (n *interned) of(text []byte) int32 {
	i, known := n.number[string(text)]
	if !known {
		if n.number == nil {
			n.number = map[string]int32{}
		}
		i = int32(len(n.list)) //nolint:gosec // memory ends before
		n.list = append(n.list, string(text))
		n.number[n.list[i]] = i
	}
	return i
}

// countList is a list that grows without moving.
type countList struct {
	blocks [][]fileCount
	places []int32 // the numbers of counts plus 1, by the hash of their terms; 0 is free
}

const blockSize = 1 << 12

func (l *countList) len() int {
	if len(l.blocks) == 0 {
		return 0
	}
	last := len(l.blocks) - 1
	return last*blockSize + len(l.blocks[last])
}

func (l *countList) at(i int) *fileCount { return &l.blocks[i/blockSize][i%blockSize] }

// add counts games with those of the same terms.
func (g *fileGames) add(c fileCount) {
	l := &g.counts
	if 2*l.len() >= len(l.places) {
		l.widen()
	}
	place := l.find(&c)
	if i := l.places[place]; i > 0 {
		if sum := l.at(int(i - 1)); sum.fits(&c) {
			sum.blackWins += c.blackWins
			sum.draws += c.draws
			sum.whiteWins += c.whiteWins
			return
		}
	}
	if l.len()%blockSize == 0 {
		l.blocks = append(l.blocks, make([]fileCount, 0, blockSize))
	}
	last := &l.blocks[len(l.blocks)-1]
	*last = append(*last, c)
	l.places[place] = int32(l.len()) //nolint:gosec // memory ends before
}

// find returns the place of the count with the same terms, or the free place for it.
func (l *countList) find(c *fileCount) int {
	for place := c.hash() & (len(l.places) - 1); ; place = (place + 1) & (len(l.places) - 1) {
		if i := l.places[place]; i == 0 || l.at(int(i-1)).fileTerms == c.fileTerms {
			return place
		}
	}
}

// hash mixes the terms as MurmurHash3 ends a hash.
func (t *fileTerms) hash() int {
	h := uint64(t.black)<<32 | uint64(t.white)                                                                             //nolint:gosec // numbers are not negative
	h ^= (uint64(t.source)<<48 ^ uint64(t.handicap)<<40 ^ uint64(t.receiver)<<36 ^ uint64(t.cluster)) * 0x9e3779b97f4a7c15 //nolint:gosec // as above
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return int(h >> 1) //nolint:gosec // 63 bits
}

// widen doubles the places. If several counts have the same terms, find returns the latest.
func (l *countList) widen() {
	l.places = make([]int32, max(1024, 2*len(l.places)))
	for i := range l.len() {
		l.places[l.find(l.at(i))] = int32(i + 1) //nolint:gosec // memory ends before
	}
}

// counted is a count under the labels of the players, by source and name.
func (c *fileCount) counted(labels [][]string) crosstable.Count {
	n := crosstable.Count{
		Black: labels[c.source][c.black], White: labels[c.source][c.white], Handicap: int(c.handicap), Cluster: int(c.cluster),
		BlackWins: int(c.blackWins), Draws: int(c.draws), WhiteWins: int(c.whiteWins),
	}
	switch c.receiver {
	case byBlack:
		n.Receiver = n.Black
	case byWhite:
		n.Receiver = n.White
	case unsaid:
	}
	return n
}
