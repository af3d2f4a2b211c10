package series

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gogi/internal/shellwords"
)

// councilFile is a council of two equal members and a third one, whose majority is always that of the two.
const councilFile = `seed = %d
limits = {nodes = 1}
concurrency = 1
openings = "openings.usi"
[[council]]
name = "C"
rule = "majority"
members = ["a1", "a2", "b1"]
`

// playCouncil lets gogi council suggest compare a council with its members. Two members always vote for the same move,
// so the council plays as they do: it is exactly as strong as they are, and stronger than the third one by the law.
func playCouncil(ctx context.Context, b *bench) error {
	b.law.Repeat = true
	if err := b.rewrite(); err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, councilFile, b.seed)
	members := map[string]string{"a1": "a", "a2": "a", "b1": "b"}
	for _, name := range []string{"a1", "a2", "b1"} {
		fmt.Fprintf(&text, "[[engine]]\nname = %q\ncmd = %q\noptions = {Player = %q, Seed = \"%d\"}\n", name,
			b.engine+" --truth "+shellwords.Quote(filepath.Join(b.dir, "law.toml")), members[name], b.seed)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "council.toml"), []byte(text.String()), 0o644); err != nil { // no secrets
		return err
	}
	a, err := b.play(ctx, []int{0}, "council", "suggest", "council.toml", "--db", "t.db", "--json", "-q", "--games",
		fmt.Sprint(2*b.Pairs))
	if err != nil {
		return err
	}
	var s struct {
		Best     string `json:"best"`
		Contests []struct {
			Run    string          `json:"run"`
			Member string          `json:"member"`
			Elo    json.RawMessage `json:"elo"`
			P      *float64        `json:"p"`
		} `json:"contests"`
	}
	if err := a.lastLine(&s); err != nil {
		return err
	}
	b.certain("council suggest: a contest for each member", len(s.Contests) == len(members))
	b.claim("council suggest: a council that is no stronger than its best member", 0.05, AtMost, s.Best != "")
	for _, c := range s.Contests {
		var elo span
		if err := json.Unmarshal(c.Elo, &elo); err != nil {
			return err
		}
		real := b.law.Elo(0, b.law.Find(members[c.Member]))
		b.interval("council suggest: Elo interval", 0.95, elo, real)
		if c.P != nil && real <= 1e-6 {
			b.claim("council suggest: p ≤ 0.05, council no stronger", 0.05, AtMost, *c.P <= 0.05)
		}
		if err := b.voted(ctx, c.Run); err != nil {
			return err
		}
	}
	return nil
}

// voted adds the claims of gogi votes: members with the same moves agree always.
func (b *bench) voted(ctx context.Context, run string) error {
	var v struct {
		Councils []struct {
			Agreements []struct {
				A     string   `json:"a"`
				B     string   `json:"b"`
				Share *float64 `json:"share"`
			} `json:"agreements"`
		} `json:"councils"`
	}
	if _, err := b.ask(ctx, &v, []int{0}, "votes", run, "--db", "t.db", "--json"); err != nil {
		return err
	}
	found := false
	for _, c := range v.Councils {
		for _, g := range c.Agreements {
			if g.A == "a1" && g.B == "a2" {
				found = true
				b.certain("votes: equal members agree in all decisions", g.Share != nil && *g.Share == 1)
			}
		}
	}
	b.certain("votes: has the agreement of two members", found)
	return nil
}
