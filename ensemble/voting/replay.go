package voting

import (
	"errors"
	"fmt"
	"slices"

	"gogi/internal/lists"
	"gogi/shogi"
	"gogi/usi"
)

// Replayer repeats recorded votes, by the rule of the records or by another rule. The zero value votes by the rule of
// the records. The caller passes the records of one council in order, game by game.
//
// Another rule learns from its own decisions, as if its moves had been played, although the game continued with the
// recorded moves. A Replayer uses only data from the records: the seed, the chain of tie-breaks, the members' scales,
// the quorum and the declaration rule.
type Replayer struct {
	Rule *Spec // nil: the rule of each record
	Ties []Tie // empty: the chain of each record

	session *Session
	made    string // the settings with which the session was made
	seed    uint64
	past    []*Session // the session before each decision of this game, to go back after a take-back
}

// A Revote is a repeated vote: its decision and the members' weights.
type Revote struct {
	Decision Decision
	Before   []float64     // the members' weights before the decision
	After    []float64     // the members' weights after the decision
	Examined []Examination // the recorded examination, with the values calculated again
}

// Next repeats the vote of the next record. Record.Own is the number of the decision in the game, so Own 1 begins a
// game. If Own is not larger than in the last record, moves were taken back. Next then votes with the weights from
// before these moves. It returns an error if earlier decisions are missing, if the rule changes within a game, or if
// the record cannot be read.
func (r *Replayer) Next(rec *Record) (Revote, error) {
	v, err := r.next(rec)
	if err != nil {
		return v, fmt.Errorf("ensemble: decision %d, ply %d: %w", rec.Own, rec.Ply, err)
	}
	return v, nil
}

func (r *Replayer) next(rec *Record) (v Revote, err error) {
	p, err := shogi.ParseSFEN(rec.SFEN)
	if err != nil {
		return v, err
	}
	ballots, err := rec.ballots(&p)
	if err != nil {
		return v, err
	}
	asRecorded, err := r.enter(rec)
	if err != nil {
		return v, err
	}
	r.past = append(r.past, r.session.Clone())
	v.Before = r.session.Weights()
	v.Decision = r.session.Decide(&p, ballots)
	if rec.By == ByBook {
		v.Decision, err = rec.fromBook(&p)
	} else if asRecorded {
		if err = r.session.vetoAgain(&p, ballots, &v.Decision, rec); err == nil {
			v.Examined, err = r.session.examineAgain(&p, ballots, &v.Decision, rec)
		}
	}
	r.session.Observe(&p, ballots, &v.Decision)
	v.After = r.session.Weights()
	return v, err
}

// enter brings the session to its state before the record's vote. asRecorded reports whether the session votes by the
// rule and the tie-breaks of the record.
func (r *Replayer) enter(rec *Record) (asRecorded bool, err error) {
	recorded, err := ParseSpec(rec.Rule)
	if err != nil {
		return false, err
	}
	spec, settings, err := r.constitution(recorded, rec)
	if err != nil {
		return false, err
	}
	made := fmt.Sprint(spec, settings, rec.Members, rec.Scales, rec.Clamps)
	switch known := len(r.past); {
	case rec.Own < 1:
		return false, errors.New("decisions are numbered from 1")
	case rec.Own == 1:
		err = r.begin(spec, settings, made, rec)
	case r.session == nil || rec.Seed != r.seed || known == 0:
		return false, errors.New("the game's first decisions are missing")
	case made != r.made:
		return false, errors.New("the rule or the members are not those of the decision before")
	case rec.Own > known+1:
		return false, fmt.Errorf("the one before is %d: decisions are missing", known)
	case rec.Own <= known:
		r.session, r.past = r.past[rec.Own-1], r.past[:rec.Own-1]
	}
	return spec.String() == recorded.String() && slices.Equal(settings.Ties, chain(rec.Ties)), err
}

// constitution returns the rule and the settings with which the replayer votes.
func (r *Replayer) constitution(recorded Spec, rec *Record) (Spec, Settings, error) {
	declaration, err := shogi.ParseDeclarationRule(rec.Declaration)
	if err != nil {
		return Spec{}, Settings{}, err
	}
	spec, ties := recorded, rec.Ties
	if r.Rule != nil {
		spec = *r.Rule
	}
	if len(r.Ties) > 0 {
		ties = r.Ties
	}
	return spec, Settings{Ties: chain(ties), Declaration: declaration, ResignQuorum: rec.ResignQuorum,
		Exact: rec.Version == 1}, nil
}

func chain(ties []Tie) []Tie {
	if len(ties) == 0 {
		return DefaultTies()
	}
	return ties
}

// begin starts a game. If the last session has the same settings, begin uses it again, because its weights may last
// between games. made is a text of all settings, for this comparison.
func (r *Replayer) begin(spec Spec, settings Settings, made string, rec *Record) error {
	r.past = nil
	if r.session == nil || made != r.made {
		c, err := NewSession(spec, rec.voters(), settings)
		if err != nil {
			return err
		}
		r.session, r.made = c, made
	}
	r.seed = rec.Seed
	r.session.NewGame(rec.Seed)
	return nil
}

// voters returns the members with the recorded names, scales and clamps.
func (r *Record) voters() []Voter {
	voters := make([]Voter, len(r.Members))
	for i, name := range r.Members {
		voters[i].Name = name
		if i < len(r.Scales) {
			voters[i].Slope, voters[i].Intercept = r.Scales[i][0], r.Scales[i][1]
		}
		if i < len(r.Clamps) {
			voters[i].Clamp = r.Clamps[i]
		}
	}
	return voters
}

// ballots returns the record's ballots. It returns an error if a ballot that counts has an illegal move. This happens
// only in a damaged record.
func (r *Record) ballots(p *shogi.Position) ([]Ballot, error) {
	list := make([]Ballot, len(r.Ballots))
	for i := range r.Ballots {
		b, err := r.Ballots[i].Ballot()
		if err == nil {
			err = b.check(p)
		}
		if err != nil {
			return nil, fmt.Errorf("ballot of %s: %w", r.Members[b.Member], err)
		}
		if slices.ContainsFunc(list[:i], func(other Ballot) bool { return other.Member == b.Member }) {
			return nil, fmt.Errorf("there are two ballots of %s", r.Members[b.Member])
		}
		list[i] = b
	}
	return list, nil
}

// check returns an error if a ballot that may count has an illegal move.
func (b *Ballot) check(p *shogi.Position) error {
	if b.Kind != KindMove && (b.Kind != KindResign || b.Move == shogi.NoMove) {
		return nil
	}
	if err := p.CheckLegal(b.Move); err != nil {
		return err
	}
	return lists.Each(b.Ranked, func(line Line) error { return p.CheckLegal(line.Move) })
}

// fromBook returns the decision for a recorded book move. Every rule would have played this move.
func (r *Record) fromBook(p *shogi.Position) (Decision, error) {
	m, err := shogi.ParseMove(r.Played)
	if err == nil {
		err = p.CheckLegal(m)
	}
	if err == nil && len(r.Ballots) > 0 {
		err = errors.New("it is of a book and has ballots")
	}
	return FromBook(m), err
}

// vetoAgain applies a recorded veto if the vote chose the vetoed move. It cannot repeat the check itself,
// because other members searched for the veto, and the ballots do not contain these searches.
func (c *Session) vetoAgain(p *shogi.Position, ballots []Ballot, d *Decision, rec *Record) error {
	if rec.By != ByVeto || d.Answer != usi.AnswerMove || moveText(d.Move) != rec.Vetoed {
		return nil
	}
	played, err := shogi.ParseMove(rec.Played)
	if err != nil {
		return err
	}
	if d.backers(played) == nil {
		return fmt.Errorf("nobody voted for %s, which was played after a veto", rec.Played)
	}
	c.Overrule(p, ballots, d, played)
	return nil
}

// Differs describes the first difference between the repeated vote and the record. It returns "" if they are
// equal. It compares all numbers exactly, including the weights.
func (v *Revote) Differs(rec *Record) string {
	var again Record
	again.Decided(&v.Decision)
	for _, x := range []struct {
		what      string
		same      bool
		got, want any
	}{
		{"played", again.Played == rec.Played, again.Played, rec.Played},
		{"by", again.By == rec.By, again.By, rec.By},
		{"tie", again.Tie == rec.Tie, again.Tie, rec.Tie},
		{"ponder", again.Ponder == rec.Ponder, again.Ponder, rec.Ponder},
		{"vetoed", again.Vetoed == rec.Vetoed, again.Vetoed, rec.Vetoed},
		{"examined", sameValues(v.Examined, rec.Examined), v.Examined, rec.Examined},
		{"split", again.Split == rec.Split, again.Split, rec.Split},
		{"leader", again.Leader == rec.Leader, again.Leader, rec.Leader},
		{"differs_from_plurality", again.Differs == rec.Differs, again.Differs, rec.Differs},
		{"counts", slices.Equal(again.Counts, rec.Counts), again.Counts, rec.Counts},
		{"wsum", slices.Equal(again.Sums, rec.Sums), again.Sums, rec.Sums},
		{"values", slices.Equal(again.Values, rec.Values), again.Values, rec.Values},
		{"w_before", slices.Equal(v.Before, rec.Before), v.Before, rec.Before},
		{"w_after", slices.Equal(v.After, rec.After), v.After, rec.After},
	} {
		if !x.same {
			return fmt.Sprintf("%s is %v, recorded is %v", x.what, x.got, x.want)
		}
	}
	return ""
}

// sameValues reports whether two lists of examinations have the same values.
func sameValues(a, b []Examination) bool {
	return slices.EqualFunc(a, b, func(x, y Examination) bool { return x.Move == y.Move && x.Value == y.Value })
}
