// Package version reports the version and the build of this program. Use [Own], which reads the build
// information of the Go runtime.
package version

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// The linker sets these variables for releases (.ci/dist), because the sources of a release may be outside a
// repository. So two builds of one commit have the same bytes.
var stamped, revision string

// maintainers is the result of Maintainers. The linker sets it.
var maintainers string

// unknown is the text for missing build information.
const unknown = "unknown"

// Info describes a build of this program.
type Info struct {
	// such as v1.2.3, v0.0.0-TIME-COMMIT between releases, or "(devel)" without a repository
	Version  string `json:"version"`
	Revision string `json:"revision"` // the commit, 40 hexadecimal digits, or "unknown"
	Go       string `json:"go"`       // version of Go that built the program
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// Own returns the build information of this program.
func Own() Info {
	info, _ := debug.ReadBuildInfo()
	return of(stamped, revision, info)
}

// Maintainers returns the public key (nkey) of the key that signs releases of this program. A farm's worker
// accepts only updates with a signature by that key. Maintainers returns "" if this build has no key.
func Maintainers() string { return maintainers }

// String returns the version, followed by the commit if the commit is known.
func (i Info) String() string {
	if i.Revision == unknown {
		return i.Version
	}
	return i.Version + " " + i.Revision
}

// of returns the build information. version and revision are the values from the linker, which have precedence over
// those of the go command in info. info may be nil.
func of(version, revision string, info *debug.BuildInfo) Info {
	own := Info{Version: version, Revision: revision, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info != nil {
		own.Version = cmp.Or(own.Version, info.Main.Version)
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				own.Revision = cmp.Or(own.Revision, s.Value)
			}
		}
	}
	own.Version, own.Revision = cmp.Or(own.Version, unknown), cmp.Or(own.Revision, unknown)
	return own
}
