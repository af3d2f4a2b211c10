package events

import "gogi/match"

// tuned applies an event of a tune. It ignores events before the tune event, because the meaning of their values
// is unknown.
func (s *State) tuned(ev *match.Event) {
	t := s.known.Tune
	if ev.Type == match.EventTune {
		s.known.Tune = &match.TuneLive{TuneSetup: *ev.Tune}
		s.known.Tune.Track = ev.Tune.Track.Clone()
		return
	}
	if t == nil {
		return
	}
	switch ev.Type { //nolint:exhaustive // the other types are not about tunes
	case match.EventBlock:
		if ev.Block > t.Track.Latest && len(ev.Theta) == len(t.Params) {
			t.Track.Add(ev.Block, match.TunePoint{Pairs: ev.Pairs, Theta: ev.Theta, Spread: ev.Spread, LostElo: ev.LostElo, Equal: ev.Equal})
		}
	case match.EventForfeit:
		t.Forfeits++
	case match.EventCandidate:
		t.Candidate, t.Validations = ev.Values, nil
	case match.EventValidation:
		t.Validations = append(t.Validations, ev.Validation)
	}
}
