package farmcmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"gogi/cmd/gogi/cli"
	"gogi/usi/process"
)

// become returns an error, because a Windows process cannot become another program. The error names the file
// of the new program, for the person or service that restarts the worker.
func become(file string) error {
	return fmt.Errorf("the new program is %s: it is for whoever restarts the worker to begin it", file)
}

// handOver runs another program of gogi with the streams and arguments of this process, and returns its exit code. The
// other program gets the same Ctrl-C and decides what it means. It ends if this process is killed.
func handOver(file string) error {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
	cmd := exec.Command(file, os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return cannotRun(file, err)
	}
	_ = process.EndTogether(cmd.Process) // fails if it has ended already
	err := cmd.Wait()
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		return &cli.Exit{Code: cmd.ProcessState.ExitCode()}
	}
	return err
}
