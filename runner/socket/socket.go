// Package socket lets other processes on this machine follow and control a run, through a Unix
// socket next to its database that only the owner may open. [Listen] serves it; [Follow] and
// [Order] are the client.
//
// A client sends lines of JSON. After {"follow":true} the server sends the run's events, a
// state first, until the session ends. It answers each order, for example {"do":"pause"}, with
// a line {"error":"…"}, or without the error if the order was carried out.
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

// ErrNobody is that no process on this machine plays the run.
var ErrNobody = errors.New("no process on this machine plays it")

const suffix = ".sock"

// Path is where the socket of a run is, beside its database.
func Path(db, run string) string { return db + "." + url.PathEscape(run) + suffix }

// Runs are the names of the runs that have a socket beside a database, whether or
// not somebody is behind it.
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

// Clear takes away what a process that was killed has left of a run's socket. Whoever
// calls it has the run's lock.
func Clear(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(privateOf(path)))
}

// privateOf is the folder in which a socket is made.
func privateOf(path string) string { return path + ".new" }

// listen makes the socket anew. It is made under another name in a folder that only
// the owner may enter, and moved into place when its own rights are set: nobody can
// connect in between, and what was left behind is replaced, the folder of a process that
// was killed in between, too. Whoever listens has the run's lock, so neither is
// anybody's who plays.
func listen(path string) (net.Listener, error) {
	if runtime.GOOS == "windows" { // there a socket has the rights of its folder, and no other name
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
	defer os.RemoveAll(private) //nolint:errcheck // it is empty by then
	made := filepath.Join(private, "s")
	var listener *net.UnixListener
	err := short(made, func(name string) (err error) {
		listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false) // by its old name
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

// maxName is what fits into a socket's address everywhere.
const maxName = 100

// short calls f with a name for a path that fits into a socket's address: Linux
// reaches a folder by its descriptor, too.
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
