package tune

import (
	"errors"
	"fmt"
	"math"
	"path"

	"gogi/match"
)

// The names of the tuning methods.
const (
	SPSA     = "spsa"
	Fishtest = "fishtest"
)

// retired is the name of a method that an earlier version of gogi had. gogi reads the stored tunes of this method, and
// plays none.
const retired = "surface"

// ErrRetired is the error if gogi has to calculate a tune whose method it no longer has.
var ErrRetired = errors.New("method " + retired +
	": gogi has this method no longer, and reads only the stored values of its tunes; start a new tune with the method spsa")

// EloPerPair is the Elo difference between two players that changes the expected wins minus losses (W − L) of a
// pair by 1. Near equal strength, one Elo changes the score of a game by ln 10/1600 (the slope of the logistic
// curve). W − L of a pair is four times the score above one half.
const EloPerPair = 400 / math.Ln10

// Settings has all settings of a tune. The settings and the results of the pairs together determine the tune. The
// digest of the plan covers the settings.
type Settings struct {
	Method   string  `json:"method"`
	Params   []Param `json:"params"`
	Pairs    int     `json:"pairs"` // the budget: the schedule is made for it
	Seed     uint64  `json:"seed"`
	Block    int     `json:"block"`    // pairs
	Inflight int     `json:"inflight"` // pairs that may be drawn before the oldest of them is learnt
	// Spread is the Elo that a perturbed point should lose to the centre; 0: no controller of the
	// perturbations. Probes is the share of pairs that measure this loss.
	Spread float64 `json:"spread"`
	Probes float64 `json:"probes"` // share of the pairs that measure the loss of a perturbed point
	// Wide is the factor of all perturbations at the start, which the controller
	// changes. No perturbation is then above an eighth of its range. 0: the factor is 1,
	// and a perturbation may be half of its range, as in tunes of earlier versions.
	Wide float64 `json:"wide,omitempty"`
	// A is the schedule's stabiliser as a share of the pairs. Alpha and Gamma are the exponents by which
	// its gain and its perturbation fall. REnd is the gain at its end, 0: by the budget.
	A     float64 `json:"a"`
	Alpha float64 `json:"alpha"`
	Gamma float64 `json:"gamma"` // exponent by which the perturbation falls
	REnd  float64 `json:"r_end"` // gain at the end of the schedule; 0: by the budget
	// Average is the last part of the tune, as a share, whose mean centre is the final value.
	Average float64 `json:"average"`
	// Stages are patterns (path.Match) of parameters that are tuned one after the other, each with an equal
	// part of the budget. If there are none, all parameters are tuned together.
	Stages []string `json:"stages,omitempty"`
}

// Defaults returns the default settings of a method for a number of pairs.
func Defaults(method string, pairs int) Settings {
	s := Settings{
		Method: method, Pairs: pairs, Block: 16, Inflight: 48, Spread: 15, Probes: 0.1,
		A: 0.1, Alpha: 0.602, Gamma: 0.101, Average: 0.5,
	}
	if method != SPSA {
		s.Spread, s.Probes, s.Average = 0, 0, 0
	}
	return s
}

// mostWide is the greatest factor by which all perturbations may be enlarged at the start.
const mostWide = 4.0

// StartWide sets Wide, so that a tune starts with larger perturbations. The first perturbation of each parameter
// is then at most an eighth of its range, and at most 4 times as large as without StartWide. If the perturbations
// have a fixed size, StartWide sets Wide to 0 (no larger perturbations).
func (s *Settings) StartWide() {
	s.Wide = 0
	if s.Method != SPSA || s.Spread == 0 {
		return
	}
	s.Wide = 1
	for i := range s.Params {
		if p := &s.Params[i]; p.Kind != Choice && !p.Unused {
			s.Wide = max(s.Wide, min(mostWide, (p.Max-p.Min)*widest/p.Spread(s.Method)))
		}
	}
}

// farInflight is a number of pairs in play at the same time. If a tune has more, the games of its latest pairs use
// rather old parameter values, so a smaller gain is better.
const farInflight = 256

// Gain returns r_end, the gain at the end of the tune. The gain decides how far the result of a pair moves the
// centre. If REnd is not set, Gain returns the value that was best in simulations of tunes with 10,000 to 200,000
// pairs.
func (s *Settings) Gain() float64 {
	switch {
	case s.REnd > 0:
		return s.REnd
	case s.Method == Fishtest || s.Inflight > farInflight:
		return 0.002
	}
	return min(max(0.006*math.Cbrt(10_000/float64(s.Pairs)), 0.002), 0.006)
}

// Lag returns the number of blocks that gogi does not wait for when it selects parameter values. It selects the
// values of block k from the state after k − Lag blocks.
func (s *Settings) Lag() int {
	return max(1, (s.Inflight+s.Block-1)/s.Block-1)
}

// Blocks returns the number of blocks in the tune. The last block may be shorter.
func (s *Settings) Blocks() int { return (s.Pairs + s.Block - 1) / s.Block }

// BlockOf returns the block of a pair.
func (s *Settings) BlockOf(pair int) int { return pair / s.Block }

// PairsOf returns the first pair of a block, and the first pair of the next block.
func (s *Settings) PairsOf(block int) (first, end int) {
	return block * s.Block, min((block+1)*s.Block, s.Pairs)
}

// DrawnFrom returns the number n of blocks such that gogi selects the parameter values of a block from the state
// after n blocks. n is block − Lag, but not below the number of blocks before the block's stage. A stage is a part
// of the tune in which only some parameters change (see Stages).
func (s *Settings) DrawnFrom(block int) int {
	return max(block-s.Lag(), s.stageBegins(s.stageOf(block)))
}

// stageOf returns the stage of a block. Stages are the parts of a tune in which different parameters are tuned (see
// Settings.Stages).
func (s *Settings) stageOf(block int) int {
	if len(s.Stages) < 2 {
		return 0
	}
	return min(block*len(s.Stages)/s.Blocks(), len(s.Stages)-1)
}

func (s *Settings) stageBegins(stage int) int {
	if len(s.Stages) < 2 {
		return 0
	}
	return (stage*s.Blocks() + len(s.Stages) - 1) / len(s.Stages)
}

// active reports, for each parameter, whether the tune changes it in this stage.
func (s *Settings) active(stage int) []bool {
	on := make([]bool, len(s.Params))
	for i, p := range s.Params {
		on[i] = !p.Unused
		if on[i] && len(s.Stages) > 0 {
			on[i], _ = path.Match(s.Stages[stage], p.Name) // checked by Check
		}
	}
	return on
}

// Retired reports whether the tune has a method that gogi has no longer.
func (s *Settings) Retired() bool { return s.Method == retired }

// Check returns an error if the settings are invalid. Those of a stored tune may have a retired method.
func (s *Settings) Check() error {
	if err := CheckParams(s.Params); err != nil {
		return err
	}
	share := func(name string, x float64) error {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("%s = %v: want 0 to 1", name, x)
		}
		return nil
	}
	for _, err := range []error{share("probes", s.Probes), share("average", s.Average), share("alpha", s.Alpha),
		share("gamma", s.Gamma), s.checkStages()} {
		if err != nil {
			return err
		}
	}
	switch {
	case s.Method != SPSA && s.Method != Fishtest && s.Method != retired:
		return fmt.Errorf("method %q: want %s or %s", s.Method, SPSA, Fishtest)
	case s.Pairs < 1 || s.Pairs > match.MaxPairs:
		return fmt.Errorf("%d pairs: want 1 to %d", s.Pairs, match.MaxPairs)
	case s.Block < 1 || s.Block > s.Pairs:
		return fmt.Errorf("blocks of %d pairs: want 1 to all %d", s.Block, s.Pairs)
	case s.Inflight < 1:
		return fmt.Errorf("%d pairs in flight: want at least one", s.Inflight)
	case s.Inflight > s.Pairs/5 && s.Inflight > s.Block:
		return fmt.Errorf("%d pairs in flight of %d in all: more than a fifth would be drawn before anything is learnt from them", s.Inflight, s.Pairs)
	case !(s.Spread >= 0 && s.Spread <= 200):
		return fmt.Errorf("spread = %v: want 0 (no controller) to 200 Elo", s.Spread)
	case s.Wide != 0 && !(s.Wide >= 1 && s.Wide <= mostWide):
		return fmt.Errorf("wide = %v: want 1 to %g", s.Wide, mostWide)
	case s.Spread > 0 && s.Probes == 0:
		return fmt.Errorf("spread = %v without probes: its controller would know nothing", s.Spread)
	case !(s.A >= 0 && s.A <= 10), !(s.REnd >= 0 && s.REnd <= 1):
		return fmt.Errorf("A = %v, r_end = %v: want 0 to 10 and 0 to 1", s.A, s.REnd)
	}
	return nil
}

func (s *Settings) checkStages() error {
	for stage, pattern := range s.Stages {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("stage %q: %w", pattern, err)
		}
		any := false
		for _, on := range s.active(stage) {
			any = any || on
		}
		if !any {
			return fmt.Errorf("stage %q: no parameter is named so", pattern)
		}
	}
	if len(s.Stages) > 1 && s.Blocks() < 2*len(s.Stages) {
		return fmt.Errorf("%d stages in %d blocks: want at least two blocks each", len(s.Stages), s.Blocks())
	}
	return nil
}
