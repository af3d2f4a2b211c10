package series

import (
	"context"

	"gogi/match"
	"gogi/match/tune"
)

// KindFutile is the kind of a warning: no parameter of the tune has a measurable effect.
const KindFutile = "futile"

// pointOf returns the part of a state that tune events show.
func pointOf(st *tune.State) match.TunePoint {
	return match.TunePoint{Pairs: st.Pairs, Theta: append([]float64(nil), st.Theta...), Spread: st.Factor, LostElo: st.Lost(), Equal: st.Equal}
}

// report sends the event of a stored state. If no parameter has a measurable effect, it also sends a warning, once in
// a session. With Tuning.StopFutile it then ends the tune.
func (t *tuned) report(st *tune.State) {
	p := pointOf(st)
	t.send(match.Event{Type: match.EventBlock, Block: st.Blocks, Pairs: p.Pairs, Theta: p.Theta, Spread: p.Spread, LostElo: p.LostElo, Equal: p.Equal})
	if t.how.Learnt != nil {
		t.how.Learnt(*st)
	}
	if t.futile || st.Blocks == t.settings.Blocks() {
		return
	}
	if why := tune.IsFutile(t.settings, st); why != nil {
		t.futile = true
		t.send(match.Event{Type: match.EventWarning, Kind: KindFutile, Note: why.Error()})
		if t.how.StopFutile {
			t.fail(why)
		}
	}
}

// answer sends the result of the tune after Answered has written it.
func (t *tuned) answer(ctx context.Context, last *tune.State) error {
	var runs []string
	if t.how.Answered != nil {
		var err error
		if runs, err = t.how.Answered(ctx, *last); err != nil {
			return err
		}
	}
	values := map[string]string{}
	for _, o := range t.settings.Options(tune.Answer(t.settings, last)) {
		values[o.Name] = o.Value
	}
	t.send(match.Event{Type: match.EventCandidate, Values: values})
	for _, run := range runs {
		t.send(match.Event{Type: match.EventValidation, Validation: run})
	}
	return nil
}

// sendForfeit sends the event of a forfeited pair before the pair is stored.
func (t *tuned) sendForfeit(r *match.PairResult) {
	e := match.Event{Type: match.EventForfeit, Pair: &r.Pair.ID, Note: r.Games[0].Note}
	failed := tune.ResultOf(t.plan.Rules, *r).Failed
	for i, name := range [2]string{t.plan.Players[0].Name, t.plan.Players[1].Name} {
		if failed[i] {
			e.Engines = append(e.Engines, name)
		}
	}
	t.send(e)
}
