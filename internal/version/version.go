// Package version reports the version and the build of this program. Use [Own]; it reads the
// build information of the Go runtime.
package version

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// The linker sets these for releases (.ci/dist). There the sources need not be a repository, and two
// builds of one commit have the same bytes.
var stamped, revision string //nolint:gochecknoglobals // the linker sets variables only

// maintainers is set by the linker, too: see Maintainers.
var maintainers string //nolint:gochecknoglobals // likewise

// unknown is the text for missing build information.
const unknown = "unknown"

// Info is a build.
type Info struct {
	Version  string `json:"version"`  // as v1.2.3, or v0.0.0-TIME-COMMIT between releases; "(devel)" if the sources were no repository
	Revision string `json:"revision"` // the commit, 40 hexadecimal digits, or "unknown"
	Go       string `json:"go"`       // the version of Go that built it
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// Own returns the build of this program.
func Own() Info {
	info, _ := debug.ReadBuildInfo()
	return of(stamped, revision, info)
}

// Maintainers returns the public key (nkey) that signs releases of this program. A farm's worker accepts
// updates only with it; "" if this build has none.
func Maintainers() string { return maintainers }

// String returns the version, with the commit if it is known.
func (i Info) String() string {
	if i.Revision == unknown {
		return i.Version
	}
	return i.Version + " " + i.Revision
}

// of prefers the linker's values to those of the go command; info may be nil.
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
