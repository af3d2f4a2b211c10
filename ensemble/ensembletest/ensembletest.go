// Package ensembletest makes vote records without engines, for tests of packages that read such records. Use
// [Records].
package ensembletest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gogi/ensemble"
	"gogi/ensemble/voting"
	"gogi/shogi"
	"gogi/usi"
)

// FiveMembers is a game of four decisions by five members, in the form that Records reads. It is an example
// for the rule "adoption", which raises the weights of members whose votes the council plays. For each
// decision the sums of weights for the moves are 5, 8:2, 8:6 and 7:6:4. After the game the members' weights
// are 5, 5, 4, 3 and 2.
const FiveMembers = "A A A A A|A A A A B|B A A B A|A B C A B"

// voter is a member that votes by a script with one letter for each decision. A is the first legal move, and
// B is the second. The letter r resigns, and w declares a win.
type voter struct {
	script []string
	asked  int
}

func (v *voter) NewGame(context.Context, usi.Game) error     { v.asked = 0; return nil }
func (v *voter) GameOver(context.Context, usi.Outcome) error { return nil }
func (v *voter) Close() error                                { return nil }

func (v *voter) Think(_ context.Context, r usi.Request) (usi.Reply, error) {
	word := v.script[v.asked]
	v.asked++
	h, err := r.Position.History()
	if err != nil {
		return usi.Reply{}, err
	}
	reply := usi.Reply{Answer: usi.AnswerMove, Nodes: 100, Elapsed: time.Millisecond}
	switch word[0] {
	case 'r':
		reply.Answer = usi.AnswerResign
		return reply, nil
	case 'w':
		reply.Answer = usi.AnswerWin
		return reply, nil
	}
	reply.Move = h.Position().LegalMoves(nil)[word[0]-'A']
	info := usi.Info{MultiPV: 1, Depth: 9, HasScore: true, PV: []shogi.Move{reply.Move}}
	if _, err := fmt.Sscan(word[1:]+" ", &info.Score.Value); len(word) > 1 && err != nil {
		return reply, err
	}
	reply.Lines, reply.Exact = []usi.Info{info}, info
	return reply, nil
}

// Records plays games of a real council whose members vote as scripted, and returns the vote records. rule is
// the text of the council's rule. In a game, | separates the decisions, and each decision has one word for
// each member. The first letter of a word is the vote: A is the first legal move, B the second, r resigns,
// and w declares a win. A score in centipawns may follow the letter. The opponent always plays its first
// legal move.
func Records(tb testing.TB, rule string, games ...string) (records [][]byte) {
	tb.Helper()
	spec, err := voting.ParseSpec(rule)
	if err != nil {
		tb.Fatal(err)
	}
	for seed, game := range games {
		lines := strings.Split(game, "|")
		config := ensemble.Config{Name: "C", Rule: spec, Shadows: []voting.Spec{voting.DefaultSpec(voting.Majority)}}
		for i := range strings.Fields(lines[0]) {
			v := &voter{}
			for _, line := range lines {
				v.script = append(v.script, strings.Fields(line)[i])
			}
			config.Members = append(config.Members, ensemble.Member{
				Voter: voting.Voter{Name: fmt.Sprintf("P%d", i+1)},
				Open:  func(context.Context) (ensemble.Player, error) { return v, nil },
			})
		}
		records = append(records, decide(tb, config, uint64(seed+1), len(lines))...)
	}
	return records
}

func decide(tb testing.TB, config ensemble.Config, seed uint64, decisions int) (records [][]byte) {
	tb.Helper()
	c, err := ensemble.Open(tb.Context(), config)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // the decisions are what counts
	if err := c.NewGame(tb.Context(), usi.Game{Seed: seed}); err != nil {
		tb.Fatal(err)
	}
	p := usi.Position{Start: "startpos"}
	for range decisions {
		reply, err := c.Think(tb.Context(), usi.Request{Position: p})
		if err != nil {
			tb.Fatal(err)
		}
		records = append(records, reply.Detail)
		if reply.Answer != usi.AnswerMove {
			break
		}
		p.Moves = append(p.Moves, reply.Move)
		h, err := p.History()
		if err != nil {
			tb.Fatal(err)
		}
		p.Moves = append(p.Moves, h.Position().LegalMoves(nil)[0])
	}
	return records
}
