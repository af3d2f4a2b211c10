package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"gogi/configs"
	"gogi/internal/disk"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/players"
	"gogi/results"
	"gogi/usi/process"
)

// A Printer is the result of a command, which can print itself as text.
type Printer interface {
	Print(w io.Writer, in i18n.Language)
}

// Answer prints a result as text, or as JSON if asJSON is set. If err is not nil, it prints nothing and
// returns err.
func (env *Env) Answer(asJSON bool, answer Printer, err error) error {
	switch {
	case err != nil:
		return err
	case asJSON:
		return format.JSON(env.Out, answer)
	}
	answer.Print(env.Out, env.Language)
	return nil
}

// AnswerEnglish prints a result like Answer, if the text of the result is always English.
func (env *Env) AnswerEnglish(asJSON bool, answer interface{ Print(w io.Writer) }, err error) error {
	switch {
	case err != nil:
		return err
	case asJSON:
		return format.JSON(env.Out, answer)
	}
	answer.Print(env.Out)
	return nil
}

// A Database has the flag --db of the commands that read a database.
type Database struct {
	DB string `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
}

// Read opens the database for reading, calls f and closes it.
func (d Database) Read(ctx context.Context, f func(*results.Store) error) error {
	store, err := results.OpenExisting(ctx, d.DB)
	if err != nil {
		return err
	}
	return errors.Join(f(store), store.Close())
}

// WithGuard starts a guard process, which kills the engines if gogi dies, and calls f with it. An interrupt
// cancels the context of f.
func WithGuard(ctx context.Context, env *Env, f func(context.Context, *process.Guard, *Interrupts) error) error {
	guard, err := players.StartGuard(env.GuardChanged)
	if err != nil {
		return err
	}
	ctx, interrupts := Catch(ctx, env)
	err = f(ctx, guard, interrupts)
	interrupts.Stop()
	return errors.Join(err, guard.Close())
}

// Options parses the values NAME=VALUE of --option.
func Options(texts []string) (list []match.Option, err error) {
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--option %q: expected NAME=VALUE", text)
		}
		list = append(list, match.Option{Name: name, Value: value})
	}
	return list, nil
}

// PlanEngine returns a plan with an engine as its only player. options are the values NAME=VALUE of --option.
// run is the name that errors use for the plan. No run of this name is stored.
func PlanEngine(run string, e configs.Engine, options []string, limits configs.Limits) (*match.Plan, error) {
	var err error
	if e.Options, err = Options(options); err != nil {
		return nil, err
	}
	here, err := players.Surroundings()
	if err != nil {
		return nil, err
	}
	file := &configs.File{Run: run, Limits: &limits, Engines: []configs.Engine{e}}
	plan, _, err := file.PlanPlayer(e.Name, here.WorkDir, here)
	return plan, err
}

// WriteNew writes a new file for the user to edit, or to Out if its name is "-". Then it prints next, the command to
// run after editing, to Err, so that a shell's > takes nothing but the file. It returns a usage error if the file
// exists.
func (env *Env) WriteNew(name string, text []byte, next string) error {
	if name == "-" {
		_, err := env.Out.Write(text)
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fail.Usage(fmt.Errorf("%s exists already; it is left as it is", name))
	}
	if err != nil {
		return disk.CannotWrite(name, err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		fmt.Fprintf(env.Err, "wrote %s; edit it, then: %s\n", name, next)
	}
	return err
}
