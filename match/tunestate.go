package match

import "time"

// TuneState is the stored state of a tune after so many whole blocks. Everything else in package tune's
// state follows from the results.
type TuneState struct {
	Blocks int
	Pairs  int       // that are learnt: those with a lesser number
	Centre []float64 // by parameter
	Factor float64   // factor of all perturbations
}

// TuneCandidate is a candidate with the final values of a tune.
type TuneCandidate struct {
	Number int // from 1
	Blocks int // blocks of the state that it comes from
	Point  []Option
	Run    string    // the name of the run that validates it
	At     time.Time // when it was written down; the zero time: not yet
}
