package dbcmd

import (
	"context"
	"runtime"

	"gogi/cmd/gogi/cli"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/results"
	"gogi/results/dump"
	"gogi/results/repair"
)

// Command groups the commands for databases.
type Command struct {
	Dump     DumpCommand     `cmd:"" help:"Print all data of a run as JSON lines"`
	Check    CheckCommand    `cmd:"" help:"Check a database for damage; exit code 1 if damaged"`
	Repair   RepairCommand   `cmd:"" help:"Copy the undamaged pairs of a database to a new one"`
	Merge    MergeCommand    `cmd:"" help:"Merge databases into a new one"`
	Backup   BackupCommand   `cmd:"" help:"Back up a database, also while runs write to it"`
	Optimize OptimizeCommand `cmd:"" help:"Pack the games of older runs to make reports quick"`
	Verify   VerifyCommand   `cmd:"" help:"Check a run's games by replay; exit code 12 if one is wrong"`
	Void     VoidCommand     `cmd:"" help:"Void pairs of a run; gogi plays them again"`
}

// ballast is the size in bytes of an array that is never written. It needs no memory, but the garbage collector counts
// it. So the collector runs after at least as many bytes of garbage, and not after 4 MB, of which each is 400 games.
const ballast = 16 << 20

// CheckCommand checks a database for damage.
type CheckCommand struct {
	Name string `arg:"" optional:"" name:"run" help:"Name of the run (default: all runs)."`
	cli.Database
	Replay bool `help:"Also replay every move and check that it is legal."`
	JSON   bool `name:"json" help:"Print one JSON object."`
	Quiet  bool `short:"q" help:"Print no progress."`
}

// Run prints the damage. It returns an error if the database is damaged.
func (c *CheckCommand) Run(ctx context.Context, env *cli.Env) error {
	defer runtime.KeepAlive(make([]byte, ballast))
	var found *repair.Checkup
	err := c.Read(ctx, func(store *results.Store) (err error) {
		found, err = repair.Check(ctx, store,
			repair.CheckOptions{Run: c.Name, Replay: c.Replay, Progress: cli.Percent(env.Err, c.Quiet)})
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		err = checkJSON(env.Out, found)
	} else {
		printCheck(env.Out, env.Language, found)
	}
	if err == nil && !found.Sound() {
		err = i18n.Errorf("%s is damaged; gogi db repair --db %s --to FILE saves the undamaged pairs", c.DB, c.DB)
	}
	return err
}

// RepairCommand copies the undamaged pairs to a new database.
type RepairCommand struct {
	DB    string `name:"db" default:"gogi.db" placeholder:"FILE" help:"Damaged database; gogi does not change it."`
	To    string `required:"" placeholder:"FILE" help:"New database."`
	JSON  bool   `name:"json" help:"Print one JSON object."`
	Quiet bool   `short:"q" help:"Print no progress."`
}

// Run prints the saved and the lost pairs. If pairs must be played again, the error has the exit code cli.Unplayed.
func (c *RepairCommand) Run(ctx context.Context, env *cli.Env) error {
	r, err := repair.Repair(ctx, c.DB, c.To, cli.Percent(env.Err, c.Quiet))
	if err != nil {
		return err
	}
	if c.JSON {
		err = repairJSON(env.Out, r)
	} else {
		printRepair(env.Out, env.Language, r)
	}
	if err == nil && !r.Whole() {
		err = &cli.Exit{Code: cli.Unplayed, Err: i18n.Errorf("not everything in %s could be saved", c.DB)}
	}
	return err
}

// MergeCommand merges databases.
type MergeCommand struct {
	From      []string `arg:"" name:"from" placeholder:"FILE" help:"Databases; gogi does not change them."`
	To        string   `required:"" placeholder:"FILE" help:"New database."`
	KeepFirst bool     `help:"If databases differ in a pair, take the pair of the first database (default: an error)."`
	JSON      bool     `name:"json" help:"Print one JSON object."`
	Quiet     bool     `short:"q" help:"Print no progress."`
}

// Run prints the number of merged runs and pairs.
func (c *MergeCommand) Run(ctx context.Context, env *cli.Env) error {
	m, err := repair.Merge(ctx, c.To, c.From, c.KeepFirst, cli.Percent(env.Err, c.Quiet))
	switch {
	case err != nil:
		return err
	case c.JSON:
		return mergeJSON(env.Out, m)
	}
	printMerge(env.Out, env.Language, m, c.From)
	return nil
}

// BackupCommand copies a database.
type BackupCommand struct {
	To string `arg:"" placeholder:"FILE" help:"New file for the copy."`
	cli.Database
}

// Run copies the database and prints nothing.
func (c *BackupCommand) Run(ctx context.Context, _ *cli.Env) error {
	return c.Read(ctx, func(store *results.Store) error { return store.Backup(ctx, c.To) })
}

// openThere opens an existing database for writing. It returns an error if the file does not exist.
func openThere(ctx context.Context, db string) (*results.Store, error) {
	if err := (cli.Database{DB: db}).Read(ctx, func(*results.Store) error { return nil }); err != nil {
		return nil, err
	}
	return results.Open(ctx, db)
}

// DumpCommand prints all data of a run in a fixed order.
type DumpCommand struct {
	cli.Stored
	Stable bool `help:"Leave out times, slots and failed attempts, so that two runs of deterministic engines have equal dumps."`
}

// Run prints the dump.
func (c *DumpCommand) Run(ctx context.Context, env *cli.Env) error {
	defer runtime.KeepAlive(make([]byte, ballast))
	return c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		return dump.Write(ctx, store, sanitize.Raw(env.Out), info.Name, c.Stable)
	})
}
