package farmcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec" //nolint:depguard // finds the program that replaces this one
	"path/filepath"
	"syscall"
	"time"

	"gogi/cmd/gogi/session"
	"gogi/internal/version"
)

// ServeCommand runs the coordinator of a farm.
type ServeCommand struct {
	File    string        `arg:"" optional:"" type:"existingfile" help:"Settings file (TOML)."`
	Listen  string        `placeholder:"HOST:PORT" help:"Listen address (default :7422; with --demo a free local port)."`
	State   string        `type:"path" placeholder:"DIR" help:"Folder of keys, secrets and journal (default farm; with --demo a temporary one)."`
	DB      string        `name:"db" type:"path" placeholder:"FILE" help:"Database of games (default: farm.db in the folder; with --demo farm-demo.db)."`
	NATS    string        `name:"nats" placeholder:"URL" help:"External NATS server instead of the embedded one, or a list with commas; the settings file must name the servers' monitoring pages."`
	Standby bool          `help:"Mirror the coordinator that leads the farm, and lead when it is gone; the settings file must have jetstream.takeover."`
	Lease   time.Duration `placeholder:"DUR" help:"Time without a heartbeat after which a pair is given to another worker (default 20s)."`
	Trace   string        `type:"path" placeholder:"FILE" help:"Log file to which gogi appends requests, leases and results as JSON lines."`
	Demo    bool          `help:"Try a farm with temporary keys and the default match. gogi prints the command for a worker and ends with the report."`
	Games   *int          `placeholder:"N" help:"With --demo: number of games."`
	HTTP    string        `name:"http" group:"pages" placeholder:"HOST:PORT" help:"Address of the farm's pages and of /metrics, such as 127.0.0.1:9422."`
	Quiet   bool          `short:"q" help:"Print no messages except warnings."`

	session.Pages
}

// Help returns the text below the usage line of --help.
func (*ServeCommand) Help() string {
	return `gogi farm key makes keys in the same folder, also while the coordinator runs. Flags override the
file.

Exit codes: 0 ended by a signal, 1 failed (no acknowledged result is lost; start it again),
2 usage, 7 another coordinator leads the farm (start this one with --standby).`
}

// Run starts the coordinator, which is a program of its own. With a coordinator in it, gogi would have twice its size.
func (c *ServeCommand) Run(context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	if os.Getenv(StartedBy) != "" { // it would start itself again and again
		return fmt.Errorf("%s: this is gogi, and expected is %s; install both programs again", self, coordinatorProgram)
	}
	if file, err := filepath.EvalSymlinks(self); err == nil { // some volumes of Windows have no such path
		self = file
	}
	file, err := coordinatorIn(filepath.Dir(self))
	if err != nil {
		return err
	}
	if err := os.Setenv(StartedBy, version.Own().String()); err != nil {
		return err
	}
	return handOver(file)
}

// cannotRun returns the error for a file that the system does not start. It does not wrap err: if the loader of a
// program is missing, err says that a file does not exist, but the program itself exists.
func cannotRun(file string, err error) error {
	return errors.New(file + ": this machine cannot run the file: " + err.Error() + "; install gogi again")
}

// coordinatorProgram is the name of the program that runs a coordinator. Windows adds .exe.
const coordinatorProgram = "gogi-farm"

// StartedBy is the environment variable in which gogi gives its version to the program of the coordinator.
const StartedBy = "GOGI_STARTED_BY"

// coordinatorIn returns the path of the program of the coordinator: in dir, the folder of gogi, or else on the PATH.
func coordinatorIn(dir string) (string, error) {
	file, err := exec.LookPath(filepath.Join(dir, coordinatorProgram))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) || errors.Is(err, syscall.EISDIR) {
		if file, err = exec.LookPath(coordinatorProgram); err != nil {
			return "", fmt.Errorf("%s not found in %s and on the PATH; gogi farm serve needs this program, which is in the archive "+
				"and the package of gogi, and which `make build` makes from the sources", coordinatorProgram, dir)
		}
	}
	if err != nil {
		return "", fmt.Errorf("%w; make the file executable, or install gogi again", err)
	}
	return file, nil
}
