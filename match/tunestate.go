package match

import "time"

// TuneState is the stored state of a tune after a number of complete blocks. It is only a part of the state;
// package tune calculates the other part from the results.
type TuneState struct {
	Blocks int
	Pairs  int       // number of learnt pairs: all pairs with a lower number are learnt
	Centre []float64 // by parameter
	Factor float64   // factor of all perturbations
}

// TuneCandidate has final option values of a tune. A validation run tests them against the start values.
type TuneCandidate struct {
	Number int // from 1
	Blocks int // number of blocks after which the tune had these values
	Point  []Option
	Run    string    // the name of the run that validates it
	At     time.Time // time at which it was stored; the zero time: not stored yet
}
