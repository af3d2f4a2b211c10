package remote

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The host is the first word that is neither an option nor an option's value, see
// ssh(1).
func TestParse(t *testing.T) {
	for _, test := range []struct {
		command      []string
		host, remote string // "": not a remote engine
	}{
		{[]string{"ssh", "host", "engine", "-x", "1"}, "host", "engine -x 1"},
		{[]string{"/usr/bin/ssh", "-T", "-o", "BatchMode=yes", "-p", "22", "me@host", "cd x && ./e"}, "me@host", "cd x && ./e"},
		{[]string{"ssh", "-oBatchMode=yes", "host", "e"}, "host", "e"},
		{[]string{"ssh", "host"}, "", ""},
		{[]string{"ssh", "-p", "22"}, "", ""},
		{[]string{"./sshengine", "host", "e"}, "", ""},
	} {
		c, ok := Parse(test.command)
		if ok != (test.remote != "") || c.Remote != test.remote || ok && c.Host() != test.host {
			t.Errorf("%q: %v, %q on %q", test.command, ok, c.Remote, c.ssh)
		}
	}
}

// A shell reads a quoted word as it was.
func TestQuote(t *testing.T) {
	for _, word := range []string{"", "a b", "it's", "''", `$HOME "x" \ *`, "two\nlines"} {
		out, err := exec.Command("sh", "-c", "printf %s "+Quote(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q: %q, %v", word, out, err)
		}
	}
}

// What a host's shell runs leads a group of its own, whose number comes first.
func TestWrappedLeadsItsGroup(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid: ", err)
	}
	c := Command{ssh: []string{"ssh", "host"}, Remote: `cut -d' ' -f5 /proc/$$/stat; echo "it's"`} // proc(5): pgrp
	words := c.wrapped()
	if !slices.Equal(words[:2], c.ssh) || len(words) != 3 {
		t.Fatalf("%q", words)
	}
	out, err := exec.Command("sh", "-c", words[2]).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) != 4 || lines[0] != pidLine+lines[1] || lines[2] != "it's" {
		t.Errorf("%q", lines)
	}
}
