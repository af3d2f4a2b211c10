package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
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

// cmd is the command without its pipes. What is wrong with it comes out at its
// Start.
func (s Spec) cmd() *exec.Cmd {
	// Close ends it, with more patience than a context's end would have.
	cmd := exec.Command(s.Command[0], s.Command[1:]...) //nolint:noctx // see above
	cmd.Dir = s.Dir
	cmd.Env = append(cmd.Environ(), s.Env...) // the last value of a key wins
	return cmd
}

// pin binds the calling thread to the CPUs; none: it stays as it is.
func pin(cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	var want, have unix.CPUSet
	for _, c := range cpus {
		want.Set(c)
		if c < 0 || !want.IsSet(c) { // Set ignores what is too high
			return fmt.Errorf("CPUs %v: there can be no CPU %d", cpus, c)
		}
	}
	if err := unix.SchedSetaffinity(0, &want); err != nil {
		return fmt.Errorf("CPUs %v: none of them can be used here: %w", cpus, err)
	}
	if err := unix.SchedGetaffinity(0, &have); err != nil {
		return fmt.Errorf("CPUs %v: %w", cpus, err)
	}
	if have != want { // the kernel drops what is offline or not allowed, silently
		return fmt.Errorf("CPUs %v: only %d of them can be used here", cpus, have.Count())
	}
	return nil
}

// makePipes makes the child's stdin, stdout and stderr and returns both ends of
// each, in this order. os.Pipe makes them close-on-exec; exec gives the child
// its ends as descriptors 0, 1 and 2.
func makePipes() (ours, theirs [3]*os.File, err error) {
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return ours, theirs, fmt.Errorf("making a pipe: %w", err)
		}
		ours[i], theirs[i] = r, w
	}
	ours[0], theirs[0] = theirs[0], ours[0] // we write the stdin that the child reads
	return ours, theirs, nil
}

// closeAll closes pipe ends, which have no buffer: nothing can be lost. Those
// that were never made are nil and stay so.
func closeAll(files [3]*os.File) {
	for _, f := range files {
		_ = f.Close() // a pipe end without buffer: nothing can be lost
	}
}

// explain says what is wrong when cmd did not start. The kernel's ENOENT alone
// may mean the program, its directory, or the interpreter of a script.
func explain(cmd *exec.Cmd, err error) error {
	if cmd.Dir != "" {
		if derr := checkDir(cmd.Dir); derr != nil {
			return fmt.Errorf("working directory %s: %w", cmd.Dir, derr)
		}
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%w (a program in the working directory is written ./%s)", exec.ErrNotFound, filepath.Base(cmd.Path))
	}
	var path *os.PathError
	if !errors.As(err, &path) || path.Op != "fork/exec" {
		return err
	}
	file := program(cmd)
	err = explainFile(file, path.Err)
	if file == cmd.Args[0] { // the caller says that already
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// checkDir says why dir cannot be a working directory.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return cause(err)
	}
	if !info.IsDir() {
		return syscall.ENOTDIR
	}
	if err := unix.Access(dir, unix.X_OK); err != nil {
		return err
	}
	return nil
}

// explainFile says why the kernel refused to execute file with err.
func explainFile(file string, err error) error {
	info, serr := os.Stat(file)
	switch {
	case serr != nil:
		return cause(serr)
	case info.IsDir():
		return syscall.EISDIR
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("not executable (chmod +x): %w", err)
	case errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("the file exists, but the interpreter of its #! line, or its loader, does not: %w", err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("neither a program for this machine nor a script with a #! line: %w", err)
	}
	return err
}

// program is the path of the program as seen from here, not from cmd.Dir.
func program(cmd *exec.Cmd) string {
	if filepath.IsAbs(cmd.Path) {
		return cmd.Path
	}
	return filepath.Join(cmd.Dir, cmd.Path)
}

// cause is err without the operation and path that the caller says better.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
