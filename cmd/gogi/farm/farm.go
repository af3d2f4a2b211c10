// Package farmcmd implements the commands of the group farm: flags, wiring and exit codes.
// [Command] is the group; each command is a type of its own, for example [ServeCommand] and
// [WorkCommand]. The work is done by package farm/site on the coordinator's machine and by
// farm/worker and farm/worker/machine on a worker's.
package farmcmd

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/farm/keys"
)

// Command groups the verbs.
type Command struct {
	Serve ServeCommand `cmd:"" help:"Coordinate a farm: grant pairs, verify and store what comes back."`
	Work  WorkCommand  `cmd:"" help:"Play for a farm on this machine, until told otherwise."`
	Key   KeyCommand   `cmd:"" help:"Who may work, hand in, approve, control: make, list and revoke keys."`
	Login LoginCommand `cmd:"" help:"Keep credentials for the verbs below, once the farm has accepted them."`

	Submit   SubmitCommand   `cmd:"" help:"Hand in a series (the flags are those of gogi match), or the file of a tune or of self-play."`
	Approve  ApproveCommand  `cmd:"" help:"Let a test of another owner be played."`
	Reject   RejectCommand   `cmd:"" help:"End a test of another owner before it is played."`
	List     ListCommand     `cmd:"" help:"List the tests."`
	Show     ShowCommand     `cmd:"" help:"Show a test, or follow it."`
	Stop     StopCommand     `cmd:"" help:"End a test; what is stored stays."`
	Pause    PauseCommand    `cmd:"" help:"Grant nothing more of a test; pairs in play are finished."`
	Resume   ResumeCommand   `cmd:"" help:"Go on with a test that is paused or was stopped, also with pairs that were given up."`
	Priority PriorityCommand `cmd:"" help:"Say how urgent a test is."`
	Share    ShareCommand    `cmd:"" help:"Say how many of the slots a test has, against others of its priority."`
	Mirror   MirrorCommand   `cmd:"" help:"Replicate games into a database here, checked; or back."`
	Follow   MirrorCommand   `cmd:"" hidden:"" help:"mirror by its earlier name."`
	Pull     PullCommand     `cmd:"" help:"Copy a test's games here: mirror --once, with gogi.db."`
	Push     PushCommand     `cmd:"" hidden:"" help:"Send a run's games to the farm: mirror --push."`
	Replay   ReplayCommand   `cmd:"" help:"Play some of a test's pairs again, here, and compare them move for move: exit code 0, or 12 where any differs."`
	Verify   VerifyCommand   `cmd:"" help:"Pull a test and play every move again, here: exit code 0, or 12 where anything differs."`

	Workers    WorkersCommand    `cmd:"" help:"List the workers."`
	Drain      DrainCommand      `cmd:"" help:"Give a worker nothing more; it ends when its games have ended."`
	Quarantine QuarantineCommand `cmd:"" help:"Take a worker's pairs away, at once; its results stay."`
	Trust      TrustCommand      `cmd:"" help:"Say how far a worker is believed: how many of its pairs are played again by others."`
	Purge      PurgeCommand      `cmd:"" help:"Make a worker's pairs of a test void: they are played again, and the gate is asked anew."`

	Update  UpdateCommand  `cmd:"" help:"Have the workers run another program: a few first, the others when it has proved itself."`
	Release ReleaseCommand `cmd:"" help:"Sign programs that workers take by themselves."`

	Bench   BenchCommand   `cmd:"" help:"Measure this machine: nodes a second of a reference engine on all slots at once."`
	Doctor  DoctorCommand  `cmd:"" help:"Look for what would go wrong: secrets, disks, clocks, an outside server's settings."`
	Backup  BackupCommand  `cmd:"" help:"Copy all that a farm cannot make again, also while it is served."`
	Restore RestoreCommand `cmd:"" help:"Make a farm's folder of a backup."`
}

// owner are what every verb needs that asks a coordinator.
type owner struct {
	Creds string `name:"creds" env:"GOGI_FARM_CREDS" placeholder:"FILE" help:"The credentials that gogi farm key new has made (default: those of gogi farm login)."`
	JSON  bool   `name:"json" help:"One JSON object."`
}

// defaultCreds is where gogi farm login keeps credentials.
func defaultCreds() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "gogi", "farm.creds"), err
}

// read reads the credentials.
func (o *owner) read() (keys.Creds, error) {
	file := o.Creds
	if file == "" {
		var err error
		if file, err = defaultCreds(); err != nil {
			return keys.Creds{}, err
		}
	}
	return keys.ReadCreds(file)
}

// logger tells a long-running verb's events on the standard error, a line each.
func logger(env *cli.Env, quiet bool) *slog.Logger {
	level := slog.LevelInfo
	if quiet {
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(env.Err, &slog.HandlerOptions{Level: level}))
}

// labels reads "k=v" words.
func labels(words []string) (map[string]string, error) {
	all := map[string]string{}
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok || k == "" || v == "" {
			return nil, wrong("%q is no label: expected NAME=VALUE", w)
		}
		all[k] = v
	}
	return all, nil
}
