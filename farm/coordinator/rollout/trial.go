package rollout

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"time"

	"gogi/farm"
	"gogi/match/trust"
)

// These are the rules of a trial. In each kind of machine, one of every firstOf workers gets the program first. The
// others get it after the first workers have played trialPairs pairs. Until then no first worker may be
// quarantined, and their engines may not fail more often than those of the others. The failures are tested ten
// times, each time at a significance level of 0.1%. If for the time trialTimeout none of the first workers runs the
// new program, more workers are selected.
const (
	firstOf       = 20
	trialPairs    = 500
	trialLook     = trialPairs / 10
	trialMayBeBad = 0.001
	trialTimeout  = time.Hour
)

// A Trial is the trial of one release: a few workers of its kind of machine get the release first.
type Trial struct {
	First []string `cbor:"first"` // the names of the workers that get the release first
	// Tried counts the results since the order, by plan digest. It has the counts of the first workers with the
	// release, and of the other workers of the kind without the release.
	Tried  map[string]trust.Failing `cbor:"tried"`
	Pairs  int                      `cbor:"pairs"` // pairs of the first workers with the release
	Passed bool                     `cbor:"passed"`

	// when a connected worker in First last ran the release, or when First last grew; zero: not in this process
	seen time.Time
}

// includes reports whether a worker must install the release during the trial. It returns false if t is nil.
func (t *Trial) includes(name string) bool {
	return t != nil && (t.Passed || slices.Contains(t.First, name))
}

// tally returns the counts over all tests, of workers with the release and of workers without it.
func (t *Trial) tally() (all trust.Failing) {
	for _, f := range t.Tried {
		all.Tries, all.Failed = all.Tries+f.Tries, all.Failed+f.Failed
		all.OthersTries, all.OthersFailed = all.OthersTries+f.OthersTries, all.OthersFailed+f.OthersFailed
	}
	return all
}

// status returns the status of the trial. sum is the SHA-256 of its release.
func (t *Trial) status(sum string) farm.TrialStatus {
	all := t.tally()
	return farm.TrialStatus{
		SHA256: sum, First: slices.Clone(t.First), Passed: t.Passed, Pairs: t.Pairs,
		Tries: all.Tries, Failed: all.Failed, OthersTries: all.OthersTries, OthersFailed: all.OthersFailed,
	}
}

// count counts a pair or an attempt. digest is that of the test's plan. has is true if the worker runs the release,
// and failed is true if an engine failed.
func (t *Trial) count(digest string, has, failed bool) {
	if t.Tried == nil {
		t.Tried = map[string]trust.Failing{}
	}
	f, fails := t.Tried[digest], 0
	if failed {
		fails = 1
	}
	if has {
		f.Tries, f.Failed = f.Tries+1, f.Failed+fails
	} else {
		f.OthersTries, f.OthersFailed = f.OthersTries+1, f.OthersFailed+fails
	}
	t.Tried[digest] = f
}

// draw selects the first workers of each open trial that has none. It selects more of them if the present ones did
// not run the release in time, see stuck. drew is true if it selected any worker.
func (s *State) draw(workers []Worker, now time.Time) (drew bool) {
	for sum, t := range s.Trials {
		if t.Passed || len(t.First) > 0 && !s.stuck(t, workers, now) {
			continue
		}
		if names := s.firstOf(sum, t.First, workers); len(names) > 0 {
			t.First, t.seen, drew = append(t.First, names...), now, true
			slices.Sort(t.First)
		}
	}
	return drew
}

// stuck reports whether, for the time trialTimeout, no connected worker in t.First has run the release. Then these
// workers have disappeared or do not accept the release. After a restart of the coordinator the time begins again.
func (s *State) stuck(t *Trial, workers []Worker, now time.Time) bool {
	has := func(w Worker) bool { return w.Here && s.has(&w) && slices.Contains(t.First, w.Name) }
	if t.seen.IsZero() || slices.ContainsFunc(workers, has) {
		t.seen = now
	}
	return now.Sub(t.seen) >= trialTimeout
}

// firstOf selects workers that get a release first, without the workers in chosen. It returns 1/firstOf of
// the connected workers of the release's kind of machine, but at least one worker if there is any. Workers of
// a version without releases come last, because they cannot install one.
func (s *State) firstOf(sum string, chosen []string, workers []Worker) (names []string) {
	var here []*Worker
	for i := range workers {
		w := &workers[i]
		if r := s.release(w); r != nil && r.SHA256 == sum && w.Here && w.Sound && !slices.Contains(chosen, w.Name) {
			here = append(here, w)
		}
	}
	lot := func(w *Worker) string {
		last := "0"
		if w.Program == "" {
			last = "1"
		}
		d := sha256.Sum256([]byte(sum + "\x00" + w.Name))
		return last + string(d[:])
	}
	slices.SortFunc(here, func(a, b *Worker) int { return cmp.Compare(lot(a), lot(b)) })
	for _, w := range here[:(len(here)+firstOf-1)/firstOf] {
		names = append(names, w.Name)
	}
	return names
}

// Count counts a pair, or an attempt at a pair, of the worker w for the trial of w's kind of machine. test is
// the hash of the plan. counts is true for a pair that counts. For an attempt it is false, and Count counts
// only whether it failed. failed means that an engine failed. look is true if the caller must call Look now.
func (s *State) Count(test string, w Worker, counts, failed bool) (look bool) {
	release := s.release(&w)
	if s.Stage != farm.StageTrial || release == nil {
		return false
	}
	t, has := s.Trials[release.SHA256], s.has(&w)
	if t == nil || t.Passed || has && !slices.Contains(t.First, w.Name) {
		return false // a worker that was not chosen proves nothing about the release
	}
	t.count(test, has, failed)
	if !has || !counts {
		return false
	}
	t.Pairs++
	return t.Pairs%trialLook == 0
}

// Look passes each trial that has enough good pairs, and stops the update if a trial has too many failures.
// accused is the result of Accused. If it is not "", Look stops the update at once.
func (s *State) Look(accused string) {
	why := accused
	for i := range s.Releases {
		if t := s.Trials[s.Releases[i].SHA256]; why == "" && t != nil && !t.Passed {
			why = t.look()
		}
	}
	open := func(r farm.Release) bool { t := s.Trials[r.SHA256]; return t == nil || !t.Passed }
	switch {
	case why != "":
		s.Stage, s.Why = farm.StageHeld, why
	case !slices.ContainsFunc(s.Releases, open):
		s.Stage, s.Why = farm.StageAll,
			fmt.Sprintf("%d pairs of each kind of machine were played with it as well as others play", trialPairs)
	}
}

// look passes a trial that has enough pairs, or returns the reason why the trial fails.
func (t *Trial) look() (why string) {
	if p := trust.Worse(slices.Collect(maps.Values(t.Tried))); p < trialMayBeBad {
		all := t.tally()
		return fmt.Sprintf("engines failed %d times in %d tries with it, and %d times in %d without; the probability by chance is %.2g",
			all.Failed, all.Tries, all.OthersFailed, all.OthersTries, p)
	}
	t.Passed = t.Pairs >= trialPairs
	return ""
}

// Accused returns the reason why a worker that got the release first was quarantined since the order, or ""
// if there is none. It considers only trials that have not passed. The function quarantined returns the
// reason and the start of a worker's quarantine. Its reason is "" if the worker is not in quarantine.
func (s *State) Accused(quarantined func(worker string) (why string, since time.Time)) string {
	for _, t := range s.Trials {
		for _, name := range t.First {
			if why, since := quarantined(name); why != "" && !t.Passed && !since.Before(s.At) {
				return fmt.Sprintf("%s, one of its first workers, is quarantined: %s", name, why)
			}
		}
	}
	return ""
}

// Tend selects workers for trials that have none, or whose workers have disappeared. accused is the result of
// Accused. look is true if the caller must call Look, because Tend has selected workers or accused is not "".
func (s *State) Tend(workers []Worker, accused string, now time.Time) (look bool) {
	return s.Stage == farm.StageTrial && (s.draw(workers, now) || accused != "")
}
