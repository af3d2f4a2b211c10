package farm

import (
	"fmt"
	"time"
)

// A State is the state of a test, such as running or paused. A test is a run on a farm.
type State string

// These are the states of a test. A submitted test waits for approval. An approved test waits while its
// owner's other tests use up the owner's quota. A test in the state Over restarts only if pairs are made void
// (the verb purge). A test in the state Stopped or Failed restarts only after a resume.
const (
	Submitted State = "submitted"
	Approved  State = "approved"
	Running   State = "running"
	Paused    State = "paused"
	Over      State = "over"    // its SPRT has decided, or every pair is stored.
	Stopped   State = "stopped" // a user stopped it, or it was rejected.
	Failed    State = "failed"  // the coordinator cannot evaluate its results
)

// Final reports whether the coordinator grants no more pairs of a test in this state.
func (s State) Final() bool { return s == Over || s == Stopped || s == Failed }

// A Submission is the request that submits a test. The sender publishes it on the message subject
// adm.NAME.submit, in which NAME is the name of the sender's key. The answer is a TestStatus.
type Submission struct {
	Plan     []byte            `cbor:"plan"` // match.EncodePlan
	Priority int               `cbor:"priority"`
	Share    float64           `cbor:"share"` // 0 means 1
	Note     string            `cbor:"note"`
	Needs    map[string]string `cbor:"needs,omitempty"` // labels that a worker must have
	// OneThread has the names of the engines that use one thread by their own default, so that audits can repeat their
	// games.
	OneThread []string `cbor:"one_thread,omitempty"`
}

// An Order is the request of most other commands of gogi farm (verbs), such as stop, priority or purge. The
// message subject is adm.NAME.VERB, in which NAME is the name of the sender's key. Each verb uses some of the
// fields.
type Order struct {
	// a test's name, or the digest of its plan or its beginning, see Found and FoundForOrder
	Run    string  `cbor:"run"`
	Worker string  `cbor:"worker"` // the worker of drain, quarantine, trust and purge
	Why    string  `cbor:"why"`
	Number float64 `cbor:"number"` // the value of priority and share
	Level  string  `cbor:"level"`  // the level of trust
	Off    bool    `cbor:"off"`    // for drain and quarantine: end the drain or the quarantine.
	Dry    bool    `cbor:"dry"`    // for purge: count the pairs, and void none
}

// A Purged is the answer to the verb purge, which makes all stored pairs of one worker void: they no longer
// count, and the farm plays them again.
type Purged struct {
	Pairs []int `cbor:"pairs" json:"pairs"`
	// Drawn is the number of pairs of other workers that are void too. In a tune their parameters depended on this
	// worker's results.
	Drawn  int    `cbor:"drawn,omitempty" json:"drawn,omitempty"`
	Before string `cbor:"before" json:"before"` // the SPRT's verdict before the void. It is "" without an SPRT.
	After  string `cbor:"after" json:"after"`   // verdict of the SPRT after the void
	// Selfplay means that the pairs are blocks of self-play.
	Selfplay bool `cbor:"selfplay,omitempty" json:"selfplay,omitempty"`
	// Withdrawn means that the farm has reported a verdict that is no longer valid.
	Withdrawn bool `cbor:"withdrawn" json:"withdrawn"`
}

// A Status is the current state of a farm, for terminals, pages, metrics and --json.
type Status struct {
	At time.Time `cbor:"at" json:"at"`
	// number of the coordinator's start; each start has a higher number
	Boot    uint32         `cbor:"boot" json:"boot"`
	Tests   []TestStatus   `cbor:"tests" json:"tests"`                       // ordered by priority, then by submission
	Workers []WorkerStatus `cbor:"workers" json:"workers"`                   // ordered by name
	Judge   JudgeStatus    `cbor:"judge" json:"judge"`                       // state of the receiver of results
	Update  *UpdateStatus  `cbor:"update,omitempty" json:"update,omitempty"` // nil if there was never an update.
	Unread  []Unread       `cbor:"unread,omitempty" json:"unread,omitempty"` // ordered by digest
}

// An Unread is a stored test that this version of the coordinator cannot read, for example after a downgrade.
// The coordinator does not play such a test.
type Unread struct {
	Run  string `cbor:"run" json:"run"`             // the plan's digest
	Name string `cbor:"name" json:"name,omitempty"` // "" if the name cannot be read either
	Why  string `cbor:"why" json:"why"`
}

// A TestStatus is the current state of a test.
type TestStatus struct {
	Run   string `cbor:"run" json:"run"` // the plan's digest
	Name  string `cbor:"name" json:"name"`
	Owner string `cbor:"owner" json:"owner"`
	State State  `cbor:"state" json:"state"`
	Why   string `cbor:"why" json:"why,omitempty"` // the reason for the state
	// the owner's quota for which the test waits. It is "" if it waits for none.
	Waits    string `cbor:"waits" json:"waits,omitempty"`
	Priority int    `cbor:"priority" json:"priority"` // priority; tests with a higher number play first
	// share of the machines, relative to other tests of the same priority
	Share float64           `cbor:"share" json:"share"`
	Note  string            `cbor:"note" json:"note,omitempty"`
	Needs map[string]string `cbor:"needs" json:"needs,omitempty"` // labels that a worker must have
	Log   []Change          `cbor:"log" json:"log"`

	Pairs  int `cbor:"pairs" json:"pairs"`   // planned pairs
	Stored int `cbor:"stored" json:"stored"` // stored pairs
	Prefix int `cbor:"prefix" json:"prefix"` // stored pairs in plan order before the first gap.
	Held   int `cbor:"held" json:"held"`     // pairs that workers hold under a lease
	Window int `cbor:"window" json:"window"` // pairs beyond the prefix that may be granted.
	Reach  int `cbor:"reach" json:"reach"`   // pairs beyond the prefix that were granted.
	Beyond int `cbor:"beyond" json:"beyond"` // stored pairs that no verdict uses.
	// pairs that gogi has given up because they crash engines.
	Condemned []int   `cbor:"condemned" json:"condemned,omitempty"`
	Verdict   string  `cbor:"verdict" json:"verdict,omitempty"` // the SPRT's verdict: continue, pass, fail or inconclusive
	LLR       float64 `cbor:"llr" json:"llr,omitempty"`
	Lower     float64 `cbor:"lower,omitempty" json:"lower,omitempty"` // the bounds of LLR that apply now
	Upper     float64 `cbor:"upper,omitempty" json:"upper,omitempty"`
	// Workers is set only in the answer to show. It lists the workers that hold or have stored pairs.
	Workers []TestWorker `cbor:"workers,omitempty" json:"workers,omitempty"`
	// Refusals lists the workers that do not play the test, with their reasons.
	Refusals []string `cbor:"refusals,omitempty" json:"refusals,omitempty"`
	// Benches compares the benches of engines from git commits with the messages of their commits, as far as workers have
	// built them.
	Benches []BenchCheck `cbor:"benches,omitempty" json:"benches,omitempty"`
	// Suspicions lists the pairs that only some workers may give up after a crash, with the workers that reported one.
	// It is "" if there are none.
	Suspicions string `cbor:"suspicions,omitempty" json:"suspicions,omitempty"`
	// Provisional is the reason why the verdict is not final, with the remedy. It is "" if the verdict is
	// final or missing.
	Provisional string `cbor:"provisional,omitempty" json:"provisional,omitempty"`
	// Voided describes the pairs that were made void last, with the reason. It is "" if no pairs were.
	Voided string `cbor:"voided,omitempty" json:"voided,omitempty"`

	// Aside means that the coordinator cannot read or evaluate the stored pairs of the test. Why has the reason.
	Aside bool `cbor:"aside,omitempty" json:"aside,omitempty"`

	Tune *TuneStatus `cbor:"tune,omitempty" json:"tune,omitempty"` // nil if the test is not a tune
	// Selfplay means that the test's pairs are blocks of self-play.
	Selfplay bool `cbor:"selfplay,omitempty" json:"selfplay,omitempty"`

	LeaseCounts
	ResultCounts
}

// A LeaseCounts counts what happened to a test's leases since the coordinator's start. A lease is the right
// of one worker to play a pair.
type LeaseCounts struct {
	Granted int `cbor:"granted" json:"granted"` // number of granted leases
	Expired int `cbor:"expired" json:"expired"` // ended because no heartbeat came for too long.
	// leases that the coordinator did not know until a heartbeat reported them: granted before its restart, or already
	// expired.
	Adopted   int `cbor:"adopted" json:"adopted"`
	Returned  int `cbor:"returned" json:"returned"`   // returned unplayed
	Revoked   int `cbor:"revoked" json:"revoked"`     // revoked because they were much older than leases usually become
	Regranted int `cbor:"regranted" json:"regranted"` // grants of pairs that had been granted before
	Lost      int `cbor:"lost" json:"lost"`           // reported as sent, and never seen in the stream.
}

// A ResultCounts counts a test's received results since the coordinator's start.
type ResultCounts struct {
	Added      int `cbor:"added" json:"added"`           // number of stored pairs
	Duplicates int `cbor:"duplicates" json:"duplicates"` // number of pairs that were stored already
	Refused    int `cbor:"refused" json:"refused"`       // number of rejected pairs
	// result of a pair from before the pair was made void; see Held.Take
	Stale    int `cbor:"stale" json:"stale"`
	Agreed   int `cbor:"agreed" json:"agreed"`     // audits in which both playings of the pair agree.
	Differed int `cbor:"differed" json:"differed"` // audits that a third playing had to decide
}

// A TestWorker counts the pairs of a test that one worker has stored or holds.
type TestWorker struct {
	Name   string `cbor:"name" json:"name"`
	Stored int    `cbor:"stored" json:"stored"` // stored pairs
	Held   int    `cbor:"held" json:"held"`     // pairs under a lease
}

// Unit returns the word for one planned result of the test: "block" if the pairs are blocks of self-play, and
// "pair" otherwise.
func (s *TestStatus) Unit() string {
	if s.Selfplay {
		return "block"
	}
	return "pair"
}

// Gate returns the state of the test's SPRT as a short text: the LLR while the SPRT is undecided, and then
// the verdict. Without an SPRT it returns "–".
func (s *TestStatus) Gate() string {
	switch {
	case s.Verdict == "":
		return "–"
	case s.Verdict == "continue":
		return fmt.Sprintf("LLR %+.2f", s.LLR)
	case s.Provisional != "":
		return s.Verdict + " (provisional)"
	}
	return s.Verdict
}

// A TuneStatus is the progress of a tune: a test that searches for better values of an engine's options.
type TuneStatus struct {
	Blocks int         `cbor:"blocks" json:"blocks"` // blocks whose results are applied.
	Of     int         `cbor:"of" json:"of"`         // blocks in total
	Params []TuneParam `cbor:"params" json:"params"`
}

// A TuneParam is a parameter of a tune. Its values have the text that gogi sends to the engines.
type TuneParam struct {
	Name  string `cbor:"name" json:"name"`
	Start string `cbor:"start" json:"start"`
	Now   string `cbor:"now" json:"now"` // the value of the current iterate, not the final value.
}

// A Change is an entry in the log of a test: what changed, when, and by whom.
type Change struct {
	At   time.Time `cbor:"at" json:"at"`     // time by the coordinator's clock
	By   string    `cbor:"by" json:"by"`     // a key's name, or "farm"
	What string    `cbor:"what" json:"what"` // the change, as text
}

// A WorkerStatus is the current state of a worker.
type WorkerStatus struct {
	Name  string `cbor:"name" json:"name"`
	Owner string `cbor:"owner" json:"owner"`
	Trust string `cbor:"trust" json:"trust"` // untrusted, verified or owner
	// the worker is connected: its last heartbeat is younger than a lease.
	Here       bool   `cbor:"here" json:"here"`
	Quarantine string `cbor:"quarantine" json:"quarantine,omitempty"` // the reason, or "" if it is not in quarantine.
	// Probation is the reason why the worker is on probation, or "" if it is not. During probation all pairs of
	// the worker are audited, and it plays no test with scaled clocks.
	Probation string `cbor:"probation" json:"probation,omitempty"`
	// a key of the same owner that is in quarantine, which limits this worker, or ""
	Suspect  string   `cbor:"suspect" json:"suspect,omitempty"`
	Rebench  string   `cbor:"rebench" json:"rebench,omitempty"`   // the reason why its speed must be measured again
	Unfit    []string `cbor:"unfit" json:"unfit,omitempty"`       // running tests that it does not play, with the reason.
	Draining bool     `cbor:"draining" json:"draining,omitempty"` // the worker gets no more pairs
	Slots    int      `cbor:"slots" json:"slots"`                 // number of pairs that the worker plays at a time
	Held     int      `cbor:"held" json:"held"`                   // number of pairs that the worker holds
	Load     float64  `cbor:"load" json:"load"`                   // load of the machine: running processes per CPU
	NPS      float64  `cbor:"nps" json:"nps"`                     // measured nodes per second of a slot
	Added    int      `cbor:"added" json:"added"`                 // number of stored pairs
	Refused  int      `cbor:"refused" json:"refused"`             // number of rejected pairs
	Agreed   int      `cbor:"agreed" json:"agreed"`               // number of agreeing audits
	// Log10E is the logarithm of an e-value for the hypothesis that the worker's results differ from the results
	// of other workers, over all tests.
	Log10E  float64           `cbor:"log10_e" json:"log10_e"`
	Version string            `cbor:"version" json:"version"`
	Labels  map[string]string `cbor:"labels" json:"labels,omitempty"`           // labels of the worker
	Seen    time.Time         `cbor:"seen" json:"seen"`                         // time of the latest heartbeat
	Errors  []Change          `cbor:"errors,omitempty" json:"errors,omitempty"` // the latest errors, the oldest first
}

// A SignUp is the request of a person for a new key. The secret half of the key stays on the person's
// machine.
type SignUp struct {
	Name   string    `cbor:"name" json:"name"`     // name of the key
	Owner  string    `cbor:"owner" json:"owner"`   // the person
	Rights []string  `cbor:"rights" json:"rights"` // see package keys
	Public string    `cbor:"public" json:"public"` // nkey
	Note   string    `cbor:"note" json:"note,omitempty"`
	At     time.Time `cbor:"at" json:"at"`
	// the key of the same person that sent it; "" for a new person
	By string `cbor:"by,omitempty" json:"by,omitempty"`
}

// A KeyOrder is the request of an admin to accept a sign-up, reject it, or revoke a key.
type KeyOrder struct {
	Name string `cbor:"name"`
	Why  string `cbor:"why"`
}

// A PlanOf is the answer to the verb plan: the plan of a test and the other settings of its submission.
type PlanOf struct {
	Submission

	Run string `cbor:"run"` // the plan's digest
	// Fresh is the first epoch since when the engines of the test start anew for each pair. It is 0 if they do not have to
	// (trust.FreshPairs), or if the coordinator is of an earlier gogi.
	Fresh Epoch `cbor:"fresh,omitempty"`
}

// Words returns the state of the worker in words. moment formats the time at which the worker was last connected.
func (w *WorkerStatus) Words(moment func(time.Time) string) string {
	switch {
	case w.Quarantine != "":
		return "quarantined: " + w.Quarantine
	case w.Draining:
		return "draining"
	case w.Probation != "":
		return "on probation: " + w.Probation
	case w.Suspect != "" && w.Trust != "owner" && w.Here:
		return "here, with the limits of a new key: " + w.Suspect + " of the same owner is in quarantine"
	case w.Rebench != "" && w.Here:
		return "measure it again: " + w.Rebench
	case w.Here:
		return "here"
	case w.Seen.IsZero():
		return "away"
	}
	return "away since " + moment(w.Seen)
}

// A JudgeStatus describes how the coordinator processes the messages with results (the stream).
type JudgeStatus struct {
	Messages int     `cbor:"messages" json:"messages"` // number of messages that the coordinator has received
	Again    int     `cbor:"again" json:"again"`       // messages delivered more than once.
	Sequence uint64  `cbor:"sequence" json:"sequence"` // sequence number of the latest message in the stream
	Fill     float64 `cbor:"fill" json:"fill"`         // used part of the stream's limit, 0 to 1.
	Unsigned int     `cbor:"unsigned" json:"unsigned"` // number of messages without a valid token
	// time for the latest group of messages, from fetch to acknowledgement
	BatchTook time.Duration `cbor:"batch_took" json:"batch_took"`
}
