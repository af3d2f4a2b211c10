package farmcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/farm"
	"gogi/farm/folder"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/fail"
	"gogi/internal/format"
)

// BackupCommand backs up a farm.
type BackupCommand struct {
	atSite
	Dir       string `arg:"" type:"path" help:"Folder to which each backup writes a new file and its SHA-256."`
	DB        string `name:"db" type:"path" placeholder:"FILE" help:"Database of games (default: farm.db in the farm's folder)."`
	Artefacts bool   `help:"Also back up engines and networks (default: their hashes only)."`
}

// Run makes the backup. The coordinator may run at the same time.
func (c *BackupCommand) Run(ctx context.Context, env *cli.Env) error {
	db := c.DB
	if db == "" {
		db = filepath.Join(c.State, folder.Games)
	}
	file, err := folder.Backup(ctx, c.State, db, c.Dir, c.Artefacts, time.Now())
	if err != nil {
		return err
	}
	fmt.Fprintln(env.Out, file)
	return nil
}

// RestoreCommand makes a farm's folder from a backup.
type RestoreCommand struct {
	atSite
	File string `arg:"" type:"existingfile" help:"Backup file; FILE.sha256 must be in the same folder."`
}

// Run restores the backup.
func (c *RestoreCommand) Run(ctx context.Context, env *cli.Env) error {
	if err := folder.Restore(ctx, c.File, c.State); err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "%s is ready for gogi farm serve; results stored after the backup are played again\n", c.State)
	return nil
}

// LoginCommand stores credentials for the other commands.
type LoginCommand struct {
	URL   string `arg:"" optional:"" help:"Address of the farm (default: from the credentials)."`
	Creds string `required:"" type:"existingfile" placeholder:"FILE" help:"Credentials file from gogi farm key new."`
}

// Run stores the credentials after the farm has accepted them.
func (c *LoginCommand) Run(ctx context.Context, env *cli.Env) error {
	creds, err := keys.ReadCreds(c.Creds)
	if err != nil {
		return fail.Usage(err)
	}
	if c.URL != "" {
		creds.URL = c.URL
	}
	t, err := nats.Dial(creds)
	if err != nil {
		return err
	}
	var s farm.Status
	err = Request(ctx, t, creds.Name, "list", farm.Order{}, &s)
	if err = errors.Join(err, t.Close()); err != nil {
		return err
	}
	file, err := defaultCreds()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := creds.Write(file); err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "%s at %s: %s, %s; stored in %s\n", creds.Name, creds.URL,
		format.NumberOf(len(s.Tests), "test"), format.NumberOf(len(s.Workers), "worker"), file)
	return nil
}

// DoctorCommand checks the setup of a farm.
type DoctorCommand struct {
	owner
	State   string `type:"path" placeholder:"DIR" help:"Farm folder on this machine to check."`
	NATS    string `name:"nats" placeholder:"URL" help:"External NATS server to check."`
	Monitor string `placeholder:"URL" help:"With --nats: monitoring page of the NATS server, such as http://127.0.0.1:8222."`
}

// Finding is the result of one check.
type Finding struct {
	What string `json:"what"` // the checked property
	OK   bool   `json:"ok"`   // the check found no fault
	Why  string `json:"why"`
}

// Run prints the results of the farm's checks. The exit code is 1 if a check fails.
func (c *DoctorCommand) Run(ctx context.Context, env *cli.Env) error {
	var all []Finding
	note := func(what, good string, err error) {
		f := Finding{what, err == nil, good}
		if err != nil {
			f.Why = err.Error()
		}
		all = append(all, f)
	}
	if c.State != "" {
		s, err := folder.Open(c.State, time.Now())
		good := ""
		if err == nil {
			good = format.NumberOf(len(s.Ring.Keys()), "key") + ", secrets are 0600"
		}
		note("folder", good, err)
		if room, err := nats.DefaultStream(c.State); err == nil {
			note("journal", fmt.Sprintf("may grow to %d MB", room>>20), roomEnough(room))
		}
	}
	if c.NATS != "" {
		wrong, err := (&nats.Outside{Creds: keys.Creds{URL: c.NATS}, Monitor: c.Monitor}).Examine(ctx)
		note("nats", "it syncs what it acknowledges, and accepts only connections with a key",
			errors.Join(append(wrong, err)...))
		note("permissions", "gogi farm key nats HOST prints those of all keys", nil)
	}
	if c.Creds != "" || c.State == "" && c.NATS == "" {
		creds, err := c.read()
		note("credentials", creds.Name+" at "+creds.URL, err)
		if err == nil {
			c.reach(ctx, note)
		}
	}
	return c.print(env, all)
}

// leastJournal is the least free space for the journal in bytes. It is enough for the results of a few
// minutes of a large farm.
const leastJournal = 256 << 20

func roomEnough(room int64) error {
	if room < leastJournal {
		return fmt.Errorf("the volume leaves it %d MB: expected at least %d; when it is full, workers wait", room>>20,
			leastJournal>>20)
	}
	return nil
}

// reach checks that the farm answers a request, and that the clocks of both machines agree. It calls note with the
// result of each check: the name of the check, the text if it passes, and the error if it fails.
func (c *DoctorCommand) reach(ctx context.Context, note func(what, good string, err error)) {
	var s farm.Status
	began := time.Now()
	err := c.ask(ctx, "list", farm.Order{}, &s)
	note("farm", fmt.Sprintf("answers in %v, boot %d", time.Since(began).Round(time.Millisecond), s.Boot), err)
	if err != nil {
		return
	}
	apart, full := troubles(&s, time.Now())
	note("clocks", "agree", apart)
	note("stream", fmt.Sprintf("%.0f%% full, %d messages judged", 100*s.Judge.Fill, s.Judge.Messages), full)
}

// troubles returns two errors, each nil if there is no problem. clock means that the farm's clock differs from now, the
// time of this machine. stream means that the farm's stream of results is nearly full.
func troubles(s *farm.Status, now time.Time) (clock, stream error) {
	if off := now.Sub(s.At); off.Abs() > time.Minute {
		clock = fmt.Errorf("this machine's clock and the farm's are %v apart: the expiry of certificates and keys depends on them", off.Round(time.Second))
	}
	if s.Judge.Fill > 0.7 {
		stream = fmt.Errorf("it is %.0f%% full", 100*s.Judge.Fill)
	}
	return clock, stream
}

func (c *DoctorCommand) print(env *cli.Env, all []Finding) error {
	if c.JSON {
		if err := printJSON(env.Out, all); err != nil {
			return err
		}
	} else {
		for _, f := range all {
			mark := "ok"
			if !f.OK {
				mark = "WRONG"
			}
			fmt.Fprintf(env.Out, "%-12s %-6s %s\n", f.What, mark, f.Why)
		}
	}
	if slices.ContainsFunc(all, func(f Finding) bool { return !f.OK }) {
		return &cli.Exit{Code: cli.Failed}
	}
	return nil
}
