package ensemble

import "time"

// alarm is a timer that may not be set yet.
type alarm struct{ timer *time.Timer }

func newAlarm() *alarm { return &alarm{} }

func (a *alarm) set(d time.Duration) {
	a.stop()
	a.timer = time.NewTimer(d)
}

func (a *alarm) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// C is nil, which never fires, before set.
func (a *alarm) C() <-chan time.Time {
	if a.timer == nil {
		return nil
	}
	return a.timer.C
}
