package players

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
)

// TestStamps: a file that is written again with the same bytes is the same player. A file with other bytes is another
// player, even if the length is the same.
func TestStamps(t *testing.T) {
	t.Parallel()
	net := filepath.Join(t.TempDir(), "nn.bin")
	age := 0
	write := func(text string) {
		t.Helper()
		testutil.OK(t, os.WriteFile(net, []byte(text), 0o600))
		age++ // the times of file systems may be equal for two writes
		when := time.Unix(1_700_000_000+int64(age), 0)
		testutil.OK(t, os.Chtimes(net, when, when))
	}
	// The SHA-256 of "abc" from FIPS 180-2, appendix B.1.
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	p := match.Player{Name: "new", Command: []string{"./new"}, Identity: match.Identity{Files: []match.FileHash{
		{Role: "EvalDir/nn.bin", Path: net, SHA256: abc},
		{Role: match.BinaryRole, Path: net + " of another machine", SHA256: abc},
	}}}
	write("abc")
	var s stamps
	for _, text := range []string{"abc", "abc"} {
		write(text)
		testutil.OK(t, s.check(p))
	}
	write("abd")
	for range 2 { // the second check rejects the file again
		err := s.check(p)
		if err == nil || !strings.Contains(err.Error(), "engine new: its EvalDir/nn.bin") ||
			!strings.Contains(err.Error(), abc+" before") {
			t.Error(err)
		}
	}
	built := p
	built.Identity.Files = []match.FileHash{{Role: match.BinaryRole, Path: net, SHA256: abc}}
	// Calculated with sha256sum of GNU coreutils.
	built.Identity.Variants = []match.Variant{{SHA256: "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"}}
	testutil.OK(t, s.check(built), "a variant of the same program is refused")
	testutil.OK(t, os.Remove(net))
	testutil.Fails(t, s.check(p), "", "a file that is gone was not missed")
	p.Builtin = true
	testutil.OK(t, s.check(p))
}

// TestOpenChanged: Open rejects a program that was built again at its path.
func TestOpenChanged(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("true")
	if err != nil {
		t.Skip("no program that ends at once")
	}
	data := testutil.Must(os.ReadFile(program))(t)
	file := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(file, data, 0o700); err != nil {
		t.Fatal(err)
	}
	p := match.Player{Name: "dev", Command: []string{file}, Identity: match.Identity{
		Files: []match.FileHash{{Role: match.BinaryRole, Path: file, SHA256: strings.Repeat("0", 64)}}}}
	o := &Opener{Plan: &match.Plan{}}
	open := func() string {
		_, err := o.Open(t.Context(), p, nil)
		testutil.Require(t, err != nil, "a program that says nothing was greeted")
		return err.Error()
	}
	if said := open(); strings.Contains(said, "has changed") {
		t.Error("the first start is trusted, and said:", said)
	}
	if err := os.WriteFile(file, append(data, 0), 0o700); err != nil {
		t.Fatal(err)
	}
	testutil.Contains(t, open(), "engine dev: its binary")
}
