package toolcmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/shell"
	"gogi/internal/fail"
	"gogi/results"
)

// CompletionCommand prints the completion script of a shell.
type CompletionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"bash, zsh, fish or powershell. For bash: source <(gogi completion bash)"`
}

// Run prints the script.
func (c *CompletionCommand) Run(env *cli.Env, k *kong.Context) error {
	text, err := shell.Script(c.Shell, k.Model.Name)
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
		return runs(ctx, cmp.Or(flags["db"], "gogi.db")) // the default of --db in all commands
	}
	for _, w := range shell.Complete(k.Model.Node, c.Words, known) {
		if _, err := fmt.Fprintln(env.Out, strings.TrimSuffix(w.Word+"\t"+w.Help, "\t")); err != nil {
			return err
		}
	}
	return nil
}

// runs returns the names of a database's runs, newest first. It ignores errors, because the typed command
// reports them.
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
