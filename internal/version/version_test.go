package version

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestOf(t *testing.T) {
	found := &debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-2026"}, Settings: []debug.BuildSetting{
		{Key: "vcs.time", Value: "now"}, {Key: "vcs.revision", Value: "abc"},
	}}
	for _, c := range []struct {
		version, revision string
		info              *debug.BuildInfo
		want              [2]string
	}{
		{"", "", nil, [2]string{"unknown", "unknown"}},
		{"", "", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, [2]string{"(devel)", "unknown"}},
		{"", "", found, [2]string{"v0.0.0-2026", "abc"}},
		{"v1.0.0", "def", found, [2]string{"v1.0.0", "def"}},
		{"v1.0.0", "def", nil, [2]string{"v1.0.0", "def"}},
	} {
		got := of(c.version, c.revision, c.info)
		if [2]string{got.Version, got.Revision} != c.want || got.Go != runtime.Version() || got.OS != runtime.GOOS ||
			got.Arch != runtime.GOARCH {
			t.Errorf("%q, %q, %v: %+v, want %q", c.version, c.revision, c.info, got, c.want)
		}
	}
}
