package ssh

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// commands are commands with the host and the remote command that they start.
var commands = []struct {
	command      []string
	host, remote string // "": not a remote engine
}{
	{[]string{"ssh", "host", "engine", "-x", "1"}, "host", "engine -x 1"},
	{[]string{"/usr/bin/ssh", "-T", "-o", "BatchMode=yes", "-p", "22", "me@host", "cd x && ./e"}, "me@host",
		"cd x && ./e"},
	{[]string{"ssh", "-oBatchMode=yes", "host", "e"}, "host", "e"},
	{[]string{"ssh", "-Cp", "22", "host", "e", "-a"}, "host", "e -a"},
	{[]string{"ssh", "-Cp22", "host", "e"}, "host", "e"},
	{[]string{"ssh", "-p22", "host", "e"}, "host", "e"},
	{[]string{"ssh", "-vvvTx", "host", "e"}, "host", "e"},
	{[]string{"ssh", "-4qo", "BatchMode=yes", "host", "e"}, "host", "e"},
	{[]string{"ssh", "-qoBatchMode=yes", "-i", "key", "-l", "me", "host", "e"}, "host", "e"},
	{[]string{"ssh", "-lp", "host", "e"}, "host", "e"}, // the user is p
	{[]string{"ssh", "-J", "jump", "-F", "none", "host", "e"}, "host", "e"},
	{[]string{"ssh", "-Jjump", "-F", "-o", "host", "e"}, "host", "e"}, // the file is -o
	{[]string{"ssh", "--", "host", "e"}, "host", "e"},
	{[]string{"ssh", "-C", "--", "host", "-p", "22", "e"}, "host", "e"},
	{[]string{"ssh", "host", "-Cp", "22", "e", "-p", "1"}, "host", "e -p 1"}, // options behind the host are ssh's
	{[]string{"ssh", "host", "--", "-e"}, "host", "-e"},
	{[]string{"ssh", "host"}, "", ""},
	{[]string{"ssh", "-p", "22"}, "", ""},
	{[]string{"ssh", "-Cp", "22", "host"}, "", ""},
	{[]string{"ssh", "-Cp"}, "", ""},
	{[]string{"ssh", "host", "-p"}, "", ""},
	{[]string{"ssh", "host", "--"}, "", ""},
	{[]string{"ssh"}, "", ""},
	{[]string{"./sshengine", "host", "e"}, "", ""},
}

func TestParse(t *testing.T) {
	for _, test := range commands {
		c, ok := Parse(test.command)
		if ok != (test.remote != "") || c.Remote != test.remote || c.Host() != test.host {
			t.Errorf("%q: %v, %q on %q", test.command, ok, c.Remote, c.Host())
		}
		testutil.Check(t, !ok || len(c.ssh)+len(strings.Fields(c.Remote)) >= len(test.command),
			"%q: the connection is %q", test.command, c.ssh)
	}
}

// TestParseAgreesWithSSH requires that Parse finds the same host as ssh, whose option -G prints the settings.
func TestParseAgreesWithSSH(t *testing.T) {
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("no ssh: ", err)
	}
	asked := 0
	for _, test := range commands {
		if test.remote == "" || slices.Contains(test.command, "-F") && test.command[3] == "-o" {
			continue // nothing to compare, or the file does not exist
		}
		out, err := exec.Command(ssh, append([]string{"-G", "-F", "none"}, test.command[1:]...)...).Output()
		if err != nil {
			t.Errorf("%q: %v", test.command, err)
			continue
		}
		_, host, _ := strings.Cut(test.host, "@")
		if host == "" {
			host = test.host
		}
		if text := "\n" + string(out); !strings.Contains(text, "\nhostname "+host+"\n") {
			t.Errorf("%q: ssh says %.200q, we say %s", test.command, text, test.host)
		}
		asked++
	}
	testutil.Check(t, asked >= 12, "asked for %d commands only", asked)
}

// TestWrappedLeadsItsGroup requires that the command that a host's shell runs leads its own process group. It prints
// the group's number first.
func TestWrappedLeadsItsGroup(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid: ", err)
	}
	c := Command{ssh: []string{"ssh", "host"}, Remote: `cut -d' ' -f5 /proc/$$/stat; echo "it's"`} // proc(5): pgrp
	words := c.wrapped()
	testutil.Require(t, slices.Equal(words[:2], c.ssh) && len(words) == 3, "%q", words)
	out := testutil.Must(exec.Command("sh", "-c", words[2]).Output())(t)
	lines := strings.Split(string(out), "\n")
	testutil.Check(t, len(lines) == 4 && lines[0] == pidLine+lines[1] && lines[2] == "it's", "%q", lines)
}
