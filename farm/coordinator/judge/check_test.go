package judge

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi/kifu"
)

// TestVotesThatCannotBeRead: the coordinator rejects an invalid vote record at any place in a game.
func TestVotesThatCannotBeRead(t *testing.T) {
	good := []byte(`{"v":1,"type":"vote","members":["a"],"seed":"1"}`)
	for text, bad := range map[string]bool{
		string(good): false, `{}`: true, `[]`: true, `{"v":99,"type":"vote","members":["a"],"seed":"1"}`: true,
		`{"v":1,"type":"vote","members":["a"],"seed":"1","ballots":[{"m":1}]}`: true,
		`{"v":1,"type":"vote","members":["a"],"seed":"1","ply":"x"}`:           true,
	} {
		for where, r := range map[string]kifu.Record{
			"a move": {Moves: []kifu.Move{{Detail: good}, {Detail: []byte(text)}}}, "the last answer": {Final: []byte(text)},
		} {
			err := votes(&match.PairResult{Games: []match.Result{{Record: r}}})
			testutil.Check(t, (err != nil) == bad, "%s of %s: %v", text, where, err)
		}
	}
}
