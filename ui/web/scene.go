package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"gogi/match"
)

// scene is the state of a run for streams: the fields of a match.Snapshot, and its slots as an object by
// "WORKER/SLOT". A scene never changes.
type scene struct {
	version uint64 // version of the hub's state
	over    bool   // the session has ended
	fields  fields // all but the slots
	slots   map[string]seat
}

// fields are the fields of a JSON object, each as JSON text.
type fields map[string]json.RawMessage

// seat is a slot. A stream of the whole run does not send the moves of each game: they are most of the text, and boards
// do not need them. A stream of one game sends them.
type seat struct {
	game  string // PAIR.LEG of its board, "" without a board
	slot  match.SlotState
	brief json.RawMessage // the slot as JSON, without the moves of its game
}

// Streamed is a snapshot with additional values, so that a reader does not have to calculate them.
type Streamed struct {
	match.Snapshot
	GamesPerMinute float64 `json:"games_per_minute,omitempty"` // as Snapshot.Rate
	ETA            string  `json:"eta,omitempty"`              // time until the run ends, as text
}

func newScene(state *match.Snapshot, version uint64) (*scene, error) {
	s := &scene{version: version, over: state.Over, fields: fields{}, slots: make(map[string]seat, len(state.Slots))}
	rest := Streamed{Snapshot: *state}
	rest.Slots = nil
	rest.GamesPerMinute, _, _ = state.Rate()
	rest.ETA = eta(state)
	text, err := json.Marshal(rest)
	if err == nil {
		err = json.Unmarshal(text, &s.fields)
	}
	for _, slot := range state.Slots {
		if err == nil {
			s.slots[seatKey(slot)], err = newSeat(slot)
		}
	}
	return s, err
}

func seatKey(s match.SlotState) string { return s.Worker + "/" + strconv.Itoa(s.Slot) }

func gameName(pair, leg int) string { return fmt.Sprintf("%d.%d", pair, leg) }

func newSeat(s match.SlotState) (at seat, err error) {
	at.slot = s
	if s.Board != nil {
		at.game = gameName(s.Board.Pair, s.Board.Leg)
		brief := *s.Board
		brief.Moves, brief.Start = "", ""
		s.Board = &brief
	}
	at.brief, err = json.Marshal(s)
	return at, err
}

// seats returns the slots for a stream of one game. If game is "", it returns them for a stream of the whole run.
func (s *scene) seats(game string) (list fields, err error) {
	list = fields{}
	for key, at := range s.slots {
		switch game {
		case "":
			list[key] = at.brief
		case at.game:
			if list[key], err = json.Marshal(at.slot); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// full returns the whole scene as one object. game has the same meaning as in seats.
func (s *scene) full(game string) (json.RawMessage, error) {
	all := maps.Clone(s.fields)
	seats, err := s.seats(game)
	if err != nil {
		return nil, err
	}
	if all["slots"], err = json.Marshal(seats); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// since returns the changes since an earlier scene as a JSON merge patch (RFC 7396), or nil if nothing has changed.
// game has the same meaning as in seats.
func (s *scene) since(before *scene, game string) (json.RawMessage, error) {
	patch, err := merge(before.fields, s.fields)
	if err != nil {
		return nil, err
	}
	then, err := before.seats(game)
	if err != nil {
		return nil, err
	}
	now, err := s.seats(game)
	if err != nil {
		return nil, err
	}
	seats, err := merge(then, now)
	if err != nil {
		return nil, err
	}
	if len(seats) > 0 {
		if patch["slots"], err = json.Marshal(seats); err != nil {
			return nil, err
		}
	}
	if len(patch) == 0 {
		return nil, nil
	}
	return json.Marshal(patch)
}

// merge returns the patch that turns the first object into the second.
func merge(from, to fields) (fields, error) {
	patch := fields{}
	for key := range from {
		if _, stays := to[key]; !stays {
			patch[key] = json.RawMessage("null")
		}
	}
	for key, text := range to {
		old := from[key]
		if bytes.Equal(old, text) {
			continue
		}
		patch[key] = text
		if !isObject(old) || !isObject(text) {
			continue
		}
		inner, err := mergeTexts(old, text)
		if err != nil {
			return nil, err
		}
		patch[key] = inner
	}
	return patch, nil
}

func isObject(text json.RawMessage) bool { return len(text) > 0 && text[0] == '{' }

func mergeTexts(from, to json.RawMessage) (json.RawMessage, error) {
	var a, b fields
	if err := json.Unmarshal(from, &a); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(to, &b); err != nil {
		return nil, err
	}
	patch, err := merge(a, b)
	if err != nil {
		return nil, err
	}
	return json.Marshal(patch)
}
