package farm

import (
	"time"

	"gogi/match"
)

// A Pull is the request for the stored pairs of a test with the numbers from From on, without the pairs in
// Have. The answer is a Pulled.
type Pull struct {
	Run  string `cbor:"run"` // a test's name, or the digest of its plan
	From int    `cbor:"from"`
	Have []Span `cbor:"have,omitempty"` // in order, without overlap, and at most MaxSpans
}

// A Span is the range of pairs from First to Last, both included.
type Span struct {
	_     struct{} `cbor:",toarray"`
	First int
	Last  int
}

// MaxSpans is the largest number of spans in Pull.Have.
const MaxSpans = 1 << 14

// A Pulled is the answer to a Pull: one page of pairs, with the test and its plan. If More is true, the
// sender requests the next page from Next on.
type Pulled struct {
	Test  TestStatus `cbor:"test"`
	Plan  []byte     `cbor:"plan"`  // match.EncodePlan
	Pairs [][]byte   `cbor:"pairs"` // match.EncodePair, in the order of their numbers
	Voids []Void     `cbor:"voids"` // the void results of the pairs from Pull.From to Next
	// States are the states of a tune, in the order of its blocks. They depend only on pairs below Next, and on at
	// least one pair from Pull.From on.
	States []match.TuneState `cbor:"states,omitempty"`
	Next   int               `cbor:"next"` // From of the next Pull
	More   bool              `cbor:"more"`
}

// A Void identifies a result that was made void, so that it no longer counts, and has the reason. With it, a
// copy of the test makes the same result void.
type Void struct {
	Pair    int       `cbor:"pair"`
	Worker  string    `cbor:"worker"`  // the worker that played it
	Epoch   uint64    `cbor:"epoch"`   // the epoch of its lease
	Started time.Time `cbor:"started"` // the start of its first game
	Why     string    `cbor:"why"`
	By      string    `cbor:"by"`
}

// A SumOf is the request for the checksum of a test's pairs with the numbers from From to Below-1, at most
// MaxSummed numbers. The answer is a Sum.
type SumOf struct {
	Run   string `cbor:"run"`
	From  int    `cbor:"from"`
	Below int    `cbor:"below"`
}

// MaxSummed is the largest number of pairs in a SumOf. Reading this number of pairs takes about a second.
const MaxSummed = 2048

// A Sum is the answer to a SumOf: the number of stored pairs and their checksum. The checksum is the SHA-256
// (hex) of the pairs as "gogi db dump --stable" prints them.
type Sum struct {
	SHA256 string `cbor:"sha256"`
	Pairs  int    `cbor:"pairs"`
}

// A Push is the request to add pairs to a test that were played outside the farm. The answer is a Pushed.
type Push struct {
	Run   string   `cbor:"run"`
	Pairs [][]byte `cbor:"pairs"` // match.EncodePair
}

// A Pushed is the answer to a Push. It counts the pairs of the Push.
type Pushed struct {
	Added int `cbor:"added" json:"added"`
	There int `cbor:"there" json:"there"` // pairs that were already stored
}
