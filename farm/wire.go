package farm

import (
	"time"

	"github.com/fxamacker/cbor/v2"

	"gogi/match"
)

// Protocol is the version of the messages that this program sends. The program also understands all versions
// from Oldest on.
const (
	Protocol = 3
	Oldest   = 1
)

// ProtocolTunes is the first version of the protocol whose workers can play the pairs of a tune. Workers of
// ProtocolFresh and later ones start the engines anew for each pair of a plan for which trust.FreshPairs returns true.
const (
	ProtocolTunes = 2
	ProtocolFresh = 3
)

// These are the subjects of messages. A worker publishes on subjects with its own name. The coordinator publishes on
// ctl, and an owner on adm, put and art with the name of the owner's key. See Sender.
const (
	SubjectHello   = "hello." // + worker. Request: Hello → HelloReply.
	SubjectLease   = "lease." // + worker. Request: Ask → Grants.
	SubjectBeat    = "beat."  // + worker. Request: Beat → BeatReply.
	SubjectResults = "res."   // + worker + "." + shard. Durable message: Batch.
	SubjectEvents  = "ev."    // + run + "." + worker. Events of a watched run.
	SubjectRun     = "ctl."   // + run. Hint: Hint.
	// + worker. Hint: Hint. Not below "ctl.", because NATS lets a key with "ctl.*" listen to "ctl.>".
	SubjectWorker   = "work."
	SubjectAll      = "ctl.all"  // Hint: Hint.
	SubjectAdmin    = "adm."     // + key's name + "." + verb. Request of the key's owner.
	SubjectArtefact = "art."     // + name. Request for a piece of an artefact.
	SubjectUpload   = "put."     // + name. Request of an owner with a piece of a new artefact.
	SubjectInbox    = "_INBOX_"  // + name. Answers.
	StreamResults   = "RESULTS_" // + shard
)

// An Epoch is the number of a grant. Its upper 32 bits are the number of the coordinator's start (boot), and
// its lower 32 bits count the grants since that start. No two grants have the same epoch, because the
// coordinator stores the number of the boot on disk before the first grant.
type Epoch uint64

// A Grant is a pair that the coordinator has granted to a worker.
type Grant struct {
	Held
	// Options are the pair's options in addition to the plan's options, by player. They are the perturbed
	// parameters of a tune. Held.Points is their hash.
	Options [2][]match.Option `cbor:"o,omitzero"`
}

// A Hello is the request with which a worker begins a session. The worker sends it again after a
// reconnection.
type Hello struct {
	Protocol int    `cbor:"protocol"`
	Version  string `cbor:"version"` // version of the worker's program
	Session  string `cbor:"session"` // random name of this process.
	// grows with each process of the worker. The coordinator rejects an older process.
	Start     uint64            `cbor:"start"`
	Slots     int               `cbor:"slots"`
	Labels    map[string]string `cbor:"labels"`    // os, arch, isa, cores, mem, gpu, and the labels that the owner adds.
	Artefacts []string          `cbor:"artefacts"` // SHA-256 of its artefacts, at most MaxArtefacts.
	// nodes per second of the reference engine in each slot. It is 0 if not measured.
	NPS float64 `cbor:"nps"`
	// Reference is the identity of the engine that measured NPS, in the form of match.Scaling.
	Reference string `cbor:"reference,omitempty"`
	// Program is the SHA-256 (hex) of the worker's program, or "" if it is unknown.
	Program string `cbor:"program,omitempty"`
}

// MaxArtefacts is the largest length of Hello.Artefacts.
const MaxArtefacts = 512

// A HelloReply is the answer to a Hello: the settings of the session, or a refusal.
type HelloReply struct {
	Protocol int           `cbor:"protocol"`
	Lease    time.Duration `cbor:"lease"` // lifetime of a lease without a heartbeat.
	Beat     time.Duration `cbor:"beat"`  // the interval of heartbeats, plus or minus a fifth
	Plans    []Task        `cbor:"plans"` // the runs that may be granted to the worker, as many as fit.
	Refusal  *Refusal      `cbor:"refusal,omitempty"`
}

// A Task describes a run to a worker: the plan and its owner, signed by the coordinator.
type Task struct {
	Run  string `cbor:"run"`  // the plan's digest
	Name string `cbor:"name"` // the owner's name for it
	Plan []byte `cbor:"plan"` // match.EncodePlan
	// Signature is the coordinator's signature over the other fields, see Task.Sign. A worker plays no unsigned task.
	Signature []byte `cbor:"signature"`
	Owner     string `cbor:"owner"`
	Approved  bool   `cbor:"approved"`
}

// A Refusal is a permanent error: the sender gets the same error again if it repeats the request.
type Refusal struct {
	Why  string `cbor:"why"`
	Exit int    `cbor:"exit"` // the exit code of the worker's process: 4 if it is rejected, 5 if it must update
}

// An Ask is the request of a worker for pairs to play.
type Ask struct {
	Session string   `cbor:"session"`
	Want    int      `cbor:"want"`
	Open    []string `cbor:"open"`              // runs with open engines.
	Known   []string `cbor:"known"`             // runs whose plan the worker already has.
	Refuse  []string `cbor:"refuse,omitempty"`  // runs that the worker does not play.
	Why     []string `cbor:"why,omitempty"`     // the reasons, in the order of Refuse
	Benches []Bench  `cbor:"benches,omitempty"` // of the engines that the worker has built for known runs
}

// A Grants is the answer to an Ask: pairs, or the time after which the worker asks again.
type Grants struct {
	Grants []Grant       `cbor:"grants"`
	Plans  []Task        `cbor:"plans,omitempty"` // plans of granted runs that the worker does not have
	Retry  time.Duration `cbor:"retry"`           // the wait before the next Ask. A hint ends it early.
	// set if Grants is empty, but there are free pairs that the worker may get later
	Later   bool `cbor:"later,omitempty"`
	Drain   bool `cbor:"drain,omitempty"`   // send no more Asks.
	Unknown bool `cbor:"unknown,omitempty"` // the session is unknown, so the worker must send a Hello
	// Over lists runs of Ask.Known that have ended. If the hint was lost, a worker without leases of a run
	// receives this information only here. Runs that do not fit into the list follow in the next answer.
	Over []string `cbor:"over,omitempty"`
}

// A Held identifies a granted lease: the right of one worker to play a pair.
type Held struct {
	Run   string `cbor:"r"` // the plan's digest
	Pair  int    `cbor:"p"` // number of the pair
	Epoch Epoch  `cbor:"e"`
	Token []byte `cbor:"t"` // see Secret.Token
	// Take counts how often the pair was stored and then made void. The coordinator rejects results of an earlier take.
	Take int `cbor:"k,omitempty"`
	// Audit marks a second playing of a pair. gogi compares the second playing with the first and does not count
	// it.
	Audit bool `cbor:"a,omitempty"`
	// Points is tune.HashPoints of Grant.Options; 0 if the run is not a tune.
	Points uint64 `cbor:"h,omitempty"`
}

// A Back is a pair that a worker returns unplayed.
type Back struct {
	Held
	Why string `cbor:"why"`
	// Crashed means that the worker tried to play the pair, and its engines did not start or ended before a
	// game's first move. Crashed is false if the worker returns the pair because it drains or because the lease
	// was revoked.
	Crashed bool `cbor:"c,omitempty"`
}

// A Beat is a heartbeat of a worker: it shows that the session is alive, and lists the worker's leases.
type Beat struct {
	Session string  `cbor:"session"`
	Number  uint64  `cbor:"number"` // the coordinator ignores older numbers.
	Held    []Held  `cbor:"held"`   // pairs that wait or are in play
	Outbox  []Held  `cbor:"outbox"` // finished pairs that are not yet in the stream
	Sent    []Held  `cbor:"sent"`   // pairs in the stream (Publish returned nil) that are not yet confirmed as stored
	Back    []Back  `cbor:"back"`
	Load    float64 `cbor:"load"` // the machine's load for each CPU
	NPS     float64 `cbor:"nps"`
}

// A BeatReply is the answer to a Beat. It lists the leases that have ended or are stored, and the requests of
// the coordinator.
type BeatReply struct {
	Drop    []Held   `cbor:"drop"`              // leases that have ended: the worker must discard these pairs.
	Stored  []Held   `cbor:"stored"`            // stored by the coordinator. The worker deletes them from the outbox.
	Over    []string `cbor:"over"`              // runs that have ended.
	Watched []string `cbor:"watched,omitempty"` // runs that a user watches: the worker must send their events.
	// what the worker must do: "" (nothing), SayDrain, SayUpdate or SayBench.
	Say     string        `cbor:"say"`
	Update  string        `cbor:"update,omitempty"`  // SHA-256 of the wanted program, with SayUpdate.
	Release *Release      `cbor:"release,omitempty"` // the wanted program, with SayUpdate
	Unknown bool          `cbor:"unknown"`           // the session is unknown, so the worker must send a Hello
	Refusal *Refusal      `cbor:"refusal,omitempty"`
	Lease   time.Duration `cbor:"lease"`
}

// These are the values of BeatReply.Say and Hint.Say: the worker must finish its pairs and get no more, install
// another version of gogi, or measure its speed again.
const (
	SayDrain  = "drain"
	SayUpdate = "update"
	SayBench  = "rebench"
)

// A Batch is one message with results: finished items of one session, in order.
type Batch struct {
	Worker  string `cbor:"worker"`
	Session string `cbor:"session"`
	Items   []Item `cbor:"items"`
}

// A Signed is an encoded Batch with the signature of the worker's key.
type Signed struct {
	Batch     []byte `cbor:"batch"`
	Signature []byte `cbor:"signature"` // ed25519, see Seal
}

// An Item is the result of a finished pair, or of an attempt at a pair that does not count, with its lease.
type Item struct {
	Lease   Held           `cbor:"lease"`
	Pair    []byte         `cbor:"pair,omitempty"` // match.EncodePair
	Attempt *match.Attempt `cbor:"attempt,omitempty"`
	// Block is a block of self-play from a worker of an earlier gogi. The coordinator rejects it.
	Block cbor.RawMessage `cbor:"block,omitempty"`
}

// A Hint is a message from the coordinator to workers about a change, such as the end of a run. Workers do
// not answer it. A Hint may be lost, because the answers to the workers' requests have the same information.
type Hint struct {
	Over   []string `cbor:"over,omitempty"`
	Paused []string `cbor:"paused,omitempty"`
	Say    string   `cbor:"say,omitempty"`
	Ask    bool     `cbor:"ask,omitempty"` // pairs are available, so the worker sends an Ask now
}
