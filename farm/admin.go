package farm

import "time"

// State is how far a test has come.
type State string

// The states. Submitted waits for an approval, approved for its owner's other tests; what
// is over, stopped or failed may begin again only by a purge (over) or a resume.
const (
	Submitted State = "submitted"
	Approved  State = "approved"
	Running   State = "running"
	Paused    State = "paused"
	Over      State = "over"    // its gate has decided, or every pair is stored
	Stopped   State = "stopped" // by somebody, or rejected
	Failed    State = "failed"  // it cannot be judged
)

// Final reports whether nothing is granted any more and nothing is to be.
func (s State) Final() bool { return s == Over || s == Stopped || s == Failed }

// Submission is what adm.NAME.submit takes; the answer is a TestStatus.
type Submission struct {
	Plan     []byte            `cbor:"plan"` // match.EncodePlan
	Priority int               `cbor:"priority"`
	Share    float64           `cbor:"share"` // 0: 1
	Note     string            `cbor:"note"`
	Needs    map[string]string `cbor:"needs,omitempty"` // labels that a worker must have
}

// Order is what the other verbs take; which fields, depends on the verb.
type Order struct {
	Run    string  `cbor:"run"`    // a test's name or its plan's digest
	Worker string  `cbor:"worker"` // of drain, quarantine, trust and purge
	Why    string  `cbor:"why"`
	Number float64 `cbor:"number"` // of priority and share
	Level  string  `cbor:"level"`  // of trust
	Off    bool    `cbor:"off"`    // of drain and quarantine: end it
	Dry    bool    `cbor:"dry"`    // of purge: only count
}

// Purged answers purge.
type Purged struct {
	Pairs []int `cbor:"pairs" json:"pairs"`
	// Drawn is how many of them are other workers', and were drawn from what a tune had
	// learnt of this one's.
	Drawn  int    `cbor:"drawn,omitempty" json:"drawn,omitempty"`
	Before string `cbor:"before" json:"before"` // what the gate had said, "" without one
	After  string `cbor:"after" json:"after"`
	// Selfplay says that they are blocks of self-play.
	Selfplay bool `cbor:"selfplay,omitempty" json:"selfplay,omitempty"`
	// Withdrawn says that a verdict had been told that holds no more.
	Withdrawn bool `cbor:"withdrawn" json:"withdrawn"`
}

// Status is a farm as of now, for terminals, pages, metrics and --json.
type Status struct {
	At      time.Time      `cbor:"at" json:"at"`
	Boot    uint32         `cbor:"boot" json:"boot"`
	Tests   []TestStatus   `cbor:"tests" json:"tests"`     // by priority, then in the order of submission
	Workers []WorkerStatus `cbor:"workers" json:"workers"` // by name
	Judge   JudgeStatus    `cbor:"judge" json:"judge"`
	Update  *UpdateStatus  `cbor:"update,omitempty" json:"update,omitempty"` // nil: no program was ever wanted
	Unread  []Unread       `cbor:"unread,omitempty" json:"unread,omitempty"` // by digest
}

// Unread is a test that is kept, and that the coordinator's program does not understand,
// as after the way back to an older one: it is not played.
type Unread struct {
	Run  string `cbor:"run" json:"run"`             // the plan's digest
	Name string `cbor:"name" json:"name,omitempty"` // "": that is not understood either
	Why  string `cbor:"why" json:"why"`
}

// TestStatus is a test.
type TestStatus struct {
	Run      string            `cbor:"run" json:"run"` // the plan's digest
	Name     string            `cbor:"name" json:"name"`
	Owner    string            `cbor:"owner" json:"owner"`
	State    State             `cbor:"state" json:"state"`
	Why      string            `cbor:"why" json:"why,omitempty"`     // of the state
	Waits    string            `cbor:"waits" json:"waits,omitempty"` // which quota of its owner keeps it waiting; "": none
	Priority int               `cbor:"priority" json:"priority"`
	Share    float64           `cbor:"share" json:"share"`
	Note     string            `cbor:"note" json:"note,omitempty"`
	Needs    map[string]string `cbor:"needs" json:"needs,omitempty"`
	Log      []Change          `cbor:"log" json:"log"`

	Pairs     int     `cbor:"pairs" json:"pairs"`                   // planned
	Stored    int     `cbor:"stored" json:"stored"`                 // pairs
	Prefix    int     `cbor:"prefix" json:"prefix"`                 // pairs in plan order without a gap
	Held      int     `cbor:"held" json:"held"`                     // leases
	Window    int     `cbor:"window" json:"window"`                 // pairs beyond the prefix that may be granted
	Reach     int     `cbor:"reach" json:"reach"`                   // pairs beyond the prefix that were
	Beyond    int     `cbor:"beyond" json:"beyond"`                 // stored pairs that no verdict rests on
	Condemned []int   `cbor:"condemned" json:"condemned,omitempty"` // pairs that were given up: they crash what plays them
	Verdict   string  `cbor:"verdict" json:"verdict,omitempty"`     // of its gate: continue, pass, fail or inconclusive
	LLR       float64 `cbor:"llr" json:"llr,omitempty"`

	Tune *TuneStatus `cbor:"tune,omitempty" json:"tune,omitempty"` // nil: it is none
	// Selfplay says that its pairs are blocks of self-play.
	Selfplay bool `cbor:"selfplay,omitempty" json:"selfplay,omitempty"`

	LeaseCounts
	ResultCounts
}

// LeaseCounts counts what happened to the leases of a test since the coordinator's start.
type LeaseCounts struct {
	Granted   int `cbor:"granted" json:"granted"`
	Expired   int `cbor:"expired" json:"expired"`     // without a heartbeat for the lifetime of a lease
	Adopted   int `cbor:"adopted" json:"adopted"`     // reported by their worker after a restart or an expiry
	Returned  int `cbor:"returned" json:"returned"`   // returned without a result
	Revoked   int `cbor:"revoked" json:"revoked"`     // much older than others become
	Regranted int `cbor:"regranted" json:"regranted"` // grants of pairs that had been granted before
	Lost      int `cbor:"lost" json:"lost"`           // sent, and not found in the stream
}

// ResultCounts counts the results of a test since the coordinator's start.
type ResultCounts struct {
	Added      int `cbor:"added" json:"added"`
	Duplicates int `cbor:"duplicates" json:"duplicates"`
	Refused    int `cbor:"refused" json:"refused"`
	Stale      int `cbor:"stale" json:"stale"`       // of an earlier take or of an outdated lease
	Agreed     int `cbor:"agreed" json:"agreed"`     // audits with two equal results
	Differed   int `cbor:"differed" json:"differed"` // audits that a third result had to decide
}

// Unit is what the test has so many of, in the singular.
func (s *TestStatus) Unit() string {
	if s.Selfplay {
		return "block"
	}
	return "pair"
}

// TuneStatus is how far a tune has come.
type TuneStatus struct {
	Blocks int         `cbor:"blocks" json:"blocks"` // learnt
	Of     int         `cbor:"of" json:"of"`         // in all
	Params []TuneParam `cbor:"params" json:"params"`
}

// TuneParam is a parameter of a tune, in the text that an engine is sent.
type TuneParam struct {
	Name  string `cbor:"name" json:"name"`
	Start string `cbor:"start" json:"start"`
	Now   string `cbor:"now" json:"now"` // the path's centre, not the answer
}

// Change is a line of a test's log.
type Change struct {
	At   time.Time `cbor:"at" json:"at"` // by the coordinator's clock
	By   string    `cbor:"by" json:"by"` // a key's name, or "farm"
	What string    `cbor:"what" json:"what"`
}

// WorkerStatus is a worker.
type WorkerStatus struct {
	Name       string            `cbor:"name" json:"name"`
	Owner      string            `cbor:"owner" json:"owner"`
	Trust      string            `cbor:"trust" json:"trust"`
	Here       bool              `cbor:"here" json:"here"`                       // heard of within a lease
	Quarantine string            `cbor:"quarantine" json:"quarantine,omitempty"` // why; "": it is not
	Probation  string            `cbor:"probation" json:"probation,omitempty"`   // why all its pairs are audited, and it may play nothing with scaled clocks; "": it is on none
	Rebench    string            `cbor:"rebench" json:"rebench,omitempty"`       // why it is to be measured anew
	Unfit      []string          `cbor:"unfit" json:"unfit,omitempty"`           // running tests whose clocks do not fit its speed, and why
	Draining   bool              `cbor:"draining" json:"draining,omitempty"`
	Slots      int               `cbor:"slots" json:"slots"`
	Held       int               `cbor:"held" json:"held"`
	Load       float64           `cbor:"load" json:"load"`
	NPS        float64           `cbor:"nps" json:"nps"`
	Added      int               `cbor:"added" json:"added"` // since the coordinator's start
	Refused    int               `cbor:"refused" json:"refused"`
	Agreed     int               `cbor:"agreed" json:"agreed"`   // audits
	Log10E     float64           `cbor:"log10_e" json:"log10_e"` // evidence of all tests that its results are not those of the others: the logarithm of an e-value
	Version    string            `cbor:"version" json:"version"`
	Labels     map[string]string `cbor:"labels" json:"labels,omitempty"`
	Seen       time.Time         `cbor:"seen" json:"seen"`
}

// JudgeStatus is how the stream is coped with.
type JudgeStatus struct {
	Messages  int           `cbor:"messages" json:"messages"`
	Again     int           `cbor:"again" json:"again"` // delivered before
	Sequence  uint64        `cbor:"sequence" json:"sequence"`
	Fill      float64       `cbor:"fill" json:"fill"` // of the stream, 0 to 1
	Unsigned  int           `cbor:"unsigned" json:"unsigned"`
	BatchTook time.Duration `cbor:"batch_took" json:"batch_took"` // the latest batch, fetched to acknowledged
}
