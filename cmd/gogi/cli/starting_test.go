package cli_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/internal/i18n"
	"gogi/internal/testutil"
)

// TestStarting: gogi prints once which engines it starts. If they start soon, it prints nothing.
func TestStarting(t *testing.T) {
	for _, c := range []struct {
		took     time.Duration
		language i18n.Language
		names    []string
		want     string
	}{
		{time.Second, "en", []string{"A", "B"}, ""},
		{time.Minute, "en", []string{"A", "B"}, "starting A, B …\n"},
		{time.Minute, "en", nil, "starting the engine …\n"},
		{time.Minute, "ja", []string{"A", "B"}, "A, B を起動しています …\n"},
		{time.Minute, "en", []string{"A\x1b[2J"}, "starting A …\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var told bytes.Buffer
			env := &cli.Env{Err: &told, Language: c.language}
			started := env.Starting(c.names...)
			time.Sleep(c.took) // on the fake clock of synctest
			started()
			time.Sleep(time.Hour)
			testutil.Equal(t, told.String(), c.want, "%v after %v", c.names, c.took)
		})
	}
}
