package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// These limits protect the code that reads a plan from an untrusted text. gogi decodes players and openings one by
// one. Otherwise package json could turn a list of bare numbers into a list of players, which is some hundred times
// as large, before gogi rejects it.
const (
	maxPlayers = 1 << 16 // players of a plan, including councils and their members
	maxNested  = 16      // levels of councils within councils; the reader parses the text of each level once more
)

// planBody, playerBody and councilBody are Plan, Player and Council, but their longest lists are JSON text that is not
// decoded yet. Package json fills these outer fields, because they hide the embedded fields with the same names.
type planBody struct {
	planFields
	Players  json.RawMessage `json:"Players"`
	Openings json.RawMessage `json:"Openings"`
}

type playerBody struct {
	playerFields
	Council *councilBody `json:"Council"`
}

type councilBody struct {
	councilFields
	Members json.RawMessage `json:"Members"`
}

type (
	planFields    Plan
	playerFields  Player
	councilFields Council
)

// readPlan decodes the text of EncodePlan. It does not check whether the plan can be played.
func readPlan(text []byte) (*Plan, error) {
	var t struct {
		Version int       `json:"version"`
		Plan    *planBody `json:"plan"`
	}
	if err := strictly(text, &t); err != nil {
		return nil, err
	}
	if t.Plan == nil {
		return nil, errors.New("there is none")
	}
	p := Plan(t.Plan.planFields)
	left := maxPlayers
	var err error
	if p.Players, err = readPlayers(t.Plan.Players, &left, maxNested); err == nil {
		p.Openings, err = readOpenings(t.Plan.Openings)
	}
	return &p, err
}

func readOpenings(text []byte) ([]Opening, error) {
	if absent(text) {
		return nil, nil
	}
	list := []Opening{}
	err := eachOf("opening", text, func(o *Opening) error { list = append(list, *o); return nil })
	return list, err
}

// readPlayers decodes a list of players. left is the number of further players that are allowed, and nested
// the number of further levels of councils.
func readPlayers(text []byte, left *int, nested int) ([]Player, error) {
	if absent(text) {
		return nil, nil
	}
	list := []Player{}
	err := eachOf("player", text, func(body *playerBody) error {
		if *left--; *left < 0 {
			return fmt.Errorf("there are more than %d", maxPlayers)
		}
		p, err := body.player(left, nested)
		list = append(list, p)
		return err
	})
	return list, err
}

func (b *playerBody) player(left *int, nested int) (Player, error) {
	p := Player(b.playerFields)
	if b.Council == nil {
		return p, nil
	}
	if nested == 0 {
		return p, fmt.Errorf("more than %d councils are within each other", maxNested)
	}
	c := Council(b.Council.councilFields)
	var err error
	c.Members, err = readPlayers(b.Council.Members, left, nested-1)
	p.Council = &c
	return p, err
}

func absent(text []byte) bool { return len(text) == 0 || string(text) == "null" }

// eachOf decodes a list element by element, and calls the function see for each element. what is the name of an
// element in errors.
func eachOf[T any](what string, text []byte, see func(*T) error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return fmt.Errorf("its %ss are no list", what)
	}
	for n := 1; d.More(); n++ {
		var element T
		err := d.Decode(&element)
		if err == nil {
			err = see(&element)
		}
		if err != nil {
			return fmt.Errorf("%s %d: %w", what, n, err)
		}
	}
	return nil
}

// strictly decodes JSON and returns an error for an unknown field.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
