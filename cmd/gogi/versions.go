package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/configs"
	"gogi/internal/fail"
	"gogi/internal/shellwords"
	"gogi/match"
	"gogi/players"
	"gogi/players/planning"
	"gogi/report"
	"gogi/usi"
)

// versionFlags has the flags of the commands that play versions of an engine against each other.
type versionFlags struct {
	Programs []string `arg:"" optional:"" name:"versions" help:"Programs of the versions, the oldest first, or one match file (*.toml) whose engines are the versions."`

	DB      string        `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
	Session session.Flags `embed:""`
	configs.Flags
}

// versions plays runs between two versions of an engine. The runs are ordinary matches.
type versions struct {
	names []string // oldest first
	run   string   // the first part of the names of all runs
	games *int     // value of --games; nil: not given

	chosen bool // the user has chosen the value of run with --run or in the match file
	file   *configs.File
	dir    string
	match  *matchCommand
	anchor string          // value of --anchor, else the oldest version
	git    *commits        // nil: the versions are no commits
	warned map[string]bool // warnings that were printed
	next   int             // number of the opening after the last run, see openingsFrom
}

// open reads the versions and the settings of their matches. noun is the default name of the runs.
func (f *versionFlags) open(s *session.Session, noun string) (*versions, error) {
	flags := f.Flags
	name := ""
	if len(f.Programs) == 1 {
		if name = f.Programs[0]; isProgram(name) {
			return nil,
				fmt.Errorf("%s: it is one program; give all versions, the oldest first, or a match file (*.toml) whose engines are the versions", name)
		}
	} else if err := f.addVersions(&flags); err != nil {
		return nil, err
	}
	if name == "" && len(flags.Engine) == 0 {
		return nil, errors.New("no versions: give the programs from the oldest to the newest, or a match file")
	}
	file, dir, err := flags.Read(name)
	if err != nil {
		return nil, err
	}
	if len(file.PlayerNames()) < 2 {
		return nil, errors.New("versions: expected two at least")
	}
	v := &versions{names: file.PlayerNames(), run: file.RunName(), games: file.Games, file: file, dir: dir,
		warned: map[string]bool{}}
	if name == "" && flags.Run == "" {
		v.run = noun
	}
	v.chosen = file.Run != ""
	if err := match.CheckRunName(v.run); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	v.match = &matchCommand{DB: f.DB, session: s, durable: file.Durable(), greeted: map[string]usi.Greeting{}}
	if v.anchor = v.names[0]; file.Design != nil && file.Design.Anchor != "" {
		v.anchor = file.Design.Anchor
	}
	return v, v.check()
}

// isProgram reports whether a file is an executable program, not a match file.
func isProgram(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && !strings.HasSuffix(file, ".toml") &&
		(info.Mode()&0o111 != 0 || strings.HasSuffix(file, ".exe"))
}

// check returns an error for settings that runs between two versions cannot have.
func (v *versions) check() error {
	f := v.file
	switch {
	case f.Gate != nil:
		return errors.New("--sprt, gate: the command itself decides how many games it plays; remove the SPRT")
	case f.Swap != nil && !*f.Swap:
		return errors.New("--no-swap, swap: the command needs pairs with swapped colours; remove it")
	case f.Design != nil && f.Design.Kind != "" && f.Design.Kind != match.DesignMatch:
		return errors.New("--design, design: the command itself pairs the versions; remove the design")
	}
	f.Design = nil
	return nil
}

// addVersions adds an engine for each program. The name of an engine is the shortest end of the program's path that no
// other program has.
func (f *versionFlags) addVersions(flags *configs.Flags) error {
	names, err := namesOf(f.Programs)
	for i, name := range names {
		path := f.Programs[i]
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && path == "builtin" { // the built-in engine
			flags.Engine = append(flags.Engine, name+"="+path)
			continue
		}
		if filepath.Base(path) == path {
			path = "./" + path
		}
		flags.Engine = append(flags.Engine, name+"="+shellwords.Quote(path))
	}
	return err
}

// namesOf returns names of the programs without the characters that flags cannot express.
func namesOf(programs []string) ([]string, error) {
	for depth := 1; depth < 64; depth++ {
		var names []string
		for _, p := range programs {
			parts := strings.Split(filepath.ToSlash(filepath.Clean(p)), "/")
			names = append(names, strings.Map(func(r rune) rune {
				if strings.ContainsRune("=.,", r) {
					return '_'
				}
				return r
			}, strings.Join(parts[max(0, len(parts)-depth):], "/")))
		}
		if len(slices.Compact(slices.Sorted(slices.Values(names)))) == len(names) {
			return names, nil
		}
	}
	return nil, errors.New("versions: a program is there twice; give each program once")
}

// A pairing is a run between two versions, A and B.
type pairing struct {
	Run   string
	A, B  string
	Pairs int
	// index of the first opening, in the order that the seed decides; below 0: the run uses all openings
	Offset int
	Used   map[uint64]bool // hashes of openings that the run skips if the set has others; with Offset
	Seed   uint64          // added to the seed
	Look   func() []string // lines for the progress
}

// play plays the missing pairs of a run, see ready. It returns the report and the plan.
func (v *versions) play(ctx context.Context, env *cli.Env, p pairing) (*report.Report, *match.Plan, error) {
	o, err := v.ready(ctx, env, p)
	if err == nil {
		err = v.openStore(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	r, err := v.match.session.Play(ctx, session.Match{
		Opener: o, Room: v.match.room, Rename: "--run gives the new runs another name", Look: p.Look, Part: true,
	})
	return r, o.Plan, err
}

// openStore opens the database if it is not open.
func (v *versions) openStore(ctx context.Context) error {
	if s := v.match.session; s.Store == nil {
		return s.Open(ctx, v.match.durable)
	}
	return nil
}

// ready prepares a run, see prepare. If the versions are commits, it builds them. It returns an *unbuildable if a
// commit does not build or does not start.
func (v *versions) ready(ctx context.Context, env *cli.Env, p pairing) (*players.Opener, error) {
	for _, name := range []string{p.A, p.B} {
		if v.git == nil {
			break
		}
		if err := v.git.build(ctx, env, name); err != nil {
			return nil, err
		}
	}
	o, err := v.prepare(ctx, p)
	for _, name := range []string{p.A, p.B} {
		if err != nil && v.git != nil && causedBy(name, err) {
			return nil, v.git.broken(name, err)
		}
	}
	return o, err
}

// causedBy reports whether every cause of an error is a failure of the engine.
func causedBy(engine string, err error) bool {
	switch e := err.(type) { //nolint:errorlint // the function walks the whole tree of errors
	case *usi.Fault:
		return e.Kind != usi.FaultConnection && e.Engine == engine
	case *fail.EngineError:
		return e.Engine == engine
	case interface{ Unwrap() []error }:
		causes := e.Unwrap()
		return len(causes) > 0 && !slices.ContainsFunc(causes, func(cause error) bool { return !causedBy(engine, cause) })
	case interface{ Unwrap() error }:
		return causedBy(engine, e.Unwrap())
	}
	return false
}

// prepare plans a run and performs the handshakes. It prints each warning once.
func (v *versions) prepare(ctx context.Context, p pairing) (*players.Opener, error) {
	c, s := v.match, v.match.session
	file, games, seed := v.file.Between(p.A, p.B), 2*p.Pairs, p.Seed+1
	if file.Seed != nil {
		seed = *file.Seed + p.Seed
	}
	file.Run, file.Games, file.Seed = p.Run, &games, &seed
	plan, warnings, err := planning.Plan(file, v.dir, s.Guard)
	if err != nil {
		return nil, fail.Usage(err)
	}
	if p.Offset >= 0 {
		plan.Openings, v.next = openingsFrom(plan, p.Offset, p.Used)
	}
	o := &players.Opener{Plan: plan, Guard: s.Guard, Waiting: s.Env.Warn, Warn: s.Env.Warn}
	greetings, more, err := c.prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	capacity, err := c.capacity(o, greetings)
	for _, w := range slices.Concat(warnings, more, capacity) {
		if text := w.Message().String(); err == nil && !v.warned[text] {
			v.warned[text] = true
			s.Note(w.Message())
		}
	}
	return o, err
}

// openingsFrom returns one opening for each pair of the plan, beginning with the opening number offset. It skips the
// used openings and repeats none, unless the set has too few openings. next is the number of the opening after the last
// one. If the next run begins there, no opening repeats until all have been played.
func openingsFrom(plan *match.Plan, offset int, used map[uint64]bool) (list []match.Opening, next int) {
	taken := map[uint64]bool{}
	maps.Copy(taken, used)
	for tries := 2 * len(plan.Openings); len(list) < plan.Pairs; tries-- {
		o := plan.Pair(offset).Opening
		offset++
		if hash := o.Hash(); tries <= 0 || !taken[hash] {
			taken[hash] = true
			list = append(list, o)
		}
	}
	return list, offset
}
