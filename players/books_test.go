package players

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
)

// TestShelf: a book is read once, and only if its file has the hash in the plan.
func TestShelf(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.usi")
	const text = "startpos moves 9g9f\n"
	testutil.OK(t, os.WriteFile(file, []byte(text), 0o600))
	sum := sha256.Sum256([]byte(text))
	files := []match.FileHash{{Role: "binary"}, {Role: match.BookRole, Path: file, SHA256: hex.EncodeToString(sum[:])}}
	var s books
	if draw, err := s.drawer(files[:1]); draw != nil || err != nil {
		t.Error("there is a book", err)
	}
	draw := testutil.Must(s.drawer(files))(t)
	start := shogi.StartPos()
	if m := draw(&start, rand.New(rand.NewPCG(1, 2))); m.String() != "9g9f" {
		t.Error(m)
	}
	testutil.OK(t, os.WriteFile(file, []byte("startpos moves 1g1f\n"), 0o600))
	testutil.OK(t, testutil.Err(s.drawer(files)), "it was read again")
	testutil.Fails(t, testutil.Err(new(books).drawer(files)), "has changed")
	files[1].Path += "x"
	testutil.Fails(t, testutil.Err(s.drawer(files)), "", "a file that is not there was read")
}

// TestInstructionSets: instructionSets agrees with the kernel's list of the processor's features.
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
