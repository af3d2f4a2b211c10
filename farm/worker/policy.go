package worker

import (
	"fmt"
	"slices"
	"strings"

	"gogi/farm"
	"gogi/match"
)

// A Policy is the set of rules that allow runs on a machine. The rule "hash:SHA256" allows an engine's
// program, and "owner:NAME" allows all runs of an owner. "any-approved" allows every run that a person other
// than its owner has approved. The machine plays a run if an owner rule or "any-approved" allows it, or if
// hash rules allow all of its programs.
type Policy struct{ Allow []string }

// AnyApproved is the rule that allows every approved run. NewPolicy uses it if there is no other rule.
const AnyApproved = "any-approved"

const (
	ruleHash  = "hash:"
	ruleOwner = "owner:"
)

// NewPolicy returns the Policy with these rules. Without rules it returns a Policy with the rule AnyApproved.
// It returns an error for an unknown rule.
func NewPolicy(rules []string) (Policy, error) {
	for _, r := range rules {
		hash, isHash := strings.CutPrefix(r, ruleHash)
		owner, isOwner := strings.CutPrefix(r, ruleOwner)
		switch {
		case r == AnyApproved, isOwner && owner != "", isHash && len(hash) == 64 &&
			strings.Trim(hash, "0123456789abcdef") == "":
		default:
			return Policy{}, fmt.Errorf("policy: %q allows nothing: want hash:SHA256, owner:NAME or %s", r, AnyApproved)
		}
	}
	if len(rules) == 0 {
		rules = []string{AnyApproved}
	}
	return Policy{Allow: rules}, nil
}

// check returns nil if this machine may play the run, and an error with the reason otherwise.
func (p Policy) check(t *farm.Task, plan *match.Plan) error {
	if slices.Contains(p.Allow, ruleOwner+t.Owner) || t.Approved && slices.Contains(p.Allow, AnyApproved) {
		return nil
	}
	for _, player := range plan.Engines() {
		for _, sum := range binaries(player) {
			if !slices.Contains(p.Allow, ruleHash+sum) {
				return fmt.Errorf("this machine's policy (%s) does not allow %s of %s", strings.Join(p.Allow, ", "), player.Name,
					t.Owner)
			}
		}
	}
	return nil
}

// binaries returns the hashes of all binaries that a player may run, on the plan's machine and on other machines.
// For the built-in engine it returns no hash. If the player has no known binary, or the machine would build it from a
// commit, it returns a hash that no rule allows.
func binaries(p match.Player) (sums []string) {
	if p.Builtin && p.Identity.Source == nil {
		return nil
	}
	for _, f := range p.Identity.Files {
		if f.Role == match.BinaryRole {
			sums = append(sums, f.SHA256)
		}
	}
	for _, v := range p.Identity.Variants {
		sums = append(sums, v.SHA256)
	}
	if len(sums) == 0 || p.Identity.Source != nil {
		sums = []string{"unknown"}
	}
	return sums
}
