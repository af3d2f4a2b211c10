package usi

import "time"

// alarm wakes whoever waits for the end of a search when its time is over. One timer is
// left to run from search to search, most of which end long before: it is set only where it
// would ring too late. So it may ring too early, for a search that is over, and then due
// sets it again. The zero value is not set.
type alarm struct {
	timer *time.Timer
	rings chan struct{} // has room for one ring, which the timer's goroutine sends; never closed
	at    time.Time     // when the timer rings, or has rung; zero: that was heard
}

// set has it ring at a time, or before.
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
	default: // one is waiting to be heard
	}
}

// due is asked when a ring was heard, and reports whether the time has come; else it is set
// again.
func (a *alarm) due(end time.Time) bool {
	a.at = time.Time{}
	if !time.Now().Before(end) {
		return true
	}
	a.set(end)
	return false
}
