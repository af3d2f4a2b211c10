package voting

// MakeRecord adds a decision and its ballots to the head of a record, as a council does.
func MakeRecord(head Record, d *Decision, ballots []Ballot) *Record {
	head.Version, head.Type = RecordVersion, "vote"
	head.Decided(d)
	for _, b := range Sorted(ballots) {
		head.Ballots = append(head.Ballots, RecordBallot(&b, head.Members[b.Member]))
		head.Nodes += b.Nodes
	}
	return &head
}

// SpecKeys lists the keys of Spec.
func SpecKeys() (keys []string) {
	var s Spec
	for _, f := range s.fields() {
		keys = append(keys, f.key)
	}
	return keys
}

// RuleKeys returns the keys of each rule in the table.
func RuleKeys() map[string][]string {
	keys := map[string][]string{}
	for _, k := range kinds() {
		keys[k.name] = k.keys
	}
	return keys
}
