package farm

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Bench is what a worker knows about the bench of an engine that it has built for a run. The build has the plan's
// number of nodes, because a worker plays no other build.
type Bench struct {
	Run     string `cbor:"run"`     // the plan's digest
	Engine  string `cbor:"engine"`  // the player's name
	Message uint64 `cbor:"message"` // number of nodes in the commit's message; 0: the message has none
}

// A BenchCheck compares the bench of a test's engine with the message of its commit.
type BenchCheck struct {
	Engine  string `cbor:"engine" json:"engine"`
	Commit  string `cbor:"commit" json:"commit"`   // the commit of the plan
	Nodes   uint64 `cbor:"nodes" json:"nodes"`     // number of nodes of the plan, which every build has
	Message uint64 `cbor:"message" json:"message"` // number of nodes in the commit's message; 0: the message has none
	Worker  string `cbor:"worker" json:"worker"`   // the first worker of its owner that read this number
	Owner   string `cbor:"owner" json:"owner"`     // the owner of Worker
	// Trusted means that the farm trusted the worker when it reported the number.
	Trusted bool `cbor:"trusted" json:"trusted"`
}

// Differs reports whether the commit's message has another number of nodes than the builds.
func (b BenchCheck) Differs() bool { return b.Message != 0 && b.Message != b.Nodes }

// Reader returns the worker and the owner whose number this is. It says if the farm did not trust the worker.
func (b BenchCheck) Reader() string {
	switch {
	case b.Owner == "": // an earlier gogi stored it
		return b.Worker
	case b.Trusted:
		return b.Worker + " of " + b.Owner
	}
	return b.Worker + " of " + b.Owner + ", not trusted"
}

// String describes the result of the comparison.
func (b BenchCheck) String() string {
	switch {
	case b.Message == 0:
		return fmt.Sprintf("%s: %d nodes; its commit message has no bench (read by %s)", b.Engine, b.Nodes, b.Reader())
	case b.Differs():
		return fmt.Sprintf("warning: the commit message of %s has bench %d, and its builds have %d (read by %s); check that %.10s is the commit that you mean",
			b.Engine, b.Message, b.Nodes, b.Reader(), b.Commit)
	}
	return fmt.Sprintf("%s: %d nodes, as in its commit message (read by %s)", b.Engine, b.Nodes, b.Reader())
}

// benchWord matches "Bench: 1234567" and "bench 1,234,567" in a commit message.
var benchWord = regexp.MustCompile(`(?i)\bbench[ \t]*[:= ][ \t]*([1-9][0-9]*(?:,[0-9]{3})*)(?:[.\s]|$)`)

// BenchIn returns the number of nodes of the last bench that a commit message names, or 0 if it names none. fishtest
// and OpenBench use the same form, such as "Bench: 1234567" in a line of its own.
func BenchIn(message string) uint64 {
	all := benchWord.FindAllStringSubmatch(message, -1)
	if len(all) == 0 {
		return 0
	}
	nodes, err := strconv.ParseUint(strings.ReplaceAll(all[len(all)-1][1], ",", ""), 10, 64)
	if err != nil { // more than 64 bits
		return 0
	}
	return nodes
}
