package farm

import "gogi/match"

// Pull asks for the stored pairs of a test, from a number on; the answer is a Pulled.
type Pull struct {
	Run  string `cbor:"run"` // a test's name or its plan's digest
	From int    `cbor:"from"`
}

// Pulled answers Pull.
type Pulled struct {
	Test  TestStatus `cbor:"test"`
	Plan  []byte     `cbor:"plan"`  // match.EncodePlan
	Pairs [][]byte   `cbor:"pairs"` // match.EncodePair, in the order of their numbers
	// States are those of a tune, by blocks, that rest on pairs below Next, and on some from
	// where the Pull begins.
	States []match.TuneState `cbor:"states,omitempty"`
	Next   int               `cbor:"next"` // where the next Pull begins
	More   bool              `cbor:"more"`
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
