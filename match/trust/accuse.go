package trust

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gogi/internal/lists"
)

// Alpha is the false discovery rate for the accused workers of a farm. This is the expected share of accused workers
// whose results do not really differ from those of the others.
const Alpha = 0.01

// Accused returns the workers whose results differ from those of the others at the false discovery rate alpha. The
// worker with the strongest evidence comes first. all has an entry for every worker; a worker without pairs has
// the LogE 0. The method is e-BH (Wang and Ramdas, False discovery rate control with e-values, JRSS B 84, 2022,
// theorem 2). For K workers it takes the largest k for which the k-th largest e-value is at least K/(kα), and
// accuses the k workers with the largest e-values. The method holds for any dependence of the e-values.
//
// If no worker differs, the mean of all e-processes is also an e-process. An accusation requires that this mean
// reaches 1/α. Therefore, with probability 1-α no worker is ever accused, however often the caller calls Accused,
// as long as the farm's workers stay the same.
func Accused(all []Evidence, alpha float64) []Evidence {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Evidence) int { return cmp.Compare(b.LogE, a.LogE) })
	most := 0
	for i := range sorted {
		if k := i + 1; sorted[i].LogE >= math.Log(float64(len(sorted))/(float64(k)*alpha)) {
			most = k
		}
	}
	return sorted[:most]
}

// Unlike returns the workers whose machines differ from the others at the false discovery rate alpha. It compares the
// numbers of moves that the machine delayed, and the speed ratios. A difference is a reason to audit a worker, but
// not to quarantine it.
func Unlike(all []Evidence, alpha float64) []Evidence {
	list := slices.Clone(all)
	for i := range list {
		list[i].LogE, list[i].Kind = list[i].Machine, list[i].MachineKind
	}
	return Accused(list, alpha)
}

// Cell has the evidence about one worker in one test (a run on the farm). LogE is the natural logarithm of an e-value.
type Cell struct {
	Worker, Owner string
	Test          string // the name of a run
	LogE          float64
}

// Cause is the likely reason why a worker's results differ from those of the other workers.
type Cause string

// The likely causes of evidence in several tests.
const (
	Nobody  Cause = ""        // no cause is proved.
	Machine Cause = "machine" // the worker differs in all of its tests
	// workers of several owners differ in this one test. The tested change plays differently on different machines.
	Patch   Cause = "patch"
	Unknown Cause = "unknown" // the worker differs in one test, and no other worker does
)

// Attribution is the cause of the evidence about one accused worker.
type Attribution struct {
	Worker string
	LogE   float64 // evidence of all tests of the worker together.
	Cause  Cause
	Test   string // the test with the strongest evidence
}

// severalOwners is the number of owners whose workers must differ in a test before the test itself is the
// cause. Workers of fewer owners may have one common fault.
const severalOwners = 3

// Attribute finds the cause of the evidence about each accused worker: a bad machine, or a test whose engines play
// differently on different machines. The tests of a worker are independent, so the product of their e-values is an
// e-value. Accused decides which workers are accused. The cause is the machine if the worker is still accused
// without its strongest test. The cause is the patch (the change of the engine that the test measures) if the
// strongest test alone accuses workers of several owners. The result is ordered by worker.
func Attribute(cells []Cell, alpha float64) []Attribution {
	byWorker := map[string][]Cell{}
	for _, c := range cells {
		byWorker[c.Worker] = append(byWorker[c.Worker], c)
	}
	var all, rests []Evidence
	for worker, own := range byWorker {
		sum, strongest := total(own)
		all = append(all, Evidence{Worker: worker, LogE: sum})
		rests = append(rests, Evidence{Worker: worker, LogE: sum - strongest.LogE})
	}
	still := lists.Set(Accused(rests, alpha), func(e Evidence) string { return e.Worker })
	patches := unlike(cells, alpha)
	var list []Attribution
	for _, e := range Accused(all, alpha) {
		_, strongest := total(byWorker[e.Worker])
		a := Attribution{Worker: e.Worker, LogE: e.LogE, Cause: Unknown, Test: strongest.Test}
		switch {
		case still[e.Worker]:
			a.Cause = Machine
		case patches[strongest.Test]:
			a.Cause = Patch
		}
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b Attribution) int { return cmp.Compare(a.Worker, b.Worker) })
	return list
}

// total returns the sum of the evidence in a worker's tests, and the test with the strongest evidence.
func total(cells []Cell) (sum float64, strongest Cell) {
	strongest.LogE = math.Inf(-1)
	for _, c := range cells {
		sum += c.LogE
		if c.LogE > strongest.LogE {
			strongest = c
		}
	}
	return sum, strongest
}

// unlike returns the tests whose evidence alone accuses workers of several owners.
func unlike(cells []Cell, alpha float64) map[string]bool {
	byTest := map[string][]Evidence{}
	owner := map[string]string{}
	for _, c := range cells {
		byTest[c.Test] = append(byTest[c.Test], Evidence{Worker: c.Worker, LogE: c.LogE})
		owner[c.Worker] = c.Owner
	}
	found := map[string]bool{}
	for test, list := range byTest {
		owners := lists.Set(Accused(list, alpha), func(e Evidence) string { return owner[e.Worker] })
		found[test] = len(owners) >= severalOwners
	}
	return found
}

// Action is the recommended action about a worker.
type Action string

// The actions, mildest first.
const (
	Nothing   Action = ""
	Rebench   Action = "rebench"   // measure the worker's speed again
	Probation Action = "probation" // grant the worker audited pairs only
)

// Why returns the evidence as text, from its Kind and LogE.
func (e *Evidence) Why() string {
	return fmt.Sprintf("its %s differ from the others: e = 10^%.1f after %d pairs", e.Kind, e.LogE/math.Ln10, e.Pairs)
}
