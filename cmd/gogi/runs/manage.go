package runscmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report/review"
	"gogi/results"
	"gogi/runner/crash"
)

// one has the arguments of the commands that change one run.
type one struct {
	Name string `arg:"" name:"run" help:"Name of the run."`
	DB   string `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
}

// change opens the database for writing, finds the run, and calls do with both.
func (o *one) change(ctx context.Context, do func(*results.Store, *results.RunInfo) error) (err error) {
	// A missing file is an error. results.Open would create it.
	if err := (cli.Database{DB: o.DB}).Read(ctx, func(*results.Store) error { return nil }); err != nil {
		return err
	}
	store, err := results.Open(ctx, o.DB)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	info, err := store.FindRun(ctx, o.Name)
	if err != nil {
		return err
	}
	return do(store, info)
}

// checkFarm returns an error if the database belongs to a farm, which finds the run of a test by its name.
func (o *one) checkFarm() error {
	if _, err := os.Stat(filepath.Join(filepath.Dir(o.DB), "state.db")); err != nil {
		return nil // no farm has its state there
	}
	return fail.Usage(fmt.Errorf("--db %s: a farm has this database, and its tests have the names of the runs; copy it with gogi db backup and change the copy", o.DB))
}

// folders returns the folders of crash dumps, transcripts and reviews of a run. They may not exist.
func (o *one) folders(run string) []string {
	return []string{crash.Dir(o.DB, run), crash.TranscriptDir("", o.DB, run), review.Dir(o.DB, run)}
}

// shared returns the name of another run that has the folder, too, or "". own are the present and former names of the
// run to which the folder belongs. On a file system that ignores case, two runs whose names differ in case have one
// folder.
func (o *one) shared(ctx context.Context, store *results.Store, dir string, own ...string) (string, error) {
	runs, err := store.Runs(ctx)
	if err != nil {
		return "", err
	}
	for i := range runs {
		other := runs[i].Name
		if slices.Contains(own, other) || !strings.EqualFold(other, own[0]) {
			continue
		}
		if slices.ContainsFunc(o.folders(other), func(of string) bool { return sameFile(of, dir) }) {
			return other, nil
		}
	}
	return "", nil
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// RenameCommand gives a run another name.
type RenameCommand struct {
	one
	To string `arg:"" name:"name" help:"New name of the run."`
}

// Help returns the text below the usage line of --help.
func (*RenameCommand) Help() string {
	return `Crash dumps, transcripts and reviews of the run get the new name, too. The stored games keep the old name as their event. No process
may play the run. A name that begins with a dash follows --: gogi runs rename -- -001 hunt-001.`
}

// Run renames the run and prints its new name.
func (c *RenameCommand) Run(ctx context.Context, env *cli.Env) error {
	if err := c.checkFarm(); err != nil {
		return err
	}
	return c.change(ctx, func(store *results.Store, info *results.RunInfo) error {
		if err := results.Rename(ctx, store, info, c.To); err != nil {
			return err
		}
		fmt.Fprintln(env.Out, i18n.Say(env.Language, "run %s is now %s", info.Name, c.To))
		return c.moveFolders(ctx, store, info.Name)
	})
}

// moveFolders gives the folders of the run their new names.
func (c *RenameCommand) moveFolders(ctx context.Context, store *results.Store, old string) error {
	var errs []error
	fresh := c.folders(c.To)
	for i, dir := range c.folders(old) {
		if !exists(dir) {
			continue
		}
		other, err := c.shared(ctx, store, dir, old, c.To)
		switch {
		case err != nil:
			errs = append(errs, err)
		case other != "":
			errs = append(errs, fmt.Errorf("%s: it stays, because run %s has this folder, too", dir, other))
		case exists(fresh[i]) && !sameFile(fresh[i], dir):
			errs = append(errs, fmt.Errorf("%s: it stays, because %s exists already", dir, fresh[i]))
		default:
			errs = append(errs, os.Rename(dir, fresh[i]))
		}
	}
	return errors.Join(errs...)
}

// DeleteCommand deletes a run.
type DeleteCommand struct {
	one
	Yes bool `help:"Delete without a question."`
}

// Help returns the text below the usage line of --help.
func (*DeleteCommand) Help() string {
	return `gogi deletes the run, its games, its crash dumps, transcripts and reviews, and returns the space to the disk. Other runs do not
change. No process may play the run. gogi db backup makes a copy before.`
}

// Run asks, deletes the run and prints what it has deleted.
func (c *DeleteCommand) Run(ctx context.Context, env *cli.Env) error {
	if err := c.checkFarm(); err != nil {
		return err
	}
	return c.change(ctx, func(store *results.Store, info *results.RunInfo) error {
		count := i18n.Number{N: info.Finished * info.Legs, Noun: "game"}
		if !c.Yes {
			fmt.Fprint(env.Err, i18n.Say(env.Language, "Delete run %s with %s (%s) for ever? Type yes: ", info.Name, count,
				strings.Join(info.Players, ", ")))
			answer, _ := bufio.NewReader(env.In).ReadString('\n') // an error is no answer
			if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "yes" {
				return i18n.Errorf("run %s is not deleted; --yes deletes it without a question", info.Name)
			}
		}
		before := results.Size(c.DB)
		smaller, err := results.Delete(ctx, store, info)
		if err != nil {
			return err
		}
		line := i18n.Of("run %s is deleted: %s; another run is being played, so the file %s keeps its size and later games use the space", info.Name, count, c.DB)
		if smaller {
			line = i18n.Of("run %s is deleted: %s; the file had %s kB and has %s kB", info.Name, count,
				format.Count(int(before/1000)), format.Count(int(results.Size(c.DB)/1000)))
		}
		fmt.Fprintln(env.Out, line.In(env.Language))
		return c.removeFolders(ctx, store, info.Name)
	})
}

// removeFolders removes the folders of the deleted run. A folder that another run has, too, stays.
func (c *DeleteCommand) removeFolders(ctx context.Context, store *results.Store, run string) error {
	var errs []error
	for _, dir := range c.folders(run) {
		switch other, err := c.shared(ctx, store, dir, run); {
		case err != nil:
			errs = append(errs, err)
		case other != "":
			errs = append(errs, fmt.Errorf("%s: it stays, because run %s has this folder, too", dir, other))
		default:
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	return errors.Join(errs...)
}

// TagCommand changes the tags of a run.
type TagCommand struct {
	one
	Tags   []string `arg:"" optional:"" name:"tag" help:"Tags to add: words without blanks and commas."`
	Remove []string `placeholder:"TAG" help:"Tag to remove; may be repeated."`
}

// Help returns the text below the usage line of --help.
func (*TagCommand) Help() string {
	return `gogi runs --tag TAG lists the runs with a tag, and the page of the runs has a filter. Without a tag the command prints the
tags of the run. Tags are no part of the plan: a run in play may get tags, and its results do not change.`
}

// Run changes the tags and prints all tags of the run.
func (c *TagCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.change(ctx, func(store *results.Store, info *results.RunInfo) error {
		tags, err := results.Tag(ctx, store, info, c.Tags, c.Remove)
		if err == nil {
			_, err = fmt.Fprintf(env.Out, "%s: %s\n", info.Name, strings.Join(tags, ", "))
		}
		return err
	})
}
