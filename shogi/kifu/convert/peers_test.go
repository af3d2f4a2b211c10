package convert

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/text"
)

var (
	peerFolders = flag.String("formats", "",
		"folders of record files, separated by colons: compare gogi with other readers")
	peerDetails = flag.String("formats.details", "", "file for the differences, one on each line")
)

// peerScripts is the folder of the programs that read records with the libraries of others.
const peerScripts = "../../../results/games/testdata"

// A reading is what one reader makes of the first game of a file.
type reading struct {
	File    string
	Peer    string
	Error   string
	Start   string
	Moves   []string
	Count   int        // number of moves, for a reader that prints no moves
	Seconds []int      // -1: no time is known
	End     *string    // the peer's word; nil: the peer reads no ends
	Names   *[2]string // nil: the peer reads no names
	winner  string
}

// TestFormatsTable compares gogi with other readers, over folders of record files: make formats FORMATS=FOLDER:FOLDER.
// It prints the tables of docs/research/formats.md. It needs node; PYTHONPATH may name python-shogi and cshogi.
func TestFormatsTable(t *testing.T) {
	if *peerFolders == "" {
		t.Skip("no folders of record files: make formats FORMATS=FOLDER:FOLDER")
	}
	d := &details{}
	given := collect(t, strings.Split(*peerFolders, ":"))
	written := t.TempDir()
	fmt.Printf("%d different files; gogi reads %d\n\n### Peers and gogi read the same files\n\n", len(given),
		countRead(given))
	compare(given, askPeers(t, given, written), d)
	d.save(t)
	fmt.Printf("\n### Peers write, gogi reads\n\n")
	readBack(t, given, written, d)
	fmt.Printf("\n### gogi writes, peers read\n\n")
	made := writeOwn(t, given)
	compare(made, askPeers(t, made, ""), d)
	d.save(t)
}

// details has the differences, one on each line.
type details struct{ bytes.Buffer }

// save writes the file of the differences. It is also written before the end, because a run takes many minutes.
func (d *details) save(t *testing.T) {
	t.Helper()
	if *peerDetails != "" {
		testutil.OK(t, os.WriteFile(*peerDetails, d.Bytes(), 0o600))
	}
}

// A given is a file with gogi's reading.
type given struct {
	path   string
	format string
	text   []byte // in UTF-8
	reading
	record *kifu.Record
}

// collect reads the record files of folders. Files with equal bytes count once.
func collect(t *testing.T, folders []string) (list []*given) {
	t.Helper()
	seen := map[[32]byte]bool{}
	for _, folder := range folders {
		testutil.OK(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			f, ok := text.OfFile(text.Text(), path)
			if !ok || f.Read == nil {
				return nil
			}
			content, err := os.ReadFile(path)
			if sum := sha256.Sum256(content); err == nil && !seen[sum] {
				seen[sum] = true
				g := &given{path: path, format: f.Name, text: decode(content)}
				g.read(f, content)
				list = append(list, g)
			}
			return err
		}))
	}
	return list
}

// decode returns a text in UTF-8 without a mark. Other readers get this text, so that an encoding is no difference.
func decode(content []byte) []byte {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if utf8.Valid(content) {
		return content
	}
	if s, err := japanese.ShiftJIS.NewDecoder().Bytes(content); err == nil && !bytes.ContainsRune(s, utf8.RuneError) {
		return s
	}
	s, err := japanese.EUCJP.NewDecoder().Bytes(content)
	if err != nil {
		return content
	}
	return s
}

// read sets gogi's reading of the first game.
func (g *given) read(f text.Format, content []byte) {
	r, err := f.Read(text.NewInput(filepath.Base(g.path), bytes.NewReader(content))).Next()
	if err != nil {
		g.reading = reading{Error: err.Error()}
		return
	}
	g.take(r)
}

// take sets the reading from a record.
func (g *given) take(r *kifu.Record) {
	names := [2]string{r.Black, r.White}
	g.record = r
	g.reading = reading{Start: r.Start, Moves: r.USIMoves(), winner: r.Winner, Names: &names, Count: len(r.Moves)}
	for i := range r.Moves {
		s := -1
		if m := &r.Moves[i]; !m.NoTime && !m.Opening {
			s = int(m.Time / time.Second)
		}
		g.Seconds = append(g.Seconds, s)
	}
}

func countRead(list []*given) (n int) {
	for _, g := range list {
		if g.Error == "" {
			n++
		}
	}
	return n
}

// askPeers returns the readings of all peers, by the number of the file.
func askPeers(t *testing.T, list []*given, written string) map[int][]reading {
	t.Helper()
	folder := t.TempDir()
	for i, g := range list {
		testutil.OK(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%05d.%s", i, g.format)), g.text, 0o600))
	}
	all := map[int][]reading{}
	node := exec.Command("node", filepath.Join(peerScripts, "npm", "peers.mjs"), folder, written)
	python := exec.Command("/usr/bin/python3", filepath.Join(peerScripts, "peers.py"), folder)
	for _, cmd := range []*exec.Cmd{node, python} {
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		testutil.Require(t, err == nil, "%v: %v", cmd, err)
		for line := range bytes.Lines(out) {
			var r reading
			testutil.OK(t, json.Unmarshal(line, &r))
			addReading(all, r)
		}
	}
	askOSL(t, folder, list, all)
	return all
}

func addReading(all map[int][]reading, r reading) {
	var n int
	fmt.Sscanf(r.File, "%d.", &n)
	r.Count = max(r.Count, len(r.Moves))
	all[n] = append(all[n], r)
}

// askOSL adds the readings of libosl, which prints the number of moves and the result.
func askOSL(t *testing.T, folder string, list []*given, all map[int][]reading) {
	t.Helper()
	if _, err := os.Stat("/usr/include/osl/record/csaRecord.h"); err != nil {
		fmt.Fprintln(os.Stderr, "libosl-dev is not there")
		return
	}
	program := filepath.Join(t.TempDir(), "libosl")
	built, err := exec.Command("g++", "-O1", "-std=c++14", "-w", "-DOSL_SMP", filepath.Join(peerScripts, "libosl.cc"),
		"-o", program, "-losl", "-lpthread").CombinedOutput()
	testutil.Require(t, err == nil, "%v: %s", err, built)
	for i, g := range list {
		if g.format != "csa" {
			continue
		}
		r := reading{File: fmt.Sprintf("%05d.csa", i), Peer: "libosl"}
		out, err := exec.Command(program, filepath.Join(folder, r.File)).Output()
		line := strings.TrimSpace(string(out))
		_, line, _ = strings.Cut(line, " ")
		seconds, result := 0, -1
		if n, _ := fmt.Sscanf(line, "%d %d %d", &r.Count, &seconds, &result); n < 3 || err != nil {
			r.Error = fmt.Sprint(line, " ", err)
		}
		word := map[int]string{1: "b", 2: "w", 3: "-", 4: "-"}[result]
		r.End = &word
		addReading(all, r)
	}
}

// side returns the side to move after a reading's moves.
func (r *reading) side() (shogi.Colour, bool) {
	p, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return 0, false
	}
	if r.Count%2 == 1 {
		return p.Side().Opponent(), true
	}
	return p.Side(), true
}

// ends has the words of the peers by the winner: the side that moves, the side that waits, or both.
func ends() map[string]string {
	return map[string]string{
		"b": "black", "w": "white", "-": "draw",
		"resign": "waits", "mate": "waits", "timeout": "waits", "foulLose": "waits", "loseByDefault": "waits",
		"foulWin": "moves", "enteringOfKing": "moves", "winByDefault": "moves", "try": "moves",
		"repetitionDraw": "draw", "impass": "draw", "maxMoves": "draw", "draw": "draw",
		"TORYO": "waits", "TSUMI": "waits", "TIME_UP": "waits", "ILLEGAL_MOVE": "waits", "KACHI": "moves",
		"SENNICHITE": "draw", "JISHOGI": "draw", "HIKIWAKE": "draw", "MAX_MOVES": "draw",
		"+ILLEGAL_ACTION": "white", "-ILLEGAL_ACTION": "black",
	}
}

// won returns the winner of a peer's reading.
func (r *reading) won(start string) string {
	if r.Start == "" {
		r.Start = start
	}
	side, ok := r.side()
	who := ends()[*r.End]
	switch {
	case !ok:
		return ""
	case who == "moves":
		return side.String()
	case who == "waits":
		return side.Opponent().String()
	}
	return who
}

// differences returns the fields in which two readings differ.
func differences(g, p *reading) (fields []string) {
	if p.Start != "" && board(g.Start) != board(p.Start) {
		fields = append(fields, "start")
	}
	if g.Count != p.Count || p.Moves != nil && !slices.Equal(g.Moves, p.Moves) {
		fields = append(fields, "moves")
	}
	if p.End != nil && p.won(g.Start) != g.winner {
		fields = append(fields, "end")
	}
	for i := range min(len(g.Seconds), len(p.Seconds)) {
		if a, b := g.Seconds[i], p.Seconds[i]; a > 0 && b >= 0 && a != b {
			fields = append(fields, "times")
			break
		}
	}
	if g.Names != nil && p.Names != nil && trimmed(*g.Names) != trimmed(*p.Names) {
		fields = append(fields, "names")
	}
	return fields
}

func trimmed(names [2]string) [2]string {
	for i, n := range names {
		names[i] = strings.Join(strings.Fields(n), " ")
	}
	return names
}

// board returns a position without its move number, with its hands in one order.
func board(sfen string) string {
	p, err := shogi.ParseSFEN(sfen)
	if err != nil {
		return sfen
	}
	text := p.SFEN()
	return text[:strings.LastIndexByte(text, ' ')]
}

// A line counts one peer and format.
type line struct {
	files, agree, bothRefuse, gogiRefuses, peerRefuses, differ int
	fields                                                     map[string]int
	// differences in which most other peers agree with gogi, or with the peer
	withGogi, withPeer int
}

// compare prints the table of peers and formats.
func compare(list []*given, all map[int][]reading, d *details) {
	lines := map[string]*line{}
	for i, g := range list {
		for k := range all[i] {
			p := &all[i][k]
			key := p.Peer + " | " + g.format
			if lines[key] == nil {
				lines[key] = &line{fields: map[string]int{}}
			}
			lines[key].add(g, p, all[i], d)
		}
	}
	fmt.Println("| peer | format | files | agree | both refuse | gogi refuses | peer refuses | differ | differences by field | others with gogi | others with the peer |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|")
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		l := lines[key]
		fmt.Printf("| %s | %d | %d | %d | %d | %d | %d | %s | %d | %d |\n", key, l.files, l.agree, l.bothRefuse,
			l.gogiRefuses, l.peerRefuses, l.differ, fieldCounts(l.fields), l.withGogi, l.withPeer)
	}
}

func fieldCounts(fields map[string]int) string {
	var list []string
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		list = append(list, fmt.Sprintf("%s %d", f, fields[f]))
	}
	return strings.Join(list, ", ")
}

func (l *line) add(g *given, p *reading, others []reading, d *details) {
	l.files++
	switch {
	case g.Error != "" && p.Error != "":
		l.bothRefuse++
	case g.Error != "":
		l.gogiRefuses++
		fmt.Fprintf(d, "gogi refuses\t%s\t%s\t%s\t%s: %d moves\n", p.Peer, g.format, g.path, g.Error, p.Count)
	case p.Error != "":
		l.peerRefuses++
		fmt.Fprintf(d, "peer refuses\t%s\t%s\t%s\t%.200q\n", p.Peer, g.format, g.path, p.Error)
	default:
		fields := differences(&g.reading, p)
		if len(fields) == 0 {
			l.agree++
			return
		}
		l.differ++
		gogi, peer := majority(g, p, others, fields)
		l.withGogi += b2i(gogi > peer)
		l.withPeer += b2i(peer > gogi)
		for _, f := range fields {
			l.fields[f]++
		}
		fmt.Fprintf(d, "differ\t%s\t%s\t%s\t%s\twith gogi %d, with the peer %d\tgogi %s\tpeer %s\n", p.Peer, g.format, g.path,
			strings.Join(fields, ","), gogi, peer, g.shown(), p.shown())
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shown returns a reading in short.
func (r *reading) shown() string {
	end := r.winner
	if r.End != nil {
		end = *r.End
	}
	tail := r.Moves[max(0, len(r.Moves)-3):]
	return fmt.Sprintf("%s %d %v end=%s %.80v %v", board(r.Start), r.Count, tail, end, r.Seconds, r.Names)
}

// majority counts the other peers that agree with gogi, and with the peer, in the fields in which these differ.
func majority(g *given, p *reading, others []reading, fields []string) (gogi, peer int) {
	for i := range others {
		o := &others[i]
		if o.Peer == p.Peer || o.Error != "" {
			continue
		}
		overlap := func(diff []string) bool {
			return slices.ContainsFunc(fields, func(f string) bool { return slices.Contains(diff, f) })
		}
		if !overlap(differences(&g.reading, o)) {
			gogi++
			continue
		}
		q := *p
		if q.winner = g.winner; p.End != nil {
			q.winner = p.won(g.Start)
		}
		if q.Names == nil {
			q.Names = g.Names
		}
		if !overlap(differences(&q, o)) {
			peer++
		}
	}
	return gogi, peer
}

// readBack prints how gogi reads the files that peers wrote of the games that gogi and the peer read equally.
func readBack(t *testing.T, list []*given, written string, d *details) {
	t.Helper()
	type count struct{ files, same, refused, differ int }
	counts := map[string]*count{}
	for _, e := range testutil.Must(os.ReadDir(written))(t) {
		base, format, _ := strings.Cut(e.Name(), ".")
		number, peer, _ := strings.Cut(base, "-")
		g := list[testutil.Must(strconv.Atoi(number))(t)]
		if g.Error != "" {
			continue
		}
		key := peer + " | " + format
		if counts[key] == nil {
			counts[key] = &count{}
		}
		c := counts[key]
		c.files++
		content := testutil.Must(os.ReadFile(filepath.Join(written, e.Name())))(t)
		f := testutil.Must(text.Find(text.Text(), format))(t)
		back := &given{path: e.Name(), format: format}
		back.read(f, content)
		switch {
		case back.Error != "":
			c.refused++
			fmt.Fprintf(d, "written, refused\t%s\t%s\t%s\n", key, g.path, back.Error)
		case board(back.Start) != board(g.Start) || !slices.Equal(back.Moves, g.Moves) || back.winner != g.winner &&
			format != "usi":
			c.differ++
			fmt.Fprintf(d, "written, differ\t%s\t%s\tgogi %s\tback %s\n", key, g.path, g.shown(), back.shown())
		default:
			c.same++
		}
	}
	fmt.Println("| peer | format | files | same | gogi refuses | differ |\n|---|---|---|---|---|---|")
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		c := counts[key]
		fmt.Printf("| %s | %d | %d | %d | %d |\n", key, c.files, c.same, c.refused, c.differ)
	}
}

// writeOwn writes the games of the files in each text format. The expected reading is the original game, with the
// winner that gogi reads back, because some formats have no word for some ends.
func writeOwn(t *testing.T, list []*given) (made []*given) {
	t.Helper()
	unwritten := 0
	for _, g := range list {
		if g.Error != "" {
			continue
		}
		for _, f := range text.Text() {
			if f.Name == "jsonl" || f.Read == nil {
				continue
			}
			content, err := f.Append(nil, g.record)
			if err != nil {
				unwritten++
				continue
			}
			m := &given{path: g.path + " as " + f.Name, format: f.Name, text: content}
			m.read(f, content)
			if m.Error == "" {
				back := m.reading
				m.take(g.record)
				if m.winner != back.winner {
					m.winner = back.winner
				}
				switch f.Name { // what the format has
				case "usi", "sfen":
					m.Seconds, m.Names = nil, nil
				case "ki2":
					m.Seconds = nil
				}
			}
			made = append(made, m)
		}
	}
	fmt.Printf("%d files; gogi could not write %d\n\n", len(made), unwritten)
	return made
}
