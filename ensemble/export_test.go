package ensemble

import "gogi/shogi"

// MakeRecord completes the head of a record with a decision and its ballots, as
// a council does.
func MakeRecord(head Record, d *Decision, ballots []Ballot) *Record {
	head.Version, head.Type = RecordVersion, "vote"
	head.decided(d)
	for _, b := range sorted(ballots) {
		head.Ballots = append(head.Ballots, recordBallot(&b, head.Members[b.Member]))
		head.Nodes += b.Nodes
	}
	return &head
}

// Overrule replaces the voted move, as a veto does.
func (c *Chamber) Overrule(p *shogi.Position, ballots []Ballot, d *Decision, m shogi.Move) {
	c.overrule(p, ballots, d, m)
}
