package testutil

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// WriteProgram writes a script, or another program, that a test can run immediately. If another goroutine
// forks a process while the file is open, the process holds the file open until its own exec. Until then
// the kernel does not run the file: ETXTBSY, "text file busy". WriteProgram therefore prevents forks
// while the file is open.
func WriteProgram(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(text), 0o755)
	syscall.ForkLock.RUnlock()
	if err == nil {
		err = os.Chmod(path, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Chromium returns the path of the browser. The headless shell is preferred, because it has the same engine and takes
// a third of the time.
func Chromium(t testing.TB) string {
	t.Helper()
	if path := "/usr/bin/chromium-headless-shell"; Err(os.Stat(path)) == nil {
		return path
	}
	return Installed(t, "GOGI_REAL_BROWSER", "chromium", "chromium-headless-shell fonts-noto-cjk")
}

// Installed returns the path of a program that a test needs. It skips the test if the program is not installed.
// If variable is "required" in the environment, as in CI, the test fails instead. packages are Debian's packages
// of the program.
func Installed(t testing.TB, variable, program, packages string) string {
	t.Helper()
	for _, folder := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/games") { // not in every PATH of Debian
		path := filepath.Join(folder, program)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	Require(t, os.Getenv(variable) != "required", "%s is not installed: apt-get install %s", program, packages)
	t.Skipf("%s is not installed: apt-get install %s", program, packages)
	return ""
}

// Tagged returns the running processes whose environment has GOGI_TEST_TAG=tag, as paths /proc/PID/environ.
func Tagged(t testing.TB, tag string) []string {
	t.Helper()
	files := Must(filepath.Glob("/proc/[0-9]*/environ"))(t)
	return slices.DeleteFunc(files, func(file string) bool {
		environ, err := os.ReadFile(file)
		return err != nil || !bytes.Contains(environ, []byte("GOGI_TEST_TAG="+tag+"\x00"))
	})
}
