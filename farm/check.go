package farm

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"gogi/internal/lists"
	"gogi/match"
)

// These are bounds on the values that a worker sends. They are far above real values. gogi rejects a message
// with a larger value and names the value.
const (
	MaxSlots  = 10_000  // slots of one worker
	MaxWant   = 100_000 // pairs of one Ask; the coordinator decides how many it grants
	MaxNPS    = 1e15
	MaxLoad   = 1e6
	MaxLabels = 100
	MaxWord   = 256  // bytes of a name, a label or a version
	MaxWhy    = 4096 // bytes of a reason
	MaxRuns   = 10_000
	// maxStart bounds Hello.Start, in milliseconds since 1970. A larger start would lock out every later process.
	maxStart = 1 << 43
)

// CheckLegs returns an error if one pair of the plan has more games (legs) than a message can carry.
func CheckLegs(plan *match.Plan) error {
	if plan.Legs() > match.MaxEncodedLegs {
		return fmt.Errorf("selfplay.block: a block of %d games does not fit in a farm's message; set at most %d", plan.Legs(),
			match.MaxEncodedLegs)
	}
	return nil
}

// word returns an error if s is longer than MaxWord bytes. field is the name of s in the error.
func word(field, s string) error {
	if len(s) > MaxWord {
		return fmt.Errorf("%s has %d bytes: expected at most %d", field, len(s), MaxWord)
	}
	return nil
}

// number returns an error if v is not a number from 0 to most. field is the name of v in the error.
func number(field string, v, most float64) error {
	if !(v >= 0 && v <= most) || math.IsInf(v, 0) {
		return fmt.Errorf("%s of %v: expected a number from 0 to %g", field, v, most)
	}
	return nil
}

// words returns an error if a list has more strings than the maximum most, or a string longer than MaxWord bytes.
// field is the name of the strings in the error.
func words(field string, list []string, most int) error {
	if len(list) > most {
		return fmt.Errorf("%d %s: expected at most %d", len(list), field, most)
	}
	return lists.Each(list, func(s string) error { return word("one of the "+field, s) })
}

// Check returns an error if a field of the Hello is outside its bounds.
func (h *Hello) Check() error {
	switch {
	case h.Session == "":
		return fmt.Errorf("a hello without a session")
	case h.Slots < 1 || h.Slots > MaxSlots:
		return fmt.Errorf("%d slots: expected 1 to %d", h.Slots, MaxSlots)
	case h.Start > maxStart:
		return fmt.Errorf("start %d: expected milliseconds since 1970; is the machine's clock right?", h.Start)
	case len(h.Labels) > MaxLabels:
		return fmt.Errorf("%d labels: expected at most %d", len(h.Labels), MaxLabels)
	}
	for k, v := range h.Labels {
		if err := cmp.Or(word("a label's name", k), word("label "+k[:min(len(k), 20)], v)); err != nil {
			return err
		}
	}
	return cmp.Or(word("the session", h.Session), word("the version", h.Version),
		word("the reference engine", h.Reference),
		number("nodes a second", h.NPS, MaxNPS), word("the program", h.Program),
		words("artefacts", h.Artefacts, MaxArtefacts))
}

// Check returns an error if a field of the Ask is outside its bounds.
func (a *Ask) Check() error {
	if a.Want < 0 || a.Want > MaxWant {
		return fmt.Errorf("%d pairs are wanted: expected 0 to %d", a.Want, MaxWant)
	}
	return cmp.Or(word("the session", a.Session), words("open runs", a.Open, MaxRuns),
		words("known runs", a.Known, MaxRuns),
		words("refused runs", a.Refuse, MaxRuns), words("reasons", a.Why, MaxRuns),
		words("built engines", lists.Map(a.Benches, func(b Bench) string { return b.Engine }), MaxRuns))
}

// Check returns an error if a field of h has a value that no granted lease can have.
func (h *Held) Check() error {
	switch {
	case h.Pair < 0 || h.Take < 0 || h.Pair > math.MaxInt32 || h.Take > math.MaxInt32:
		return fmt.Errorf("a lease of pair %d, take %d: expected numbers from 0", h.Pair, h.Take)
	case len(h.Token) > MaxWord:
		return fmt.Errorf("a token of %d bytes: expected %d", len(h.Token), tokenSize)
	}
	return word("a lease's run", h.Run)
}

func leases(list []Held) error {
	for i := range list {
		if err := list[i].Check(); err != nil {
			return err
		}
	}
	return nil
}

// Check returns an error if a field of the Beat is outside its bounds. It does not check the lengths of the
// lists, because Decode rejects lists with more than MaxItems entries.
func (b *Beat) Check() error {
	for i := range b.Back {
		back := &b.Back[i]
		if err := back.Check(); err != nil {
			return err
		}
		if len(back.Why) > MaxWhy {
			return fmt.Errorf("a reason of %d bytes: expected at most %d", len(back.Why), MaxWhy)
		}
	}
	return cmp.Or(word("the session", b.Session), number("a load", b.Load, MaxLoad),
		number("nodes a second", b.NPS, MaxNPS),
		leases(b.Held), leases(b.Outbox), leases(b.Sent))
}

// Check returns an error if a field of the item is outside its bounds. It does not check the games of the pair;
// arbiter.Verify does.
func (it *Item) Check() error {
	switch {
	case it.Block != nil:
		return errors.New("a block of self-play in the form of an earlier gogi: update the worker's program, which then plays it again")
	case (len(it.Pair) > 0) == (it.Attempt != nil):
		return errors.New("an item of a batch has a pair or an attempt, and one of them only")
	}
	err := it.Lease.Check()
	switch {
	case err != nil:
		return err
	case it.Attempt != nil:
		return it.Attempt.Check()
	}
	return nil
}
