package rating

import "gogi/stats"

// HandicapModel names what a handicap does to its receiver's strength π.
type HandicapModel string

// The handicap models.
const (
	NoEffect        HandicapModel = "none"
	FirstMoveOnly   HandicapModel = "first_move"
	Additive1       HandicapModel = "additive_1"       // π + f(h), f non-decreasing
	Additive2       HandicapModel = "additive_2"       // π + θ1·h + θ2
	Additive3       HandicapModel = "additive_3"       // π + θ3·h
	Multiplicative1 HandicapModel = "multiplicative_1" // (1 + g(h))·π, g non-decreasing
	Multiplicative2 HandicapModel = "multiplicative_2" // (1 + δ1·h + δ2)·π
	Multiplicative3 HandicapModel = "multiplicative_3" // (1 + δ3·h)·π
	LogLinear       HandicapModel = "log_linear"       // exp(β·h)·π
	LogFree         HandicapModel = "log_free"         // exp(b(h))·π, b free
	LogFreeFirst    HandicapModel = "log_free_first_move"
)

// HandicapModels are all models in the order of the constants.
func HandicapModels() []HandicapModel { panic("not yet") }

// Param is an estimated parameter of a handicap model.
type Param struct {
	Name     string
	Value    float64
	SE       float64        // 0 where there is none, see Note
	Interval stats.Interval // profile likelihood
	Note     string         // "" or what is special about the estimate
}

// Step is what a model says about one handicap.
type Step struct {
	Handicap int
	Games    int
	Receiver float64 // points of the receiver (of Black in even games)
	Value    float64 // f(h), g(h), or b(h)
	Elo      float64 // the same in Elo points; 0 for additive models, where it depends on the players
}

// HandicapFit is one fitted handicap model.
type HandicapFit struct {
	Model          HandicapModel
	Players        []Player
	Params         []Param
	Steps          []Step
	LogLik         float64
	Parameters     int // level of strengths not counted
	AIC, AICc, BIC float64
	Weight         float64 // Akaike weight among the models compared
	Against        LRTest  // against NoEffect
	Notes          []string
}

// Goodness is the goodness of fit by parametric bootstrap.
func (f *HandicapFit) Goodness(samples int, seed uint64) (Goodness, error) { panic("not yet") }

// HandicapComparison is a set of models fitted to the same games.
type HandicapComparison struct {
	Fits     []*HandicapFit // in the order asked for
	Best     HandicapModel  // the least AIC
	Games    int
	SetAside []Aside
	Warnings []string
}

// CompareHandicaps fits handicap models; none named is all of them.
func CompareHandicaps(counts []Count, level float64, models ...HandicapModel) (*HandicapComparison, error) {
	panic("not yet")
}

// AkaikeWeights are the relative likelihoods of models by their AIC (or AICc).
func AkaikeWeights(criteria []float64) ([]float64, error) { panic("not yet") }
