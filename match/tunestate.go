package match

import "time"

// TuneState is what a tune knows after so many whole blocks, as it is stored. All else
// that package tune keeps of a state follows from the results.
type TuneState struct {
	Blocks int
	Pairs  int       // that are learnt: those with a lesser number
	Centre []float64 // by parameter
	Factor float64   // of all perturbations
}

// TuneCandidate is what a tune has answered.
type TuneCandidate struct {
	Number int // from 1
	Blocks int // of the state that it comes from
	Point  []Option
	Run    string    // the name of the run that validates it
	At     time.Time // when it was written down; the zero time: not yet
}
