package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// jsonVersion is the version of the lines that AppendJSON writes. Later versions of gogi may add fields but
// never rename one.
const jsonVersion = 1

// These types are the JSON object of one record, which is one line of a file. The object omits unknown values.
type (
	jsonRecord struct {
		Version  int             `json:"gogi_record"`
		Black    string          `json:"black"`
		White    string          `json:"white"`
		Event    string          `json:"event,omitempty"`
		Site     string          `json:"site,omitempty"`
		Opening  string          `json:"opening,omitempty"`
		Started  time.Time       `json:"started,omitzero"`
		Ended    time.Time       `json:"ended,omitzero"`
		Clocks   [2]*jsonClock   `json:"clocks,omitzero"` // Black's and White's
		MaxMoves int             `json:"max_moves,omitempty"`
		Jishogi  int             `json:"jishogi,omitempty"`
		Ratings  [2]*float64     `json:"ratings,omitzero"` // Black's and White's
		About    [2]string       `json:"about,omitzero"`   // Black's and White's
		Start    string          `json:"start"`            // SFEN
		Comment  string          `json:"comment,omitempty"`
		Moves    []kifu.MoveJSON `json:"moves"`
		Result   string          `json:"result,omitempty"`
		Winner   string          `json:"winner,omitempty"`
		Note     string          `json:"note,omitempty"`
		LastMS   *float64        `json:"last_ms,omitempty"` // time of the answer that ended the game without a move
		Votes    kifu.Detail     `json:"votes,omitempty"`   // vote record of the answer of LastMS
		Branches int             `json:"branches,omitempty"`
	}
	jsonClock struct {
		MainMS      float64 `json:"main_ms"`
		ByoyomiMS   float64 `json:"byoyomi_ms,omitempty"`
		IncrementMS float64 `json:"increment_ms,omitempty"`
	}
)

// AppendJSON appends a record as one line of JSON, with all data of the record.
func AppendJSON(dst []byte, r *kifu.Record) ([]byte, error) {
	if err := checkMoves(r); err != nil {
		return dst, err
	}
	out := jsonRecord{
		Version: jsonVersion, Black: r.Black, White: r.White, Event: r.Event, Site: r.Site, Opening: r.Header.Opening,
		Started: r.Started.UTC(), Ended: r.Ended.UTC(), About: r.About, MaxMoves: r.MaxMoves, Jishogi: r.Jishogi,
		Start:   r.Start,
		Comment: r.Comment, Result: r.Result, Winner: r.Winner, Note: r.Note, Votes: r.Final, Branches: r.Branches,
		Moves: []kifu.MoveJSON{},
	}
	for i, c := range r.Clocks {
		if !c.IsZero() {
			out.Clocks[i] = &jsonClock{kifu.Millis(c.Main), kifu.Millis(c.Byoyomi), kifu.Millis(c.Increment)}
		}
		if r.Ratings[i] != 0 {
			out.Ratings[i] = new(r.Ratings[i])
		}
	}
	if r.HasLast {
		out.LastMS = new(kifu.Millis(r.LastTime))
	}
	for i := range r.Moves {
		out.Moves = append(out.Moves, r.Moves[i].JSON())
	}
	text, err := json.Marshal(out)
	if err != nil {
		return dst, err
	}
	return append(append(dst, text...), '\n'), nil
}

// readJSON returns a Reader of JSON lines, as AppendJSON writes them.
func readJSON(in *Input) Reader { return &lineReader{in: in, parse: parseJSON} }

func parseJSON(line []byte) (*kifu.Record, error) {
	var j jsonRecord
	if err := json.Unmarshal(line, &j); err != nil {
		return nil, err
	}
	if j.Version != jsonVersion {
		return nil, fmt.Errorf("gogi_record is %d: expected %d", j.Version, jsonVersion)
	}
	p, err := shogi.ParseSFEN(j.Start)
	if err != nil {
		return nil, fmt.Errorf("start position: %w", err)
	}
	r := &kifu.Record{
		Black: j.Black, White: j.White, Event: j.Event, Site: j.Site, Start: p.SFEN(), Result: j.Result, Winner: j.Winner,
		Final: j.Votes,
		Header: kifu.Header{Opening: j.Opening, MaxMoves: j.MaxMoves, Jishogi: j.Jishogi, Comment: j.Comment, Note: j.Note,
			Branches: j.Branches},
	}
	if j.Result != "" && (!knownEnd(j.Result) || j.Winner != "black" && j.Winner != "white" && j.Winner != draw) {
		return nil, fmt.Errorf("result %q, winner %q: expected a word for how games end and black, white or draw", j.Result,
			j.Winner)
	}
	if err := errors.Join(j.players(r), j.moves(r)); err != nil {
		return nil, err
	}
	return r, checkMoves(r)
}

// players copies the facts about the players, and the times, into a record.
func (j *jsonRecord) players(r *kifu.Record) (err error) {
	for i, c := range j.Clocks {
		if c == nil {
			continue
		}
		k := &r.Clocks[i]
		for _, part := range []struct {
			to *time.Duration
			ms float64
		}{{&k.Main, c.MainMS}, {&k.Byoyomi, c.ByoyomiMS}, {&k.Increment, c.IncrementMS}} {
			if *part.to, err = kifu.OfMillis(part.ms); err != nil {
				return err
			}
		}
	}
	for i, x := range j.Ratings {
		if x != nil {
			r.Ratings[i] = *x
		}
	}
	r.About, r.Started, r.Ended = j.About, j.Started, j.Ended
	if j.LastMS != nil {
		r.HasLast = true
		r.LastTime, err = kifu.OfMillis(*j.LastMS)
	}
	return err
}

func (j *jsonRecord) moves(r *kifu.Record) error {
	for i, m := range j.Moves {
		out, err := m.Move()
		if err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
		r.Moves = append(r.Moves, out)
	}
	return nil
}
