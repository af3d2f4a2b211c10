package worker

import (
	"fmt"
	"slices"
	"strings"

	"gogi/farm"
	"gogi/match"
)

// Policy is what a machine's owner lets be played on it. Each rule allows something:
// "hash:SHA256" this binary, "owner:NAME" all runs of an owner, "any-approved" all that
// somebody besides their owner has approved. A run is played where one rule allows it
// whole, or where each of its binaries is allowed by its hash.
type Policy struct{ Allow []string }

// AnyApproved is the rule of a machine whose owner says nothing else.
const AnyApproved = "any-approved"

const (
	ruleHash  = "hash:"
	ruleOwner = "owner:"
)

// NewPolicy refuses rules that are none; no rules are AnyApproved.
func NewPolicy(rules []string) (Policy, error) {
	for _, r := range rules {
		hash, isHash := strings.CutPrefix(r, ruleHash)
		owner, isOwner := strings.CutPrefix(r, ruleOwner)
		switch {
		case r == AnyApproved, isOwner && owner != "", isHash && len(hash) == 64 && strings.Trim(hash, "0123456789abcdef") == "":
		default:
			return Policy{}, fmt.Errorf("policy: %q allows nothing: want hash:SHA256, owner:NAME or %s", r, AnyApproved)
		}
	}
	if len(rules) == 0 {
		rules = []string{AnyApproved}
	}
	return Policy{Allow: rules}, nil
}

// check says why a run may not be played here; nil: it may.
func (p Policy) check(t *farm.Task, plan *match.Plan) error {
	if slices.Contains(p.Allow, ruleOwner+t.Owner) || t.Approved && slices.Contains(p.Allow, AnyApproved) {
		return nil
	}
	for _, player := range players(plan.Players) {
		for _, sum := range binaries(player) {
			if !slices.Contains(p.Allow, ruleHash+sum) {
				return fmt.Errorf("this machine's policy (%s) does not allow %s of %s", strings.Join(p.Allow, ", "), player.Name, t.Owner)
			}
		}
	}
	return nil
}

// players are all that are started: a council's members instead of the council.
func players(list []match.Player) (all []match.Player) {
	for _, p := range list {
		if p.Council == nil {
			all = append(all, p)
			continue
		}
		all = append(all, players(p.Council.Members)...)
	}
	return all
}

// binaries are the hashes of what is run for a player: none for the built-in one, and
// one that no rule allows where its identity does not tell.
func binaries(p match.Player) (sums []string) {
	if p.Builtin {
		return nil
	}
	for _, f := range p.Identity.Files {
		if f.Role == "binary" {
			sums = append(sums, f.SHA256)
		}
	}
	if len(sums) == 0 {
		sums = []string{"unknown"}
	}
	return sums
}
