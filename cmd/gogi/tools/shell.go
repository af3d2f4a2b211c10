package toolcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/shell"
	"gogi/internal/fail"
	"gogi/results"
)

const program = "gogi"

// CompletionCommand prints the completion script of a shell.
type CompletionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"bash, zsh, fish or powershell. For bash: source <(gogi completion bash)"`
}

// Run prints the script.
func (c *CompletionCommand) Run(env *cli.Env) error {
	text, err := shell.Script(c.Shell, program)
	if err != nil {
		return fail.Usage(err)
	}
	_, err = fmt.Fprint(env.Out, text)
	return err
}

// CompleteCommand prints the candidates for the completion scripts of shells.
type CompleteCommand struct {
	Words []string `arg:"" optional:"" help:"Words of the command line up to the cursor, after --."`
}

// Run prints the words that can come next, one per line, with a tab before the help of each.
func (c *CompleteCommand) Run(ctx context.Context, env *cli.Env, k *kong.Context) error {
	known := func(argument string, flags map[string]string) []shell.Candidate {
		if argument != "run" {
			return nil
		}
		return runs(ctx, cmp.Or(flags["db"], "gogi.db")) // the default of all commands
	}
	for _, w := range shell.Complete(k.Model.Node, c.Words, known) {
		if _, err := fmt.Fprintln(env.Out, strings.TrimSuffix(w.Word+"\t"+w.Help, "\t")); err != nil {
			return err
		}
	}
	return nil
}

// runs returns the names of a database's runs, newest first. It ignores errors, which the typed command reports.
func runs(ctx context.Context, db string) (list []shell.Candidate) {
	_ = cli.Database{DB: db}.Read(ctx, func(store *results.Store) error {
		infos, err := store.Runs(ctx)
		for _, info := range slices.Backward(infos) {
			list = append(list, shell.Candidate{Word: info.Name})
		}
		return err
	})
	return list
}

// ManCommand writes manual pages.
type ManCommand struct {
	Verb []string `arg:"" optional:"" help:"Command, such as match or db check (default: the page of gogi)."`
	To   string   `type:"path" placeholder:"DIR" help:"Folder for the pages of all commands, gogi-COMMAND.1."`
}

// Run writes one page to standard output, or all pages to a folder.
func (c *ManCommand) Run(env *cli.Env, k *kong.Context) error {
	if c.To != "" {
		if len(c.Verb) > 0 {
			return fail.Usage(errors.New("--to: it writes the pages of all commands; leave out the command"))
		}
		return writePages(c.To, k.Model, k.Model.Node)
	}
	node, err := find(k.Model.Node, c.Verb)
	if err != nil {
		return fail.Usage(err)
	}
	return shell.Manual(env.Out, k.Model, node)
}

func find(node *kong.Node, words []string) (*kong.Node, error) {
	for _, word := range words {
		var names []string
		var next *kong.Node
		for _, child := range node.Children {
			if !child.Hidden {
				names = append(names, child.Name)
			}
			if child.Name == word {
				next = child
			}
		}
		if next == nil {
			return nil, fmt.Errorf("unknown command %q; give one of %s", word, strings.Join(names, ", "))
		}
		node = next
	}
	return node, nil
}

func writePages(dir string, app *kong.Application, node *kong.Node) error {
	var text strings.Builder
	if err := shell.Manual(&text, app, node); err != nil {
		return err
	}
	path := filepath.Join(dir, strings.ReplaceAll(node.FullPath(), " ", "-")+".1")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil { //nolint:gosec // a public file
		return err
	}
	for _, child := range node.Children {
		if child.Hidden || child.Type != kong.CommandNode {
			continue
		}
		if err := writePages(dir, app, child); err != nil {
			return err
		}
	}
	return nil
}
