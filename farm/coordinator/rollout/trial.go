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

// Of an update: of each kind of machine a twentieth of the workers are told first, the
// others when these have played so many pairs, were not quarantined, and had no more engines
// that failed than the others of the kind had. They are looked at ten times, each at a tenth
// of one in a hundred. Where none of them runs the new program for so long, others are drawn
// beside them.
const (
	firstOf       = 20
	trialPairs    = 500
	trialLook     = trialPairs / 10
	trialMayBeBad = 0.001
	trialPatience = time.Hour
)

// Trial is that of one release, on the one kind of machine that it is for.
type Trial struct {
	First []string `cbor:"first"` // the workers that are told first, by name
	// Tried is what came since the order, by plan digest: of those who are first, with the
	// release, and of those of the kind without.
	Tried  map[string]trust.Failing `cbor:"tried"`
	Pairs  int                      `cbor:"pairs"` // of those who are first, with the release
	Passed bool                     `cbor:"passed"`

	seen time.Time // when one of First was here with the release, or was drawn; zero: not by this process
}

// tells reports whether a worker of the kind is told to take the release while the update
// is being tried. t may be nil: nobody is.
func (t *Trial) tells(name string) bool {
	return t != nil && (t.Passed || slices.Contains(t.First, name))
}

// tally is all that was counted, with the release and without.
func (t *Trial) tally() (mine, others trust.Failing) {
	for _, f := range t.Tried {
		mine.Tries, mine.Failed = mine.Tries+f.Tries, mine.Failed+f.Failed
		others.Tries, others.Failed = others.Tries+f.OthersTries, others.Failed+f.OthersFailed
	}
	return mine, others
}

// status is the trial for others.
func (t *Trial) status(sum string) farm.TrialStatus {
	mine, others := t.tally()
	return farm.TrialStatus{
		SHA256: sum, First: slices.Clone(t.First), Passed: t.Passed, Pairs: t.Pairs,
		Tries: mine.Tries, Failed: mine.Failed, OthersTries: others.Tries, OthersFailed: others.Failed,
	}
}

// count adds a unit or an attempt at one: of whom, in which test, did an engine fail?
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

// draw tells first workers of each kind of machine where none was told, or none took the
// release for too long, and reports whether it told any.
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

// stuck reports whether none of a trial's workers has been here with its release for so
// long that it would not end: they went away, or refuse it. A process that has just begun
// waits as long.
func (s *State) stuck(t *Trial, workers []Worker, now time.Time) bool {
	has := func(w Worker) bool { return w.Here && s.has(&w) && slices.Contains(t.First, w.Name) }
	if t.seen.IsZero() || slices.ContainsFunc(workers, has) {
		t.seen = now
	}
	return now.Sub(t.seen) >= trialPatience
}

// firstOf are a twentieth of the workers that are here and to have a release, at least one
// where there is any, beside those that were told already. A program of before releases were
// known comes last: it cannot take one itself.
func (s *State) firstOf(sum string, told []string, workers []Worker) (names []string) {
	var here []*Worker
	for i := range workers {
		w := &workers[i]
		if r := s.release(w); r != nil && r.SHA256 == sum && w.Here && w.Sound && !slices.Contains(told, w.Name) {
			here = append(here, w)
		}
	}
	lot := func(w *Worker) string {
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
		return cmp.Compare(lot(a), lot(b))
	})
	for _, w := range here[:(len(here)+firstOf-1)/firstOf] {
		names = append(names, w.Name)
	}
	return names
}

// Count counts a unit of a worker in a test, by its plan's digest, towards a trial, or an
// attempt at one, which does not count: did an engine fail? It reports whether it is time
// for a Look.
func (s *State) Count(test string, w Worker, counts, failed bool) (look bool) {
	release := s.release(&w)
	if s.Stage != farm.StageTrial || release == nil {
		return false
	}
	t, has := s.Trials[release.SHA256], s.has(&w)
	if t == nil || t.Passed || has && !slices.Contains(t.First, w.Name) {
		return false // who says to have it without having been told proves nothing
	}
	t.count(test, has, failed)
	if !has || !counts {
		return false
	}
	t.Pairs++
	return t.Pairs%trialLook == 0
}

// Look ends the trials one way or the other, where it can be said: at once where a worker
// is accused, which says how.
func (s *State) Look(accused string) {
	why := accused
	for i := range s.Releases {
		if t := s.Trials[s.Releases[i].SHA256]; why == "" && t != nil && !t.Passed {
			why = t.look()
		}
	}
	passed := func(r farm.Release) bool { t := s.Trials[r.SHA256]; return t != nil && t.Passed }
	switch {
	case why != "":
		s.Stage, s.Why = farm.StageHeld, why
	case !slices.ContainsFunc(s.Releases, func(r farm.Release) bool { return !passed(r) }):
		s.Stage, s.Why = farm.StageAll, fmt.Sprintf("%d pairs of each kind of machine were played with it as well as others play", trialPairs)
	}
}

// look passes a trial that has gone well for long enough, or says why it has not gone well.
func (t *Trial) look() (why string) {
	mine, others := t.tally()
	if p := trust.Worse(slices.Collect(maps.Values(t.Tried))); p < trialMayBeBad {
		return fmt.Sprintf("engines failed %d times in %d tries with it, and %d times in %d without, which chance does with probability %.2g", mine.Failed, mine.Tries, others.Failed, others.Tries, p)
	}
	t.Passed = t.Pairs >= trialPairs
	return ""
}

// Accused says which worker of a trial that goes on was quarantined since the order; "":
// none was. quarantined says of a worker why it is in quarantine, "" where it is not, and
// since when.
func (s *State) Accused(quarantined func(worker string) (why string, since time.Time)) string {
	for _, t := range s.Trials {
		for _, name := range t.First {
			if why, since := quarantined(name); why != "" && !t.Passed && !since.Before(s.At) {
				return fmt.Sprintf("%s, which was to have it first, is quarantined: %s", name, why)
			}
		}
	}
	return ""
}

// Tend begins trials that could not begin without workers, or whose workers went away, and
// reports whether it is time for a Look: it told any, or one is accused.
func (s *State) Tend(workers []Worker, accused string, now time.Time) (look bool) {
	return s.Stage == farm.StageTrial && (s.draw(workers, now) || accused != "")
}
