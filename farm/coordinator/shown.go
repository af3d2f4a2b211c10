package coordinator

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"gogi/ensemble/voting"
	"gogi/match"
	"gogi/shogi"
)

// Everybody may watch a farm's games, and a worker can send any text in an event. The functions of this file therefore
// copy only texts that the plan has, moves, positions, and words of a fixed list. They leave other texts out.

// shownEvent returns the part of a worker's event that gogi displays. The function possibleEvent has checked ev.
func shownEvent(plan *match.Plan, ev *match.Event) match.Event {
	return match.Event{
		Type: ev.Type, At: ev.Time, Pair: ev.Pair, Leg: ev.Leg, Slot: ev.Slot, GameHead: shownHead(plan, ev.GameHead),
		Thought: shownThought(plan, &ev.Thought), Position: shownPosition(ev.Position), OverrunMS: ev.OverrunMS,
		ClockMS: ev.ClockMS,
		Board:   shownBoard(plan, ev.Board),
	}
}

func shownHead(plan *match.Plan, h match.GameHead) match.GameHead {
	h.Limits, h.Opening = planLimits(plan, h.Limits, h.Black, h.White), planOpening(plan, h.Opening)
	h.Start, h.Moves = shownPosition(h.Start), shownMoves(h.Moves)
	return h
}

// shownBoard returns the part of a worker's board that gogi displays. The game of the board has no result yet.
func shownBoard(plan *match.Plan, b *match.Board) *match.Board {
	if b == nil {
		return nil
	}
	shown := &match.Board{
		Pair: b.Pair, Leg: b.Leg, GameHead: shownHead(plan, b.GameHead), StartPly: b.StartPly, Ply: b.Ply,
		Position: shownPosition(b.Position),
	}
	if !plays(plan, b.Black) || !plays(plan, b.White) {
		shown.Black, shown.White = "", ""
	}
	for c, t := range b.Thoughts {
		if t != nil {
			thought := shownThought(plan, t)
			shown.Thoughts[c] = &thought
		}
	}
	return shown
}

func shownThought(plan *match.Plan, t *match.Thought) match.Thought {
	shown := *t
	shown.Move, shown.PV, shown.Vote = shownMoves(t.Move), shownMoves(t.PV), nil
	if t.Vote != nil {
		shown.Vote = shownVote(plan, t.Vote)
	}
	return shown
}

var (
	splitText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,4}(:[0-9]{1,4}){0,63}$`) })
	pieceText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\+?[A-Za-z]$`) })
)

func shownVote(plan *match.Plan, v *match.Vote) *match.Vote {
	shown := &match.Vote{Others: v.Others}
	if slices.Contains(voting.Bys(), voting.By(v.By)) {
		shown.By = v.By
	}
	if splitText().MatchString(v.Split) {
		shown.Split = v.Split
	}
	for _, b := range v.Ballots[:min(match.ShownBallots, len(v.Ballots))] {
		if !slices.Contains(voting.Kinds(), voting.Kind(b.Kind)) || !votes(plan, b.Member) {
			continue
		}
		if b.Move = shownMoves(b.Move); !pieceText().MatchString(b.Piece) {
			b.Piece = ""
		}
		shown.Ballots = append(shown.Ballots, b)
	}
	return shown
}

// votes reports whether a council of the plan has a member with this name.
func votes(plan *match.Plan, member string) bool {
	return slices.ContainsFunc(plan.Councils(), func(c *match.Player) bool {
		return slices.ContainsFunc(c.Council.Members, func(p match.Player) bool { return p.Name == member })
	})
}

// planLimits returns the texts of the limits that the plan gives to Black and White. It returns nil if the worker sent
// no limits, or if the plan does not have both players.
func planLimits(plan *match.Plan, sent []string, black, white string) []string {
	if len(sent) == 0 {
		return nil
	}
	var limits []string
	for c, name := range []string{black, white} {
		i := slices.IndexFunc(plan.Players, func(p match.Player) bool { return p.Name == name })
		if i < 0 {
			return nil
		}
		limits = append(limits, plan.LimitsOf(i, shogi.Colour(c)).String())
	}
	return limits
}

// planOpening returns the name of an opening, or "" if the plan does not have it.
func planOpening(plan *match.Plan, id string) string {
	if slices.ContainsFunc(plan.Openings, func(o match.Opening) bool { return o.ID == id }) {
		return id
	}
	return ""
}

// shownPosition returns an SFEN as gogi writes it, or "" if it is not valid.
func shownPosition(sfen string) string {
	p, err := shogi.ParseSFEN(sfen)
	if err != nil {
		return ""
	}
	return p.SFEN()
}

// shownMoves returns the moves before the first text that is not a move in USI notation.
func shownMoves(text string) string {
	moves := strings.Fields(text)
	if wrong := slices.IndexFunc(moves, func(s string) bool { _, err := shogi.ParseMove(s); return err != nil }); wrong >=
		0 {
		moves = moves[:wrong]
	}
	return strings.Join(moves, " ")
}
