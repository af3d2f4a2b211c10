// Package rollout decides which version of gogi each worker of a farm installs. A [State] has the order to
// update, the workers of the trial, and the result of the trial: all workers get the new version, or the
// update stops. The package uses neither a network nor sessions. The coordinator calls it.
package rollout

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"gogi/farm"
)

// A State is the stored state of an update. The zero value means that there is no update.
type State struct {
	farm.Rollout

	// Trials holds the trials of the releases, by SHA-256. Each release has its own trial, because a result on
	// one kind of machine proves nothing about the program of another kind.
	Trials map[string]*Trial `cbor:"trials"`
}

// A Worker has the data of a farm's worker that the package needs.
type Worker struct {
	Name     string
	OS, Arch string // the worker's kind of machine
	Program  string // the SHA-256 (hex) of its program; "" for a version without releases
	Here     bool   // the worker is connected: its last heartbeat is younger than a lease
	Sound    bool   // the worker is neither in quarantine nor draining
}

// Order begins, cancels or changes an update as o requests. by is the name of the key that has sent o. sizes
// has the sizes of the farm's artefacts in bytes, by SHA-256. After an error nothing has changed.
func (s *State) Order(by string, o *farm.Update, sizes map[string]int64, workers []Worker, now time.Time) error {
	next := *s // its maps and lists are replaced below
	next.By, next.Why = by, o.Why
	switch {
	case o.Off:
		next.Known, next.Releases, next.Stage, next.Trials = s.remembered(nil), nil, farm.StageNone, nil
		*s = next
		return nil
	case len(o.Releases)+len(o.Known) > 0:
		wanted, err := s.wantedOf(o, sizes)
		if err != nil {
			return err
		}
		next.Known, next.Releases = s.remembered(wanted), wanted
		next.Stage, next.At = farm.StageTrial, now.Round(0)
		next.beginTrials()
	case s.Stage == farm.StageNone:
		return errors.New("no program is wanted: expected releases")
	}
	if o.All {
		next.Stage = farm.StageAll
	}
	*s = next
	if s.Stage == farm.StageTrial {
		s.draw(workers, now)
	}
	return nil
}

// Resume updates a stored state that an older version of gogi wrote. An older version stored one trial for all
// releases; Resume begins a new trial for each release.
func (s *State) Resume() {
	if s.Stage == farm.StageTrial && len(s.Trials) == 0 {
		s.beginTrials()
	}
}

func (s *State) beginTrials() {
	s.Trials = map[string]*Trial{}
	for i := range s.Releases {
		s.Trials[s.Releases[i].SHA256] = &Trial{}
	}
}

// wantedOf returns the releases that the workers must run after an order. It returns an error if two releases are
// for one kind of machine, or if the farm does not have the program of a release.
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

// remembered returns the earlier releases of this farm that are not among the wanted ones. An update may return to
// them.
func (s *State) remembered(wanted []farm.Release) (known []farm.Release) {
	for _, r := range slices.Concat(s.Releases, s.Known) {
		same := func(o farm.Release) bool { return o.SHA256 == r.SHA256 }
		if !slices.ContainsFunc(wanted, same) && !slices.ContainsFunc(known, same) && len(known) < farm.MaxReleases {
			known = append(known, r)
		}
	}
	return known
}

// release returns the wanted program for a worker's kind of machine, or nil if there is none.
func (s *State) release(w *Worker) *farm.Release {
	for i := range s.Releases {
		if r := &s.Releases[i]; r.OS == w.OS && r.Arch == w.Arch {
			return r
		}
	}
	return nil
}

// has reports whether a worker runs the program that the farm wants.
func (s *State) has(w *Worker) bool {
	r := s.release(w)
	return r != nil && r.SHA256 == w.Program
}

// Due returns the program that a worker must install now, or nil if there is none.
func (s *State) Due(w Worker) *farm.Release {
	r := s.release(&w)
	if r != nil && !s.has(&w) && (s.Stage == farm.StageAll || s.Stage == farm.StageTrial &&
		s.Trials[r.SHA256].includes(w.Name)) {
		return r
	}
	return nil
}

// Status returns the status of the update. It lists the connected workers by name.
func (s *State) Status(workers []Worker) *farm.UpdateStatus {
	out := &farm.UpdateStatus{Rollout: s.Rollout, Need: trialPairs}
	out.Releases, out.Known = slices.Clone(s.Releases), slices.Clone(s.Known)
	for i := range s.Releases {
		if t := s.Trials[s.Releases[i].SHA256]; t != nil {
			out.Trials = append(out.Trials, t.status(s.Releases[i].SHA256))
		}
	}
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
