package farm

import (
	"time"

	"gogi/match"
)

// Pull asks for the stored pairs of a test, from a number on, but for those that the
// asker has; the answer is a Pulled.
type Pull struct {
	Run  string `cbor:"run"` // a test's name or its plan's digest
	From int    `cbor:"from"`
	Have []Span `cbor:"have,omitempty"` // in order, apart; at most MaxSpans
}

// Span is the pairs from First to Last, both of them.
type Span struct {
	_     struct{} `cbor:",toarray"`
	First int
	Last  int
}

// MaxSpans bounds Pull.Have.
const MaxSpans = 1 << 14

// Pulled answers Pull.
type Pulled struct {
	Test  TestStatus `cbor:"test"`
	Plan  []byte     `cbor:"plan"`  // match.EncodePlan
	Pairs [][]byte   `cbor:"pairs"` // match.EncodePair, in the order of their numbers
	Voids []Void     `cbor:"voids"` // of the pairs from the number that was asked for to Next
	// States are those of a tune, by blocks, that rest on pairs below Next, and on some from
	// where the Pull begins.
	States []match.TuneState `cbor:"states,omitempty"`
	Next   int               `cbor:"next"` // where the next Pull begins
	More   bool              `cbor:"more"`
}

// Void is a playing of a pair that was taken out of a test. A copy that has it takes it
// out, too.
type Void struct {
	Pair    int       `cbor:"pair"`
	Worker  string    `cbor:"worker"` // who had played it, under which number of a lease,
	Epoch   uint64    `cbor:"epoch"`
	Started time.Time `cbor:"started"` // and when its first game began
	Why     string    `cbor:"why"`
	By      string    `cbor:"by"`
}

// SumOf asks what pairs of a test are, in short: those from From on that come before
// Below, at most MaxSummed numbers; the answer is a Sum.
type SumOf struct {
	Run   string `cbor:"run"`
	From  int    `cbor:"from"`
	Below int    `cbor:"below"`
}

// MaxSummed bounds the pairs of a SumOf: reading them takes a second or so.
const MaxSummed = 2048

// Sum is the SHA-256 (hex) of pairs as a stable dump has them, and how many are stored.
type Sum struct {
	SHA256 string `cbor:"sha256"`
	Pairs  int    `cbor:"pairs"`
}

// Push brings pairs that were played elsewhere; the answer is a Pushed.
type Push struct {
	Run   string   `cbor:"run"`
	Pairs [][]byte `cbor:"pairs"` // match.EncodePair
}

// Pushed answers Push.
type Pushed struct {
	Added int `cbor:"added" json:"added"`
	There int `cbor:"there" json:"there"` // that were stored before
}
