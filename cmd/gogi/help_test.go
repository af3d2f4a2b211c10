package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/program"
	"gogi/internal/testutil"
)

// TestHelp: every command has a description of one line. gogi --help lists the commands with a group and fits on a
// screen. gogi help -a lists all commands.
func TestHelp(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	parser := testutil.Must(gogiProgram().Parser(t.Context(), new(commandLine), &cli.Env{Out: &b, Err: &b}, false))(t)
	screen, _, code := gogi(t, "--help")
	lines := strings.Count(screen, "\n")
	testutil.Check(t, code == cli.Done && lines <= 45, "gogi --help: code %d, %d lines, want at most 45", code, lines)
	all, _, _ := gogi(t, "help", "-a")
	for _, group := range append(gogiProgram().Groups, program.Group{Title: "More"}) {
		testutil.Check(t, strings.Contains("\n"+all, "\n"+group.Title+"\n  "), "gogi help -a has no commands under %s",
			group.Title)
	}
	_, alone, _ := gogi(t)
	testutil.Check(t, alone == screen, "gogi prints %q, gogi --help %q", alone, screen)
	grouped := 0
	for _, c := range parser.Model.Children {
		group := program.GroupOf(c)
		known := slices.ContainsFunc(gogiProgram().Groups, func(g program.Group) bool { return g.Key == group })
		rest := slices.Contains([]string{"ctl", "version"}, c.Name)
		testutil.Check(t, c.Hidden || known != rest,
			"gogi %s: group %q; give it one of the program's Groups, or name it here as one of gogi help -a alone", c.Name,
			group)
		got := strings.Contains(screen, "\n  "+c.Name+" ")
		testutil.Check(t, got == (!c.Hidden && known), "gogi %s is on the screen: %v", c.Name, got)
		if !c.Hidden && known {
			grouped++
		}
	}
	testutil.Check(t, grouped == 27, "%d commands on the screen, want 27", grouped)
	for _, line := range strings.Split(screen+all, "\n") {
		if n := len([]rune(line)); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, c := range n.Children {
			if c.Type != kong.CommandNode {
				continue
			}
			if n := len([]rune(c.Help)); n == 0 || n > 60 || strings.HasSuffix(c.Help, ".") {
				t.Errorf("%s: description of %d characters: %q; want 1 to 60 without a full stop", c.FullPath(), n, c.Help)
			}
			if name := strings.TrimPrefix(c.FullPath(), "gogi "); !c.Hidden && len(c.Children) == 0 &&
				!strings.Contains(all, "\n  "+name+" ") {
				t.Errorf("gogi help -a does not list %s", name)
			}
			if !c.Hidden {
				walk(c)
			}
		}
	}
	walk(parser.Model.Node)
}

// TestHelpAll: --help of a command with many flags omits those with the tag "more", and names --help-all. --help-all
// shows every flag.
func TestHelpAll(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	parser := testutil.Must(gogiProgram().Parser(t.Context(), new(commandLine), &cli.Env{Out: &b, Err: &b}, false))(t)
	for _, command := range parser.Model.Leaves(true) {
		words := strings.Fields(command.Path())
		few, _, _ := gogi(t, append(slices.Clone(words), "--help")...)
		all, _, _ := gogi(t, append(slices.Clone(words), "--help-all")...)
		shown, more := 0, 0
		for _, f := range command.Flags {
			if f.Hidden {
				continue
			}
			word := regexp.MustCompile("--(\\[no-\\])?" + f.Name + "\\b")
			switch {
			case !word.MatchString(all):
				t.Errorf("gogi %s --help-all: no --%s", words, f.Name)
			case f.Tag.Has("more"):
				more++
			case !word.MatchString(few):
				t.Errorf("gogi %s --help: no --%s", words, f.Name)
			default:
				shown++
			}
		}
		if shown > 26 || more > 0 && !strings.HasSuffix(few,
			fmt.Sprintf("\n%d more flags: gogi %s --help-all\n", more, strings.Join(words, " "))) {
			t.Errorf("gogi %s --help: %d flags, %d more: give rare ones the tag more; %q", words, shown, more, few)
		}
	}
}

// TestHelpWords: the words for help and the version mean the same as their flags.
func TestHelpWords(t *testing.T) {
	t.Parallel()
	for was, now := range map[string]string{
		"help": "--help", "help match": "match --help", "help db verify": "db verify --help", "--version": "version",
		"help -a match": "match --help-all", "help --all": "help -a",
	} {
		out, _, code := gogi(t, strings.Fields(was)...)
		want, _, wantCode := gogi(t, strings.Fields(now)...)
		testutil.Check(t, out == want && out != "" && code == cli.Done && wantCode == cli.Done,
			"gogi %s: code %d, %q; gogi %s: code %d, %q", was, code, out, now, wantCode, want)
	}
	if _, errs, code := gogi(t, "help", "nonsense"); code != cli.Usage || !strings.Contains(errs, "nonsense") {
		t.Errorf("gogi help nonsense: code %d, %q", code, errs)
	}
}
