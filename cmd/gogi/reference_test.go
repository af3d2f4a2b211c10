package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	labcmd "gogi/cmd/gogi-lab/commands"
	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/program"
	"gogi/configs"
	"gogi/farm/worker"
	"gogi/internal/testutil"
)

var writeReference = flag.Bool("write-reference", false,
	"write docs/commands.md, docs/research/commands.md, docs/configuration.md and docs/json.md")

// TestReference: the reference pages agree with the code.
func TestReference(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"commands.md": commandPage(t), "research/commands.md": labPage(t),
		"configuration.md": configurationPage(t), "json.md": jsonPage(t)} {
		file := "../../docs/" + name
		if *writeReference {
			testutil.OK(t, os.WriteFile(file, []byte(want), 0o644))
		}
		if got := testutil.Must(os.ReadFile(file))(t); string(got) != want {
			t.Errorf("docs/%s is not up to date; run: go test ./cmd/gogi -run TestReference -args -write-reference", name)
		}
	}
}

const generated = "<!-- Generated from the code: go test ./cmd/gogi -run TestReference -args -write-reference -->\n\n"

// An exitRow is a row of the table of exit codes in docs/commands.md.
type exitRow struct {
	code              int
	meaning, commands string
}

// exitCodes returns the meanings of all exit codes.
func exitCodes() []exitRow {
	return []exitRow{
		{cli.Done, "Done. With an SPRT: passed.", "all"},
		{cli.Failed, "Error: the command could not do what it was asked for.", "all"},
		{cli.Usage, "Usage: a flag or a file says something that is not possible.", "all"},
		{cli.Unplayed, "Some pairs are not played, or some games were left out.",
			"`match`, `hunt`, `ladder`, `tune`, `selfplay`, `csa`, `export`, `convert`, `book`, `db`, `gogi-lab review`"},
		{4, "The coordinator rejects the worker (its key, its version or the policy). Do not restart it.", "`farm work`"},
		{5, "The farm wants another version of gogi, which the worker could not install.", "`farm work`"},
		{6, "The coordinator was away for longer than `--give-up`.", "`farm work`"},
		{7, "Another coordinator leads the farm. Start this one with `--standby`.", "`farm serve`"},
		{cli.GateFailed,
			"The SPRT failed. With `check --replay`: the failure happened again. With `hunt`: the last version is not weaker.",
			"`match`, `gate`, `tune`, `check`, `hunt`"},
		{cli.GateOpen, "The SPRT is undecided. With `hunt`: not found in `--games` games.",
			"`match`, `gate`, `tune`, `check`, `hunt`"},
		{cli.Differs, "A recalculation differs from what is stored. With `hunt`: no single version explains the games.",
			"`db verify`, `tune verify`, `farm audit`, `farm mirror`, `farm serve`, `hunt`"},
		{cli.BisectSkip,
			"With `check --exit bisect`: undecided, and `git bisect` skips the commit. With `hunt`: the good or the bad commit does not build.", "`check`, `hunt`"},
		{cli.Interrupted, "A signal interrupted the command.", "all"},
		{cli.BisectAbort, "With `check --exit bisect`: any other failure, which ends the bisection.", "`check`"},
	}
}

// commandPage returns docs/commands.md: the exit codes, and each command with its arguments and flags.
func commandPage(t *testing.T) string {
	t.Helper()
	b := new(strings.Builder)
	b.WriteString("# Commands\n\n" + generated)
	b.WriteString("All commands have `--help` and `--lang`. `gogi help` prints the most important commands, `gogi help -a` all of them.\n" +
		"The commands of gogi-lab, a second program for papers and research, are in [research/commands.md](research/commands.md).\n\n## Exit codes\n\n| code | meaning | commands |\n|---|---|---|\n")
	for _, c := range exitCodes() {
		fmt.Fprintf(b, "| %d | %s | %s |\n", c.code, c.meaning, c.commands)
	}
	writeCommands(t, b, gogiProgram())
	return b.String()
}

// labPage returns docs/research/commands.md: the commands of gogi-lab.
func labPage(t *testing.T) string {
	t.Helper()
	b := new(strings.Builder)
	b.WriteString("# Commands of gogi-lab\n\n" + generated)
	b.WriteString("For authors of papers. gogi-lab has the calculations that gogi does not need to play and judge matches: `go build -o gogi-lab ./cmd/gogi-lab`.\n" +
		"Its exit codes are those of [gogi](../commands.md#exit-codes). [sources.md](sources.md), [lab.md](lab.md) and [strength.md](strength.md) have examples.\n")
	writeCommands(t, b, labcmd.Program())
	return b.String()
}

// writeCommands writes the commands of a program under their headings.
func writeCommands(t *testing.T, b *strings.Builder, p *program.Program) {
	t.Helper()
	env := &cli.Env{Out: new(bytes.Buffer), Err: new(bytes.Buffer)}
	model := testutil.Must(p.Parser(t.Context(), reflect.New(reflect.TypeOf(p.Grammar)).Interface(), env, false))(t).Model
	for _, group := range append(slices.Clone(p.Groups), program.Group{Title: "More"}) {
		rows := new(strings.Builder)
		for _, c := range model.Children {
			if program.GroupOf(c) == group.Key {
				writeCommand(rows, c)
			}
		}
		if rows.Len() > 0 {
			fmt.Fprintf(b, "\n## %s\n%s", group.Title, rows)
		}
	}
}

// writeCommand writes the leaves of a command.
func writeCommand(b *strings.Builder, n *kong.Node) {
	if n.Hidden || n.Type != kong.CommandNode {
		return
	}
	for _, c := range n.Children {
		writeCommand(b, c)
	}
	if len(n.Children) > 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n%s.\n", n.FullPath(), strings.TrimSuffix(n.Help, "."))
	if n.Detail != "" {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", strings.TrimSpace(n.Detail))
	}
	rows := new(strings.Builder)
	for _, a := range n.Positional {
		fmt.Fprintf(rows, "| `%s` | %s |\n", a.Summary(), cell(a.Help, a))
	}
	for at := n; at != nil && at.Type == kong.CommandNode; at = at.Parent {
		for _, f := range at.Flags {
			if !f.Hidden && f.Name != "help" {
				fmt.Fprintf(rows, "| `%s` | %s |\n", strings.ReplaceAll(f.String(), "|", "\\|"), cell(f.Help, f.Value))
			}
		}
	}
	if rows.Len() > 0 {
		fmt.Fprintf(b, "\n| argument or flag | meaning |\n|---|---|\n%s", rows)
	}
}

// cell returns a help text for a table.
func cell(help string, of *kong.Value) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "${default}", of.Default, "${enum}", of.Enum).Replace(help)
}

// configurationPage returns docs/configuration.md: the commented files that gogi writes, which have every key.
func configurationPage(t *testing.T) string {
	t.Helper()
	b := new(strings.Builder)
	b.WriteString("# Configuration files\n\n" + generated)
	b.WriteString("Each file below has every key with its default or an example. `gogi check FILE.toml` reads a match file and explains each problem.\n")
	for _, file := range []struct{ title, words, text string }{
		{"A match",
			"`gogi init` writes this file, and `gogi match FILE.toml` plays it. A flag of `gogi match` wins over the key of the same name.", string(configs.Template())},
		{"Self-play",
			"`gogi selfplay init` writes this file, and `gogi selfplay FILE.toml` plays it. All other keys are those of a match.", string(configs.SelfplayTemplate())},
	} {
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n```toml\n%s\n```\n", file.title, file.words, strings.TrimSpace(file.text))
	}
	b.WriteString("\n## A tune\n\n`gogi tune init ENGINE` writes a file with the parameters of the engine, and `gogi tune FILE.toml` runs it. " +
		"`games`, `limits`, `openings` and `[[engine]]` are as in a match.\n")
	for _, table := range []struct{ name, title string }{{"Tune", "[tune]"}, {"TuneParam", "[[param]]"},
		{"TuneValidate", "[tune.validate]"}} {
		fmt.Fprintf(b, "\n| key of `%s` | meaning |\n|---|---|\n%s", table.title,
			keysOf(t, "../../configs/tune.go", table.name))
	}
	return b.String()
}

// keysOf returns the rows of a type's keys: the tag toml and the comment of each field.
func keysOf(t *testing.T, file, name string) string {
	t.Helper()
	rows := new(strings.Builder)
	ast.Inspect(testutil.Must(parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments))(t),
		func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != name {
				return true
			}
			for _, f := range spec.Type.(*ast.StructType).Fields.List {
				comment := cmp.Or(f.Comment, f.Doc)
				testutil.Require(t, f.Tag != nil && comment != nil, "%s has a field without a key or a comment", name)
				key := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("toml")
				fmt.Fprintf(rows, "| `%s` | %s |\n", key, cell(strings.Join(strings.Fields(comment.Text()), " "), new(kong.Value)))
			}
			return false
		})
	testutil.Require(t, rows.Len() != 0, "%s has no type %s", file, name)
	return rows.String()
}

// TestExitCodesOfWorkers: the table has the codes of gogi farm work.
func TestExitCodesOfWorkers(t *testing.T) {
	t.Parallel()
	for _, code := range []int{worker.ExitRefused, worker.ExitUpdate, worker.ExitUnreachable} {
		testutil.Check(t, slices.ContainsFunc(exitCodes(), func(c exitRow) bool {
			return c.code == code && c.commands == "`farm work`"
		}),
			"the table has no code %d of gogi farm work", code)
	}
}
