package usi

import "time"

// alarm signals that the time of a search is over. One timer serves all searches, because most searches end long before
// their time is over. set changes the timer only if it would fire too late. So the timer may fire too early, at the end
// of an earlier search's time; due then sets it again. The zero value is an alarm that is not set.
type alarm struct {
	timer *time.Timer
	rings chan struct{} // capacity 1; the timer's goroutine sends; never closed
	at    time.Time     // when the timer fires or fired; zero after due
}

// set makes the timer fire at end or earlier. It returns the channel that receives the signal.
func (a *alarm) set(end time.Time) <-chan struct{} {
	if !a.at.IsZero() && !end.Before(a.at) {
		return a.rings
	}
	a.at = end
	if a.timer == nil {
		a.rings = make(chan struct{}, 1)
		a.timer = time.AfterFunc(time.Until(end), a.ring)
	} else {
		a.timer.Reset(time.Until(end))
	}
	return a.rings
}

func (a *alarm) ring() {
	select {
	case a.rings <- struct{}{}:
	default: // a signal is already pending
	}
}

// due reports whether end has passed. The caller calls it after each signal. If end has not passed, due sets
// the timer again.
func (a *alarm) due(end time.Time) bool {
	a.at = time.Time{}
	if !time.Now().Before(end) {
		return true
	}
	a.set(end)
	return false
}
