// Package farmcmd implements the commands of the group farm: flags, wiring and exit codes. [Command] is the
// group; each command is a type of its own, for example [ServeCommand] and [WorkCommand]. On the
// coordinator's machine, package farm/site does the work. On a worker's machine, packages farm/worker and
// farm/worker/machine do.
package farmcmd

import (
	"bufio"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/farm/keys"
	"gogi/internal/format"
	"gogi/internal/sanitize"
)

// Command is the group of the farm's commands.
type Command struct {
	Serve ServeCommand `cmd:"" help:"Run the coordinator of a farm"`
	Work  WorkCommand  `cmd:"" help:"Play for a farm on this machine"`
	Key   KeyCommand   `cmd:"" help:"Make, list and revoke keys"`
	Login LoginCommand `cmd:"" help:"Check credentials and store them for the other commands"`

	Join   JoinCommand   `cmd:"" help:"Make a key here, and send a sign-up for it to a farm"`
	Signup SignUpCommand `cmd:"" help:"List, approve and reject sign-ups"`
	Web    WebCommand    `cmd:"" help:"Print a link that logs a browser in at a farm's pages"`
	Log    LogCommand    `cmd:"" help:"Print the log of all actions on a farm"`
	People PeopleCommand `cmd:"" help:"Print the games and CPU hours of people by month"`

	Submit  SubmitCommand `cmd:"" help:"Submit a match (flags of gogi match), a tune or self-play"`
	Approve OrderCommand  `cmd:"" help:"Approve a test of another owner"`
	Reject  OrderCommand  `cmd:"" help:"Reject a test of another owner before it is played"`
	List    ListCommand   `cmd:"" help:"List the tests"`
	Show    ShowCommand   `cmd:"" help:"Show a test; --watch follows it"`
	Stop    OrderCommand  `cmd:"" help:"Stop a test; its stored pairs stay"`
	Pause   OrderCommand  `cmd:"" help:"Start no more pairs of a test; running pairs finish"`
	Resume  OrderCommand  `cmd:"" help:"Resume a paused or stopped test"`
	Set     SetCommand    `cmd:"" help:"Set the priority of a test, or its share of the workers"`
	Mirror  MirrorCommand `cmd:"" help:"Copy and verify tests in a database here, or send a run"`
	Audit   AuditCommand  `cmd:"" help:"Replay a test's moves here, or play its pairs again"`

	Recipe  RecipeCommand  `cmd:"" help:"List, allow and remove recipes for git commits"`
	Worker  WorkerCommand  `cmd:"" help:"List, drain, quarantine and trust workers"`
	Release ReleaseCommand `cmd:"" help:"Sign programs for workers, and deploy them"`

	Bench   BenchCommand   `cmd:"" help:"Measure the speed of this machine, with one search per CPU"`
	Doctor  DoctorCommand  `cmd:"" help:"Check secrets, disks, clocks and the NATS server"`
	Backup  BackupCommand  `cmd:"" help:"Back up a farm, also while it is running"`
	Restore RestoreCommand `cmd:"" help:"Make a farm's folder from a backup"`
}

// WorkerCommand groups the commands about workers.
type WorkerCommand struct {
	List       WorkersCommand    `cmd:"" help:"List the workers"`
	Drain      DrainCommand      `cmd:"" help:"Let a worker finish its games and give it no more"`
	Quarantine QuarantineCommand `cmd:"" help:"Give a worker no more pairs; its stored results stay"`
	Trust      TrustCommand      `cmd:"" help:"Set the share of a worker's pairs that others play again"`
	Void       VoidCommand       `cmd:"" help:"Void a worker's pairs of a test; they are played again"`
}

// owner has the flags of every command that sends requests to a coordinator.
type owner struct {
	Creds string `name:"creds" env:"GOGI_FARM_CREDS" placeholder:"FILE" help:"Credentials file from gogi farm key new (default: the file of gogi farm login)."`
	JSON  bool   `name:"json" help:"Print one JSON object."`
}

// defaultCreds returns the path to which gogi farm login writes credentials.
func defaultCreds() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "gogi", "farm.creds"), err
}

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

// Logger returns a log of a long-running command on standard error, one line for each event. With quiet it writes
// only warnings and errors.
func Logger(env *cli.Env, quiet bool) *slog.Logger {
	level := slog.LevelInfo
	if quiet {
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(env.Err, &slog.HandlerOptions{Level: level}))
}

// labels parses labels: words of the form "k=v".
func labels(words []string) (map[string]string, error) {
	all := map[string]string{}
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok || k == "" || v == "" {
			return nil, wrong("%q is not a label: expected NAME=VALUE", w)
		}
		all[k] = v
	}
	return all, nil
}

// printRows prints a table. It removes control characters from the cells, because other people wrote them.
func printRows(w io.Writer, t *format.Columns, rows [][]string) error {
	for _, row := range rows {
		for i := range row {
			row[i] = sanitize.Printable(row[i], 200)
		}
		t.Widen(row)
	}
	out := bufio.NewWriter(w)
	t.Head(out)
	for _, row := range rows {
		t.Row(out, row)
	}
	return out.Flush()
}
