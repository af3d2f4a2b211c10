package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"gogi/cmd/gogi/shell"
	"gogi/internal/testutil"
)

// grammar has every kind of command, argument and flag that can be completed.
type grammar struct {
	Play struct {
		File  string `arg:"" optional:"" help:"What — \"as\" is."`
		Kind  string `enum:"quick,slow" default:"quick" short:"k" help:".How."`
		Loud  bool   `negatable:"" group:"noise" help:"It's \\loud."`
		Name  string `placeholder:"N" help:"A name."`
		Quiet bool   `hidden:""`
	} `cmd:"" help:"Play it."`
	Pause struct{} `cmd:"" help:"Stop for a while."`
	Store struct {
		Show struct {
			All bool `help:"Everything."`
		} `cmd:"" default:"withargs" help:"Show."`
		Drop struct {
			What string `arg:"" enum:"old,new" help:"Which."`
		} `cmd:"" aliases:"rm" help:"Drop."`
	} `cmd:"" help:"What is kept."`
	Ghost struct{} `cmd:"" hidden:"" help:"Not told of."`
}

func model(t *testing.T) *kong.Application {
	t.Helper()
	k := testutil.Must(kong.New(new(grammar), kong.Name("prog"), kong.Description("A program.")))(t)
	return k.Model
}

func TestComplete(t *testing.T) {
	root := model(t).Node
	known := func(argument string, flags map[string]string) []shell.Candidate {
		if argument != "file" || flags["kind"] == "" {
			return nil
		}
		name := "none"
		if flags["name"] != "" {
			name = flags["name"]
		}
		return []shell.Candidate{{Word: flags["kind"] + "/" + name}}
	}
	for line, want := range map[string]string{
		"":                                 "play pause store",
		"pl":                               "play",
		"gh":                               "",
		"ghost ":                           "",
		"play --":                          "--kind --loud --no-loud --name --help",
		"play --k":                         "--kind",
		"play --kind ":                     "quick slow",
		"play -k s":                        "slow",
		"play --kind=q":                    "--kind=quick",
		"play --kind slow --n":             "--no-loud --name",
		"play --loud --kind ":              "quick slow",
		"play --name --k":                  "", // --k is the value of --name
		"play --name ":                     "",
		"play -- --k":                      "",
		"play ":                            "",
		"play --kind slow ":                "slow/none",
		"play --kind=quick --name N slow/": "",
		"play --kind=quick --name N q":     "quick/N",
		"store ":                           "show drop",
		"store --a":                        "--all",
		"store drop ":                      "old new",
		"store rm n":                       "new",
		"store drop old ":                  "",
		"nonsense ":                        "play pause store",
	} {
		var got []string
		for _, c := range shell.Complete(root, strings.Split(line, " "), known) {
			got = append(got, c.Word)
		}
		testutil.Diff(t, want, strings.Join(got, " "), "%q", line)
	}
	testutil.Check(t, shell.Complete(root, nil, nil) == nil, "no word at all is completed")
	list := shell.Complete(root, []string{"pa"}, nil)
	testutil.Check(t, list[0].Help == "Stop for a while.", "%+v", list)
}

// fakeProgram answers like the program, and records the requests.
func fakeProgram(t *testing.T) (dir string, asked func() string) {
	t.Helper()
	dir = t.TempDir()
	log := filepath.Join(dir, "asked")
	text := "#!/bin/sh\nprintf '%s|' \"$@\" >>" + log + "\necho >>" + log +
		"\nprintf -- '--kind=quick\\tHow: fast.\\n--kind=slow\\n'\n"
	testutil.WriteProgram(t, filepath.Join(dir, "prog"), text)
	return dir, func() string {
		text := testutil.Must(os.ReadFile(log))(t)
		return string(text)
	}
}

// runShell runs a shell with the program first in PATH. It skips the test if the shell is not installed.
func runShell(t *testing.T, dir string, command ...string) string {
	t.Helper()
	variable := "GOGI_REAL_SHELLS"
	if command[0] == "pwsh" { // which Debian does not have
		variable = ""
	}
	path := testutil.Installed(t, variable, command[0], command[0])
	cmd := exec.CommandContext(t.Context(), path, command[1:]...)
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir)
	out, err := cmd.CombinedOutput()
	testutil.Require(t, err == nil, "%v: %v\n%s", command, err, out)
	return string(out)
}

func script(t *testing.T, name string) string {
	t.Helper()
	text, err := shell.Script(name, "prog")
	testutil.Require(t, err == nil && !strings.Contains(text, "PROGRAM"), "%v\n%s", err, text)
	return text
}

// TestBash: bash cuts words at "=" and replaces only the part after it.
func TestBash(t *testing.T) {
	dir, asked := fakeProgram(t)
	out := runShell(t, dir, "bash", "-c", script(t, "bash")+`
COMP_LINE='prog play --kind=q and more'; COMP_POINT=18; _prog_complete prog q play; printf '<%s>' "${COMPREPLY[@]}"
COMP_LINE='prog play '; COMP_POINT=10; _prog_complete prog '' play; printf '<%s>' "${COMPREPLY[@]}"
complete -p prog`)
	testutil.Check(t, strings.HasPrefix(out, "<quick><slow><--kind=quick><--kind=slow>complete ") &&
		strings.Contains(out, "_prog_complete prog"),
		"%v", out)
	testutil.Diff(t, "complete|--|play|--kind=q|\ncomplete|--|play||\n", asked())
}

// names has names of runs from a foreign database, and the text that is typed before the tab key.
var names = []struct{ typed, name string }{
	{"a", "a$(touch${IFS}pwned)"},
	{"\"b", "b$(touch pwned)"},
	{"'c", "c'$(touch pwned)"},
	{"d", "d`touch pwned`"},
	{"\"e", "e`touch pwned`"},
	{"f", "f;touch pwned;"},
	{"g", "g my run"},
	{"h\\ ", "h my run"},
	{"\"i ", "i my run"},
	{"'j ", "j it's"},
	{"k", "k\"$HOME\" \\ & |"},
	{"\"l", "l\"\\ $HOME!"},
	{"m", "m!touch*?{a,b}"},
	{"n", "n総 当り"},
	{"o", "o<&>()#~"},
}

// pressed types lines into a shell on a terminal, each followed by tab and Enter. It compares the arguments of the
// program with the names. A command inside a name would create a file.
func pressed(t *testing.T, shell []string, begin string) {
	t.Helper()
	dir := t.TempDir()
	var known, keys strings.Builder
	for _, n := range names {
		known.WriteString(n.name + "\n")
		keys.WriteString("prog " + n.typed + "\t\n")
	}
	// The program offers the names that begin with its last argument, and records the arguments of other calls.
	program := `#!/bin/bash
if [[ $1 != complete ]]; then printf '<%s>' "$@" >>` + dir + `/ran; echo >>` + dir + `/ran; echo RAN; exit; fi
while IFS= read -r name; do [[ $name == "${!#}"* ]] && printf '%s\n' "$name"; done <` + dir + `/known
`
	write(t, filepath.Join(dir, "prog"), program, 0o700)
	write(t, filepath.Join(dir, "known"), known.String(), 0o600)
	write(t, filepath.Join(dir, "keys"), keys.String(), 0o600)
	write(t, filepath.Join(dir, "_prog"), script(t, shell[0]), 0o600)
	out := runShell(t, dir, "zsh", "-f", "-c", `cd `+dir+`; zmodload zsh/zpty zsh/mapfile
zpty z `+strings.Join(shell, " ")+`
zpty -w z "`+begin+`; echo READ''Y"
zpty -r z seen '*READY*'
for line in ${(f)mapfile[keys]}; do
    zpty -w z "$line"
    zpty -r z seen '*RAN*'
    print -r -- "$seen"
done
zpty -d z`)
	var want strings.Builder
	for _, n := range names {
		want.WriteString("<" + n.name + ">\n")
	}
	ran, err := os.ReadFile(filepath.Join(dir, "ran"))
	diff := cmp.Diff(want.String(), string(ran))
	testutil.Check(t, diff == "", "-want +got\n%s\n%v\n%s", diff, err, out)
	testutil.Fails(t, testutil.Err(os.Stat(filepath.Join(dir, "pwned"))), "", "a command in a name was run")
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	testutil.OK(t, os.WriteFile(name, []byte(text), mode))
}

// TestBashQuotesWords and the tests after it press the tab key in real shells.
func TestBashQuotesWords(t *testing.T) {
	// bash would write its history into the test's folder when zsh ends it, which may be after the test.
	pressed(t, []string{"bash", "--norc", "--noprofile", "-i"}, "unset HISTFILE; PS1=; source ./_prog")
}

func TestZshQuotesWords(t *testing.T) {
	pressed(t, []string{"zsh", "-f", "-i"}, `fpath=(\$PWD \$fpath); autoload -Uz compinit; compinit -u -D; PS1=`)
}

func TestFishQuotesWords(t *testing.T) {
	pressed(t, []string{"fish", "-N", "-i"}, "function fish_prompt; end; source ./_prog")
}

func TestZsh(t *testing.T) {
	dir, asked := fakeProgram(t)
	out := runShell(t, dir, "zsh", "-f", "-c", "compdef() { echo compdef $@ }; _describe() { print -l -- ${(P)2} }\n"+script(t, "zsh")+`
words=(prog play ''); CURRENT=3; _prog`)
	testutil.Diff(t, "compdef _prog prog\n--kind=quick:How: fast.\n--kind=slow\n", out)
	testutil.Diff(t, "complete|--|play||\n", asked())
}

func TestFish(t *testing.T) {
	dir, asked := fakeProgram(t)
	out := runShell(t, dir, "fish", "-N", "-c", script(t, "fish")+"complete -C 'prog play '")
	testutil.Diff(t, "--kind=quick\tHow: fast.\n--kind=slow\n", out)
	testutil.Diff(t, "complete|--|play||\n", asked())
}

func TestPowerShell(t *testing.T) {
	dir, asked := fakeProgram(t)
	out := runShell(t, dir, "pwsh", "-NoProfile", "-Command", script(t, "powershell")+
		"(TabExpansion2 'prog play ' 10).CompletionMatches | ForEach-Object { $_.CompletionText }")
	testutil.Diff(t, "--kind=quick\n--kind=slow\n", out)
	testutil.Diff(t, "complete|--|play||\n", asked())
}

func TestScriptOfNobody(t *testing.T) {
	text, err := shell.Script("tcsh", "prog")
	testutil.Check(t, err != nil, "%v", text)
}
