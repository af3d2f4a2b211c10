package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gogi/shogi"
)

// planVersion is the version of EncodePlan's format. It increases when a field gets another name or meaning,
// not when a field is added. A program that does not know a new field rejects the plan.
const planVersion = 1

type planText struct {
	Version int   `json:"version"`
	Plan    *Plan `json:"plan"`
}

// MaxPlanText is the largest size of an encoded plan in bytes. It is enough for some hundred thousand
// openings.
const MaxPlanText = 16 << 20

// EncodePlan returns a whole plan as JSON, including its paths. The keys are the JSON tags of Plan.
// Enumerations are texts, and durations are in nanoseconds. EncodePlan returns an error if DecodePlan could
// not restore the plan: the plan cannot be played, or one of its texts is not UTF-8.
func EncodePlan(p *Plan) ([]byte, error) {
	text, err := json.Marshal(planText{planVersion, p})
	if err != nil {
		return nil, fmt.Errorf("match: encoding plan %s: %w", p.Run, err)
	}
	again, err := DecodePlan(text)
	if err == nil && again.Digest() != p.Digest() {
		err = errors.New("it would be read with another digest: expected texts in UTF-8")
	}
	if err != nil {
		return nil, fmt.Errorf("match: encoding plan %s: %w", p.Run, err)
	}
	return text, nil
}

// DecodePlan reads the JSON of EncodePlan and returns a plan with the same digest. It returns an error for a
// field that this program does not know, because the field may change the games, and for a plan that cannot
// be played (see Plan.Check). It is safe for an untrusted text: it allocates at most some hundred bytes for
// each byte of the text.
func DecodePlan(text []byte) (*Plan, error) {
	if len(text) > MaxPlanText {
		return nil, fmt.Errorf("match: decoding a plan: its text has %d bytes, expected up to %d", len(text), MaxPlanText)
	}
	var head struct {
		Version int `json:"version"`
		Plan    struct {
			Selfplay string // the self-play settings in plans of an earlier gogi
		} `json:"plan"`
	}
	if err := json.Unmarshal(text, &head); err != nil { // also returns an error for text after the plan
		return nil, fmt.Errorf("match: decoding a plan: %w", err)
	}
	if head.Version != planVersion {
		return nil,
			fmt.Errorf("match: decoding a plan: it has version %d, this program knows %d: use the gogi that wrote it or a newer one",
				head.Version, planVersion)
	}
	if head.Plan.Selfplay != "" {
		return nil,
			errors.New("match: decoding a plan: it is of self-play in the form of an earlier gogi; submit its file again with this program")
	}
	p, err := readPlan(text)
	if err != nil {
		return nil, fmt.Errorf("match: decoding a plan: %w", err)
	}
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("match: decoding plan %s: %w", p.Run, err)
	}
	return p, nil
}

// MaxPairs is the largest number of pairs of a plan. A run keeps some bytes of memory for each pair that it has stored,
// and a larger number is certainly a typing error.
const MaxPairs = 100_000_000

// Check returns an error if the plan cannot be played. It reads no files and does not replay the openings.
func (p *Plan) Check() error {
	switch {
	case len(p.Players) < 2 && p.Design.Kind != DesignSelfplay:
		return fmt.Errorf("it has %d players, expected two at least", len(p.Players))
	case len(p.Openings) == 0:
		return errors.New("it has no opening")
	case p.Pairings() == 0:
		return fmt.Errorf("design %q is not one of %q", p.Design.Kind, DesignKinds())
	case min(p.Pairs, p.Concurrency, p.StartParallel, p.SlotsPerGPU, p.CoresPerSlot, p.PVPlies, p.Rules.MaxPlies) < 0:
		return errors.New("a number of pairs, slots, engines or plies is negative")
	case p.Pairs > MaxPairs:
		return fmt.Errorf("%d pairs: expected at most %d", p.Pairs, MaxPairs)
	}
	if err := errors.Join(p.checkDesign(), p.checkTune(), p.checkSelfplay()); err != nil {
		return err
	}
	for i := range p.Players {
		for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
			if err := p.LimitsOf(i, c).Check(); err != nil {
				return fmt.Errorf("player %s: %w", p.Players[i].Name, err)
			}
		}
	}
	for _, o := range p.Openings {
		if _, err := o.Position(); err != nil {
			return err
		}
	}
	return errors.Join(CheckGate(p.Gate), p.Scaling.Check(), p.Mate.Check(p.Ponder), p.CheckDevices(), p.checkWords())
}

// CheckDevices returns an error if an engine with a Device would not wait for the device before it searches.
// Engines do not wait if they ponder, if they are members of a council, or if they are the mate solver.
func (p *Plan) CheckDevices() error {
	for i := range p.Players {
		who := &p.Players[i]
		if who.Device != "" && p.Ponder != PonderOff && p.Ponder != "" {
			return fmt.Errorf("ponder: %s shares the device %s, so it cannot search during the opponent's time; remove device, or set ponder = \"off\"", who.Name, who.Device)
		}
		if who.Council == nil {
			continue
		}
		for _, m := range who.Council.Members {
			if m.Device != "" {
				return fmt.Errorf("council %s: its member %s has the device %s, but members search at the same time; remove device",
					who.Name, m.Name, m.Device)
			}
		}
	}
	if s := p.Mate.Solver; s != nil && s.Device != "" {
		return fmt.Errorf("mate: the solver %s has the device %s, but it does not wait for it; remove device", s.Name,
			s.Device)
	}
	return nil
}

// checkTune returns an error if a tune cannot use this plan. Package tune checks the settings of the tune.
func (p *Plan) checkTune() error {
	switch {
	case p.Tune == "":
		return nil
	case !json.Valid([]byte(p.Tune)):
		return errors.New("the settings of its tune are no JSON")
	case p.Design.Kind != DesignMatch || !p.Design.Swap || len(p.Players) != 2:
		return errors.New("a tune is a match of an engine against itself, in pairs of two games with colours swapped")
	case p.Players[0].Council != nil || p.Players[1].Council != nil:
		return errors.New("a tune is of one engine: a council has no options of its own")
	case !p.Gate.IsZero():
		return errors.New("a tune has no sequential test: it proves nothing")
	}
	return nil
}

func (p *Plan) checkSelfplay() error {
	d := p.Design
	if d.Kind == DesignSelfplay {
		for _, f := range d.Selfplay.Faults() {
			return fmt.Errorf("selfplay.%s: %s", f.Key, f.Why)
		}
		if d.Swap || d.Anchor != "" || len(p.Players) != 1 || !p.Mate.IsZero() || p.Tune != "" ||
			!p.Gate.IsZero() || !p.Scaling.IsZero() || p.ColourClocks != [2]*TimeControl{} ||
			!p.Players[0].Limits.Clock.IsZero() {
			return errors.New("self-play is of one player, who plays both sides, without a tune, a sequential test, a mate solver or clocks")
		}
		return nil
	}
	if d.Selfplay != (Selfplay{}) {
		return fmt.Errorf("design %q has no parameters of self-play", d.Kind)
	}
	return nil
}

func (p *Plan) checkDesign() error {
	d := p.Design
	if err := d.Tournament.Check(d.Kind, len(p.Players)); err != nil {
		return err
	}
	if d.Kind.ByResults() && !d.Swap {
		return fmt.Errorf("design %s needs pairs of two games with colours swapped, so that no colour decides who meets whom",
			d.Kind)
	}
	if d.Anchor != "" && !slices.ContainsFunc(p.Players, func(q Player) bool { return q.Name == d.Anchor }) {
		return fmt.Errorf("anchor %q is not one of its players", d.Anchor)
	}
	return nil
}

func (p *Plan) checkWords() error {
	if err := oneOf("pondering", p.Ponder, PonderOff, PonderStandard, PonderEarly); err != nil {
		return err
	}
	if err := oneOf("the policy for slowed moves", p.Slowed, PolicyCount, PolicyVoid); err != nil {
		return err
	}
	for _, e := range p.Engines() {
		if err := oneOf("the restart of "+e.Name, e.Restart, RestartNever, RestartPair, RestartGame); err != nil {
			return err
		}
		if err := e.Identity.Check(); err != nil {
			return fmt.Errorf("engine %s: %w", e.Name, err)
		}
	}
	return nil
}

// oneOf returns an error if value is neither in words nor the zero value, which stands for the default. what is the
// name of the setting in the error.
func oneOf[T ~string](what string, value T, words ...T) error {
	if value != "" && !slices.Contains(words, value) {
		return fmt.Errorf("%s is %q: expected one of %q", what, value, words)
	}
	return nil
}
