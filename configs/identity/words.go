package identity

import (
	"os"
	"path/filepath"
	"strings"

	"gogi/configs/advice"
	"gogi/internal/disk"
	"gogi/match"
)

// SplitPath finds a path with blanks that was split into several words of a command. It joins the first words of
// the command until they are the path of a file, and returns this path. Relative paths are relative to base. It
// returns "" if there is no such path, or if the first word alone is the path of a program.
func SplitPath(base string, words []string) string {
	if strings.Contains(words[0], "/") && disk.CheckProgram(disk.Absolute(base, words[0])) == nil {
		return ""
	}
	for n := 2; n <= len(words); n++ {
		path := strings.Join(words[:n], " ")
		if !strings.Contains(path, "/") {
			continue
		}
		if info, err := os.Stat(disk.Absolute(base, path)); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// Clocks returns a warning for each clock that looks like "moves/time", a number of moves and their time. It
// warns only once about each clock.
func Clocks(players []match.Player) (warnings []advice.Warning) {
	warned := map[match.TimeControl]bool{}
	for _, p := range players {
		clock := p.Limits.Clock
		if clock.Main <= 0 || clock.Byoyomi <= clock.Main || warned[clock] {
			continue
		}
		warned[clock] = true
		warnings = append(warnings,
			advice.Of("time control %s is %s of main time, then %s for each move; shogi has no time control of moves per period",
				clock, clock.Main, clock.Byoyomi))
	}
	return warnings
}

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
