package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/internal/testutil"
)

// gogi runs a command line in this process, and returns its output and exit code.
func gogi(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, &cli.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	return stdout.String(), stderr.String(), code
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// checkGaps checks that each null in the JSON of one call has a reason.
func checkGaps(t *testing.T, out string) {
	t.Helper()
	gaps, err := testutil.JSONGaps(out)
	testutil.Require(t, err == nil, "%v in %s", err, out)
	for _, gap := range gaps {
		t.Errorf("%s is null, and nothing says why", gap)
	}
}
