package ratings

import (
	"math"

	"gogi/stats/rating/crosstable"
)

// fileGames has the games of files in little memory. It stores each name once. Games with the same fileTerms share
// one count. Ten million games between a thousand players need about a million counts.
type fileGames struct {
	names   interned
	sources interned // the files
	counts  []fileCount
	number  map[fileTerms]int32 // index of the latest count with these terms
}

// fileTerms has what the model must know about a game in a file: the file, the names of the players, the handicap and
// its receiver, and the cluster (games of one cluster depend on each other).
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

// fits reports whether the games of the parameter more can be added to c without an overflow of c's counters.
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
		i = int32(len(n.list))
		n.list = append(n.list, string(text))
		n.number[n.list[i]] = i
	}
	return i
}

// add adds games to the count with the same terms, or to a new count.
func (g *fileGames) add(c fileCount) {
	i, known := g.number[c.fileTerms]
	if known && g.counts[i].fits(&c) {
		sum := &g.counts[i]
		sum.blackWins += c.blackWins
		sum.draws += c.draws
		sum.whiteWins += c.whiteWins
		return
	}
	if g.number == nil {
		g.number = map[fileTerms]int32{}
	}
	g.number[c.fileTerms] = int32(len(g.counts))
	g.counts = append(g.counts, c)
}

// counted returns the count with the players' labels. labels has the labels by number of the file and number of the
// name.
func (c *fileCount) counted(labels [][]string) crosstable.Count {
	n := crosstable.Count{
		Black: labels[c.source][c.black], White: labels[c.source][c.white], Handicap: int(c.handicap),
		Cluster:   int(c.cluster),
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
