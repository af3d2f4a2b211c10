package grants

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/tests"
	"gogi/internal/format"
	"gogi/match"
)

// A Quota limits the tests of an owner. A zero field means no limit.
type Quota struct {
	Running int `toml:"running"` // running tests
	Queued  int `toml:"queued"`  // submitted or approved tests
	// Artefacts limits the total size of the engines of the owner's tests that have not ended.
	Artefacts Size `toml:"artefacts"`
	// SlotHoursDay limits the slot-hours of the owner's tests in one UTC day. Beyond the limit, the tests get
	// only slots that no other test uses.
	SlotHoursDay float64 `toml:"slot_hours_day"`
	// Slots limits the pairs of the owner's tests that workers hold at the same time.
	Slots int `toml:"slots"`
	// Artefact limits the size of one engine file of the owner, and Bandwidth the bytes of artefacts that
	// all keys of the owner send and receive in a second. The bus applies both.
	Artefact  Size `toml:"artefact"`
	Bandwidth Size `toml:"bandwidth"`
}

// A Size is a number of bytes, written as "512MB" or "20GB" (powers of 1024).
type Size int64

// UnmarshalText parses a number with a unit, or a number of bytes without a unit.
func (s *Size) UnmarshalText(text []byte) error {
	word, factor := strings.ToUpper(strings.TrimSpace(string(text))), int64(1)
	for i, unit := range []string{"KB", "MB", "GB", "TB"} {
		if rest, ok := strings.CutSuffix(word, unit); ok {
			word, factor = strings.TrimSpace(rest), 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseFloat(word, 64)
	if err != nil || !(n > 0) || n*float64(factor) > 1<<60 {
		return fmt.Errorf("%q is not a size: expected a number with KB, MB, GB or TB, such as 20GB", text)
	}
	*s = Size(n * float64(factor))
	return nil
}

// Quotas applies the quotas of owners to their tests. The caller guards it with a lock.
type Quotas struct {
	limit func(owner string) Quota
	tests *tests.Tests
	day   time.Time                // the UTC day to which spent applies
	spent map[string]time.Duration // slot-time that the tests of each owner have used on this day
}

// NewQuotas returns the quotas of a farm's owners. limit returns the quota of an owner.
func NewQuotas(limit func(owner string) Quota, all *tests.Tests) *Quotas {
	return &Quotas{limit: limit, tests: all, day: dayOf(time.Now()), spent: map[string]time.Duration{}}
}

// gameMost is the longest time that one game adds to the used quota. Without a limit, a worker with a wrong clock
// could use up a quota. The function spent of Read has the same limit.
const gameMost = 24 * time.Hour

// dayOf returns the start of the UTC day of a time. A quota of slot-hours applies to one such day.
func dayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// Read starts a new day of the quotas with the slot-time of the pairs that are already stored on this day. So neither a
// restart nor a repeated result counts a pair twice. The function spent returns it by plan digest; if it is nil,
// nothing was stored before.
func (s *Quotas) Read(ctx context.Context,
	spent func(ctx context.Context, since time.Time) (map[string]time.Duration, error)) error {
	s.day, s.spent = dayOf(time.Now()), map[string]time.Duration{}
	if spent == nil {
		return nil
	}
	byDigest, err := spent(ctx, s.day)
	if err != nil {
		return fmt.Errorf("coordinator: reading the slot-time of today: %w", err)
	}
	for digest, took := range byDigest {
		if r := s.tests.All[digest]; r != nil {
			s.spent[r.Owner] += took
		}
	}
	return nil
}

// Spend adds the slot-time of a stored pair to its owner's time of the day. A game without a start time adds
// no time.
func (s *Quotas) Spend(now time.Time, r *tests.Test, p *match.PairResult) {
	for i := range p.Games {
		if g := &p.Games[i]; !g.Started.IsZero() {
			s.spendTime(now, r, min(max(g.Ended.Sub(g.Started), 0), gameMost))
		}
	}
}

// spendTime adds slot-time to the time that the owner of a run has used today.
func (s *Quotas) spendTime(now time.Time, r *tests.Test, took time.Duration) {
	if day := dayOf(now); day.After(s.day) {
		s.day, s.spent = day, map[string]time.Duration{}
	}
	s.spent[r.Owner] += took
}

// Overspent returns a message if an owner has used the slot-hours of today, or "" otherwise.
func (s *Quotas) Overspent(now time.Time, owner string) string {
	most := s.limit(owner).SlotHoursDay
	if had := s.spent[owner].Hours(); most > 0 && !dayOf(now).After(s.day) && had >= most {
		return fmt.Sprintf("%s has used %.1f of %g slot-hours today: until 00:00 UTC its tests get only unused slots, and none starts", owner, had, most)
	}
	return ""
}

// Waits returns a message about the used-up quota of the owner for which a test waits, or "" if it waits for none.
func (s *Quotas) Waits(now time.Time, r *tests.Test) string {
	switch r.State {
	case farm.Approved:
		running, most := s.tests.Running(r.Owner), s.limit(r.Owner).Running
		if most > 0 && running >= most {
			return fmt.Sprintf("%s has %s running, and may have %d", r.Owner, format.NumberOf(running, "test"), most)
		}
		return s.Overspent(now, r.Owner)
	case farm.Running:
		return s.Overspent(now, r.Owner)
	default:
		return ""
	}
}

// slotsLeft returns how many more pairs of an owner's tests workers may hold.
func (s *Quotas) slotsLeft(owner string) int {
	most := s.limit(owner).Slots
	if most == 0 {
		return math.MaxInt
	}
	for _, r := range s.tests.All {
		if r.Owner == owner && r.Ledger != nil {
			most -= r.Ledger.Held()
		}
	}
	return max(0, most)
}

// addArtefacts adds the artefacts (files) of a plan's engines to into, a map from SHA-256 to size. sizes has the
// sizes of the farm's artefacts.
func addArtefacts(plan *match.Plan, sizes, into map[string]int64) {
	for _, p := range plan.Engines() {
		for _, f := range p.Identity.Files {
			into[f.SHA256] = sizes[f.SHA256]
		}
		for _, v := range p.Identity.Variants {
			into[v.SHA256] = max(v.Size, sizes[v.SHA256])
		}
	}
}

// MayKeep returns a rejection if a plan would exceed the owner's quota of artefacts. It counts the plan's engines
// and the engines of the owner's tests that have not ended. An artefact that several tests share counts once. sizes
// has the sizes of the farm's artefacts.
func (s *Quotas) MayKeep(owner string, plan *match.Plan, sizes map[string]int64) error {
	most := s.limit(owner).Artefacts
	if most == 0 {
		return nil
	}
	kept := map[string]int64{}
	for _, r := range s.tests.All {
		if r.Owner == owner && !r.State.Final() {
			addArtefacts(r.Match, sizes, kept)
		}
	}
	addArtefacts(plan, sizes, kept)
	sum := int64(0)
	for _, size := range kept {
		sum += size
	}
	if Size(sum) > most {
		return farm.Refusef("the engines of %s's tests would take %d bytes, and may take %d", owner, sum, most)
	}
	return nil
}
