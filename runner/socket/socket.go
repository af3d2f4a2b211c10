// Package socket lets other processes on this machine follow and control a run. It uses a Unix socket next to
// the database that only the owner can open. [Listen] creates the server, and [Follow] and [Order] are the
// client.
//
// A client sends lines of JSON. After {"follow":true} the server sends the run's events until the session
// ends. The first event has the state of the run. The server answers each command, for example
// {"do":"pause"}, with one line of JSON. The line is {"error":"…"} if the command failed, and {} if it
// succeeded.
package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// ErrNobody is the error for a run that no process on this machine plays.
var ErrNobody = errors.New("no process on this machine plays it")

const suffix = ".sock"

// Path returns the path of the socket of a run, next to its database.
func Path(db, run string) string { return db + "." + url.PathEscape(run) + suffix }

// Runs returns the names of the runs that have a socket next to the database db. A socket may remain after
// its process was killed.
func Runs(db string) ([]string, error) {
	files, err := os.ReadDir(filepath.Dir(db))
	if err != nil {
		return nil, fmt.Errorf("looking for running series: %w", err)
	}
	var runs []string
	for _, f := range files {
		name, ok := strings.CutPrefix(f.Name(), filepath.Base(db)+".")
		name, isSocket := strings.CutSuffix(name, suffix)
		run, err := url.PathUnescape(name)
		if ok && isSocket && err == nil && f.Type() == os.ModeSocket {
			runs = append(runs, run)
		}
	}
	return runs, nil
}

// Clear deletes the socket files that a killed process has left. The caller must hold the lock of the run.
func Clear(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(privateOf(path)))
}

// privateOf returns the path of the temporary folder in which listen creates a socket.
func privateOf(path string) string { return path + ".new" }

// listen creates the socket in a folder that only the owner can open, sets its rights, and moves it into place. So no
// other user can connect in between. It replaces the files of a killed process. The caller holds the run's lock, so no
// live process uses them.
func listen(path string) (net.Listener, error) {
	if runtime.GOOS == "windows" { // a socket has the rights of its folder and cannot be renamed
		if err := Clear(path); err != nil {
			return nil, err
		}
		return net.Listen("unix", path) //nolint:noctx // a socket of this machine: it does not wait
	}
	private := privateOf(path)
	if err := os.RemoveAll(private); err != nil {
		return nil, err
	}
	if err := os.Mkdir(private, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(private) //nolint:errcheck // it is empty
	made := filepath.Join(private, "s")
	var listener *net.UnixListener
	err := short(made, func(name string) (err error) {
		listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false) // it would unlink the old name
	if err = os.Chmod(made, 0o600); err == nil {
		err = os.Rename(made, path)
	}
	if err != nil {
		_ = listener.Close() // nothing was sent
		return nil, err
	}
	return listener, nil
}

func dial(path string) (net.Conn, error) {
	var conn net.Conn
	err := short(path, func(name string) (err error) {
		conn, err = net.Dial("unix", name) //nolint:noctx // a socket of this machine: it does not wait
		return err
	})
	return conn, err
}

// maxName is a length in bytes that fits into a socket address on every system.
const maxName = 100

// short calls f with a path to the same file that is short enough for a socket address. On Linux it uses /proc/self/fd.
func short(path string, f func(name string) error) error {
	if len(path) <= maxName || runtime.GOOS != "linux" {
		return f(path)
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close() //nolint:errcheck // it was only looked up
	return f(fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), filepath.Base(path)))
}
