package ratings

import (
	"hash/maphash"
	"math"

	"gogi/stats/rating/crosstable"
)

// fileGames has the games of files in little memory. It stores each name once, and adds up the games with the
// same terms in one count. Ten million games between a thousand players need about a million counts.
type fileGames struct {
	names   interned
	sources interned // the files
	counts  countList
}

// fileTerms has the terms of a game in a file: the players, by their names in the file, and the conditions.
type fileTerms struct {
	source, black, white int32
	handicap             int16 // at most mostHandicap
	receiver             receiver
	cluster              int32
}

// receiver is the side that receives a handicap.
type receiver int8

const (
	unstated receiver = iota
	byBlack
	byWhite
)

// fileCount counts the games of one row, or of several rows with the same terms.
type fileCount struct {
	fileTerms
	blackWins, draws, whiteWins uint32
}

func (c *fileCount) games() int { return int(c.blackWins) + int(c.draws) + int(c.whiteWins) }

// fits reports whether more games can be added to this count.
func (c *fileCount) fits(more *fileCount) bool {
	return c.games()+more.games() <= math.MaxUint32
}

// interned stores each text once, and numbers the texts in the order in which they were added.
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
		i = int32(len(n.list)) //nolint:gosec // memory runs out before an overflow
		n.list = append(n.list, string(text))
		n.number[n.list[i]] = i
	}
	return i
}

// countList is a list of counts that grows without copying its elements. Its hash table stores no terms, and
// so needs a third of the memory of a map.
type countList struct {
	blocks [][]fileCount
	index  []int32 // hash table. A used slot has 1 plus the number of the latest count with its terms, an empty slot has 0.
	seed   maphash.Seed
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

// slot returns the slot of terms in the hash table, or the empty slot for them.
func (l *countList) slot(t fileTerms) *int32 {
	for h := maphash.Comparable(l.seed, t); ; h++ {
		slot := &l.index[h%uint64(len(l.index))]
		if *slot == 0 || l.at(int(*slot)-1).fileTerms == t {
			return slot
		}
	}
}

// grow doubles the hash table.
func (l *countList) grow() {
	l.index, l.seed = make([]int32, max(1024, 2*len(l.index))), maphash.MakeSeed()
	for i := range l.len() {
		*l.slot(l.at(i).fileTerms) = int32(i + 1) //nolint:gosec // memory runs out before an overflow
	}
}

// add adds games to the count with the same terms, or to a new count.
func (g *fileGames) add(c fileCount) {
	l := &g.counts
	if 2*l.len() >= len(l.index) {
		l.grow()
	}
	slot := l.slot(c.fileTerms)
	if *slot > 0 {
		if sum := l.at(int(*slot) - 1); sum.fits(&c) {
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
	*slot = int32(l.len()) //nolint:gosec // memory runs out before an overflow
}

// counted returns the count with the players' labels. labels has them by number of the file and number of the
// name.
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
	case unstated:
	}
	return n
}
