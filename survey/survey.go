// Package survey asks the members of a council about positions and tells how often they
// disagree.
package survey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/match"
	"gogi/players"
	"gogi/runner"
	"gogi/shogi"
	"gogi/stats/counts"
	"gogi/usi"

	"golang.org/x/sync/errgroup"
)

// Report says how often the members of a council differ; its JSON is what "gogi
// disagreement --json" prints. Rates are from 0 to 1.
type Report struct {
	Version   int      `json:"version"`
	Council   string   `json:"council"`
	Source    string   `json:"source"` // of the positions
	Seed      uint64   `json:"seed"`   // the plan's, of the choice of positions and of the members' games
	Limits    string   `json:"limits"` // of each member that has none of its own
	Positions int      `json:"positions"`
	Members   []Member `json:"members"`
	Pairs     []Pair   `json:"pairs"`
	// MeanPair is the mean of the pairs' rates. It has no interval: pairs share
	// positions and members.
	MeanPair  *float64 `json:"mean_pair_rate"`
	Unanimous Share    `json:"unanimous"`     // of the positions that all members answered
	Splits    []Split  `json:"splits"`        // of the same positions, in falling order of their number
	Why       string   `json:"why,omitempty"` // there is no mean
}

// Member is how one member fared.
type Member struct {
	Name     string `json:"name"`
	Answered int    `json:"answered"`
	Failed   int    `json:"failed"` // it crashed, hung or answered what is no legal move, twice
	First    string `json:"first_failure,omitempty"`
}

// Pair is two members at the positions that both answered.
type Pair struct {
	A string `json:"a"`
	B string `json:"b"`
	Share
}

// Split is how often the answers fell apart in one way.
type Split struct {
	Split string  `json:"split"` // how many gave each answer, in falling order, such as 3:1
	Count int     `json:"count"` // of positions
	Share float64 `json:"share"` // of those that all members answered
}

// Share is K of N with its exact interval (Clopper and Pearson, 95%), null where
// N is 0.
type Share struct {
	K    int      `json:"k"`
	N    int      `json:"n"`
	Rate *float64 `json:"rate"`
	Lo   *float64 `json:"lo"`
	Hi   *float64 `json:"hi"`
}

// survey asks members about positions.
type survey struct {
	opener    *players.Opener
	nodes     uint64
	positions []usi.Position
	answers   [][]surveyed // by position and member
}

// Ask asks every member of the plan's first player, a council, about every position,
// as many positions at a time as the plan plays games. nodes stand for
// the limits of the plan unless they are 0; members that end their searches by
// themselves go on doing so. A member that fails twice at a position has no answer
// there; the error is one that cannot be started, or the context's cause. Whoever
// knows where the positions are from fills in the report's Source.
func Ask(ctx context.Context, o *players.Opener, positions []usi.Position, nodes uint64) (*Report, error) {
	s := &survey{opener: o, nodes: nodes, positions: positions}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	return s.report(), nil
}

// surveyed is what one member said about one position.
type surveyed struct {
	word    string // a move, resign or win; "" when it failed
	failure string
}

func (s *survey) council() *match.Player { return &s.opener.Plan.Players[0] }

// run deals positions out to slots. Each position is a game of its own for the
// members, so that no answer depends on what was asked before.
func (s *survey) run(ctx context.Context) error {
	members := s.council().Council.Members
	s.answers = make([][]surveyed, len(s.positions))
	next := make(chan int) // positions to be asked; closed when there are no more
	all, ctx := errgroup.WithContext(ctx)
	for range min(s.opener.Plan.Concurrency, len(s.positions)) {
		all.Go(func() (err error) {
			seats := make([]surveySeat, len(members))
			defer func() {
				for i := range seats {
					seats[i].close()
				}
			}()
			for i := range next {
				if s.answers[i], err = s.askAll(ctx, seats, s.positions[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	all.Go(func() error {
		defer close(next)
		for i := range s.positions {
			select {
			case next <- i:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	return all.Wait()
}

// surveySeat is one member in one slot.
type surveySeat struct{ player surveyPlayer }

type surveyPlayer interface {
	NewGame(ctx context.Context, g usi.Game) error
	Think(ctx context.Context, r usi.Request) (usi.Reply, error)
	Close() error
}

func (x *surveySeat) close() {
	if x.player != nil {
		_ = x.player.Close() // it has answered, or failed already
	}
	x.player = nil
}

// askAll asks one member after the other; the slots are what runs in parallel.
func (s *survey) askAll(ctx context.Context, seats []surveySeat, p usi.Position) ([]surveyed, error) {
	list := make([]surveyed, len(seats))
	for i := range seats {
		for range 2 { // a fault may be bad luck; twice is an answer, too
			word, err := s.ask(ctx, &seats[i], i, p)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if errors.Is(err, players.ErrStart) {
				return nil, err
			}
			list[i].word = word
			if err == nil {
				break
			}
			list[i].failure = foreign.Printable(err.Error(), 300)
			seats[i].close()
		}
	}
	return list, nil
}

// ask puts one position to one member and reads the answer.
func (s *survey) ask(ctx context.Context, seat *surveySeat, i int, p usi.Position) (word string, err error) {
	m := s.council().Council.Members[i]
	if m.Restart == match.RestartGame {
		seat.close()
	}
	if seat.player == nil {
		if seat.player, err = s.opener.Open(ctx, m, nil); err != nil {
			seat.player = nil
			return "", err
		}
	}
	if err := seat.player.NewGame(ctx, usi.Game{Seed: s.opener.Plan.Seed}); err != nil {
		return "", err
	}
	reply, err := seat.player.Think(ctx, s.request(i, p))
	if err != nil {
		return "", err
	}
	return surveyWord(p, &reply)
}

// surveyWord is a legal answer in a word.
func surveyWord(p usi.Position, reply *usi.Reply) (string, error) {
	switch reply.Answer {
	case usi.AnswerResign:
		return "resign", nil
	case usi.AnswerWin:
		return "win", nil
	case usi.AnswerMove:
		h, err := p.History()
		if err == nil {
			err = h.Position().CheckLegal(reply.Move)
		}
		if err == nil {
			return reply.Move.String(), nil
		}
	case usi.AnswerInvalid:
	}
	return "", fmt.Errorf("it answered %q in %s", reply.Text, p)
}

// request is a member's search: under --nodes, its own limits or the council's.
// A clock stands as at the first move of a game.
func (s *survey) request(i int, p usi.Position) usi.Request {
	c := s.council()
	limits := c.Limits
	if c.Council.Own[i] {
		limits = c.Council.Members[i].Limits
	}
	if s.nodes > 0 && (!c.Council.Own[i] || !limits.Self) {
		limits = match.Limits{Nodes: s.nodes, Stall: limits.Stall}
	}
	clock := limits.Clock
	r := usi.Request{Position: p, Deadline: max(limits.Stall, match.DefaultStall)}
	r.Go = runner.GoOnClock(limits, [2]time.Duration{clock.Main, clock.Main}, [2]time.Duration{clock.Increment, clock.Increment})
	if !clock.IsZero() {
		r.Deadline = clock.Main + clock.Increment + clock.Byoyomi + limits.Margin
	}
	return r
}

// report counts the answers.
func (s *survey) report() *Report {
	c := s.council()
	d := &Report{Version: 1, Council: c.Name, Seed: s.opener.Plan.Seed, Limits: s.limits(), Positions: len(s.positions), Pairs: []Pair{}, Splits: []Split{}}
	for i, m := range c.Council.Members {
		row := Member{Name: m.Name}
		for _, answers := range s.answers {
			switch {
			case answers[i].word != "":
				row.Answered++
			default:
				if row.Failed++; row.First == "" {
					row.First = answers[i].failure
				}
			}
		}
		d.Members = append(d.Members, row)
	}
	d.countPairs(s.answers)
	d.countSplits(s.answers)
	return d
}

func (s *survey) limits() string {
	if s.nodes > 0 {
		return fmt.Sprintf("nodes %d", s.nodes)
	}
	return s.council().Limits.String()
}

func (d *Report) countPairs(answers [][]surveyed) {
	sum, rated := 0.0, 0
	for a := range d.Members {
		for b := range a {
			n, k := 0, 0
			for _, x := range answers {
				if x[a].word == "" || x[b].word == "" {
					continue
				}
				n++
				if x[a].word != x[b].word {
					k++
				}
			}
			pair := Pair{d.Members[b].Name, d.Members[a].Name, exactShareOf(k, n)}
			d.Pairs = append(d.Pairs, pair)
			if pair.Rate != nil {
				sum += *pair.Rate
				rated++
			}
		}
	}
	if rated == 0 {
		d.Why = "there is no position that two members answered"
		return
	}
	mean := sum / float64(rated)
	d.MeanPair = &mean
}

func (d *Report) countSplits(answers [][]surveyed) {
	counts := map[string]int{}
	all, unanimous := 0, 0
	for _, x := range answers {
		split, ok := splitOf(x)
		if !ok {
			continue
		}
		all++
		counts[split]++
		if !strings.Contains(split, ":") {
			unanimous++
		}
	}
	d.Unanimous = exactShareOf(unanimous, all)
	for split, n := range counts {
		d.Splits = append(d.Splits, Split{split, n, float64(n) / float64(all)})
	}
	slices.SortFunc(d.Splits, func(a, b Split) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(b.Split, a.Split)
	})
}

// splitOf is how many members gave each answer, in falling order, such as 3:1;
// false where one gave none.
func splitOf(answers []surveyed) (string, bool) {
	by := map[string]int{}
	for _, a := range answers {
		if a.word == "" {
			return "", false
		}
		by[a.word]++
	}
	var counts []int
	for _, n := range by {
		counts = append(counts, n)
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(counts), " ", ":"), "[]"), true
}

func exactShareOf(k, n int) Share {
	s := Share{K: k, N: n}
	interval, err := counts.ClopperPearson(k, n, 0.95)
	if err != nil { // n is 0
		return s
	}
	rate := float64(k) / float64(n)
	s.Rate, s.Lo, s.Hi = &rate, &interval.Lo, &interval.Hi
	return s
}

// rate is the share as text, a dash where there is none.
func (s Share) rate() string {
	if s.Rate == nil {
		return "–"
	}
	return format.Percent(*s.Rate)
}

// interval is the share's interval as text, "" where there is none.
func (s Share) interval() string {
	if s.Lo == nil || s.Hi == nil {
		return ""
	}
	return fmt.Sprintf("[%s, %s]", format.Percent(*s.Lo), format.Percent(*s.Hi))
}

// Print writes the report for a terminal; write errors are dropped.
func (d *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%s · %d positions (%s, seed %d) · %s\n\n", d.Council, d.Positions, d.Source, d.Seed, d.Limits)
	d.printMatrix(w)
	pairs := format.Table("pair", "differ", "rate", "95% exact (Clopper–Pearson)")
	for _, p := range d.Pairs {
		pairs.AppendRow([]any{p.A + " – " + p.B, fmt.Sprintf("%d of %d", p.K, p.N), p.rate(), p.interval()})
	}
	format.Render(w, pairs)
	if d.MeanPair != nil {
		fmt.Fprintf(w, "mean over the pairs   %s\n", format.Percent(*d.MeanPair))
	}
	agree := strings.TrimSpace(d.Unanimous.rate() + "  " + d.Unanimous.interval())
	fmt.Fprintf(w, "all members agree     %s  %d of %d positions\n\n", agree, d.Unanimous.K, d.Unanimous.N)
	splits := format.Table("split", "positions", "share")
	for _, s := range d.Splits {
		splits.AppendRow([]any{s.Split, s.Count, format.Percent(s.Share)})
	}
	format.Render(w, splits)
	for _, m := range d.Members {
		if m.Failed > 0 {
			fmt.Fprintf(w, "%s gave no answer to %d positions, the first time: %s\n", m.Name, m.Failed, m.First)
		}
	}
}

// printMatrix prints how often each member differs from each other one.
func (d *Report) printMatrix(w io.Writer) {
	header := []any{"differs from"}
	for _, m := range d.Members {
		header = append(header, m.Name)
	}
	t := format.Table(header...)
	for _, a := range d.Members {
		row := []any{a.Name}
		for _, b := range d.Members {
			cell := "·"
			for _, p := range d.Pairs {
				if (p.A == a.Name && p.B == b.Name || p.A == b.Name && p.B == a.Name) && p.Rate != nil {
					cell = format.Percent(*p.Rate)
				}
			}
			row = append(row, cell)
		}
		t.AppendRow(row)
	}
	format.Render(w, t)
}

// positionsKey tells positions apart by what is on the board, not by the ply.
func positionsKey(p *shogi.Position) string {
	sfen := p.SFEN()
	return sfen[:strings.LastIndexByte(sfen, ' ')]
}
