package report

import (
	"encoding/json"
	"time"

	"gogi/ensemble/voting"
	"gogi/match"
	"gogi/shogi/kifu"
)

// MemberUse has the share of each limit that one engine of a council used, on average over the votes that were read.
type MemberUse struct {
	// the names of the council and of its members down to the engine, such as council/member
	Name string      `json:"name"`
	Uses []match.Use `json:"limit_use"` // the share of each limit that the engine used, on average
}

// MemberUses compares the searches of each engine of a council with its limits. votes has records of the council's
// decisions; MemberUses ignores records that it cannot read, and ballots without an own bestmove. margins has the
// options in effect that save time, for each engine in the order of limits; it may be nil.
func MemberUses(limits []match.MemberLimits, votes [][]byte, margins [][]string) (list []MemberUse) {
	sums := map[string]*match.Side{}
	for _, text := range votes {
		addBallots(sums, "", text)
	}
	for i, l := range limits {
		s := sums[l.Name]
		if s == nil {
			continue
		}
		asked := Asked{Limits: l.Limits, By: l.By}
		if i < len(margins) {
			asked.Margins = margins[i]
		}
		if uses := asked.uses(*s); len(uses) > 0 {
			list = append(list, MemberUse{Name: l.Name, Uses: uses})
		}
	}
	return list
}

// addBallots adds the searches of a vote to the sums by the member's name. above has the names of the councils around
// this one, each with a slash.
func addBallots(sums map[string]*match.Side, above string, text []byte) {
	vote, err := voting.ParseRecord(text)
	if err != nil {
		return
	}
	for i := range vote.Ballots {
		b := &vote.Ballots[i]
		name := above + vote.Council + "/" + b.Name
		if len(b.Detail) > 0 && json.Valid(b.Detail) {
			addBallots(sums, above+vote.Council+"/", b.Detail)
			continue
		}
		if b.Source != voting.SourceBestmove && b.Source != voting.SourceNoise {
			continue
		}
		if sums[name] == nil {
			sums[name] = &match.Side{}
		}
		sums[name].Add(kifu.Move{Nodes: b.Nodes, Depth: b.Depth, Time: time.Duration(b.MS * float64(time.Millisecond))}, 0)
	}
}
