package tunecmd

import (
	"testing"

	"github.com/alecthomas/kong"

	"gogi/internal/testutil"
)

// TestTuneFlags: the flags of a tune and of its match change the settings of the tune.
func TestTuneFlags(t *testing.T) {
	t.Parallel()
	line := []string{"--db=x.db", "--param=LMR_*", "--method=fishtest", "--faults=forfeit", "--quiet", "--seed=9",
		"--max-plies=99", "--durable", "--transcript"}
	c := new(Command)
	parser := testutil.Must(kong.New(c))(t)
	for verb, s := range map[string]*setup{"run": &c.Run.setup, "validate": &c.Validate.setup} {
		testutil.OK(t, testutil.Err(parser.Parse(append([]string{verb}, line...))))
		var tuned study
		file, _, err := s.match(&tuned)
		testutil.OK(t, err)
		if *file.Seed != 9 || *file.Rules.MaxPlies != 99 {
			t.Errorf("%s: seed %d, %d plies", verb, *file.Seed, *file.Rules.MaxPlies)
		}
		want := (playing{true, true})
		testutil.Check(t, tuned.playing == want, "%s: games are stored as %+v", verb, tuned.playing)
		w := tuned.request
		testutil.Check(t, w.Globs[0] == "LMR_*" && w.Method == "fishtest" && w.Faults == "forfeit" && s.DB == "x.db",
			"%s: %+v", verb, w)
	}
	if _, err := parser.Parse([]string{"run", "--stop-futile", "--json"}); err != nil || !c.Run.StopFutile ||
		!c.Run.Session.JSON {
		t.Errorf("%+v, %v", c.Run, err)
	}
}
