package openings

import (
	"io"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// endless returns zeros without end, as a decompression bomb does.
type endless struct{ given int }

func (e *endless) Read(p []byte) (int, error) {
	e.given += len(p)
	return len(p), nil
}

func (e *endless) Close() error { return nil }

func TestReadLimited(t *testing.T) {
	const chunk = 1 << 20
	for _, test := range []struct {
		limit, longest, most int
		want                 string
	}{
		{1000, 1000, chunk, "more than 128 MiB of text in all"},
		{maxOpenings, 2 * chunk, 3 * chunk, "a line has more than 2097152 bytes"},
	} {
		bomb := &endless{}
		_, err := readLimited("bomb.gz", test.limit, test.longest, func() (io.ReadCloser, error) { return bomb, nil })
		if want := "openings bomb.gz: " + test.want + ": expected a file of openings"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		testutil.Check(t, bomb.given <= test.most, "%d bytes were read of at most %d", bomb.given, test.most)
	}
	data, err := readLimited("ok", 5, 5, func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("12345")), nil
	})
	testutil.Check(t, string(data) == "12345" && err == nil, "%q, %v", data, err)
}

// TestBuiltinOpenings requires legal, short openings. No position occurs twice, and no opening is the beginning of
// another.
func TestBuiltinOpenings(t *testing.T) {
	openings, warnings, err := Builtin(BuiltinNamed, 0, match.RulesProfiles()[match.DefaultRules])
	testutil.Require(t, err == nil && warnings == nil, "%v %v", warnings, err)
	testutil.Check(t, len(openings) >= 60, "only %d openings", len(openings))
	for i, a := range openings {
		testutil.Check(t, len(a.Moves) >= 8 && len(a.Moves) <= 12 && a.Start == "startpos",
			"%s: expected 8 to 12 moves from startpos", a)
		for j, b := range openings {
			testutil.Check(t, i == j || !strings.HasPrefix(b.String()+" ", a.String()+" "), "%s is how %s begins", a, b)
		}
	}
}
