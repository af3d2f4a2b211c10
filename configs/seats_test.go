package configs

import (
	"testing"

	"gogi/internal/testutil"
)

// TestEnginesOf: the engines of the n-th player are known from the file alone.
func TestEnginesOf(t *testing.T) {
	t.Parallel()
	file := &File{
		Engines: []Engine{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Councils: []Council{
			{Name: "inner", Members: []string{"a", "b"}},
			{Name: "outer", Members: []string{"inner", "c"}},
			{Name: "round", Members: []string{"round", "c"}},
		},
	}
	for _, c := range []struct {
		players []string
		n       int
		want    []string
	}{
		{[]string{"b", "a"}, 0, []string{"b"}},
		{[]string{"b", "a"}, 1, []string{"a"}},
		{[]string{"b", "a"}, 2, nil},
		{[]string{"b", "outer"}, 1, []string{"a", "b", "c"}},
		{[]string{"round"}, 0, []string{"c"}}, // a mistake that Plan tells of
		{[]string{"nobody"}, 0, nil},
		{nil, 0, []string{"a", "b", "c"}}, // all that vote nowhere: outer alone
	} {
		file := *file
		file.Players = c.players
		if c.players == nil {
			file.Councils = file.Councils[:2]
		}
		testutil.Slices(t, file.EnginesOf(c.n), c.want, "%v, player %d", c.players, c.n)
	}
}
