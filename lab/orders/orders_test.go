package orders

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
)

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestOrders: three players finish three games in a cycle of orders, and the first two share a rank in a fourth game.
func TestOrders(t *testing.T) {
	t.Parallel()
	const file = "game,player,rank\n1,a,1\n1,b,2\n1,c,3\n2,c,1\n2,a,2\n2,b,3\n3,b,1\n3,c,2\n3,a,3\n4,a,1\n4,b,1\n4,c,3\n"
	o := testutil.Must(Read(written(t, "orders.csv", file)))(t)
	r, err := Rate(o, 0.95, 200, 1)
	testutil.Require(t, err == nil && r.Games == 4 && r.Ties == 1 && len(r.Shares) == 3, "%+v, %v", r, err)
	// The three games without ties form a cycle, so all players are equal: each order has 1/3 · 1/2.
	for _, p := range r.Players {
		testutil.Check(t, p.Elo != nil && math.Abs(*p.Elo) <= 1e-6 && math.Abs(*p.Strength-50) <= 1e-6 && p.Games == 3, "%+v",
			p)
	}
	testutil.Check(t, math.Abs(*r.LogLik-3*math.Log(1.0/6)) <= 1e-9, "log-likelihood %v", *r.LogLik)
	// Players that share the first two ranks share 3 + 2 points.
	for _, s := range r.Shares {
		if want := map[string]float64{"a": 3 + 2 + 1 + 2.5, "b": 2 + 1 + 3 + 2.5, "c": 1 + 3 + 2 + 1}[s.Name]; s.Points !=
			want || math.Abs(s.Share-want/24) > 1e-12 {
			t.Errorf("%+v, want %v", s, want)
		}
	}
	// Four games are too few: no share has an interval, and the text gives the reason.
	testutil.Check(t, r.Shares[0].Lo == nil && r.Shares[0].Hi == nil && r.Shares[0].Why != "", "%+v", r.Shares[0])
	var there bytes.Buffer
	r.Print(&there, i18n.English)
	testutil.Contains(t, there.String(), "no intervals: resampled games need at least 5 games")
	r.Print(&there, i18n.Japanese)
	for _, want := range []string{"対局者", "割合", "強さ", "対数尤度"} {
		testutil.Contains(t, there.String(), want, "no")
	}
	points, err := Read(written(t, "orders.csv", "player,game,points\na,1,30\nb,1,10\na,2,0\nb,2,20\n"))
	testutil.OK(t, err)
	if r, err = Rate(points, 0.95, 200, 1); err != nil || math.Abs(r.Shares[0].Share-0.5) > 1e-12 ||
		r.Shares[0].Points != 30 {
		t.Errorf("%+v, %v", r, err)
	}
	for text, want := range map[string]string{
		"game,player\n":                    "expected the columns game, player, and rank or points",
		"game,player,rank,points\n":        "expected the columns",
		"game,player,rank\n1,a,0\n":        "orders.csv:2, column rank: found \"0\", expected a rank from 1",
		"game,player,points\n1,a,-1\n":     "points, which are not negative",
		"game,player,rank\n1,,1\n":         "a player's name",
		"game,player,rank\n1,a,first\n":    `found "first"`,
		"game,player,rank\n1,a,1\n":        "fewer than two players",
		"game,player,rank\n1,a,1\n1,a,2\n": "twice",
	} {
		o, err := Read(written(t, "orders.csv", text))
		if err == nil {
			_, err = Rate(o, 0.95, 10, 1)
		}
		testutil.Fails(t, err, want, "%q", text)
	}
}

// FuzzRead reads files of finishing orders. An error names the file. Accepted data can be rated or rejected without a
// panic.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"game,player,rank\n1,a,1\n1,b,2\n2,a,2\n2,b,1\n", "game,player,points\n1,a,3\n1,b,0.5\n1,c,1e300\n",
		"game,player\n\xff,\x1b[31m\n", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return // rating many players takes long, and finds nothing new
		}
		file := written(t, "t.csv", text)
		if orders, err := Read(file); err == nil {
			_, _ = Rate(orders, 0.95, 2, 1)
		} else {
			testutil.Check(t, strings.Contains(err.Error(), file), "the error names no file: %v", err)
		}
	})
}
