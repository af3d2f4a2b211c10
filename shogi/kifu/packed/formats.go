package packed

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"gogi/internal/lists"
)

// Format is a file format of training data.
type Format struct {
	Name      string // name on the command line
	Extension string // extension of its files, with the dot
	Size      int    // size of a sample in bytes; 0: the format has games

	// Bare is true if a file has only positions.
	Bare bool

	append     func(dst []byte, s *Sample) ([]byte, error)
	parse      func(b []byte) (Sample, error)
	appendGame func(dst []byte, g *Game) ([]byte, error)
	parseGame  func(r *source) (*Game, error)
}

// Formats returns all formats, in the order in which gogi lists them.
func Formats() []Format {
	return []Format{
		{Name: "psv", Extension: ".psv", Size: psvSize, append: AppendPSV, parse: ParsePSV},
		{Name: "hcpe", Extension: ".hcpe", Size: hcpeSize, append: AppendHCPE, parse: ParseHCPE},
		{Name: "hcpe2", Extension: ".hcpe2", Size: hcpeSize, append: AppendHCPE2, parse: ParseHCPE2},
		{Name: "hcpe3", Extension: ".hcpe3", appendGame: AppendHCPE3, parseGame: readHCPE3},
		{Name: packName, Extension: ".pack", appendGame: AppendPack, parseGame: readPack},
		{
			Name: "packedsfen", Extension: ".psfen", Size: PositionSize, Bare: true, parse: parseBareSfen,
			append: func(dst []byte, s *Sample) ([]byte, error) { return AppendSfen(dst, &s.Position) },
		},
		{
			Name: "hcp", Extension: ".hcp", Size: PositionSize, Bare: true, parse: parseBareHCP,
			append: func(dst []byte, s *Sample) ([]byte, error) { return AppendHCP(dst, &s.Position) },
		},
	}
}

// TrainingNames returns the names of the formats with moves and results, which a trainer needs.
func TrainingNames() []string {
	return names(lists.Filter(Formats(), func(f Format) bool { return !f.Bare }))
}

func names(list []Format) []string { return lists.Map(list, func(f Format) string { return f.Name }) }

// Find returns the format with this name. If there is none, the error has the known names.
func Find(name string) (Format, error) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("there is no packed format %q: expected one of %s", name,
		strings.Join(names(Formats()), ", "))
}

// OfFile returns the format for the extension of a file name. ok is false for an unknown extension.
func OfFile(name string) (Format, bool) {
	for _, f := range Formats() {
		if strings.HasSuffix(strings.ToLower(name), f.Extension) {
			return f, true
		}
	}
	return Format{}, false
}

// HasGames reports whether the format stores whole games. Otherwise it stores samples (single positions).
func (f Format) HasGames() bool { return f.Size == 0 }

// Samples returns a reader of samples. The format must have samples.
func (f Format) Samples(r io.Reader) *SampleReader {
	return &SampleReader{format: f, source: source{r: bufio.NewReaderSize(r, 1<<16)}}
}

// Games returns a reader of games. The format must have games.
func (f Format) Games(r io.Reader) *GameReader {
	return &GameReader{format: f, source: source{r: bufio.NewReaderSize(r, 1<<16)}}
}

// AppendSample appends a sample in this format, which must have samples.
func (f Format) AppendSample(dst []byte, s *Sample) ([]byte, error) { return f.append(dst, s) }

// AppendGame appends a game in this format, which must have games.
func (f Format) AppendGame(dst []byte, g *Game) ([]byte, error) { return f.appendGame(dst, g) }

func parseBareSfen(b []byte) (s Sample, err error) {
	s.Position, err = ParseSfen(b, 1)
	return s, err
}

func parseBareHCP(b []byte) (s Sample, err error) {
	s.Position, err = ParseHCP(b, 1)
	return s, err
}

// uint16At returns the little-endian number of 16 bits at offset i.
func uint16At(b []byte, i int) uint16 { return binary.LittleEndian.Uint16(b[i:]) }
