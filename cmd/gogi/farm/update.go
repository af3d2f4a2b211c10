package farmcmd

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec" //nolint:depguard // asks a program that it has fetched for its version
	"strings"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/farm"
	"gogi/farm/files"
	"gogi/farm/keys"
	"gogi/farm/worker"
	"gogi/internal/disk"
	"gogi/internal/fail"
	"gogi/internal/sanitize"
	"gogi/internal/version"
)

// ReleaseCommand groups the commands with which maintainers publish programs of gogi for workers.
type ReleaseCommand struct {
	Keygen ReleaseKeyCommand  `cmd:"" help:"Make the key pair that signs programs"`
	Sign   ReleaseSignCommand `cmd:"" help:"Sign programs, for gogi farm release deploy"`
	Deploy UpdateCommand      `cmd:"" help:"Replace gogi on the workers, on a few of them first"`
}

// ReleaseKeyCommand makes the key pair with which maintainers sign programs of gogi.
type ReleaseKeyCommand struct {
	File string `arg:"" type:"path" help:"New file for the secret key. With this file, anyone can replace the program of every worker that trusts the key."`
}

// Run makes the key pair.
func (c *ReleaseKeyCommand) Run(env *cli.Env) error {
	seed, public, err := keys.NewSeed()
	if err == nil {
		err = keys.WriteSeed(c.File, seed)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(env.Out, public)
	return err
}

// ReleaseSignCommand signs programs of gogi, so that workers accept them as updates.
type ReleaseSignCommand struct {
	Key     string   `required:"" type:"existingfile" placeholder:"FILE" help:"Secret key file from gogi farm release keygen."`
	Version string   `required:"" placeholder:"V" help:"Version of the programs, such as v1.2.3."`
	Program []string `arg:"" type:"existingfile" help:"Programs to sign, each for one kind of machine. gogi writes the signature of PROGRAM to PROGRAM.release."`
}

// releaseFile returns the path of a program's signature.
func releaseFile(program string) string { return program + ".release" }

// Run writes a signature file for each program.
func (c *ReleaseSignCommand) Run(env *cli.Env) error {
	seed, err := disk.ReadSecret(c.Key)
	if err != nil {
		return fail.Usage(err)
	}
	sign, _, err := keys.Sign(seed)
	if err != nil {
		return fail.Usage(err)
	}
	for _, program := range c.Program {
		r, err := releaseOf(program, c.Version)
		if err == nil {
			err = r.Sign(sign)
		}
		if err != nil {
			return fail.Usage(err)
		}
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(releaseFile(program), append(text, '\n'), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(env.Out, "%s: %s for %s %s, SHA-256 %s\n", releaseFile(program), sanitize.Printable(r.Version, 60), r.OS,
			r.Arch, r.SHA256)
	}
	return nil
}

// workerProgram is the package of the program that workers run.
const workerProgram = "gogi/cmd/gogi"

// releaseOf returns an unsigned release of a program, with the OS and architecture of its build information. name is
// its version. Another program than gogi is an error, because it would end the workers.
func releaseOf(program, name string) (*farm.Release, error) {
	built, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("%s: expected a build of gogi: %w", program, err)
	}
	if built.Path != workerProgram {
		return nil, fmt.Errorf("%s: this is a build of %s; sign a build of gogi, which workers run", program, built.Path)
	}
	r := &farm.Release{Version: name}
	for _, s := range built.Settings {
		switch s.Key {
		case "GOOS":
			r.OS = s.Value
		case "GOARCH":
			r.Arch = s.Value
		}
	}
	r.SHA256, r.Size, err = files.Sum(program)
	return r, err
}

// UpdateCommand replaces gogi on the workers by another signed program of gogi, on a few workers first.
type UpdateCommand struct {
	owner
	Program  []string `arg:"" optional:"" type:"existingfile" help:"Signed programs, one for each kind of machine; without a program gogi prints the state of the update."`
	Artefact []string `placeholder:"SHA" help:"SHA-256 of an earlier program of this farm; the workers return to this program."`
	All      bool     `help:"Update all workers now, without a trial."`
	Off      bool     `help:"Cancel the update; workers keep the program that they run."`
	Why      string   `placeholder:"TEXT" help:"With --all or --off: reason of the update or its cancellation."`
}

// Help returns the text below the usage line of --help.
func (*UpdateCommand) Help() string {
	return `gogi first updates a twentieth of the workers of each kind of machine, at least one. When they
have played 500 pairs with the new program, gogi updates the others of that kind. The
deployment stops for all kinds if engines fail more often with the new program than with the
old one in the same tests, or if gogi quarantines one of the first workers. If none of the
first workers runs the new program within an hour, gogi chooses further workers.

gogi does not compare versions, so an older signed program is a way back.

A worker finishes its games, sends its results and starts the new program. It checks the
signature with the key that its own program was built with, or with --updates of gogi farm
work. A worker without a key, or with a wrong signature, ends with exit code 5.`
}

// Run sends the order that the flags describe to the farm, and prints the state of the deployment.
func (c *UpdateCommand) Run(ctx context.Context, env *cli.Env) error {
	u := farm.Update{Known: c.Artefact, All: c.All, Off: c.Off, Why: c.Why}
	for _, program := range c.Program {
		r, err := readRelease(program)
		if err != nil {
			return fail.Usage(err)
		}
		u.Releases = append(u.Releases, *r)
	}
	if err := u.Check(); err != nil {
		return fail.Usage(err)
	}
	var s farm.UpdateStatus
	err := c.with(func(t farm.Transport, name string) error {
		for i, program := range c.Program {
			if err := upload(ctx, t, program, u.Releases[i].SHA256); err != nil {
				return err
			}
		}
		return Request(ctx, t, name, "update", u, &s)
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(env.Out, s)
	}
	printUpdate(env.Out, &s)
	return nil
}

// readRelease reads the signature of a program. It returns an error if the signature is not for exactly this
// file.
func readRelease(program string) (*farm.Release, error) {
	text, err := os.ReadFile(releaseFile(program))
	if err != nil {
		return nil, fmt.Errorf("%s is not signed: gogi farm release sign makes %w", program, err)
	}
	r := &farm.Release{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", releaseFile(program), err)
	}
	sum, _, err := files.Sum(program)
	if err == nil && sum != r.SHA256 {
		err = fmt.Errorf("%s is the signature of a program with SHA-256 %.80s, and %s has %s", releaseFile(program), r.SHA256,
			program, sum)
	}
	return r, err
}

func printUpdate(w io.Writer, s *farm.UpdateStatus) {
	line := func(what, format string, v ...any) { fmt.Fprintf(w, "  %-10s %s\n", what, fmt.Sprintf(format, v...)) }
	switch s.Stage {
	case farm.StageNone:
		fmt.Fprintf(w, "no update: each worker keeps its program%s\n", reason(s.Why))
	case farm.StageTrial:
		fmt.Fprintf(w, "a few workers of each kind of machine try it%s\n", reason(s.Why))
	case farm.StageAll:
		fmt.Fprintf(w, "all workers get it%s\n", reason(s.Why))
	default:
		fmt.Fprintf(w, "held: no further worker gets it%s\n", reason(s.Why))
	}
	release := func(what string, r *farm.Release) {
		line(what, "%s for %s %s, SHA-256 %s", sanitize.Printable(r.Version, 60), sanitize.Printable(r.OS, 20),
			sanitize.Printable(r.Arch, 20), r.SHA256)
	}
	for i := range s.Releases {
		release("wanted", &s.Releases[i])
		for _, t := range s.Trials {
			if t.SHA256 == s.Releases[i].SHA256 {
				line("", "%s", trialText(&t, s.Need))
			}
		}
	}
	for i := range s.Known {
		release("before", &s.Known[i])
	}
	for _, l := range []struct {
		what  string
		names []string
	}{{"have it", s.Have}, {"are to", s.Want}, {"no release", s.None}} {
		if len(l.names) > 0 {
			line(l.what, "%s", sanitize.Printable(strings.Join(l.names, " "), 400))
		}
	}
}

// trialText returns the result of a release's trial so far, as text. need is the number of pairs that the trial
// needs.
func trialText(t *farm.TrialStatus, need int) string {
	first := sanitize.Printable(strings.Join(t.First, " "), 200)
	switch {
	case len(t.First) == 0:
		return "no worker of this kind was connected for a trial"
	case t.Passed:
		return "tried by " + first + ": passed"
	}
	return fmt.Sprintf("tried by %s: %d of %d pairs; engines failed %d times in %d tries, without it %d in %d", first,
		t.Pairs, need, t.Failed, t.Tries, t.OthersFailed, t.OthersTries)
}

// maintainersOf returns the public key of the maintainers who may replace the program of this machine. word
// is the value of --updates. maintainersOf returns nil if no key may replace the program.
func maintainersOf(word string) (ed25519.PublicKey, error) {
	switch word {
	case "off":
		return nil, nil
	case "":
		if word = version.Maintainers(); word == "" {
			return nil, nil
		}
	}
	key, err := keys.Public(word)
	if err != nil {
		return nil, fmt.Errorf("--updates: %w", err)
	}
	return key, nil
}

// tryFor is the longest time in which a new program must print its version.
const tryFor = time.Minute

// starts returns an error if a program cannot print its version. Otherwise a bad program would replace this worker,
// and the machine would play no more.
func starts(ctx context.Context, file string) error {
	ctx, cancel := context.WithTimeout(ctx, tryFor)
	defer cancel()
	try := exec.CommandContext(ctx, file, "version") // a program whose maintainers' signature was checked
	try.WaitDelay = time.Second
	if out, err := try.CombinedOutput(); err != nil {
		return fmt.Errorf("the program does not start: %w: %s", err, sanitize.Printable(string(bytes.TrimSpace(out)), 200))
	}
	return nil
}

// renewed returns the path of the program that replaces this worker.
func (w *working) renewed(ctx context.Context, end *worker.End) (file string, err error) {
	maintainers, err := maintainersOf(w.Updates)
	if err != nil {
		return "", err
	}
	file, err = w.machine.Program(ctx, end.Release, maintainers)
	if err == nil {
		err = starts(ctx, file)
	}
	return file, err
}
