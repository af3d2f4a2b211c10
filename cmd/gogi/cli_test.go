package main

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/program"
	"gogi/internal/testutil"
)

// TestOneVerbsGrammar: gogi parses a line that begins with a command with the grammar of this command only. The help of
// the command is the same as with the grammar of all commands.
func TestOneVerbsGrammar(t *testing.T) {
	t.Parallel()
	told := new(bytes.Buffer)
	env := &cli.Env{Out: told, Err: told}
	read := func(grammar any) *kong.Kong {
		return testutil.Must(gogiProgram().Parser(t.Context(), grammar, env, false))(t)
	}
	all := read(new(commandLine))
	for _, node := range all.Model.Children {
		grammar, lang := gogiProgram().GrammarFor([]string{node.Name, "--help"})
		one := read(grammar)
		want := 1
		if node.Name == "complete" {
			want = len(all.Model.Children)
		}
		testutil.Check(t, len(one.Model.Children) == want,
			"%s: read by a grammar of %d verbs, want %d", node.Name, len(one.Model.Children), want)
		told.Reset()
		help(t, all, node.Name)
		expected := told.String()
		told.Reset()
		if help(t, one, node.Name); told.String() != expected {
			t.Errorf("%s: help %q, of all verbs' grammar %q", node.Name, told, expected)
		}
		field := reflect.ValueOf(grammar).Elem().FieldByName("Lang")
		testutil.Check(t, lang == field.Addr().Interface(), "%s: --lang is not where it is looked for", node.Name)
	}
}

// help prints the help of a command. The parser ends with a panic of program.HelpShown.
func help(t *testing.T, parser *kong.Kong, name string) {
	t.Helper()
	defer func() {
		shown, ok := recover().(program.HelpShown)
		testutil.Check(t, ok && shown.Code == cli.Done, "%s --help: unwound as %v", name, shown)
	}()
	_, err := parser.Parse([]string{name, "--help"})
	t.Errorf("%s --help: came back with %v", name, err)
}

// TestLinesOfNoVerb tests lines without a command, and lines with an unknown command, flag or value. gogi prints the
// help or an error.
func TestLinesOfNoVerb(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args       []string
		code       int
		out, error string
	}{
		{nil, cli.Usage, "", "Usage: gogi COMMAND [flags]\n\nPlay\n  match "},
		{[]string{"stats", "elo", "--help"}, 0, "Usage: gogi stats elo [flags]\n", ""},
		{[]string{"Match"}, cli.Usage, "", "gogi: Match: gogi has no such command; nearest: gogi match"},
		{[]string{"mtach"}, cli.Usage, "", "gogi: mtach: gogi has no such command; nearest: gogi match"},
		{[]string{"lang"}, cli.Usage, "", "gogi: lang: gogi has no such command"},
		{[]string{"review", "fit", "x"}, cli.Usage, "",
			"gogi: review fit: gogi has no such command; run gogi-lab review fit\n"},
		{[]string{"--lang", "ja", "stats", "lab", "aic"}, cli.Usage, "",
			"gogi: stats lab: gogi has no such command; run gogi-lab stats lab\n"},
		{[]string{"rate", "--iterates", "3"}, cli.Usage, "",
			"gogi: --iterates: gogi rate has no such flag; run gogi-lab rate\n"},
		{[]string{"eloWhere"}, cli.Usage, "", "gogi: eloWhere: gogi has no such command"},
		{[]string{"elo", "3"}, cli.Usage, "", "gogi: elo: gogi has no such command; nearest: gogi stats elo\n"},
		{[]string{"--lang", "ja", "void"}, cli.Usage, "", "gogi db void\n"},
		{[]string{"resume", "m"}, cli.Usage, "",
			"gogi: resume: gogi has no such command; run the same gogi match, gogi tune or gogi hunt again"},
		{[]string{"match", "-engine", "cmd=./a", "-each", "tc=8+0.08"}, cli.Usage, "",
			"match: flags of fastchess: -engine (write --engine NAME=COMMAND), -each (write --option all.NAME=VALUE, --tc and other limits); docs/coming-from.md"},
		{[]string{"match", "-each", "tc=8+0.08"}, cli.Usage, "", "flags of fastchess: -each ("},
		{[]string{"match", "--engine", "A=a", "-rounds", "50", "-repeat", "-rounds", "9"}, cli.Usage, "",
			"-rounds (write --games with twice the number), -repeat (leave it out); docs"},
		{[]string{"match", "dev", "base"}, cli.Usage, "",
			"write two programs as gogi match --engine dev=dev --engine base=base\n"},
		{[]string{"report", "-001"}, cli.Usage, "", "-001: a name that begins with a dash follows --: gogi report -- -001\n"},
		{[]string{"farm", "gate", "t"}, cli.Usage, "", "gogi farm show TEST prints the decision"},
		{[]string{"farm", "delete", "t"}, cli.Usage, "", "gogi farm stop TEST ends a test"},
		{[]string{"match", "--seed", "x"}, cli.Usage, "", `gogi: --seed: "x": expected a whole number from 0` + "\n"},
		{[]string{"match", "--games", "x"}, cli.Usage, "", `gogi: --games: "x": expected a whole number` + "\n"},
		{[]string{"match", "--games", "-4"}, cli.Usage, "",
			`gogi: --games: "-4" begins like a flag: expected a value; write --games=-4` + "\n"},
		{[]string{"gate", "R", "--sprt", "0,4"}, cli.Usage, "", "gogi gate RUN --gate FILE\n"},
		{[]string{"games", "R", "1.0", "--game", "2.0"}, cli.Usage, "", "1.0 and --game 2.0 name two games"},
		{[]string{"--help"}, cli.Done, "\n  compare ", ""},
		{[]string{"--lang", "en", "version"}, cli.Done, "gogi ", ""},
	} {
		out, errs, code := gogi(t, c.args...)
		testutil.Check(t, code == c.code && strings.Contains(out, c.out) && strings.Contains(errs, c.error),
			"gogi %q: code %d, %q, %q; want %d, %q, %q", c.args, code, out, errs, c.code, c.out, c.error)
	}
}
