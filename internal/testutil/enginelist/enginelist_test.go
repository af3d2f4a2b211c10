package enginelist

import (
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
)

func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "engines.toml")
	write := func(text string) string {
		testutil.OK(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	const good = "[[engine]]\nname = \"A\"\ncommand = [\"/a/b\", \"-x\"]\nlimits = [\"depth = 2\", \"movetime = '1s'\"]\n"
	testutil.Diff(t, []Engine{{Name: "A", Command: []string{"/a/b", "-x"},
		Limits: [2]string{"depth = 2", "movetime = '1s'"}}},
		testutil.Must(read(write(good)))(t))
	for text, want := range map[string]string{
		good + "limit = 3\n":                        "unknown keys",
		"[[engine]]\nname = \"A\"\n":                "needs a name, and a command",
		"[[engine]]\ncommand = [\"/a\"]\n":          "needs a name, and a command",
		"[[engine]]\nname=\"A\"\ncommand=[\"a\"]\n": "with a whole path",
		"engine": "expected",
	} {
		testutil.Fails(t, testutil.Err(read(write(text))), want, "%s", text)
	}
}
