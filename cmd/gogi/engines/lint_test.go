package enginecmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/internal/i18n"
	"gogi/internal/testutil"
)

func lintText(t *testing.T, text string, asJSON bool) (out string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.toml")
	testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
	var b bytes.Buffer
	err = (&CheckCommand{File: path, JSON: asJSON}).checkFile(&cli.Env{Out: &b, Err: &b})
	return b.String(), err
}

const sound = "games = 4\nlimits = {nodes = 5}\n[[engine]]\nname = \"A\"\ncmd = \"builtin\"\n[[engine]]\nname = \"B\"\ncmd = \"builtin\"\n"

// TestLintCodes: the exit code is 2 for any error, including an SPRT that cannot decide. A warning is not an error.
func TestLintCodes(t *testing.T) {
	for text, lines := range map[string][]int{
		sound:                      {},
		"gate = \"0,4\"\n" + sound: {0},
		"gane = 3\n" + sound + "resart = \"game\"\n": {1, 10},
	} {
		out, err := lintText(t, text, true)
		var got struct {
			Problems []struct{ Line int }
			Warnings []struct{ Text string }
		}
		testutil.OK(t, json.Unmarshal([]byte(out), &got))
		exit, failed := errors.AsType[*cli.Exit](err)
		if len(got.Problems) != len(lines) || failed != (len(lines) > 0) || failed && exit.Code != cli.Usage {
			t.Errorf("%q: %v\n%s", text, err, out)
			continue
		}
		for i, line := range lines {
			testutil.Equal(t, got.Problems[i].Line, line, "%q: problem %d is in line", text, i)
		}
		if len(lines) == 0 && len(got.Warnings) != 1 { // A and B are the same
			t.Errorf("warnings: %v", got.Warnings)
		}
	}
	if out, err := lintText(t, sound, false); err != nil ||
		!bytes.Contains([]byte(out), []byte("m.toml: 4 games in 2 pairs;")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestLintInJapanese: errors, warnings and the summary are in Japanese. JSON stays English.
func TestLintInJapanese(t *testing.T) {
	for text, want := range map[string][]string{
		sound:                      {"m.toml: 警告：エンジン A と B は同じもの", "m.toml: 2ペア、4局。"},
		"gate = \"0,4\"\n" + sound: {"m.toml: ゲート SPRT [0, 4]"},
	} {
		path := filepath.Join(t.TempDir(), "m.toml")
		testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
		told := func(asJSON bool) string {
			var out bytes.Buffer
			err := (&CheckCommand{File: path, JSON: asJSON}).checkFile(&cli.Env{Out: &out, Language: i18n.Japanese})
			exit, wrong := errors.AsType[*cli.Exit](err)
			testutil.Require(t, err == nil || wrong && exit.Code == cli.Usage, "%v", err)
			return out.String()
		}
		for _, words := range want {
			testutil.Contains(t, told(false), words, "no")
		}
		if out := told(true); !strings.Contains(out, "engines A and B are the same") || strings.Contains(out, "警告") {
			t.Error(out)
		}
	}
}
