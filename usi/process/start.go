package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func (s Spec) check() error {
	if len(s.Command) == 0 || s.Command[0] == "" {
		return errors.New("no command to start")
	}
	for _, kv := range s.Env {
		if strings.Index(kv, "=") < 1 {
			return fmt.Errorf("starting %s: environment %q: want KEY=VALUE", s.Command[0], kv)
		}
	}
	return nil
}

// with returns the spec with more environment variables.
func (s Spec) with(env []string) Spec {
	s.Env = slices.Concat(s.Env, env)
	return s
}

// cmd returns the command without its pipes. Its method Start reports any error in the command.
func (s Spec) cmd() *exec.Cmd {
	// Close gives the process more time to end than a cancelled context would.
	cmd := exec.Command(s.Command[0], s.Command[1:]...) //nolint:noctx // see above
	cmd.Dir, cmd.ExtraFiles = s.Dir, s.Files
	cmd.Env = append(slices.DeleteFunc(cmd.Environ(), isSecret), s.Env...) // the last value of a key wins
	return cmd
}

// isSecret reports whether kv, KEY=VALUE, is a variable with which a user gives this program a password, or the path of
// a file with a secret. No engine needs it, and an engine may print its environment.
func isSecret(kv string) bool {
	key, _, _ := strings.Cut(kv, "=")
	return slices.Contains([]string{"GOGI_CSA_PASSWORD", "GOGI_FARM_CREDS", "GOGI_TOKEN_FILE"}, key)
}

// closeAll closes pipe ends; those that were never made are nil.
func closeAll(files [3]*os.File) {
	for _, f := range files {
		_ = f.Close() // a pipe end has no buffer, so nothing can be lost
	}
}

// explain returns the reason why cmd did not start. The kernel's ENOENT may mean the program, its directory,
// or the interpreter of a script.
func explain(cmd *exec.Cmd, err error) error {
	if cmd.Dir != "" {
		if derr := checkDir(cmd.Dir); derr != nil {
			return fmt.Errorf("working directory %s: %w", cmd.Dir, derr)
		}
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%w (a program in the working directory is written ./%s)", exec.ErrNotFound,
			filepath.Base(cmd.Path))
	}
	var path *os.PathError
	if !errors.As(err, &path) || path.Op != "fork/exec" {
		return err
	}
	file := program(cmd)
	err = explainFile(file, path.Err)
	if file == cmd.Args[0] { // the caller's error already contains the name
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// checkDir returns an error if dir cannot be a working directory.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return cause(err)
	}
	if !info.IsDir() {
		return syscall.ENOTDIR
	}
	return mayEnter(dir)
}

// program returns the path of the program relative to the working directory of gogi, not to cmd.Dir.
func program(cmd *exec.Cmd) string {
	if filepath.IsAbs(cmd.Path) {
		return cmd.Path
	}
	return filepath.Join(cmd.Dir, cmd.Path)
}

// cause returns err without its operation and path, because the caller's message has them.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

const (
	// busyWait is how long Start retries a program file that is open for writing.
	busyWait = 5 * time.Second
	// busyPause is the pause between two tries. The usual cause is a child that another thread forked while
	// it wrote the file. That child has the file open until its exec.
	busyPause = 10 * time.Millisecond
	// scarceWait is the longest time for which Patiently waits for a free file descriptor.
	scarceWait = 2 * time.Minute
	// scarcePause is the pause between two calls of start by Patiently.
	scarcePause = 200 * time.Millisecond
)

// startWhenFree repeats startOnce while the program file is open for writing.
func startWhenFree(spec Spec, guard *Guard) (*Process, error) {
	for end := time.Now().Add(busyWait); ; time.Sleep(busyPause) { //nolint:forbidigo // the system sends no event for it
		p, err := startOnce(spec, guard)
		if err == nil || !isBusy(err) || time.Now().After(end) {
			return p, err
		}
	}
}

// Patiently calls start, and calls it again while it fails because this program or the system has no free
// file descriptor. It gives up after two minutes or when ctx ends, and returns the last error. It calls
// waiting, which may be nil, once when it begins to wait.
func Patiently(ctx context.Context, waiting func(why error), start func() error) error {
	limit := time.NewTimer(scarceWait)
	defer limit.Stop()
	pause := time.NewTicker(scarcePause)
	defer pause.Stop()
	for first := true; ; first = false {
		err := start()
		if err == nil || !isScarce(err) {
			return err
		}
		if first && waiting != nil {
			waiting(err)
		}
		select {
		case <-pause.C:
		case <-limit.C:
			return err
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}
