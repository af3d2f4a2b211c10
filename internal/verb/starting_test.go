package verb_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/phrases"
	"gogi/internal/verb"
)

// Who waits for engines is told once what for, and not at all where they are soon there.
func TestStarting(t *testing.T) {
	for _, c := range []struct {
		took   time.Duration
		tongue phrases.Tongue
		names  []string
		want   string
	}{
		{time.Second, "en", []string{"A", "B"}, ""},
		{time.Minute, "en", []string{"A", "B"}, "starting A, B …\n"},
		{time.Minute, "en", nil, "starting the engine …\n"},
		{time.Minute, "ja", []string{"A", "B"}, "A, B を起動しています …\n"},
		{time.Minute, "en", []string{"A\x1b[2J"}, "starting A …\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var told bytes.Buffer
			env := &verb.Env{Err: &told, Tongue: c.tongue}
			started := env.Starting(c.names...)
			time.Sleep(c.took) // of the bubble's own clock
			started()
			time.Sleep(time.Hour)
			if told.String() != c.want {
				t.Errorf("%v after %v: %q, expected %q", c.names, c.took, told.String(), c.want)
			}
		})
	}
}
