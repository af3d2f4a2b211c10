package ratings

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
)

// league writes the games of n players who all met in both colours, so many times each: one pairing a row, or
// one game a row.
func league(b *testing.B, n, games int, byRows bool) string {
	b.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	var text bytes.Buffer
	fmt.Fprintln(&text, map[bool]string{false: "black,white,black_wins,draws,white_wins", true: "black,white,result"}[byRows])
	for i := range n * n {
		black, white := i/n, i%n
		if black == white {
			continue
		}
		var wins, draws int
		for range games {
			result := "0-1"
			switch u := random.IntN(3000 + 2*(black-white)); {
			case u < 1400+2*(black-white):
				result = "1-0"
				wins++
			case u < 1600+2*(black-white):
				result = "1/2"
				draws++
			}
			if byRows {
				fmt.Fprintf(&text, "player%d,player%d,%s\n", black, white, result)
			}
		}
		if !byRows {
			fmt.Fprintf(&text, "player%d,player%d,%d,%d,%d\n", black, white, wins, draws, games-wins-draws)
		}
	}
	path := filepath.Join(b.TempDir(), "games.csv")
	testutil.OK(b, os.WriteFile(path, text.Bytes(), 0o600))
	return path
}

// BenchmarkRateFile rates a thousand players by ten million games, a hundredth of them by rows, beside a bare
// read of the same bytes.
func BenchmarkRateFile(b *testing.B) {
	for _, c := range []struct {
		name    string
		players int
		byRows  bool
	}{{"pairings/1000", 1000, false}, {"rows/300", 300, true}} {
		path := league(b, c.players, 10, c.byRows)
		info := testutil.Must(os.Stat(path))(b)
		run := func(name string, do func() error) {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				b.SetBytes(info.Size())
				b.ReportAllocs()
				for b.Loop() {
					testutil.OK(b, do())
				}
			})
		}
		run("bare", func() error {
			file, err := os.Open(path)
			if err != nil {
				return err
			}
			defer file.Close() // only read
			_, err = io.Copy(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{file})
			return err
		})
		run("read", func() error { return NewGames().ReadFile(path) })
		run("rate", func() error {
			g := NewGames()
			if err := g.ReadFile(path); err != nil {
				return err
			}
			_, err := Rate(g, Options{Model: "all", Draws: "auto", Confidence: 0.95, Seed: 1})
			return err
		})
	}
}
