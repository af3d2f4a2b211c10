package voting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gogi/shogi"
	"gogi/usi"
)

// RecordVersion is the version of the vote records that gogi writes. gogi also reads records of version 1. It
// repeats their votes by the rules of version 1: scores have no clamps, a mate counts without proof, and sums
// are compared bit by bit (see Settings.Exact).
const RecordVersion = 2

// Record is one stored decision, with all data to repeat the vote. It is one JSON object, which gogi stores
// with the move and writes as a line of a vote log.
type Record struct {
	Version int    `json:"v"`    // version of the record
	Type    string `json:"type"` // "vote"
	Council string `json:"council"`
	Ply     int    `json:"ply"`  // number of the ply in the game, from 1
	Own     int    `json:"own"`  // number of the council's own decision in this game, from 1
	Side    string `json:"side"` // black or white: the council's colour
	SFEN    string `json:"sfen"`
	Rule    string `json:"rule"`
	Seed    uint64 `json:"seed,string"`
	Stop    string `json:"stop"` // when the council stops waiting for members

	Ties         []Tie        `json:"ties"`
	Declaration  string       `json:"declaration"`      // rule of entering king
	ResignQuorum float64      `json:"resign_quorum"`    // share of the members that must resign
	Members      []string     `json:"members"`          // names of the members
	Scales       [][2]float64 `json:"scales,omitempty"` // slope and intercept of each member
	// clamp of each member, in the member's centipawns; empty: no clamps
	Clamps []float64 `json:"clamps,omitempty"`

	Played string `json:"played"`           // played move
	Ponder string `json:"ponder,omitempty"` // expected reply of the opponent
	By     By     `json:"by"`               // what decided, such as vote or book
	Tie    Tie    `json:"tie,omitempty"`
	// numbers of votes for each move, the largest first, such as 2-1
	Split   string           `json:"split"`
	Counts  Ordered[int]     `json:"counts"`                 // number of votes for each move
	Sums    Ordered[float64] `json:"wsum"`                   // sum of the weights for each move
	Values  Ordered[float64] `json:"values,omitempty"`       // values by which the rule decides, if they differ from wsum
	TopTie  bool             `json:"top_tie"`                // the first two had the same value
	Differs bool             `json:"differs_from_plurality"` // the move did not have the most votes
	Vetoed  string           `json:"vetoed,omitempty"`       // move that had won the vote and was vetoed
	Veto    []VetoResult     `json:"veto,omitempty"`
	// Examined has the examined candidates in the order of the vote, if By is ByExamination.
	Examined []Examination `json:"examined,omitempty"`
	// Pondered, Hits and Spared are only of councils whose members think on different replies. Pondered has the
	// replies on which the members thought before this decision, Hits the members whose reply was played, and
	// Spared the members that were not asked and have no ballot.
	Pondered []PonderRecord `json:"pondered,omitempty"`
	Hits     []int          `json:"hits,omitempty"`   // members whose reply was played
	Spared   []int          `json:"spared,omitempty"` // members that were not asked
	// Unasked has the members without a ballot, if the first answers were equal and decided.
	Unasked []int `json:"unasked,omitempty"`

	Shadow []ShadowVote `json:"shadow,omitempty"`
	Before []float64    `json:"w_before"` // weight of each member before the decision
	After  []float64    `json:"w_after"`  // weight of each member after the decision
	// index of the member with the largest weight before the decision, -1 without a vote
	Leader  int            `json:"leader"`
	Early   bool           `json:"early"` // decided before all ballots arrived
	Ballots []BallotRecord `json:"ballots"`
	Nodes   uint64         `json:"nodes"`
	WallMS  float64        `json:"wall_ms"`          // time from the question to the decision, in milliseconds
	Alive   int            `json:"alive"`            // number of members that run
	Events  []string       `json:"events,omitempty"` // faults and restarts of members, as text
}

// PonderRecord is the reply of the opponent that one member searched before the opponent moved. A record has the most
// likely reply first.
type PonderRecord struct {
	Member int    `json:"m"`     // index of the member, from 0
	Reply  string `json:"reply"` // searched reply of the opponent
}

// ShadowVote is the decision of a shadow rule, which was not played.
type ShadowVote struct {
	Rule   string `json:"rule"`
	Played string `json:"played"` // move by this rule
	By     By     `json:"by"`     // what decided, such as vote or book
}

// BallotRecord is the JSON form of a Ballot in a record.
type BallotRecord struct {
	Member int    `json:"m"` // index of the member, from 0
	Name   string `json:"name"`
	Kind   Kind   `json:"kind"`
	Move   string `json:"mv,omitempty"` // move of the member
	Ponder string `json:"pd,omitempty"` // move on which the member would ponder
	ScoreRecord
	Depth    int             `json:"d,omitempty"`  // search depth
	SelDepth int             `json:"sd,omitempty"` // selective search depth
	Nodes    uint64          `json:"n,omitempty"`
	MS       float64         `json:"ms"`  // thinking time, in milliseconds
	Arrived  float64         `json:"arr"` // time of arrival after the question, in milliseconds
	Source   Source          `json:"src,omitempty"`
	Text     string          `json:"text,omitempty"`   // text of an error
	PV       string          `json:"pv,omitempty"`     // the first three plies; for a mate the whole variation
	Ranked   []rankedRecord  `json:"ranked,omitempty"` // further moves of the member, the best first
	Detail   json.RawMessage `json:"vote,omitempty"`   // a nested council's record
}

type rankedRecord struct {
	Move string `json:"mv"` // move
	ScoreRecord
	Depth int `json:"d,omitempty"` // search depth
}

// ScoreRecord is a score in a record. The zero value means that there is no score.
type ScoreRecord struct {
	CP    *int   `json:"cp,omitempty"`    // centipawns
	Mate  string `json:"mate,omitempty"`  // in USI's notation: 3, -2, +, -
	Bound string `json:"bound,omitempty"` // lower or upper; "": exact
}

// VetoResult is the result of one member's search of the position after the voted move.
type VetoResult struct {
	Member      int    `json:"m"` // index of the member, from 0
	ScoreRecord        // from the council's view
	Nodes       uint64 `json:"n"`
	Objects     bool   `json:"objects"` // the member objects to the move
}

// Milliseconds returns a duration in milliseconds, rounded to a microsecond as in the database.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func duration(ms float64) time.Duration { return time.Duration(math.Round(ms*1000)) * time.Microsecond }

// moveText returns a move in USI notation, or "" for NoMove.
func moveText(m shogi.Move) string {
	if m == shogi.NoMove {
		return ""
	}
	return m.String()
}

func readMove(text string) (shogi.Move, error) {
	if text == "" {
		return shogi.NoMove, nil
	}
	return shogi.ParseMove(text)
}

// NewScoreRecord returns the JSON form of a score, which refers to s. has reports whether there is a score; without a
// score the result is the zero value.
func NewScoreRecord(s *usi.Score, has bool) (r ScoreRecord) {
	if !has {
		return r
	}
	switch s.Bound {
	case usi.LowerBound:
		r.Bound = "lower"
	case usi.UpperBound:
		r.Bound = "upper"
	case usi.Exact:
	}
	if s.Mate == 0 {
		r.CP = &s.Value
	} else {
		r.Mate = s.String()[len("mate "):]
	}
	return r
}

// read returns the score of a record. has is false if there is no score.
func (r ScoreRecord) read() (s usi.Score, has bool) {
	if r.CP != nil {
		s.Value = *r.CP
	} else {
		i := usi.ParseInfo("info score mate " + r.Mate)
		if !i.HasScore {
			return s, false
		}
		s = i.Score
	}
	switch r.Bound {
	case "lower":
		s.Bound = usi.LowerBound
	case "upper":
		s.Bound = usi.UpperBound
	}
	return s, true
}

// keptPlies is the number of plies of a variation in a record. With three plies the council can choose its next move if
// no member votes.
const keptPlies = 3

// RecordBallot returns the JSON form of a ballot. name is the member's name.
func RecordBallot(b *Ballot, name string) BallotRecord {
	r := BallotRecord{
		Member: b.Member, Name: name, Kind: b.Kind, Move: moveText(b.Move), Ponder: moveText(b.Ponder),
		Depth: b.Depth, SelDepth: b.SelDepth, Nodes: b.Nodes, MS: Milliseconds(b.Time), Arrived: Milliseconds(b.Arrived),
		Source: b.Source, Text: b.Text, Detail: b.Detail, ScoreRecord: NewScoreRecord(&b.Score, b.HasScore),
	}
	pv := b.PV
	if b.Score.Mate == 0 && len(pv) > keptPlies {
		pv = pv[:keptPlies]
	}
	var room [6 * keptPlies]byte
	text := room[:0]
	for i, m := range pv {
		if i > 0 {
			text = append(text, ' ')
		}
		text = m.Append(text)
	}
	r.PV = string(text)
	for i := range b.Ranked {
		line := &b.Ranked[i]
		r.Ranked = append(r.Ranked, rankedRecord{line.Move.String(), NewScoreRecord(&line.Score, line.HasScore), line.Depth})
	}
	return r
}

// Ballot returns the ballot of a record. The ballot's variation has only the recorded plies. Ballot returns
// an error if a recorded move cannot be parsed.
func (r *BallotRecord) Ballot() (Ballot, error) {
	b := Ballot{
		Member: r.Member, Kind: r.Kind, Line: Line{Depth: r.Depth}, SelDepth: r.SelDepth, Nodes: r.Nodes,
		Time: duration(r.MS), Arrived: duration(r.Arrived), Source: r.Source, Text: r.Text, Detail: r.Detail,
	}
	var err error
	if b.Move, err = readMove(r.Move); err == nil {
		b.Ponder, err = readMove(r.Ponder)
	}
	if err != nil {
		return b, err
	}
	b.Score, b.HasScore = r.ScoreRecord.read()
	b.PV = usi.ParseInfo("info pv " + r.PV).PV
	for _, x := range r.Ranked {
		line := Line{Depth: x.Depth}
		if line.Move, err = shogi.ParseMove(x.Move); err != nil {
			return b, err
		}
		line.Score, line.HasScore = x.read()
		b.Ranked = append(b.Ranked, line)
	}
	return b, nil
}

// ParseRecord parses the JSON text of a record. It returns an error for other data, and for an unknown
// version.
func ParseRecord(data []byte) (*Record, error) {
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("ensemble: vote record: %w", err)
	}
	switch {
	case r.Type != "vote":
		return nil, fmt.Errorf("ensemble: vote record: type is %q: expected \"vote\"", r.Type)
	case r.Version < 1 || r.Version > RecordVersion:
		return nil, fmt.Errorf("ensemble: vote record: version %d: expected 1 to %d", r.Version, RecordVersion)
	case len(r.Members) == 0:
		return nil, errors.New("ensemble: vote record: no members")
	}
	for i := range r.Ballots {
		if m := r.Ballots[i].Member; m < 0 || m >= len(r.Members) {
			return nil, fmt.Errorf("ensemble: vote record: ballot %d is of member %d of %d", i, m, len(r.Members))
		}
	}
	return &r, nil
}

// Word returns the word for the decision in a record: a move, "win" or "resign".
func (d *Decision) Word() string {
	switch d.Answer {
	case usi.AnswerWin:
		return "win"
	case usi.AnswerResign:
		return "resign"
	case usi.AnswerMove, usi.AnswerInvalid:
	}
	return moveText(d.Move)
}

// Decided copies the decision and its votes into the record.
func (r *Record) Decided(d *Decision) {
	r.Played, r.Ponder, r.By, r.Tie = d.Word(), moveText(d.Ponder), d.By, d.Tie
	r.Split, r.Leader, r.Vetoed = d.Split(), d.Leader, moveText(d.Vetoed)
	r.Differs = d.Answer == usi.AnswerMove && d.Plain != shogi.NoMove && d.Plain != d.Move
	r.TopTie = d.Tie != ""
	plain := true
	for i := range d.Candidates {
		c := &d.Candidates[i]
		name := c.Move.String()
		r.Counts = append(r.Counts, Entry[int]{name, c.Count()})
		r.Sums = append(r.Sums, Entry[float64]{name, c.Weight})
		plain = plain && c.Value == c.Weight
	}
	for i := range d.Candidates {
		if c := &d.Candidates[i]; !plain && !math.IsInf(c.Value, 0) {
			r.Values = append(r.Values, Entry[float64]{c.Move.String(), c.Value})
		}
	}
}

// Entry is one key of an Ordered object.
type Entry[T int | float64] struct {
	Key   string
	Value T
}

// Ordered is a JSON object that keeps the order of its keys. In records the best move is the first key.
type Ordered[T int | float64] []Entry[T]

// MarshalJSON returns the JSON object with its keys in order.
func (o Ordered[T]) MarshalJSON() ([]byte, error) {
	out := append(make([]byte, 0, 64), '{')
	for i, e := range o {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = e.append(out); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

// append appends the key and the value. Texts of moves and whole numbers, which are usual, need no encoder. The encoder
// also writes zeros, because a negative zero has a sign.
func (e Entry[T]) append(out []byte) ([]byte, error) {
	if strings.Trim(e.Key, "0123456789abcdefghiPLNSGBR*+") == "" {
		out = append(append(append(out, '"'), e.Key...), '"', ':')
	} else {
		key, err := json.Marshal(e.Key)
		if err != nil {
			return nil, err
		}
		out = append(append(out, key...), ':')
	}
	if n := int64(e.Value); n != 0 && -1<<53 < n && n < 1<<53 && T(n) == e.Value {
		return strconv.AppendInt(out, n, 10), nil
	}
	value, err := json.Marshal(e.Value)
	return append(out, value...), err
}

// UnmarshalJSON parses a JSON object and keeps the order of its keys. If a key repeats, its last value
// counts.
func (o *Ordered[T]) UnmarshalJSON(data []byte) error {
	var values map[string]T
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	*o = nil
	// data is an object or null, because the values were already parsed from it
	d := json.NewDecoder(bytes.NewReader(data))
	for token, err := d.Token(); err == nil; token, err = d.Token() {
		if key, ok := token.(string); ok {
			var value json.RawMessage
			if err := d.Decode(&value); err != nil {
				return err
			}
			if !slices.ContainsFunc(*o, func(e Entry[T]) bool { return e.Key == key }) {
				*o = append(*o, Entry[T]{key, values[key]})
			}
		}
	}
	return nil
}

// Get returns the value of a key, or the zero value if the key is missing.
func (o Ordered[T]) Get(key string) (value T) {
	if i := slices.IndexFunc(o, func(e Entry[T]) bool { return e.Key == key }); i >= 0 {
		return o[i].Value
	}
	return value
}
