package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Players and openings are read one by one. A list of bare numbers would otherwise become a list of
// players, each some hundred times as large, before gogi rejects the first number.
const (
	maxPlayers = 1 << 16 // players of a plan, with members of councils and the councils themselves
	maxNested  = 16      // councils within each other: each level is read once more
)

// planBody, playerBody and councilBody are Plan, Player and Council with their longest lists as text that is not yet
// decoded. The outer field hides the embedded one of the same name, so package json fills it.
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

// readPlan reads the text of EncodePlan and does not check its meaning.
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

// readPlayers reads a list of players; left and nested are how many more there may be, and how deep.
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

// eachOf reads a list element by element; what is the name of an element in errors.
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

// strictly reads JSON; a field that is not known is an error.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
