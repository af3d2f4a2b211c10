//go:build unix

package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	labcmd "gogi/cmd/gogi-lab/commands"
	"gogi/cmd/gogi/cli"
	"gogi/internal/testutil"
)

// TestDevicesAreRefused: gogi rejects a device or a pipe, because reading it may never end.
func TestDevicesAreRefused(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, words := range [][]string{
		{"check", "--file", "/dev/zero"}, {"check", "--file", pipe}, {"convert", "--show", pipe, "--from", "csa"},
		{"convert", "--show", "/dev/urandom", "--from", "ybb"},
		{"import", pipe, "--run", "r", "--db", pipe + ".db"}, {"rate", pipe}, {"check", "--replay", pipe},
	} {
		out, errs, code := gogi(t, words...)
		if code == 0 || !strings.Contains(out+errs, "a device or a pipe") && !strings.Contains(out+errs, "no regular file") {
			t.Errorf("%q: exit code %d: %s%s", words, code, out, errs)
		}
	}
	var errs bytes.Buffer
	code := labcmd.Program().Run(t.Context(), []string{"stats", "lab", "regress", pipe, "--y", "a", "--x", "b"},
		&cli.Env{Out: io.Discard, Err: &errs})
	testutil.Check(t, code != cli.Done && strings.Contains(errs.String(), "a device or a pipe"),
		"regress: exit code %d: %s", code, &errs)
}
