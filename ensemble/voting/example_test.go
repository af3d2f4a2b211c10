package voting_test

import (
	"fmt"

	"gogi/ensemble/voting"
	"gogi/shogi"
	"gogi/usi"
)

// Three members vote in the initial position. Two of them choose the same move, and the council plays it.
func Example() {
	spec, err := voting.ParseSpec("majority")
	if err != nil {
		fmt.Println(err)
		return
	}
	council, err := voting.NewSession(spec, []voting.Voter{{Name: "a"}, {Name: "b"}, {Name: "c"}}, voting.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	council.NewGame(1)

	p := shogi.StartPos()
	var ballots []voting.Ballot
	for member, text := range []string{"2g2f", "7g7f", "7g7f"} {
		move, err := shogi.ParseMove(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		ballots = append(ballots, voting.NewBallot(member, &p, usi.Reply{Answer: usi.AnswerMove, Move: move}))
	}

	d := council.Decide(&p, ballots)
	council.Observe(&p, ballots, &d) // the members' weights follow the decision
	fmt.Println(d.Move, d.Split())
	// Output:
	// 7g7f 2:1
}
