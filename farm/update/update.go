// Package update says which programs a farm's workers are to have: what was ordered, who is
// told first, how the trial of these goes, and whether the others are told or it is held.
// It knows no bus and no sessions: the coordinator keeps a State and asks it.
package update

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/trust"
)

// Of an update: a twentieth of the workers are told first, the others when these have
// played so many pairs, were not quarantined, and had no more engines that failed than the
// others had. They are looked at ten times, each at a tenth of one in a hundred.
const (
	firstOf       = 20
	trialPairs    = 500
	trialLook     = trialPairs / 10
	trialMayBeBad = 0.001
)

// State is what is kept of the programs that workers are to have. The zero value wants none.
type State struct {
	Releases []farm.Release `cbor:"releases"`
	Known    []farm.Release `cbor:"known"` // wanted before, the latest first
	Stage    farm.Stage     `cbor:"stage"`
	Why      string         `cbor:"why"`
	By       string         `cbor:"by"`
	At       time.Time      `cbor:"at"`
	First    []string       `cbor:"first"`
	// Tried is what came since the order, by plan digest: of those who are first, with a
	// program that is wanted, and of those without.
	Tried map[string]trust.Failing `cbor:"tried"`
	Pairs int                      `cbor:"pairs"` // of those who are first, with a program that is wanted
}

// Worker is one of which the farm has heard.
type Worker struct {
	Name     string
	OS, Arch string // its kind of machine
	Program  string // the SHA-256 (hex) of what it runs; "": one of before releases were known
	Here     bool   // it was heard of within a lease
	Sound    bool   // it is neither in quarantine nor to leave
}

// Order changes what is wanted, by who orders it, with the artefacts that the farm has and
// their sizes. After an error nothing has changed.
func (s *State) Order(by string, o *farm.Update, sizes map[string]int64, workers []Worker, now time.Time) error {
	next := *s // its maps and lists are made anew below
	next.By, next.Why = by, o.Why
	switch {
	case o.Off:
		next.Known, next.Releases, next.Stage, next.First = s.remembered(nil), nil, farm.StageNone, nil
		*s = next
		return nil
	case len(o.Releases)+len(o.Known) > 0:
		wanted, err := s.wantedOf(o, sizes)
		if err != nil {
			return err
		}
		next.Known, next.Releases = s.remembered(wanted), wanted
		next.Stage, next.At, next.First, next.Tried, next.Pairs = farm.StageTrial, now.Round(0), nil, nil, 0
	case s.Stage == farm.StageNone:
		return errors.New("no program is wanted: expected releases")
	}
	if o.All {
		next.Stage = farm.StageAll
	}
	*s = next
	s.Begin(workers)
	return nil
}

// wantedOf are the releases of an order: at most one for a kind of machine, and all of
// them artefacts of the farm.
func (s *State) wantedOf(u *farm.Update, sizes map[string]int64) ([]farm.Release, error) {
	wanted := slices.Clone(u.Releases)
	for i := range wanted {
		if r := &wanted[i]; sizes[r.SHA256] != r.Size {
			return nil, fmt.Errorf("the farm has no artefact %s of %d bytes: upload it first", r.SHA256, r.Size)
		}
	}
	for _, sum := range u.Known {
		all := slices.Concat(s.Releases, s.Known)
		i := slices.IndexFunc(all, func(r farm.Release) bool { return r.SHA256 == sum })
		if i < 0 {
			return nil, fmt.Errorf("no release %s was ever wanted here: hand in the program itself, with its signature", sum)
		}
		wanted = append(wanted, all[i])
	}
	kinds := map[[2]string]bool{}
	for i := range wanted {
		kind := [2]string{wanted[i].OS, wanted[i].Arch}
		if kinds[kind] {
			return nil, fmt.Errorf("two releases for %s %s: expected one for a kind of machine", kind[0], kind[1])
		}
		kinds[kind] = true
	}
	return wanted, nil
}

// remembered are the releases that were wanted before others are.
func (s *State) remembered(wanted []farm.Release) (known []farm.Release) {
	for _, r := range slices.Concat(s.Releases, s.Known) {
		same := func(o farm.Release) bool { return o.SHA256 == r.SHA256 }
		if !slices.ContainsFunc(wanted, same) && !slices.ContainsFunc(known, same) && len(known) < farm.MaxReleases {
			known = append(known, r)
		}
	}
	return known
}

// release is the program that is wanted of a worker's kind; nil: none is.
func (s *State) release(w *Worker) *farm.Release {
	for i := range s.Releases {
		if r := &s.Releases[i]; r.OS == w.OS && r.Arch == w.Arch {
			return r
		}
	}
	return nil
}

// has reports whether a worker's program is the one that is wanted of it.
func (s *State) has(w *Worker) bool {
	r := s.release(w)
	return r != nil && r.SHA256 == w.Program
}

// Due is the program that a worker is told to take now; nil: none.
func (s *State) Due(w Worker) *farm.Release {
	r := s.release(&w)
	switch {
	case r == nil || s.has(&w):
		return nil
	case s.Stage == farm.StageAll, s.Stage == farm.StageTrial && slices.Contains(s.First, w.Name):
		return r
	}
	return nil
}

// Begin draws the workers that are told first, where a trial has none, of each kind of
// machine a twentieth and at least one. A program of before releases were known comes last:
// it cannot take one itself.
func (s *State) Begin(workers []Worker) {
	if s.Stage != farm.StageTrial || len(s.First) > 0 {
		return
	}
	kinds := map[string][]*Worker{}
	for i := range workers {
		w := &workers[i]
		if r := s.release(w); r != nil && w.Here && w.Sound {
			kinds[r.SHA256] = append(kinds[r.SHA256], w)
		}
	}
	for sum, here := range kinds {
		draw := func(w *Worker) string {
			d := sha256.Sum256([]byte(sum + "\x00" + w.Name))
			return string(d[:])
		}
		slices.SortFunc(here, func(a, b *Worker) int {
			if mute := a.Program == ""; mute != (b.Program == "") {
				if mute {
					return 1
				}
				return -1
			}
			return cmp.Compare(draw(a), draw(b))
		})
		for _, w := range here[:(len(here)+firstOf-1)/firstOf] {
			s.First = append(s.First, w.Name)
		}
	}
	slices.Sort(s.First)
}

// Count counts a unit of a worker in a test towards the trial, or an attempt at one, which
// does not count: did an engine fail? It reports whether it is time for a Look.
func (s *State) Count(test string, w Worker, counts, failed bool) (look bool) {
	if s.Stage != farm.StageTrial {
		return false
	}
	if s.Tried == nil {
		s.Tried = map[string]trust.Failing{}
	}
	f, fails := s.Tried[test], 0
	if failed {
		fails = 1
	}
	if !s.has(&w) {
		f.OthersTries, f.OthersFailed = f.OthersTries+1, f.OthersFailed+fails
		s.Tried[test] = f
		return false
	}
	if !slices.Contains(s.First, w.Name) {
		return false // who says to have it without having been told proves nothing
	}
	f.Tries, f.Failed = f.Tries+1, f.Failed+fails
	s.Tried[test] = f
	if !counts {
		return false
	}
	s.Pairs++
	return s.Pairs%trialLook == 0
}

// Look ends the trial one way or the other, where it can be said: at once where a worker
// of it is accused, which says how.
func (s *State) Look(accused string) {
	mine, others := s.tally()
	p := trust.Worse(slices.Collect(maps.Values(s.Tried)))
	switch {
	case accused != "":
		s.Stage, s.Why = farm.StageHeld, accused
	case p < trialMayBeBad:
		s.Stage = farm.StageHeld
		s.Why = fmt.Sprintf("engines failed %d times in %d tries with it, and %d times in %d without, which chance does with probability %.2g", mine.Failed, mine.Tries, others.Failed, others.Tries, p)
	case s.Pairs >= trialPairs:
		s.Stage, s.Why = farm.StageAll, fmt.Sprintf("%d pairs were played with it as well as others play", s.Pairs)
	default:
		s.Stage = farm.StageTrial
	}
}

// tally is all that was counted, with a program that is wanted and without.
func (s *State) tally() (mine, others trust.Failing) {
	for _, f := range s.Tried {
		mine.Tries, mine.Failed = mine.Tries+f.Tries, mine.Failed+f.Failed
		others.Tries, others.Failed = others.Tries+f.OthersTries, others.Failed+f.OthersFailed
	}
	return mine, others
}

// Status is the update for others, with the workers that are here, by name.
func (s *State) Status(workers []Worker) *farm.UpdateStatus {
	out := &farm.UpdateStatus{
		Stage: s.Stage, Why: s.Why, By: s.By, At: s.At, Releases: slices.Clone(s.Releases), Known: slices.Clone(s.Known), First: slices.Clone(s.First),
		Pairs: s.Pairs, Need: trialPairs,
	}
	mine, others := s.tally()
	out.Failed, out.Others.Pairs, out.Others.Failed = mine.Failed, others.Tries, others.Failed
	for i := range workers {
		switch w := &workers[i]; {
		case !w.Here || len(s.Releases) == 0:
		case s.release(w) == nil:
			out.None = append(out.None, w.Name)
		case s.has(w):
			out.Have = append(out.Have, w.Name)
		default:
			out.Want = append(out.Want, w.Name)
		}
	}
	for _, list := range [][]string{out.None, out.Have, out.Want} {
		slices.Sort(list)
	}
	return out
}
