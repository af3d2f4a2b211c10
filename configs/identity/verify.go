package identity

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gogi/match"
	"gogi/usi"
)

// VerifyIdentity returns an error if the engines on this machine differ from the engines of a complete plan.
// It reports options that an engine does not declare. It also reports files that are missing, that differ, or
// that are not in the identity, except files that a script names, because they may appear after the first start.
// greetings has the engines' answers to usi, in the order of plan.Engines. VerifyIdentity reads every file. It does not
// check the built-in engine, engines behind ssh, and the program of an engine whose identity the user gave.
func VerifyIdentity(plan *match.Plan, greetings []usi.Greeting) error {
	engines := plan.Engines()
	if len(greetings) != len(engines) {
		return fmt.Errorf("verifying the engines: %d greetings for %d engines", len(greetings), len(engines))
	}
	hashes := Hasher{}
	var errs []error
	for i, e := range engines {
		declared := greetings[i].Options
		errs = append(errs, checkDeclared(e, plan, declared)...)
		if e.Builtin || IsRemote(e.Command) {
			continue
		}
		here, err := hashes.rehash(e, inForce(e, plan, declared))
		if err == nil {
			err = compareFiles(e.Identity.Files, here)
		}
		if err == nil {
			err = e.Identity.Check() // the binary may be one of its variants
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("engine %s is not the plan's: %w", e.Name, err))
		}
	}
	return errors.Join(errs...)
}

// rehash calculates the hashes of an engine's files again.
func (h Hasher) rehash(p match.Player, in options) ([]match.FileHash, error) {
	agreed := p.Identity.Files
	p.Identity.Files = nil
	for _, f := range agreed {
		if f.Role != match.BookRole && !strings.HasPrefix(f.Role, fileRole) {
			continue
		}
		if err := h.Add(&p, f.Role, f.Path); err != nil {
			return nil, err
		}
	}
	if p.Identity.Fixed == "" {
		if err := h.Command(&p); err != nil {
			return nil, err
		}
		if err := h.Scripts(&p); err != nil {
			return nil, err
		}
	}
	_, err := h.complete(&p, in)
	return p.Identity.Files, err
}

func compareFiles(want, here []match.FileHash) error {
	a, b := byRole(want), byRole(here)
	var errs []error
	for _, role := range slices.Sorted(maps.Keys(a)) {
		switch is, ok := b[role]; {
		case !ok:
			errs = append(errs, fmt.Errorf("%s is not here, expected SHA-256 %s", role, a[role].SHA256))
		case is.SHA256 != a[role].SHA256:
			errs = append(errs, fmt.Errorf("%s (%s) has SHA-256 %s, expected %s", role, is.Path, is.SHA256, a[role].SHA256))
		}
	}
	for _, role := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[role]; !ok && !IsScriptRole(role) { // the file of a script may appear after the first start
			errs = append(errs, fmt.Errorf("it reads %s (%s), which the plan does not have", role, b[role].Path))
		}
	}
	return errors.Join(errs...)
}

func byRole(files []match.FileHash) map[string]match.FileHash {
	m := map[string]match.FileHash{}
	for _, f := range files {
		m[f.Role] = f
	}
	return m
}
