package builtin

import (
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/usi"
)

func TestMate(t *testing.T) {
	for _, test := range []struct {
		sfen  string
		want  usi.MateAnswer
		plies int
	}{
		{"4k4/9/4P4/9/9/9/9/9/9 b G 1", usi.MateFound, 1},
		{"6spk/5N3/9/4l4/7n1/9/9/9/9 b 2R 1", usi.MateFound, 3},
		{"9/8k/4s3g/4l1SG1/9/9/9/9/9 b BG 1", usi.MateFound, 5},
		{"4k4/4G4/4P4/9/9/9/9/9/9 w - 1", usi.MateNone, 0}, // the side to move is mated
		{"4k4/9/9/9/9/9/9/9/4K4 b P 1", usi.MateNone, 0},   // no move gives check
	} {
		e := New()
		answer := testutil.Must(e.Mate(t.Context(), usi.Request{
			Position: usi.Position{Start: "sfen " + test.sfen}, Go: usi.Go{MateTime: 200 * time.Millisecond},
		}))(t)
		testutil.Check(t, answer.Answer == test.want && len(answer.Moves) == test.plies,
			"%s: %s, want answer %d of %d plies", test.sfen, answer, test.want, test.plies)
	}
}
