package ratings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/report/ratings"
)

// FuzzReadFiles reads files of games. An error names the file. Accepted data can be rated or
// rejected without a panic.
func FuzzReadFiles(f *testing.F) {
	for _, text := range []string{
		"black,white,result\na,b,1-0\nb,a,1/2-1/2\n",
		"black,white,black_wins,draws,white_wins,handicap,receiver,pair\na,b,3,1,2,two-piece,white,x\n",
		"black,white,black_wins,draws,white_wins\na,b,1000000,0,1\nb,a,0,0,0\n",
		"black,white,result\na,a,1-0\n", "black,white,result\n\xff,\x1b[31m,0-1\n", "black\n", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return // rating many players takes long, and finds nothing new
		}
		file := filepath.Join(t.TempDir(), "t.csv")
		testutil.OK(t, os.WriteFile(file, []byte(text), 0o600))
		games := ratings.NewGames()
		if err := games.ReadFile(file); err == nil {
			_, _ = ratings.Rate(games, ratings.Options{Model: "bt", Draws: "auto", Confidence: 0.95, Bootstrap: 2, Seed: 1})
		} else if !strings.Contains(err.Error(), file) {
			t.Errorf("the error names no file: %v", err)
		}
	})
}
