//go:build linux

package dist

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// command runs a program to its end, and returns its output.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "VERSION=v1.2.3-rc1", "REVISION=0123456789abcdef0123456789abcdef01234567",
		"SOURCE_DATE_EPOCH=1700000000")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, said.String())
	}
	return string(out)
}

// sources copies the files of the working tree, except those that git ignores, into a folder outside of a repository.
func sources(t *testing.T, name string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), name)
	for file := range strings.SplitSeq(strings.TrimSuffix(command(t, "../../..", "git", "ls-files", "-z", "-co",
		"--exclude-standard"), "\x00"), "\x00") {
		from := filepath.Join("../../..", file)
		info, err := os.Stat(from)
		if err != nil {
			continue // deleted, and not yet committed
		}
		text := testutil.Must(os.ReadFile(from))(t)
		path := filepath.Join(to, file)
		testutil.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		testutil.OK(t, os.WriteFile(path, text, info.Mode().Perm()))
	}
	return to
}

// TestDist: make dist builds the same files in two folders, so no program contains the name of its folder. Each program
// reports its system, and the programs that can run here play or store games. The second build may use the go command's
// cache, because -trimpath makes the compiled packages equal.
func TestDist(t *testing.T) {
	if os.Getenv("GOGI_DIST") != "required" {
		t.Skip("GOGI_DIST=required builds for all systems, twice")
	}
	one, two := sources(t, "one"), sources(t, "another/folder")
	// a make that runs this test makes it print folders
	sums := command(t, one, "make", "-s", "--no-print-directory", "dist")
	if again := command(t, two, "make", "-s", "--no-print-directory", "dist"); again != sums ||
		strings.Count(sums, "\n") != 5 {
		t.Fatalf("the builds differ, or are not five files:\n%s\n%s", sums, again)
	}
	out := filepath.Join(one, "dist")
	command(t, out, "sha256sum", "-c", "SHA256SUMS")
	t.Run("linux", func(t *testing.T) {
		command(t, out, "tar", "-xzf", "gogi-v1.2.3-rc1-linux-amd64.tar.gz")
		runs(t, "linux/amd64", filepath.Join(out, "gogi-v1.2.3-rc1-linux-amd64", "gogi"))
		serves(t, filepath.Join(out, "gogi-v1.2.3-rc1-linux-amd64", "gogi"))
		lab(t, filepath.Join(out, "gogi-v1.2.3-rc1-linux-amd64", "gogi-lab"))
		for _, file := range []string{"LICENSE", "licences/MODULES", "licences/go/LICENSE", "completions/_gogi",
			"completions/_gogi-lab", "docs/farm.md"} {
			testutil.OK(t, testutil.Err(os.Stat(filepath.Join(out, "gogi-v1.2.3-rc1-linux-amd64", file))))
		}
	})
	t.Run("arm64", func(t *testing.T) {
		command(t, out, "tar", "-xzf", "gogi-v1.2.3-rc1-linux-arm64.tar.gz")
		words := []string{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu",
			filepath.Join(out, "gogi-v1.2.3-rc1-linux-arm64", "gogi")}
		says(t, "linux/arm64", words...)
		stores(t, words...)
	})
	t.Run("windows", func(t *testing.T) { // make wine plays with a program of the same build
		list := command(t, out, "unzip", "-Z1", "gogi-v1.2.3-rc1-windows-amd64.zip")
		for _, file := range []string{"gogi.exe", "gogi-farm.exe", "gogi-lab.exe", "LICENSE", "licences/MODULES",
			"licences/mingw-w64/copyright", "completions/gogi.ps1", "docs/install.md"} {
			testutil.Contains(t, list, "gogi-v1.2.3-rc1-windows-amd64/"+file+"\n", "no %s among", file)
		}
	})
	t.Run("deb", func(t *testing.T) {
		root := filepath.Join(t.TempDir(), "root")
		command(t, out, "dpkg-deb", "-x", "gogi_1.2.3~rc1_amd64.deb", root)
		runs(t, "linux/amd64", filepath.Join(root, "usr/bin/gogi"))
		serves(t, filepath.Join(root, "usr/bin/gogi"))
		lab(t, filepath.Join(root, "usr/bin/gogi-lab"))
		for _, file := range []string{"usr/lib/systemd/system/gogi-worker.service",
			"usr/share/bash-completion/completions/gogi", "usr/share/doc/gogi/copyright"} {
			testutil.OK(t, testutil.Err(os.Stat(filepath.Join(root, file))))
		}
		looked(t, out, root)
	})
}

// looked checks the package with lintian and its units with systemd-analyze, if they are installed.
func looked(t *testing.T, out, root string) {
	t.Helper()
	if _, err := exec.LookPath("lintian"); err == nil {
		command(t, out, "lintian", "--allow-root", "--fail-on", "error,warning", "gogi_1.2.3~rc1_amd64.deb")
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		return
	}
	for _, unit := range []string{"gogi-worker.service", "gogi-farm.service"} {
		path := filepath.Join(root, "usr/lib/systemd/system", unit)
		text, err := os.ReadFile(path)
		if err == nil { // the unit starts the program in the unpacked package
			err = os.WriteFile(path, bytes.ReplaceAll(text, []byte("=/usr/bin/gogi "), []byte("="+root+"/usr/bin/gogi ")), 0o600)
		}
		testutil.OK(t, err)
		command(t, out, "systemd-analyze", "--man=no", "verify", path)
	}
}

// says checks which build a program is.
func says(t *testing.T, system string, words ...string) {
	t.Helper()
	said := command(t, t.TempDir(), words[0], append(words[1:], "version")...)
	if !strings.HasPrefix(said, "gogi v1.2.3-rc1, commit 0123456789abcdef0123456789abcdef01234567, go1.") ||
		!strings.HasSuffix(strings.TrimSpace(said), ", "+system) {
		t.Errorf("version: %q", said)
	}
}

// runs calls says, and plays a match with the program.
func runs(t *testing.T, system string, words ...string) {
	t.Helper()
	says(t, system, words...)
	testutil.Contains(t, command(t, t.TempDir(), words[0], append(words[1:], "match", "-q", "--games", "2")...),
		"2 games (1 pair) · finished", "match")
}

// serves requires that gogi starts the gogi-farm of its folder, which accepts the version of gogi and finds the mistake
// in the command line.
func serves(t *testing.T, program string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "farm", "serve", "--games", "2")
	out, _ := cmd.CombinedOutput() // the exit code is checked
	if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "--games belongs to --demo") {
		t.Errorf("gogi farm serve: %v: %s", cmd.ProcessState, out)
	}
}

// lab calculates a χ² of counts, which is summed by hand.
func lab(t *testing.T, program string) {
	t.Helper()
	testutil.Contains(t, command(t, t.TempDir(), program, "stats", "lab", "homogeneity", "--counts", "10,2,20", "--counts",
		"20,1,9"), "χ² = 7.783", "gogi-lab")
}

// stores imports games into a database and reports on them. The program cannot start other programs under qemu-user.
// SQLite needs this test, because another C compiler builds it.
func stores(t *testing.T, words ...string) {
	t.Helper()
	records := testutil.Must(filepath.Abs("../../../results/games/testdata/floodgate.zip"))(t)
	dir := t.TempDir()
	command(t, dir, words[0], append(words[1:], "import", "--run", "r", "--db", "g.db", records)...)
	testutil.Contains(t, command(t, dir, words[0], append(words[1:], "report", "r", "--db", "g.db")...),
		"3 games (3 pairs)", "report")
}
