package identity

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gogi/configs/advice"
	"gogi/internal/disk"
	"gogi/internal/fail"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/usi"
)

// Complete returns a plan with complete identities, after the USI handshake with each engine. greetings has
// the engines' answers to usi, in the order of plan.Engines. Complete checks the options, and adds to each
// identity the files that decide how the engine plays:
//
//   - "option NAME": the file behind an option of type filename or string, set or by default, if there is
//     one (except logs);
//   - "EvalDir/NAME": every file of the evaluation folder;
//   - "option BookFile": its book, in BookDir, unless books are off;
//   - "engine_options.txt", "eval_options.txt": the files that YaneuraOu reads in the working directory
//     or the binary's folder.
//
// Relative names are relative to the engine's working directory. Complete does not read files of a remote
// engine. Complete does not change the given plan. If the plan is already complete, Complete searches for the
// files again. It returns all errors together. Lint returns more warnings.
func Complete(plan *match.Plan, greetings []usi.Greeting) (complete *match.Plan, warnings []advice.Warning, err error) {
	if n := len(plan.Engines()); len(greetings) != n {
		return nil, nil, fmt.Errorf("completing the plan: %d greetings for %d engines", len(greetings), n)
	}
	hashes := Hasher{}
	var errs []error
	out := plan.WithEngines(func(i int, p *match.Player) {
		declared := greetings[i].Options
		errs = append(errs, checkDeclared(*p, plan, declared)...)
		p.Identity.Files = ofCommand(p.Identity.Files)
		in := inForce(*p, plan, declared)
		p.Effect = in.effect(ownSettings(plan), p.Options)
		notes, err := hashes.complete(p, in)
		if err != nil {
			errs = append(errs, fmt.Errorf("engine %s: %w", p.Name, err))
		}
		warnings = append(append(warnings, notes...), unseen(p)...)
	})
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	return out, append(warnings, Duplicates(out.Players, otherFolders)...), nil
}

// ofCommand returns the files that follow from the command alone. These are known before the USI handshake.
func ofCommand(files []match.FileHash) []match.FileHash {
	return slices.DeleteFunc(slices.Clone(files), func(f match.FileHash) bool {
		return f.Role != match.BinaryRole && f.Role != match.BookRole &&
			!slices.ContainsFunc([]string{argumentRole, scriptRole, fileRole},
				func(role string) bool { return strings.HasPrefix(f.Role, role) })
	})
}

// checkDeclared returns the errors in a player's options that the user set. An option is wrong if the engine
// does not declare it (except USI_Hash and USI_Ponder), if its value does not fit the declaration, or if it contradicts
// the plan's rules.
func checkDeclared(p match.Player, plan *match.Plan, declared []usi.Option) []error {
	errs := contradictions(p, plan)
	for _, o := range p.Options {
		if _, err := usi.Sendable(declared, []usi.Setting{usi.Setting(o)}); err != nil {
			errs = append(errs, fail.Engine(p.Name, err))
		}
	}
	return errs
}

func (h Hasher) complete(p *match.Player, in options) (warnings []advice.Warning, err error) {
	if IsRemote(p.Command) {
		return nil, nil
	}
	for _, o := range in.declared {
		if err := h.option(p, in, o); err != nil {
			return nil, err
		}
	}
	if p.Builtin {
		return nil, nil // the only file that the built-in engine reads is its book
	}
	if err := h.evaluation(p, in); err != nil {
		return nil, err
	}
	return h.optionFiles(p)
}

// option adds the file that an option names to the player's identity, if the file exists.
func (h Hasher) option(p *match.Player, in options, o usi.Option) error {
	book := isBook(o.Name)
	named := o.Type == usi.Filename || o.Type == usi.String || book && o.Type == usi.Combo
	value, _, _ := in.value(o.Name)
	if !named || value == "" || isOutput(o.Name) || book && in.noBook() {
		return nil
	}
	places := []string{p.Dir}
	if folder, _ := in.folderOf("BookDir", p.Dir); book && folder != "" {
		places = []string{folder, p.Dir}
	}
	for _, place := range places {
		if path := disk.Absolute(place, value); isFile(path) {
			return h.Add(p, optionRole+o.Name, path)
		}
	}
	return nil
}

// evaluation adds the files of the evaluation folder to the player's identity. If the folder does not exist,
// evaluation returns an error only if the user has named the folder. A default folder may be missing, because the
// engine may have its network in the binary.
func (h Hasher) evaluation(p *match.Player, in options) error {
	path, set := in.folderOf(evalOption, p.Dir)
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return h.folder(p, evalOption, path)
	case !set:
		return nil
	case err != nil:
		return fmt.Errorf("option %s: %s: %w", evalOption, path, disk.Reason(err))
	}
	return fmt.Errorf("option %s: %s is no folder", evalOption, path)
}

const evalOption = "EvalDir"

// optionFiles returns the names of the option files that YaneuraOu reads in its folders.
func optionFiles() []string { return []string{"engine_options.txt", "eval_options.txt"} }

// optionFiles adds the option files that an engine reads by itself to the player's identity.
func (h Hasher) optionFiles(p *match.Player) (warnings []advice.Warning, err error) {
	folders := []string{p.Dir}
	if own := filepath.Dir(p.Command[0]); own != p.Dir && !IsWrapper(p.Command) {
		folders = append(folders, own)
	}
	for i, folder := range folders {
		for _, name := range optionFiles() {
			path, role := filepath.Join(folder, name), name
			if i > 0 {
				role = besideRole + name
			}
			if !isFile(path) {
				continue
			}
			if err := h.Add(p, role, path); err != nil {
				return nil, err
			}
			warnings = append(warnings, advice.Warning{Engine: p.Name,
				Text: i18n.Of("options in %s may override those that are sent", path)})
		}
	}
	return warnings, nil
}
