package ratings

import (
	"strings"

	"gogi/stats/rating/crosstable"
)

// fileGames are the games of files. A name is kept once, and a count is a few numbers:
// ten million games between a thousand players are a million counts.
type fileGames struct {
	names   interned
	sources interned // the files
	counts  []fileCount
	places  map[fileTerms]int32 // of a count
}

// fileTerms are those of a game in a file: who played whom by the names of the file, and
// how.
type fileTerms struct {
	source, black, white int32
	handicap             int32 // at most mostHandicap
	receiver             receiver
	cluster              int
}

// receiver is who got a handicap.
type receiver int8

const (
	unsaid receiver = iota
	byBlack
	byWhite
)

// fileCount is the games of one row, or of many under the same terms.
type fileCount struct {
	fileTerms
	blackWins, draws, whiteWins int
}

func (c fileCount) games() int { return c.blackWins + c.draws + c.whiteWins }

// interned are texts by number, in the order of their coming.
type interned struct {
	list   []string
	number map[string]int32
}

// of is the number of a text, which may be a part of one that should not be kept.
func (n *interned) of(text string) int32 {
	i, known := n.number[text]
	if !known {
		if n.number == nil {
			n.number = map[string]int32{}
		}
		text = strings.Clone(text)
		i = int32(len(n.list)) //nolint:gosec // there are not two thousand million players
		n.list, n.number[text] = append(n.list, text), i
	}
	return i
}

func (g *fileGames) add(source string, c crosstable.Count) {
	terms := fileTerms{g.sources.of(source), g.names.of(c.Black), g.names.of(c.White), int32(c.Handicap), unsaid, c.Cluster} //nolint:gosec // at most mostHandicap
	switch c.Receiver {
	case "":
	case c.Black:
		terms.receiver = byBlack
	case c.White:
		terms.receiver = byWhite
	}
	place, known := g.places[terms]
	if !known {
		if g.places == nil {
			g.places = map[fileTerms]int32{}
		}
		place = int32(len(g.counts)) //nolint:gosec // memory ends before
		g.places[terms] = place
		g.counts = append(g.counts, fileCount{fileTerms: terms})
	}
	sum := &g.counts[place]
	sum.blackWins += c.BlackWins
	sum.draws += c.Draws
	sum.whiteWins += c.WhiteWins
}

// counted is a count under the names that label gives to those of the files.
func (c fileCount) counted(label func(source, name int32) (string, error)) (n crosstable.Count, err error) {
	n = crosstable.Count{BlackWins: c.blackWins, Draws: c.draws, WhiteWins: c.whiteWins, Handicap: int(c.handicap), Cluster: c.cluster}
	if n.Black, err = label(c.source, c.black); err != nil {
		return n, err
	}
	if n.White, err = label(c.source, c.white); err != nil {
		return n, err
	}
	switch c.receiver {
	case byBlack:
		n.Receiver = n.Black
	case byWhite:
		n.Receiver = n.White
	case unsaid:
	}
	return n, nil
}
