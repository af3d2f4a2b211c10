package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gogi/shogi"
)

// Mate has the settings of mate adjudication. gogi sends positions of a game to a mate solver, which plays
// for neither side. If the solver claims a mate and gogi's own rules prove the mate, the game ends. The same
// settings apply to both players. The zero value is off.
type Mate struct {
	Solver *Player `json:"Solver,omitempty"` // the mate solver; nil in a plan that was read from a store
	// gogi also uses the solver at every Every-th move of each side; 0: only after an engine claims a mate
	Every int           `json:"Every,omitempty"`
	Time  time.Duration `json:"Time,omitempty"`  // time for each question; no player's clock runs
	Nodes int           `json:"Nodes,omitempty"` // largest number of positions that a proof may search; 0: off
}

// The default values of Time and Nodes in Mate.
const (
	DefaultMateTime  = time.Second
	DefaultMateNodes = 20_000
)

// IsZero reports whether mate adjudication is off.
func (m Mate) IsZero() bool { return m.Nodes == 0 }

// Check returns an error if the settings are invalid, or if pondering is on. A mate solver cannot be used together
// with pondering.
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

// Asks reports whether gogi sends the current position to the solver. It does so if claimed is true (the latest move of
// the side to move claimed a mate), and at every Every-th move. own is the number of moves of this side so far.
func (m Mate) Asks(claimed bool, own int) bool {
	return !m.IsZero() && (claimed || m.Every > 0 && own%m.Every == 0)
}

// CanonicalMate has the settings of a Mate that decide how games end, for the canonical text of a plan.
type CanonicalMate struct {
	Solver *CanonicalPlayer `json:"solver,omitempty"`
	Every  int              `json:"every,omitempty"` // gogi asks the solver at every N-th ply
	Time   time.Duration    `json:"time,omitempty"`  // nanoseconds
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

// Questions counts the positions of a game that gogi sent to a mate solver, by the result.
type Questions struct {
	Asked   int `json:"asked"`             // number of questions
	Claimed int `json:"claimed,omitempty"` // the solver claimed a mate: the sum of Proven, Refuted and Unproven
	Proven  int `json:"proven,omitempty"`  // gogi proved the mate, which ended the game
	Refuted int `json:"refuted,omitempty"` // the solver's line is no mate by gogi's rules
	// not proven within Mate.Nodes positions, or the mate comes after the game's limit of plies
	Unproven int `json:"unproven,omitempty"`
	// the solver crashed, hung or has no mate search; gogi did not use it again in that game
	Failed int `json:"failed,omitempty"`
}

// Check returns an error if the counts are impossible for a game of the plan. plies is the length of the game, and
// ended the reason for its end. The zero value is always valid, because an older gogi did not count questions.
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
	case min(q.Claimed, q.Proven, q.Refuted, q.Unproven, q.Failed) < 0 ||
		max(q.Asked, q.Claimed, q.Refuted, q.Unproven) > plies+1 ||
		q.Failed > 1 || q.Proven != proven || q.Claimed != q.Proven+q.Refuted+q.Unproven || q.Asked < q.Claimed+q.Failed:
		return fmt.Errorf("its questions to a mate solver do not add up: %+v in %d plies", *q, plies)
	}
	return nil
}

// Add adds the questions of another game to q.
func (q *Questions) Add(more Questions) {
	q.Asked += more.Asked
	q.Claimed += more.Claimed
	q.Proven += more.Proven
	q.Refuted += more.Refuted
	q.Unproven += more.Unproven
	q.Failed += more.Failed
}

// Proof is the proof of a mate that ended a game (MateAdjudication). It is stored as JSON in
// kifu.Record.Final, so that gogi can repeat the proof.
type Proof struct {
	Solver string       `json:"solver"` // the solver that claimed the mate
	Line   []shogi.Move `json:"line"`   // the mating line that the solver claimed
	Plies  int          `json:"plies"`  // largest number of plies to the mate
	Nodes  int          `json:"nodes"`  // positions that gogi's proof searched
}

// proofText is the JSON form of a proof. Its key distinguishes a proof from the record of a vote.
type proofText struct {
	Mate *Proof `json:"mate"`
}

// Text returns the proof as JSON, for kifu.Record.Final.
func (p Proof) Text() ([]byte, error) {
	text, err := json.Marshal(proofText{&p})
	if err != nil {
		return nil, fmt.Errorf("match: writing the proof of a mate: %w", err)
	}
	return text, nil
}

// ParseProof reads the JSON of Proof.Text.
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
