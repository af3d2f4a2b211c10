package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/internal/testutil"
)

// completing returns a folder with a run. It skips the test if the shell is not installed.
func completing(t *testing.T, shell string) *folder {
	t.Helper()
	testutil.Installed(t, "GOGI_REAL_SHELLS", shell, shell)
	s := &folder{dir: t.TempDir()}
	if _, errs, code := s.gogi(t, "match", "--engine", "a=builtin", "--engine", "b=builtin", "--nodes", "1", "--max-plies",
		"20", "--games", "2", "--run", "nightly", "-q"); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	return s
}

// inShell returns the output of a shell that runs in the folder.
func (s *folder) inShell(t *testing.T, command ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	testutil.Require(t, err == nil, "%v: %v\n%s", command, err, out)
	return string(out)
}

// TestFishCompletesGogi: with the setup of the documentation, a real fish completes a command, a flag, a flag's value
// and a run.
func TestFishCompletesGogi(t *testing.T) {
	t.Parallel()
	s := completing(t, "fish")
	parser := testutil.Must(gogiProgram().Parser(t.Context(), new(commandLine), &cli.Env{Out: io.Discard, Err: io.Discard},
		false))(t)
	var completion, deterministic string
	for _, command := range parser.Model.Children {
		if command.Name == "completion" {
			completion = command.Help
		}
		for _, f := range command.Flags {
			if command.Name == "match" && f.Name == "deterministic" {
				deterministic = f.Help
			}
		}
	}
	for typed, want := range map[string]string{
		"gogi complet":          "completion\t" + completion,
		"gogi match --determ":   "--deterministic\t" + deterministic,
		"gogi check --exit bis": "bisect",
		"gogi report nigh":      "nightly",
	} {
		out := s.inShell(t, "fish", "-N", "-c", "gogi completion fish | source; complete -C '"+typed+"'")
		testutil.Check(t, strings.TrimSpace(out) == want, "%q is completed to %q, want %q", typed, out, want)
	}
}

// TestZshCompletesGogi presses the tab key in a real zsh, on its own terminal.
func TestZshCompletesGogi(t *testing.T) {
	t.Parallel()
	s := completing(t, "zsh")
	script := s.inShell(t, "gogi", "completion", "zsh")
	testutil.OK(t, os.WriteFile(filepath.Join(s.dir, "_gogi"), []byte(script), 0o600))
	// The shell prints the completed line and does not run it.
	out := s.inShell(t, "zsh", "-f", "-c", `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "fpath=($HOME \$fpath); autoload -Uz compinit; compinit -u -D; PS1=; told() { print -r -- LINE=\$BUFFER; BUFFER=; zle accept-line }; zle -N told; bindkey '^X' told; print READ''Y"
zpty -r z seen '*READY*'
for typed in 'gogi complet' 'gogi match --determ' 'gogi check --exit bis' 'gogi check --exit=bis' 'gogi report nigh'; do
zpty -w -n z $typed$'\t\x18'
zpty -r z seen '*LINE=*'$'\n' && print -r -- ${seen##*LINE=}
done
zpty -d z`)
	want := []string{
		"gogi completion ", "gogi match --deterministic ", "gogi check --exit bisect ", "gogi check --exit=bisect ",
		"gogi report nightly ",
	}
	testutil.Slices(t, strings.FieldsFunc(out, func(r rune) bool { return r == '\r' || r == '\n' }), want,
		"the completed lines")
}
