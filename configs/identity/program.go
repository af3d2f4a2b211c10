package identity

import (
	"path/filepath"
	"strings"
)

// IsWrapper reports whether a command starts another program that its arguments name. The identity of such an
// engine includes the files among the arguments, and gogi ignores the folder of the wrapper.
func IsWrapper(command []string) bool {
	switch name := filepath.Base(command[0]); name {
	case "nice", "ionice", "taskset", "numactl", "chrt", "env", "stdbuf", "setpriv", "prlimit", "time", "timeout",
		"sh", "bash", "dash", "node", "java", "ruby", "perl", "mono", "dotnet", "wine", "wine64", "box64":
		return true
	default:
		return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "qemu-")
	}
}

// IsRemote reports whether the command starts a program on another machine with ssh.
func IsRemote(command []string) bool { return filepath.Base(command[0]) == "ssh" }
