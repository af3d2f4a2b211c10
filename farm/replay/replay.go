// Package replay plays pairs of a stored run again on this machine and compares them move by
// move. Use it to check games that other machines played, if the players are deterministic
// (trust.Exact). [Sample] chooses the pairs and [Play] plays them.
package replay

import (
	"cmp"
	"context"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gogi/match"
	"gogi/match/trust"
	"gogi/runner"
)

// Sample selects a share (more than 0, at most 1) of the pairs at random without repetition, and sorts the
// selected pairs. It selects at least one pair of a non-empty list. Equal seeds select equal pairs.
func Sample(pairs []int, share float64, seed uint64) []int {
	n := min(int(math.Ceil(share*float64(len(pairs)))), len(pairs))
	drawn := slices.Clone(pairs)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	drawn = drawn[:n]
	slices.Sort(drawn)
	return drawn
}

// A Config is the configuration of Play.
type Config struct {
	Plan        *match.Plan // ready to be played on this machine
	Pairs       []int       // the pairs to play
	Stored      func(ctx context.Context, pair int) (match.PairResult, error)
	Open        runner.Opener
	Concurrency int              // slots
	Progress    func(played int) // called after each pair; may be nil
	// Kept reports whether the engines of a stored pair may have kept data of earlier pairs. A difference then proves
	// nothing.
	Kept func(match.Provenance) bool
}

// A Difference is a pair whose games differ from the stored games when they are played again.
type Difference struct {
	Pair   int    `json:"pair"`
	Worker string `json:"worker,omitempty"` // the worker of the stored pair
	Leg    int    `json:"leg"`
	Ply    int    `json:"ply"`  // the first different ply, from 1
	What   string `json:"what"` // the difference, as text
	// Kept is true if the engines of the stored pair may have kept data of earlier pairs, so that the difference proves
	// nothing.
	Kept bool `json:"kept,omitempty"`
}

// A Report is the result of Play.
type Report struct {
	Run       string       `json:"run"`
	Played    int          `json:"played"` // pairs
	Different []Difference `json:"different"`
}

// Proves reports whether one of the differences shows that a stored pair is not what its engines play.
func (r *Report) Proves() bool {
	return slices.ContainsFunc(r.Different, func(d Difference) bool { return !d.Kept })
}

// Play plays the pairs again and compares them with the stored pairs. It returns an error if this machine
// cannot play a pair.
func Play(ctx context.Context, c Config) (Report, error) {
	p := &playing{Config: c, left: slices.Clone(c.Pairs), out: Report{Run: c.Plan.Run, Different: []Difference{}}}
	err := runner.Run(ctx, runner.Config{Plan: c.Plan, Source: p, Sink: p, Open: c.Open, Concurrency: c.Concurrency})
	slices.SortFunc(p.out.Different, func(a, b Difference) int { return cmp.Compare(a.Pair, b.Pair) })
	return p.out, err
}

// playing gives the pairs to the runner (Source) and compares the played ones (Sink). Its methods are safe for
// concurrent use.
type playing struct {
	Config

	mu   sync.Mutex
	left []int
	out  Report
}

// Next implements runner.Source. It returns at once.
func (p *playing) Next(ctx context.Context) (runner.Lease, error) {
	if err := context.Cause(ctx); err != nil {
		return runner.Lease{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.left) == 0 {
		return runner.Lease{}, io.EOF
	}
	pair := p.left[0]
	p.left = p.left[1:]
	return runner.Lease{Pair: p.Plan.Pair(pair), Fresh: true, Return: func(error) {}}, nil // as on workers
}

// Put implements runner.Sink. It compares the pair with the stored one.
func (p *playing) Put(ctx context.Context, _ runner.Lease, r match.PairResult) (bool, error) {
	was, err := p.Stored(ctx, r.Pair.ID)
	if err != nil {
		return false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out.Played++
	if d := trust.Compare(&was, &r); d != nil {
		p.out.Different = append(p.out.Different,
			Difference{r.Pair.ID, was.Played.Worker, d.Leg, d.Ply, d.What, p.Kept(was.Played)})
	}
	if p.Progress != nil {
		p.Progress(p.out.Played)
	}
	return true, nil
}

// PutAttempt implements runner.Sink. It ignores attempts.
func (p *playing) PutAttempt(context.Context, runner.Lease, match.Attempt) error { return nil }
