package easeverbs

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/phrases"
	"gogi/internal/verb"
)

func lintText(t *testing.T, text string, asJSON bool) (out string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	err = (&LintCommand{File: path, JSON: asJSON}).Run(&verb.Env{Out: &b, Err: &b})
	return b.String(), err
}

const sound = "games = 4\nlimits = {nodes = 5}\n[[engine]]\nname = \"A\"\ncmd = \"builtin\"\n[[engine]]\nname = \"B\"\ncmd = \"builtin\"\n"

// The exit code is 2 where anything is wrong, a gate that cannot decide included; a
// warning is none.
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
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		exit, failed := errors.AsType[*verb.Exit](err)
		if len(got.Problems) != len(lines) || failed != (len(lines) > 0) || failed && exit.Code != verb.Usage {
			t.Errorf("%q: %v\n%s", text, err, out)
			continue
		}
		for i, line := range lines {
			if got.Problems[i].Line != line {
				t.Errorf("%q: problem %d is in line %d, want %d", text, i, got.Problems[i].Line, line)
			}
		}
		if len(lines) == 0 && len(got.Warnings) != 1 { // A and B are the same
			t.Errorf("warnings: %v", got.Warnings)
		}
	}
	if out, err := lintText(t, sound, false); err != nil || !bytes.Contains([]byte(out), []byte("m.toml: 4 games in 2 pairs;")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// What is doubtful, what is wrong and what is sound is told in Japanese; JSON stays English.
func TestLintInJapanese(t *testing.T) {
	for text, want := range map[string][]string{
		sound:                      {"m.toml: 警告：エンジン A と B は同じもの", "m.toml: 2ペア、4局。"},
		"gate = \"0,4\"\n" + sound: {"m.toml: ゲート SPRT [0, 4]"},
	} {
		path := filepath.Join(t.TempDir(), "m.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		told := func(asJSON bool) string {
			var out bytes.Buffer
			err := (&LintCommand{File: path, JSON: asJSON}).Run(&verb.Env{Out: &out, Tongue: phrases.Japanese})
			if exit, wrong := errors.AsType[*verb.Exit](err); err != nil && (!wrong || exit.Code != verb.Usage) {
				t.Fatal(err)
			}
			return out.String()
		}
		for _, words := range want {
			if out := told(false); !strings.Contains(out, words) {
				t.Errorf("no %q in\n%s", words, out)
			}
		}
		if out := told(true); !strings.Contains(out, "engines A and B are the same") || strings.Contains(out, "警告") {
			t.Error(out)
		}
	}
}
