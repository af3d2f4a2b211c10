package main

import (
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// TestCouncilVerb: gogi council runs until quit and records its votes in the file of --log. It stores the options that
// its members declared in the user's cache.
func TestCouncilVerb(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("-replay 7g7f", "-replay 7g7f -infos 2"), "--log", "votes")
	g.ready()
	g.say("position startpos", "go nodes 10")
	g.until("bestmove 7g7f")
	g.say("quit")
	g.ended(0)
	testutil.Equal(t, strings.Count(g.file("votes"), "\n"), 1, "votes are recorded")
	files, err := filepath.Glob(filepath.Join(g.dir, "cache", "gogi", "options", "*.json"))
	testutil.Check(t, err == nil && len(files) == 2, "in the cache: %q, %v", files, err)
}

// TestCouncilFileErrors: gogi prints errors in the file on stderr and sends no USI.
func TestCouncilFileErrors(t *testing.T) {
	t.Parallel()
	const engine = "[[engine]]\nname = \"a\"\ncmd = \"builtin\"\n"
	for _, test := range []struct {
		text, want string
		args       []string
		code       int
	}{
		{engine, "there is no council in it", nil, 2},
		{engine + "[[council]]\nname = \"C\"\nrule = \"majority\"\nmembers = [\"b\"]\n", `there is no engine or council "b"`,
			nil, 2},
		{engine + "[[council]]\nname = \"C\"\nrule = \"loudest\"\nmembers = [\"a\"]\n", `there is no rule "loudest"`, nil, 2},
		{
			engine +
				"[[council]]\nname = \"C\"\nrule = \"majority\"\nmembers = [\"a\"]\n[[council]]\nname = \"D\"\nrule = \"majority\"\nmembers = [\"a\"]\n",
			"there are several councils: expected the name of one of C, D", nil, 2,
		},
		{engine + "[[council]]\nname = \"C\"\nrule = \"majority\"\nmembers = [\"a\"]\n",
			`there is no council "X": expected one of C`, []string{"--council", "X"}, 2},
		{"[[engine]]\nname = \"a\"\ncmd = \"./nothing-here\"\n[[council]]\nname = \"C\"\nrule = \"majority\"\nmembers = [\"a\"]\n", "nothing-here", nil, 2},
		{engine + "options = {Speed = 1}\n[[council]]\nname = \"C\"\nrule = \"majority\"\nmembers = [\"a\"]\n",
			`option "Speed" is not offered`, nil, 2},
	} {
		g := load(t, test.text, test.args...)
		g.ended(test.code)
		if len(g.said) > 0 || !strings.Contains(g.errs.String(), test.want) {
			t.Errorf("%s\nstdout %q, stderr %q, want %q", test.text, g.said, g.errs.String(), test.want)
		}
	}
}
