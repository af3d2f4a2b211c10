package identity

import (
	"testing"

	"gogi/internal/testutil"
)

// TestOfSystem: the folders of libraries in the Filesystem Hierarchy Standard belong to the system. Names that only
// begin like them do not, and neither do disks that a desktop mounts below /run/media.
func TestOfSystem(t *testing.T) {
	for path, want := range map[string]bool{
		"/lib/x.so": true, "/lib64/x.so": true, "/usr/lib/x.so": true, "/usr/lib64/x.so": true, "/usr/bin/env": true,
		"/run/lock/x":     true,
		"/library/engine": false, "/libexec/engine": false, "/usr/libexec/engine": false, "/usr/library/engine": false,
		"/run/media/user/disk/engine": false, "/run/user/1000/engine": false, "/runner/engine": false,
		"/opt/lib/engine": false,
	} {
		testutil.Equal(t, ofSystem(path), want, "%s", path)
	}
}
