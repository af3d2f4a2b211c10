package players

import (
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// The kernel's own list of the processor's features must agree.
func TestInstructionSets(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || runtime.GOARCH != "amd64" {
		t.Skip("the flags of an x86-64 processor are not to be read here")
	}
	line := regexp.MustCompile(`(?m)^flags\s*:(.*)$`).FindSubmatch(text)
	if line == nil {
		t.Skip("the kernel tells no flags")
	}
	flags := strings.Fields(string(line[1]))
	var want []string
	for _, level := range []struct{ name, needs string }{
		{"x86-64-v4", "avx512f avx512bw avx512cd avx512dq avx512vl"},
		{"x86-64-v3", "avx avx2 bmi1 bmi2 fma"},
		{"x86-64-v2", "cx16 popcnt pni ssse3 sse4_1 sse4_2"},
	} {
		missing := slices.DeleteFunc(strings.Fields(level.needs), func(f string) bool { return slices.Contains(flags, f) })
		if len(missing) == 0 {
			want = append(want, level.name)
		}
	}
	testutil.Slices(t, instructionSets(), want, "and by the kernel")
}
