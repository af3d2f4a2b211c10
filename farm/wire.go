package farm

import (
	"time"

	"github.com/fxamacker/cbor/v2"

	"gogi/match"
)

// Protocol is the version of the messages below that this program speaks; a
// coordinator also understands the version before it, see Oldest.
const (
	Protocol = 2
	Oldest   = 1
)

// ProtocolTunes is from where on a worker understands grants with points.
const ProtocolTunes = 2

// The subjects, by who may publish there: a worker under its own name, the
// coordinator on ctl, owners under their names on adm, put and art. See Speaker.
const (
	SubjectHello    = "hello."   // + worker; request: Hello → Welcome
	SubjectLease    = "lease."   // + worker; request: Ask → Grants
	SubjectBeat     = "beat."    // + worker; request: Beat → Told
	SubjectResults  = "res."     // + worker + "." + shard; durable: Batch
	SubjectEvents   = "ev."      // + run + "." + worker; a run's events while somebody watches
	SubjectRun      = "ctl."     // + run; hint: Hint
	SubjectWorker   = "work."    // + worker; hint: Hint. Not below "ctl.", because NATS lets a key with "ctl.*" listen to "ctl.>"
	SubjectAll      = "ctl.all"  // hint: Hint
	SubjectAdmin    = "adm."     // + key's name + "." + verb; request of whoever has the key
	SubjectArtefact = "art."     // + name; request of a piece of an artefact
	SubjectUpload   = "put."     // + name; request of an owner: a piece of a new one
	SubjectInbox    = "_INBOX_"  // + name; answers
	StreamResults   = "RESULTS_" // + shard
)

// Epoch numbers grants: the coordinator's boot counter in the upper half, a count of
// its grants in the lower. No two grants have the same; the counter is on the disk
// before the first grant of a boot.
type Epoch uint64

// Grant is a pair that a worker may play: what a Token was made over, and the token.
type Grant struct {
	Run   string `cbor:"r"` // the plan's digest
	Pair  int    `cbor:"p"`
	Epoch Epoch  `cbor:"e"`
	Token []byte `cbor:"t"` // see Secret.Token
	// Take is how often the pair was stored and made void before; what was granted
	// under another take is refused.
	Take int `cbor:"k,omitempty"`
	// Audit marks a second playing that is compared and not counted.
	Audit bool `cbor:"a,omitempty"`
	// Options are what the pair's players are sent beside the plan's: a tune's points, by
	// player. Points stands for them, in leases too.
	Options [2][]match.Option `cbor:"o,omitzero"`
	Points  uint64            `cbor:"h,omitempty"`
}

// Hello is how a session of a worker begins; also after a reconnection.
type Hello struct {
	Protocol  int               `cbor:"protocol"`
	Version   string            `cbor:"version"` // of the worker's program
	Session   string            `cbor:"session"` // of this process, random
	Start     uint64            `cbor:"start"`   // counts the worker's processes; an older one is refused
	Slots     int               `cbor:"slots"`
	Labels    map[string]string `cbor:"labels"`    // os, arch, isa, cores, mem, gpu, and the worker's own
	Artefacts []string          `cbor:"artefacts"` // SHA-256 of what it has, at most MaxArtefactsTold
	NPS       float64           `cbor:"nps"`       // nodes a second and slot of the reference engine; 0: not measured
	// Reference is the identity of the engine that NPS was measured with, as plans name
	// it in their match.Scaling.
	Reference string `cbor:"reference,omitempty"`
	// Program is the SHA-256 (hex) of the worker's program; "": it does not say.
	Program string `cbor:"program,omitempty"`
}

// MaxArtefactsTold bounds Hello.Artefacts.
const MaxArtefactsTold = 512

// HelloReply answers Hello: how to behave, or why not at all.
type HelloReply struct {
	Protocol int           `cbor:"protocol"`
	Lease    time.Duration `cbor:"lease"` // how long one lives without a beat
	Beat     time.Duration `cbor:"beat"`  // how often to beat, give or take a fifth
	Plans    []Task        `cbor:"plans"` // the runs that may be granted to it, as far as they fit
	Refusal  *Refusal      `cbor:"refusal,omitempty"`
}

// Task is a run as a worker needs it.
type Task struct {
	Run  string `cbor:"run"`  // the plan's digest
	Name string `cbor:"name"` // as its owner calls it
	Plan []byte `cbor:"plan"` // match.EncodePlan
	// Signature is the coordinator's over the rest, see Task.Sign: a worker plays
	// nothing unsigned.
	Signature []byte `cbor:"signature"`
	Owner     string `cbor:"owner"`
	Approved  bool   `cbor:"approved"`
}

// Refusal is an answer that no repetition changes. It is an error.
type Refusal struct {
	Why  string `cbor:"why"`
	Exit int    `cbor:"exit"` // of the worker's process: 4 refused, 5 update wanted
}

// Ask wants pairs.
type Ask struct {
	Session string   `cbor:"session"`
	Want    int      `cbor:"want"`
	Open    []string `cbor:"open"`             // runs whose engines are open
	Known   []string `cbor:"known"`            // runs whose plan it has
	Refuse  []string `cbor:"refuse,omitempty"` // runs that it cannot or will not play
}

// Grants answers Ask.
type Grants struct {
	Grants  []Grant       `cbor:"grants"`
	Plans   []Task        `cbor:"plans,omitempty"`   // of granted runs that it does not know
	Retry   time.Duration `cbor:"retry"`             // ask again after this, or at a hint
	Drain   bool          `cbor:"drain,omitempty"`   // ask no more
	Unknown bool          `cbor:"unknown,omitempty"` // the session: say hello again
	// Over are runs of Ask.Known that want nothing more: who holds nothing of a run is told
	// of its end here only, if the hint was lost. The rest comes with the next answer.
	Over []string `cbor:"over,omitempty"`
}

// Held names a lease in a beat.
type Held struct {
	Run   string `cbor:"r"`
	Pair  int    `cbor:"p"`
	Epoch Epoch  `cbor:"e"`
	Token []byte `cbor:"t"`
	Take  int    `cbor:"k,omitempty"`
	Audit bool   `cbor:"a,omitempty"`
	// Points is tune.HashPoints of what the pair is played with; 0: of no tune.
	Points uint64 `cbor:"h,omitempty"`
}

// Back is a pair that is given back unplayed.
type Back struct {
	Held
	Why string `cbor:"why"`
	// Crashed says that it was tried and could not be played there: engines that do
	// not start or end before a game's first move. Else it was not wanted (a drain, a
	// pair taken away), which says nothing of the pair.
	Crashed bool `cbor:"c,omitempty"`
}

// Beat says that a session lives, and what it holds.
type Beat struct {
	Session string  `cbor:"session"`
	Number  uint64  `cbor:"number"` // older ones are ignored
	Held    []Held  `cbor:"held"`   // waiting or being played
	Outbox  []Held  `cbor:"outbox"` // finished, and not yet in the stream
	Sent    []Held  `cbor:"sent"`   // in the stream (Publish returned nil), and not told stored yet
	Back    []Back  `cbor:"back"`
	Load    float64 `cbor:"load"` // of the machine, a CPU
	NPS     float64 `cbor:"nps"`
}

// BeatReply answers Beat.
type BeatReply struct {
	Drop    []Held        `cbor:"drop"`              // no longer yours: throw away
	Stored  []Held        `cbor:"stored"`            // on the disk: forget them
	Over    []string      `cbor:"over"`              // runs that want nothing more
	Watched []string      `cbor:"watched,omitempty"` // runs whose events somebody wants
	Say     string        `cbor:"say"`               // "", SayDrain, SayUpdate or SayBench
	Update  string        `cbor:"update,omitempty"`  // SHA-256 of the program wanted, with SayUpdate
	Release *Release      `cbor:"release,omitempty"` // it, and who signed it
	Unknown bool          `cbor:"unknown"`           // the session: say hello again
	Refusal *Refusal      `cbor:"refusal,omitempty"`
	Lease   time.Duration `cbor:"lease"`
}

// What a coordinator can say to a worker.
const (
	SayDrain  = "drain"
	SayUpdate = "update"
	SayBench  = "rebench"
)

// Batch is one message of the stream: what a session has finished, in order.
type Batch struct {
	Worker  string `cbor:"worker"`
	Session string `cbor:"session"`
	Items   []Item `cbor:"items"`
}

// Signed is a Batch as it travels: encoded once, and signed by the worker's key.
type Signed struct {
	Batch     []byte `cbor:"batch"`
	Signature []byte `cbor:"signature"` // ed25519, see Seal
}

// Item is a finished pair, or an attempt at one, under its lease.
type Item struct {
	Lease   Held           `cbor:"lease"`
	Pair    []byte         `cbor:"pair,omitempty"` // match.EncodePair
	Attempt *match.Attempt `cbor:"attempt,omitempty"`
	// Block is what a worker of an earlier gogi sent of a block of self-play; it is refused.
	Block cbor.RawMessage `cbor:"block,omitempty"`
}

// Hint is told without being answered, and may be lost: beats say the same.
type Hint struct {
	Over   []string `cbor:"over,omitempty"`
	Paused []string `cbor:"paused,omitempty"`
	Say    string   `cbor:"say,omitempty"`
	Ask    bool     `cbor:"ask,omitempty"` // there is work: ask now
}
