package configs

import (
	"errors"

	"gogi/configs/advice"
	"gogi/configs/openings"
	"gogi/internal/disk"
	"gogi/match"
)

func (r *resolver) openings(rules match.Rules) []match.Opening {
	o := or(r.file.Openings, Openings{})
	if o.File == "" && o.Handicap == "" && o.List == nil {
		o.File = openings.BuiltinOpenings
	}
	plies := or(o.Plies, 1)
	if plies < 1 {
		r.fail("openings.plies", "openings.plies: %d is too few: expected how many moves to keep, from 1", plies)
	}
	openings, warnings, err := r.source(o, or(o.Plies, 0), rules)
	if err != nil {
		r.fail("openings", "%w", err)
	}
	r.warnings = append(r.warnings, warnings...)
	return openings
}

func (r *resolver) source(o Openings, plies int, rules match.Rules) ([]match.Opening, []advice.Warning, error) {
	switch {
	case o.File != "" && o.Handicap != "", o.File != "" && o.List != nil, o.Handicap != "" && o.List != nil:
		return nil, nil, errors.New("openings: expected one of file, handicap and list")
	case o.Handicap != "":
		return openings.Handicap(o.Handicap)
	case o.List != nil:
		return openings.Listed("openings.list", o.List, plies, rules)
	case openings.IsBuiltin(o.File):
		return openings.Builtin(o.File, plies, rules)
	}
	base := r.file.base("openings.file", r.baseDir, r.env.WorkDir)
	return openings.Read(disk.Absolute(base, o.File), plies, rules)
}

// DefaultOpenings sets the openings of the file to a built-in set if the file gives no openings. name is the
// name of the set. A ready-made match then is another match than that of gogi match, so its run gets the name
// NAME-farm.
func (f *File) DefaultOpenings(name string) {
	switch o := f.Openings; {
	case o == nil:
		f.Openings = &Openings{File: name}
	case o.File == "" && o.Handicap == "" && o.List == nil:
		o.File = name
	default:
		return
	}
	if f.ready && f.Run == "" {
		f.Run = f.RunName() + "-farm"
	}
}
