package packed

import (
	"errors"
	"fmt"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// ErrNoOutcome is the error for a record without a known result. Such a record is useless for training.
var ErrNoOutcome = errors.New("the record does not say who won")

// ErrUnscored is the error for a game with a move without a score. The format pack cannot store such a game.
var ErrUnscored = errors.New("a move has no score")

// MaxScore is the largest absolute score in training data, in centipawns. It is also the score of a mate.
const MaxScore = kifu.MaxEvaluation

// Options selects the positions of a game that become training data. The zero value omits the moves of the
// opening, and moves without a score.
type Options struct {
	NoMate   bool `help:"Skip positions with a mate score."`
	Unscored bool `help:"Include moves without a score, with score 0."`
	Opening  bool `help:"Include the moves of the opening."` // those with a score, or with Unscored
	Played   bool `help:"For hcpe3: write the played move as the candidate of a position without votes of a council, because dlshogi needs a candidate."`
	// Rule is the rule for declarations in the game. Only pack stores it.
	Rule shogi.DeclarationRule `kong:"-"`
	// Votes returns the candidates in a move's detail, which is the vote record of a council. It returns no
	// candidates if there are none.
	Votes func(detail []byte) []Candidate `kong:"-"`
	// Rescale turns scores of a record that an engine meant as mates into mates. It may be nil.
	Rescale func(r *kifu.Record) error `kong:"-"`
}

// Unused returns the names of the set options that have no effect on a conversion of games to a format with this name.
// No option has an effect on a format without training data. pack has whole games, and only hcpe3 has candidates.
func (o Options) Unused(format string) (names []string) {
	_, err := Find(format)
	training := err == nil
	for _, option := range []struct {
		name        string
		set, useful bool
	}{
		{"no-mate", o.NoMate, training && format != packName},
		{"unscored", o.Unscored, training},
		{"opening", o.Opening, training},
		{"played", o.Played, format == "hcpe3"},
	} {
		if option.set && !option.useful {
			names = append(names, option.name)
		}
	}
	return names
}

// Tally counts the converted games, and the positions that Encode has written or omitted.
type Tally struct {
	Games     int `json:"games"`
	Positions int `json:"positions"` // positions that were written
	Opening   int `json:"opening"`   // omitted positions of the opening
	Unscored  int `json:"unscored"`  // omitted positions without a score
	Mates     int `json:"mates"`     // omitted positions whose score is a mate
	Cut       int `json:"cut"`       // omitted positions because of ErrCut
	Clamped   int `json:"clamped"`   // written positions whose score was beyond MaxScore, such as mates
}

// Add adds the numbers of another tally.
func (t *Tally) Add(o Tally) {
	t.Games += o.Games
	t.Positions += o.Positions
	t.Opening += o.Opening
	t.Unscored += o.Unscored
	t.Mates += o.Mates
	t.Cut += o.Cut
	t.Clamped += o.Clamped
}

// Encode converts a record to the format. It calls emit for each sample, or once for the whole game, with the
// number of positions in the data b. The bytes of b are valid until emit returns. The outcome comes from the
// record's Winner, not from its Result. Encode returns ErrNoOutcome, ErrUnscored, an error for an illegal
// start or move, or the error of emit. If the error occurs before the first sample, Encode does not call
// emit.
func (f Format) Encode(r *kifu.Record, o Options, emit func(b []byte, positions int) error) (Tally, error) {
	w := walk{format: f, options: o, record: r, emit: emit}
	err := w.start()
	if err == nil && f.HasGames() {
		err = w.game()
	} else if err == nil {
		err = w.samples()
	}
	if err != nil {
		return Tally{}, err
	}
	w.tally.Games++
	return w.tally, nil
}

// walk is the state of Encode for one record.
type walk struct {
	format   Format
	options  Options
	record   *kifu.Record
	emit     func(b []byte, positions int) error
	position shogi.Position
	outcome  Outcome
	last     shogi.Colour // side to move when the game ended
	tally    Tally
	buffer   [psvSize]byte
}

// start sets up the start position and checks all moves, so that no part of an illegal game is written.
func (w *walk) start() (err error) {
	if w.outcome, err = OutcomeOf(w.record.Winner); err != nil {
		return err
	}
	if w.position, err = shogi.ParseSFEN(w.record.Start); err != nil {
		return fmt.Errorf("the record's start: %w", err)
	}
	p := w.position
	for i, m := range w.record.Moves {
		if err := p.CheckLegal(m.Move); err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
		p.Apply(m.Move)
	}
	w.last = p.Side()
	return nil
}

// OutcomeOf converts the Winner of a record to an Outcome. It returns ErrNoOutcome unless the text is black,
// white or draw.
func OutcomeOf(winner string) (Outcome, error) {
	for _, o := range []Outcome{Draw, BlackWins, WhiteWins} {
		if o.String() == winner {
			return o, nil
		}
	}
	return Draw, fmt.Errorf("%w: its winner is %q, expected black, white or draw", ErrNoOutcome, winner)
}

// wanted reports whether the position of a move must be written. If not, it counts the position as omitted.
func (w *walk) wanted(m *kifu.Move) bool {
	switch {
	case m.Opening && !w.options.Opening:
		w.tally.Opening++
	case !m.HasScore && !w.options.Unscored:
		w.tally.Unscored++
	case m.HasScore && w.options.NoMate && kifu.IsMate(m.Score):
		w.tally.Mates++
	default:
		return true
	}
	return false
}

// clipped returns the score of a move, limited to ±MaxScore.
func clipped(m *kifu.Move) int16 {
	if !m.HasScore {
		return 0
	}
	return int16(max(-MaxScore, min(MaxScore, m.Score)))
}

// beyond returns 1 if clipped changes the score of a move, else 0.
func beyond(m *kifu.Move) int {
	if m.HasScore && int(clipped(m)) != m.Score {
		return 1
	}
	return 0
}

func (w *walk) samples() error {
	end := w.end()
	for i := range w.record.Moves {
		m := &w.record.Moves[i]
		if w.wanted(m) {
			s := Sample{Position: w.position, Move: m.Move, Score: clipped(m), Outcome: w.outcome, End: end}
			b, err := w.format.append(w.buffer[:0], &s)
			switch {
			case errors.Is(err, ErrCut):
				w.tally.Cut++
			case err != nil:
				return fmt.Errorf("move %d: %w", i+1, err)
			default:
				w.tally.Positions++
				w.tally.Clamped += beyond(m)
				if err := w.emit(b, 1); err != nil {
					return err
				}
			}
		}
		w.position.Apply(m.Move)
	}
	return nil
}

// game writes the game. It omits the moves of the opening unless Options.Opening is set.
func (w *walk) game() error {
	moves := w.record.Moves
	for !w.options.Opening && len(moves) > 0 && moves[0].Opening {
		w.position.Apply(moves[0].Move)
		w.tally.Opening++
		moves = moves[1:]
	}
	g := Game{Start: w.position, Outcome: w.outcome, End: w.end(), Reason: w.reason(), Plies: make([]Ply, 0, len(moves))}
	for i := range moves {
		p, err := w.ply(&moves[i])
		if err != nil {
			return fmt.Errorf("move %d: %w", len(w.record.Moves)-len(moves)+i+1, err)
		}
		g.Plies = append(g.Plies, p)
		w.position.Apply(p.Move)
	}
	if len(g.Plies) == 0 {
		return nil
	}
	b, err := w.format.appendGame(nil, &g)
	if errors.Is(err, ErrCut) {
		w.tally.Cut += len(g.Plies)
		return nil
	}
	if err != nil {
		return err
	}
	w.tally.Positions += len(g.Plies)
	for i := range moves {
		w.tally.Clamped += beyond(&moves[i])
	}
	return w.emit(b, len(g.Plies))
}

// ply returns a move with its candidates. In pack every move has a score; for a move without a score ply
// returns ErrUnscored, unless Options.Unscored is set.
func (w *walk) ply(m *kifu.Move) (Ply, error) {
	p := Ply{Move: m.Move, Score: clipped(m)}
	if w.format.Name == packName {
		if !m.HasScore && !w.options.Unscored {
			return p, ErrUnscored
		}
		return p, nil
	}
	if !w.wanted(m) {
		return p, nil // it was played, but training cannot use it without candidates
	}
	if w.options.Votes != nil && len(m.Detail) > 0 {
		p.Candidates = w.options.Votes(m.Detail)
	}
	if len(p.Candidates) == 0 && w.options.Played {
		p.Candidates = []Candidate{{m.Move, 1}}
	}
	for _, c := range p.Candidates {
		if err := w.position.CheckLegal(c.Move); err != nil {
			return p, fmt.Errorf("a candidate: %w", err)
		}
	}
	return p, nil
}

// end returns the End of hcpe for the record's Result. As in cshogi, only a draw can have the end repetition or the
// limit of moves.
func (w *walk) end() End {
	_, end, _ := reasonOf(w.record.Result)
	return end
}

// reason returns the Reason of pack for the record. If pack has none for the end, it returns resignation if a player
// won, else interrupted. If the game ended by declaration and the winner made the last move, the reason is the try
// rule, because a player can declare only on its own turn.
func (w *walk) reason() Reason {
	switch w.record.Result {
	case kifu.EndStall:
		return ReasonTime
	case kifu.EndFalseDeclaration:
		return ReasonIllegal
	case kifu.EndDeclaration:
		return w.declared()
	}
	if r, _, ok := reasonOf(w.record.Result); ok && r != ReasonResign {
		return r
	}
	if w.outcome == Draw {
		return ReasonInterrupted
	}
	return ReasonResign
}

func (w *walk) declared() Reason {
	if (w.outcome == BlackWins) != (w.last == shogi.Black) {
		return ReasonTry // the winner made the last move
	}
	switch w.options.Rule {
	case shogi.CSARule24, shogi.CSARule24H:
		return ReasonDeclaration24
	default:
		return ReasonDeclaration27
	}
}

// packName is the name of pack, the only format that needs a score for every move.
const packName = "pack"
