package report

import (
	"math"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/match"
)

// uses compares the sums over a player's moves with its limits.
func (a Asked) uses(s match.Side) []match.Use {
	uses := a.Limits.Uses(s, a.By)
	for i := range uses {
		if uses[i].SavesTime() {
			uses[i].Options = a.Margins
		}
	}
	return uses
}

// LimitWarnings returns one sentence for each limit that a player, or an engine of a council, does not keep, with the
// consequence and a remedy. It also names a player that probably lacks its evaluation or writes mates as centipawns,
// and prints the failures that engines reported at their start.
func (r *Report) LimitWarnings() (all []i18n.Message) {
	for _, n := range r.Notes {
		all = append(all, i18n.Of("%s reports before its first search: %s", n.Player, i18n.Verbatim(n.Text)))
	}
	for i := range r.Players {
		p := &r.Players[i]
		if p.ZeroScores > 0 {
			all = append(all,
				i18n.Of("All %s scores of %s in the first games are 0: is its evaluation file missing? gogi check shows its notes.",
					format.Count(p.ZeroScores), p.Name))
		}
		if p.MateBase > 0 {
			all = append(all,
				i18n.Of("%s writes mates as centipawns: %d less the plies. Exports of training data count them as mates; resignation by score counts them as centipawns.", p.Name, p.MateBase))
		}
		all = append(all, usesWords(p.Name, p.Uses)...)
		all = append(all, MemberWords(p.Members)...)
	}
	return all
}

// MemberWords returns one sentence for each limit that an engine of a council does not keep.
func MemberWords(members []MemberUse) (all []i18n.Message) {
	for _, m := range members {
		all = append(all, usesWords(m.Name, m.Uses)...)
	}
	return all
}

func usesWords(name string, uses []match.Use) (all []i18n.Message) {
	for _, u := range uses {
		if w := UseWords(name, u); !w.IsZero() {
			all = append(all, w)
		}
	}
	return all
}

// UseWords returns one sentence about a limit that the player does not keep, with the consequence and a remedy. It
// returns the zero Message if the player keeps the limit.
func UseWords(player string, u match.Use) i18n.Message {
	limit := useAmount(u.Kind, u.Limit)
	if u.Kept {
		return i18n.Message{}
	}
	if u.Mean == nil {
		if u.Kind == match.UseDepth {
			return i18n.Of("%s reports no depth, so nothing shows whether it keeps its limit of depth %s.", player, limit)
		}
		return i18n.Of("%s reports no nodes, so nothing shows whether it keeps its limit of %s nodes.", player, limit)
	}
	mean, ratio := useAmount(u.Kind, *u.Mean), useRatio(*u.Mean/u.Limit)
	switch u.Kind {
	case match.UseNodes:
		if *u.Mean < u.Limit {
			return i18n.Of("%s took %s nodes a move, %s its limit of %s: this run does not compare equal nodes. Use a clock.",
				player, mean, ratio, limit)
		}
		return i18n.Of("%s took %s nodes a move, %s its limit of %s: this run does not compare equal nodes. Use Threads=1, or a clock.", player, mean, ratio, limit)
	case match.UseDepth:
		return i18n.Of("%s reached depth %s on average, %s its limit of %s: this run does not compare equal depths. Use a clock.", player, mean, ratio, limit)
	case match.UseMoveTime:
		return withMargins(i18n.Of("%s took %s ms a move, %s its movetime of %s ms: this run does not compare equal times.",
			player, mean, ratio, limit), u)
	case match.UseByoyomi:
		return withMargins(i18n.Of("%s took %s ms a move, %s its byoyomi of %s ms: this run does not compare equal times.",
			player, mean, ratio, limit), u)
	case match.UseIncrement:
	}
	return withMargins(i18n.Of("%s took %s ms a move, %s its increment of %s ms: this run does not compare equal times.",
		player, mean, ratio, limit), u)
}

// withMargins adds the options that save time, which are the likely cause, to a sentence.
func withMargins(sentence i18n.Message, u match.Use) i18n.Message {
	if len(u.Options) == 0 {
		return sentence
	}
	options := lists.Map(u.Options, func(o string) i18n.Message { return i18n.Verbatim(o) })
	return i18n.Of("%s Likely causes: %s.", sentence, i18n.Row(options))
}

// useAmount returns a mean or a limit as text. A depth that is no whole number has one digit after the point.
func useAmount(kind match.LimitKind, v float64) string {
	if kind == match.UseDepth && v != math.Trunc(v) {
		return format.Decimal(&v, 1)
	}
	return format.Decimal(&v, 0)
}

// useRatio returns a mean in parts of its limit: "22.1 times", or "60.0% of".
func useRatio(r float64) i18n.Message {
	if r >= 2 {
		return i18n.Of("%s times", format.Decimal(&r, 1))
	}
	return i18n.Of("%s of", format.Percent(r))
}
