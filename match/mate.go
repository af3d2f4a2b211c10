package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gogi/shogi"
)

// Mate ends games by proof. gogi asks a mate solver, which plays for neither side, about positions. A
// mate that it claims ends the game if our own rules prove it. Both players are treated alike. The zero
// value is off.
type Mate struct {
	Solver *Player       `json:"Solver,omitempty"` // the solver; nil for a plan out of a store
	Every  int           `json:"Every,omitempty"`  // asked at every so many moves of each side, too; 0: only after a claim
	Time   time.Duration `json:"Time,omitempty"`   // time for each question; not on a player's clock
	Nodes  int           `json:"Nodes,omitempty"`  // positions that a proof may look into; 0: off
}

// The default limits of questions and proofs.
const (
	DefaultMateTime  = time.Second
	DefaultMateNodes = 20_000
)

// IsZero reports whether games are not ended by proof.
func (m Mate) IsZero() bool { return m.Nodes == 0 }

// Check returns the error of the settings, or nil.
func (m Mate) Check(ponder PonderMode) error {
	switch {
	case m.IsZero() && m != (Mate{}):
		return errors.New("ending games by proof: a proof may look into no position")
	case m.IsZero():
		return nil
	case m.Solver == nil || m.Solver.Council != nil:
		return errors.New("ending games by proof: there is no engine to ask")
	case min(m.Every, m.Nodes) < 0 || m.Time <= 0:
		return errors.New("ending games by proof: a number or the time is negative, or there is no time")
	case ponder != PonderOff && ponder != "":
		return errors.New("ending games by proof: who ponders would think on while the solver is asked: expected no pondering")
	}
	return nil
}

// Asks reports whether the solver is asked for a mate by the side to move. It is asked if that side's
// latest move claimed a mate, and once in so many of its moves, counted from 0.
func (m Mate) Asks(claimed bool, own int) bool {
	return !m.IsZero() && (claimed || m.Every > 0 && own%m.Every == 0)
}

// CanonicalMate has the settings of a Mate that decide how games end.
type CanonicalMate struct {
	Solver *CanonicalPlayer `json:"solver,omitempty"`
	Every  int              `json:"every,omitempty"`
	Time   time.Duration    `json:"time,omitempty"` // nanoseconds
	Nodes  int              `json:"nodes,omitempty"`
}

func (m Mate) canonical() *CanonicalMate {
	if m == (Mate{}) {
		return nil
	}
	c := &CanonicalMate{Every: m.Every, Time: m.Time, Nodes: m.Nodes}
	if m.Solver != nil {
		solver := m.Solver.canonical()
		c.Solver = &solver
	}
	return c
}

// Questions counts the questions to a mate solver in a game, by result.
type Questions struct {
	Asked    int `json:"asked"`
	Claimed  int `json:"claimed,omitempty"`  // it claimed a mate: proven, refuted and unproven together
	Proven   int `json:"proven,omitempty"`   // our rules prove it; it ended the game
	Refuted  int `json:"refuted,omitempty"`  // its line is no mate by our rules
	Unproven int `json:"unproven,omitempty"` // not proven within the bound of positions, or before the game's limit of plies
	Failed   int `json:"failed,omitempty"`   // it crashed, hung or has no mate search; it was asked no more in that game
}

// Check returns why these cannot be the questions of a game of so many plies with that end, or nil. No
// question at all is possible: a program that did not count them sends none.
func (q *Questions) Check(plan *Plan, plies int, ended Termination) error {
	proven := 0
	if ended == MateAdjudication {
		proven = 1
	}
	switch {
	case *q == Questions{}:
		return nil
	case plan.Mate.IsZero():
		return errors.New("it has questions to a mate solver, and the plan has none")
	case min(q.Claimed, q.Proven, q.Refuted, q.Unproven, q.Failed) < 0 || max(q.Asked, q.Claimed, q.Refuted, q.Unproven) > plies+1 ||
		q.Failed > 1 || q.Proven != proven || q.Claimed != q.Proven+q.Refuted+q.Unproven || q.Asked < q.Claimed+q.Failed:
		return fmt.Errorf("its questions to a mate solver do not add up: %+v in %d plies", *q, plies)
	}
	return nil
}

// Add counts those of another game.
func (q *Questions) Add(more Questions) {
	q.Asked += more.Asked
	q.Claimed += more.Claimed
	q.Proven += more.Proven
	q.Refuted += more.Refuted
	q.Unproven += more.Unproven
	q.Failed += more.Failed
}

// Proof is stored for a game that ended by MateAdjudication, so that it can be proven again:
// kifu.Record.Final has it as JSON.
type Proof struct {
	Solver string       `json:"solver"` // the solver that claimed the mate
	Line   []shogi.Move `json:"line"`   // as it was claimed
	Plies  int          `json:"plies"`  // to the mate, at most
	Nodes  int          `json:"nodes"`  // that our proof looked into
}

// proofText is the JSON of a proof; its key distinguishes it from a vote record.
type proofText struct {
	Mate *Proof `json:"mate"`
}

// Text returns the JSON.
func (p Proof) Text() ([]byte, error) {
	text, err := json.Marshal(proofText{&p})
	if err != nil {
		return nil, fmt.Errorf("match: writing the proof of a mate: %w", err)
	}
	return text, nil
}

// ParseProof is the inverse of Proof.Text.
func ParseProof(text []byte) (Proof, error) {
	var p proofText
	if err := json.Unmarshal(text, &p); err != nil {
		return Proof{}, fmt.Errorf("match: reading the proof of a mate: %w", err)
	}
	if p.Mate == nil {
		return Proof{}, errors.New("match: reading the proof of a mate: there is none")
	}
	return *p.Mate, nil
}
