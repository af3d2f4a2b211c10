package configs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/match"
)

// Problem is one thing that is wrong with a series, and where: a value, so that a linter
// need not read sentences.
type Problem struct {
	File  string // the file's name, or "" for what flags said
	Line  int    // from 1; 0: nowhere in particular
	Flag  string // the flag that said it, or ""
	Cause error
}

// Error is "FILE:LINE: CAUSE" or "FLAG: CAUSE".
func (p *Problem) Error() string { return p.At() + ": " + p.Cause.Error() }

// Unwrap is the cause.
func (p *Problem) Unwrap() error { return p.Cause }

// At is where it is, for people.
func (p *Problem) At() string {
	switch {
	case p.Flag != "":
		return p.Flag
	case p.File == "":
		return "command line"
	case p.Line == 0:
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// problem is one about the key at a path.
func (f *File) problem(path string, cause error) *Problem {
	flag, line := f.where(path)
	if f.ready && flag == "" { // no file on disk has the line
		return &Problem{File: "ready series " + f.name, Cause: fmt.Errorf("%w; name your own program with --engine NAME=PATH", cause)}
	}
	return &Problem{File: f.name, Line: line, Flag: flag, Cause: cause}
}

// ProblemsOf takes an error of Parse, Apply or Plan apart: what it joins, in the order of
// the file, what is said in one place in the order in which it was found. What has no
// place stands without one. nil has none.
func ProblemsOf(err error) (list []*Problem) {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok { // of this error itself
		for _, e := range joined.Unwrap() {
			list = append(list, ProblemsOf(e)...)
		}
		slices.SortStableFunc(list, func(a, b *Problem) int { return cmp.Compare(a.Line, b.Line) })
		return list
	}
	if p, ok := errors.AsType[*Problem](err); ok {
		return []*Problem{p}
	}
	return []*Problem{{Cause: err}}
}

// Inspect says everything about a series that can be said without starting an engine: all
// that is wrong with its keys and values, and with what they mean, and its warnings. The
// plan is there where nothing is wrong. It reads as Plan does, and asks no other machine.
func Inspect(data []byte, name, dir string, env identity.Env) (*match.Plan, []advice.Warning, error) {
	f, err := parse(data, name)
	if f == nil {
		return nil, nil, err
	}
	f.takeRemoteAsKnown()
	plan, warnings, wrong := f.Plan(dir, env)
	if err == nil {
		return plan, warnings, wrong
	}
	return nil, nil, errors.Join(err, apart(ProblemsOf(wrong), ProblemsOf(err)))
}

// apart joins the problems whose line has no other one: a value that could not be read is
// no reason to say of its key what a missing one would deserve.
func apart(list, others []*Problem) error {
	var errs []error
	for _, p := range list {
		same := func(q *Problem) bool { return q.Line == p.Line && p.Line > 0 }
		if !slices.ContainsFunc(others, same) {
			errs = append(errs, p)
		}
	}
	return errors.Join(errs...)
}

// takeRemoteAsKnown gives engines behind ssh that have no identity one, since only their
// own machine can tell it.
func (f *File) takeRemoteAsKnown() {
	for i := range f.Engines {
		e := &f.Engines[i]
		if words, err := commandWords(e); err == nil && identity.IsRemote(words) && e.Identity == "" {
			e.Identity = "behind ssh"
		}
	}
}
