package server

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/ensemble"
	"gogi/ensemble/voting"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/shogi"
	"gogi/usi"
)

// goLines returns every form of go of the protocol: each argument alone, each pair of arguments, the forms that GUIs
// and the CSA client send, and the forms that a match sends for each limit and each pair of limits.
func goLines() (lines []string) {
	words := []string{
		"ponder", "btime 3000", "wtime 2000", "byoyomi 1000", "binc 600", "winc 500", "movetime 700", "nodes 300", "depth 4",
		"infinite",
		"searchmoves 7g7f 2g2f", // reads to the end of the line, so it is the last
	}
	for i, a := range words {
		lines = append(lines, "go "+a)
		for _, b := range words[i+1:] {
			lines = append(lines, "go "+a+" "+b)
		}
	}
	lines = append(lines, "go", "go btime 0 wtime 0 byoyomi 1000", "go btime 3000 wtime 2000 byoyomi 1000",
		"go btime 3000 wtime 2000 binc 600 winc 500",
		"go btime 3000 wtime 2000 byoyomi 1000 binc 0 winc 0", "go btime 3000 wtime 2000 byoyomi 1000 binc 600 winc 500",
		"go ponder btime 3000 wtime 2000 byoyomi 1000")
	limits := []match.Limits{
		{Clock: match.TimeControl{Main: 3 * time.Second}}, {Clock: match.TimeControl{Byoyomi: time.Second}},
		{Clock: match.TimeControl{Increment: time.Second}},
		{MoveTime: 700 * time.Millisecond}, {Nodes: 300}, {Depth: 4},
	}
	for i, a := range limits {
		for _, b := range limits[i:] {
			a.Clock.Main, a.Clock.Byoyomi, a.Clock.Increment = max(a.Clock.Main, b.Clock.Main),
				max(a.Clock.Byoyomi, b.Clock.Byoyomi), max(a.Clock.Increment, b.Clock.Increment)
			a.MoveTime, a.Nodes, a.Depth = max(a.MoveTime, b.MoveTime), max(a.Nodes, b.Nodes), max(a.Depth, b.Depth)
			lines = append(lines, runner.GoOnClock(a, [2]time.Duration{a.Clock.Main, a.Clock.Main},
				[2]time.Duration{a.Clock.Increment, a.Clock.Increment}).String())
			a = limits[i]
		}
	}
	return lines
}

// allowed returns the time that a go line gives Black for a move, by the words of the protocol. A time for the move
// counts alone; else it is the remaining time and the byoyomi. Some GUIs add the increment to the remaining time before
// they send it, so only the larger of both is certain. A clock of 0 without byoyomi counts as a second. timed is false
// for a line without a time. Every number of a line is in milliseconds.
func allowed(line string) (limit time.Duration, timed bool) {
	numbers := map[string]int{}
	fields := strings.Fields(line)
	for i, word := range fields[:len(fields)-1] {
		if n, err := strconv.Atoi(fields[i+1]); err == nil {
			numbers[word] = n
		}
	}
	for word := range numbers {
		timed = timed || word != "nodes" && word != "depth"
	}
	if n := numbers["movetime"]; n > 0 {
		return time.Duration(n) * time.Millisecond, true
	}
	limit = time.Duration(max(numbers["btime"], numbers["binc"])+numbers["byoyomi"]) * time.Millisecond
	if timed && limit == 0 {
		limit = time.Second
	}
	return limit, timed
}

// endless is a member that searches until it is stopped, and answers a stop at once. If swift is set, it answers at
// once.
type endless struct {
	opened int
	swift  bool
}

func (*endless) NewGame(context.Context, usi.Game) error     { return nil }
func (*endless) GameOver(context.Context, usi.Outcome) error { return nil }
func (*endless) Close() error                                { return nil }

func (e *endless) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	var deadline <-chan time.Time
	if r.Deadline > 0 {
		deadline = time.After(r.Deadline)
	}
	if !e.swift {
		select {
		case <-ctx.Done():
		case <-deadline:
		}
	}
	m, err := shogi.ParseMove("7g7f")
	return usi.Reply{Answer: usi.AnswerMove, Move: m, Text: "7g7f", Stopped: !e.swift}, err
}

// TestEveryGo: for every form of go, a council of two members that search until they are stopped, and of one that
// answers at once, answers within the time that the line allows, uses most of it, and keeps its members. A line without
// a time lasts until the stop, which comes after two seconds here.
func TestEveryGo(t *testing.T) {
	const margin, until = 100 * time.Millisecond, 2 * time.Second
	lines := goLines()
	testutil.Require(t, len(lines) > 90, "only %d lines", len(lines))
	for _, line := range lines {
		synctest.Test(t, func(t *testing.T) {
			g := testutil.Must(usi.ParseGo(line))(t)
			members, deadline := reserve{margin: margin, overhead: margin + ensemble.Level}.allot(g, shogi.Black)
			limit, timed := allowed(line)
			if line == "go" || line == "go searchmoves 7g7f 2g2f" {
				limit, timed = fallbackTime, true
			}
			sent := testutil.Must(usi.ParseGo(members.String()))(t)
			testutil.Check(t, !timed || sent.Early || sent.MoveTime > 0 || sent.BTime > 0 || sent.Byoyomi > 0,
				"%s: the members get no time: %s", line, members)
			players := []*endless{{}, {}, {swift: true}}
			config := ensemble.Config{Name: "C", Rule: voting.DefaultSpec(voting.Majority), Restarts: -1}
			for i, p := range players {
				open := func(context.Context) (ensemble.Player, error) { p.opened++; return p, nil }
				config.Members = append(config.Members,
					ensemble.Member{Voter: voting.Voter{Name: fmt.Sprintf("m%d", i+1)}, Open: open})
			}
			c := testutil.Must(ensemble.Open(t.Context(), config))(t)
			testutil.OK(t, c.NewGame(t.Context(), usi.Game{}))
			for range 4 {
				ctx, cancel := context.WithTimeout(t.Context(), until)
				if timed {
					ctx = t.Context()
				}
				reply, err := c.Think(ctx, usi.Request{Position: usi.Position{Start: "startpos"}, Go: members, Deadline: deadline})
				cancel()
				testutil.Require(t, err == nil && reply.Text == "7g7f" && reply.Absent == 0,
					"%s: %q, %d members without a vote, %v", line, reply.Text, reply.Absent, err)
				if !timed {
					limit = until + time.Millisecond
				}
				testutil.Check(t, reply.Elapsed < limit && reply.Elapsed >= limit/5, "%s: the move took %v of %v", line,
					reply.Elapsed, limit)
				synctest.Wait()
			}
			testutil.Check(t, players[0].opened == 1 && players[1].opened == 1, "%s: a member was started again", line)
			testutil.OK(t, c.Close())
		})
	}
}

// TestCouncilNamesFailedMembers: by default, one info line names a member that failed, when it fails.
func TestCouncilNamesFailedMembers(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("restarts = 0\n", "-replay 7g7f", "-replay 7g7f", "-replay 2g2f -script exit@go"))
	g.ready()
	for n, want := range []int{1, 0} {
		g.say("position startpos", "go nodes 10")
		named := 0
		lines := g.until("bestmove 7g7f")
		for _, line := range lines {
			if strings.HasPrefix(line, "info string the vote lacks m3: ") {
				named++
			}
		}
		testutil.Check(t, n > 0 || strings.Contains(strings.Join(lines, "\n"), "the vote lacks m3: crash"), "the reason: %q",
			lines)
		testutil.Equal(t, named, want, "info lines about the member at move %d: %q", n+1, lines)
	}
	g.quit()
}
