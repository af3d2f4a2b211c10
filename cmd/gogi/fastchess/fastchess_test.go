package fastchess_test

import (
	"slices"
	"strings"
	"testing"

	"gogi/cmd/gogi/fastchess"
	"gogi/internal/testutil"
)

// TestTranslate translates the example of fastchess' manual page, and lines with other options.
func TestTranslate(t *testing.T) {
	for _, test := range []struct {
		line, want string
		notes      []string // the beginning of each note
	}{
		{
			"fast-chess|-engine|cmd=Engine1.exe|name=Engine1|-engine|cmd=Engine2.exe|name=Engine2|-openings|file=book.epd|format=epd|order=random|-each|tc=10+0.1|-randomseed|-rounds|200|-repeat|-concurrency|4",
			"gogi match --engine Engine1=Engine1.exe --engine Engine2=Engine2.exe --tc 10+0.1 --games 400 --concurrency 4 --openings book.epd",
			[]string{"-randomseed"},
		},
		{
			"-engine|cmd=./a b|args=-x \"1 2\"|option.USI_Hash=64|tc=1:30+1|-engine|cmd=./c|-each|option.Threads=1|timemargin=50|restart=on|-rounds|5|-games|1|-srand|7|-event|lmr 7|-recover|-maxmoves|150",
			`gogi match --engine 'a b='\''./a b'\'' -x "1 2"' --engine c=./c --option all.Threads=1 --option 'a b.USI_Hash=64' --tc 'a b=90+1' --margin 50ms --restart game --no-swap --games 5 --concurrency 1 --seed 7 --run 'lmr 7' --max-plies 300`,
			[]string{"-recover", "-maxmoves 150: fastchess counts from the end of the opening"},
		},
		{
			"-engine|cmd=a|-engine|cmd=b|-each|nodes=1000|-resign|movecount=3|score=600|-draw|movenumber=40|movecount=8|score=10|-sprt|elo0=-1|elo1=4|alpha=0.05|beta=0.05",
			"gogi match --engine a=a --engine b=b --nodes 1000 --games 4 --concurrency 1 --resign 1:600x3 --draw 10x8@80 --sprt elo0=-1,elo1=4,alpha=0.05,beta=0.05,model=normalized",
			[]string{"-resign: one-sided"},
		},
		{
			"-engine|cmd=a|st=1|-engine|cmd=b|st=2|-engine|cmd=c|st=1|-tournament|gauntlet|-resign|twosided=true|score=5|-tb|/x|-openings|file=f|start=3|plies=8|order=sequential|-each|tc=40/60",
			"gogi match --engine a=a --engine b=b --engine c=c --movetime a=1s --movetime b=2s --movetime c=1s --design gauntlet --games 8 --concurrency 1 --resign 5x1 --openings f --opening-plies 8",
			[]string{"-tb /x: unknown", "start=3", "order=sequential", "tc=40/60"},
		},
		{
			"-engine|cmd=a|-engine|cmd=b|-engine|cmd=c|-rounds|many|-maxmoves|9223372036854775807|-use-affinity|-each|depth=5|plies=6|book=x",
			"gogi match --engine a=a --engine b=b --engine c=c --depth 6 --design round_robin --games 12 --concurrency 1 --cpus auto",
			[]string{"-rounds many", "-maxmoves 9223372036854775807: expected a number from 1 to 1", "book=x of an engine"},
		},
	} {
		got := fastchess.Translate(strings.Split(test.line, "|"))
		testutil.Diff(t, test.want, got.String(), "%s", test.line)
		testutil.Check(t, slices.EqualFunc(got.Notes, test.notes, strings.HasPrefix),
			"%s\nnotes %q, want %q", test.line, got.Notes, test.notes)
	}
}

// TestNothingSilent: for every option alone, Translate returns a word or a note.
func TestNothingSilent(t *testing.T) {
	bare := fastchess.Translate(nil)
	for _, option := range strings.Fields(`-quick -event -site -config -concurrency -rounds -games -variant -recover -draw
		-resign -maxmoves -openings -output -pgnout -epdout -ratinginterval -scoreinterval -autosaveinterval -sprt -srand
		-randomseed -log -use-affinity -report -noswap -seeds -reverse -tb -crc32 -nonsense -tournament`) {
		words := []string{option, "3"}
		switch option {
		case "-openings":
			words[1] = "file=3"
		case "-draw", "-resign":
			words[1] = "score=3"
		}
		got := fastchess.Translate(words)
		testutil.Check(t, len(got.Notes) != 0 || got.String() != bare.String(), "%s says nothing", option)
	}
}
