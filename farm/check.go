package farm

import (
	"errors"
	"fmt"
	"math"

	"gogi/match"
)

// The bounds of what a worker may say of itself. They are far above what one has reason
// to say; beyond, it is refused with the figure.
const (
	MaxSlots  = 10_000  // of one worker
	MaxWant   = 100_000 // pairs of one Ask; how many it gets is for the coordinator to say
	MaxNPS    = 1e15
	MaxLoad   = 1e6
	MaxLabels = 100
	MaxWord   = 256  // bytes of a name, a label, a version
	MaxWhy    = 4096 // bytes of a reason
	MaxRuns   = 10_000
	// maxStart bounds the count of a worker's processes, which is in milliseconds since
	// 1970, so that none shuts out all that follow it.
	maxStart = 1 << 43
)

// CheckLegs returns an error for a plan whose pairs have more games than a message carries.
func CheckLegs(plan *match.Plan) error {
	if plan.Legs() > match.MaxEncodedLegs {
		return fmt.Errorf("selfplay.block: a block of %d games does not fit in a farm's message; set at most %d", plan.Legs(), match.MaxEncodedLegs)
	}
	return nil
}

// word refuses what is longer than a name is.
func word(what, s string) error {
	if len(s) > MaxWord {
		return fmt.Errorf("%s has %d bytes: expected at most %d", what, len(s), MaxWord)
	}
	return nil
}

// number refuses what is no number from 0 to most.
func number(what string, v, most float64) error {
	if !(v >= 0 && v <= most) || math.IsInf(v, 0) {
		return fmt.Errorf("%s of %v: expected a number from 0 to %g", what, v, most)
	}
	return nil
}

// words refuses too many of them, and those that are too long.
func words(what string, list []string, most int) error {
	if len(list) > most {
		return fmt.Errorf("%d %s: expected at most %d", len(list), what, most)
	}
	for _, s := range list {
		if err := word("one of the "+what, s); err != nil {
			return err
		}
	}
	return nil
}

// first is the first error of a list.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Check says what a worker cannot have meant, or nil.
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
		if err := first(word("a label's name", k), word("label "+k[:min(len(k), 20)], v)); err != nil {
			return err
		}
	}
	return first(word("the session", h.Session), word("the version", h.Version), word("the reference engine", h.Reference),
		number("nodes a second", h.NPS, MaxNPS), word("the program", h.Program), words("artefacts", h.Artefacts, MaxArtefactsTold))
}

// Check says what a worker cannot have meant, or nil.
func (a *Ask) Check() error {
	if a.Want < 0 || a.Want > MaxWant {
		return fmt.Errorf("%d pairs are wanted: expected 0 to %d", a.Want, MaxWant)
	}
	return first(word("the session", a.Session), words("open runs", a.Open, MaxRuns), words("known runs", a.Known, MaxRuns), words("refused runs", a.Refuse, MaxRuns))
}

// Check says what of a lease no grant can have had, or nil.
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

// Check says what a worker cannot have meant, or nil. How long the lists are is bounded
// by the message.
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
	return first(word("the session", b.Session), number("a load", b.Load, MaxLoad), number("nodes a second", b.NPS, MaxNPS),
		leases(b.Held), leases(b.Outbox), leases(b.Sent))
}

// Check says what of an item cannot be meant, or nil: what is in its pair is for
// arbiter.Verify to say.
func (it *Item) Check() error {
	what := 0
	for _, has := range [...]bool{len(it.Pair) > 0, it.Attempt != nil} {
		if has {
			what++
		}
	}
	switch {
	case it.Block != nil:
		return errors.New("a block of self-play in the form of an earlier gogi: update the worker's program, which then plays it again")
	case what != 1:
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
