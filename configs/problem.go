package configs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/match"
)

// A Problem is one error in a match file or in flags, with its place.
type Problem struct {
	File  string // the file's name; "" for a flag
	Line  int    // from 1; 0: no line
	Flag  string // the flag with the error, or ""
	Cause error
}

// Error returns "FILE:LINE: CAUSE" or "FLAG: CAUSE".
func (p *Problem) Error() string { return p.At() + ": " + p.Cause.Error() }

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Cause }

// At returns the place of the problem as a text: the flag, "FILE:LINE", "FILE" or "command line".
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

func (f *File) problem(path string, cause error) *Problem {
	flag, line := f.where(path)
	if f.ready && flag == "" { // a built-in series has no lines in a file on disk
		return &Problem{File: "ready series " + f.name,
			Cause: fmt.Errorf("%w; name your own program with --engine NAME=PATH", cause)}
	}
	return &Problem{File: f.name, Line: line, Flag: flag, Cause: cause}
}

// ProblemsOf returns the Problems in an error of Parse, Apply or Plan, sorted by line. Problems of the same
// line stay in their order. An error without a place becomes a Problem without a place. For nil the list is
// empty.
func ProblemsOf(err error) (list []*Problem) {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok { // joined by this error itself
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

// Inspect checks a match file without starting an engine. It returns all errors in keys and values, and
// all warnings. It returns a plan only if the file has no error. The plan of a file
// for gogi council has no pairs. It reads the same files as Plan and
// connects to no other machine.
func Inspect(data []byte, name, dir string, env identity.Env) (*match.Plan, []advice.Warning, error) {
	f, err := parse(data, name)
	if f == nil {
		return nil, nil, err
	}
	f.takeRemoteAsKnown(func(string) string { return "behind ssh" })
	plan, warnings, wrong := f.inspected(dir, env)
	if err == nil {
		return plan, warnings, wrong
	}
	return nil, nil, errors.Join(err, apart(ProblemsOf(wrong), ProblemsOf(err)))
}

// CouncilAlone reports whether the file is for gogi council, not for gogi match: one council is its only player, and it
// has no number of games.
func (f *File) CouncilAlone() bool {
	return len(f.PlayerNames()) == 1 && len(f.Councils) > 0 && f.Games == nil
}

// inspected returns the plan of the match, or the plan of the council if the file is for gogi council, see
// CouncilAlone.
func (f *File) inspected(dir string, env identity.Env) (*match.Plan, []advice.Warning, error) {
	if f.CouncilAlone() {
		return f.PlanCouncil("", dir, env)
	}
	return f.Plan(dir, env)
}

// apart joins the problems in list to one error. It leaves out a problem if others has a problem on the same line,
// because otherwise gogi would report a wrong value as a missing one, too.
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

// takeRemoteAsKnown sets the identity of each engine behind ssh that has no identity to known(COMMAND). It does this
// because only the other machine could calculate the real identity.
func (f *File) takeRemoteAsKnown(known func(command string) string) {
	for i := range f.Engines {
		e := &f.Engines[i]
		if words, err := commandWords(e); err == nil && identity.IsRemote(words) && e.Identity.Text == "" {
			e.Identity.Text = known(strings.Join(words, " "))
		}
	}
}
