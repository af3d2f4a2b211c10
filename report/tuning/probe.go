package tuning

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gogi/match"
	"gogi/match/tune"
	"gogi/runner"
	"gogi/usi"
)

// These constants limit a probe. They decide its cost and the smallest effect that it can find.
const (
	probePositions = 20
	probeNodes     = 20_000
	probeLeast     = 2000 // nodes; in fewer nodes many parameters change no search of these positions
	probeDepth     = 8
	probeDeadline  = 10 * time.Second
)

// Finding is the result of Probe for one parameter: whether the parameter changes the engine's searches.
type Finding struct {
	Param string `json:"param"` // name of the parameter
	// Dead reports that the engine's searches are equal with the parameter at both bounds, so the parameter
	// seems to have no effect.
	Dead bool `json:"dead"`
	// Unclear reports that the engine's searches are not repeatable, so that Dead is unknown.
	Unclear bool `json:"unclear,omitempty"`
	// Refused lists the values with which the engine does not start or search, each with the reason.
	Refused []string `json:"refused,omitempty"`
}

// String returns the finding as one line of text.
func (f Finding) String() string {
	switch {
	case len(f.Refused) > 0:
		return f.Param + ": " + strings.Join(f.Refused, "; ")
	case f.Dead:
		return f.Param +
			" changed none of the probe's searches: it may matter only later in a game, an options file of the engine may fix it (engine_options.txt, eval_options.txt), or the engine reads it only at its start (restart = \"pair\")"
	case f.Unclear:
		return f.Param +
			": the engine does not repeat its own searches, so the probe cannot test it; limit the searches by nodes (--nodes) and set Threads to 1"
	}
	return f.Param + " changes the search"
}

// Probe tests whether each parameter of a tune has an effect, before the first game. It searches a few
// positions with the parameter at each of its bounds, and the other parameters at their start values. It uses
// one engine, and sets the options as a tune does. After a failure it starts the engine again. Probe returns
// an error if the engine does not search with the start values.
func Probe(ctx context.Context, open runner.Opener, plan *match.Plan, s *tune.Settings) ([]Finding, error) {
	p := &prober{open: open, plan: plan, settings: s}
	defer p.close()
	usual, err := p.search(ctx, s.Start())
	again := ""
	if err == nil {
		again, err = p.search(ctx, s.Start())
	}
	if err != nil {
		return nil, fmt.Errorf("the probe, at the tune's start: %w", err)
	}
	var list []Finding
	for i := range s.Params {
		if s.Params[i].Unused {
			continue
		}
		f, err := p.param(ctx, i, usual == again)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

type prober struct {
	open     runner.Opener
	plan     *match.Plan
	settings *tune.Settings
	player   runner.Player // nil if no engine is open
}

func (p *prober) close() {
	if p.player != nil {
		_ = p.player.Close() // the probe does not check how the engine exits
		p.player = nil
	}
}

// param returns the finding for one parameter. repeats means that the engine repeats its searches at the start values.
func (p *prober) param(ctx context.Context, i int, repeats bool) (Finding, error) {
	param := &p.settings.Params[i]
	f := Finding{Param: param.Name, Unclear: !repeats}
	var seen []string
	for _, value := range []float64{param.Min, param.Max} {
		point := p.settings.Start()
		point[i] = value
		text, err := p.search(ctx, point)
		if ctx.Err() != nil {
			return f, context.Cause(ctx)
		}
		if err != nil {
			f.Refused = append(f.Refused, fmt.Sprintf("with %s the engine fails: %v", param.Text(value), err))
			continue
		}
		seen = append(seen, text)
	}
	f.Dead = repeats && len(seen) == 2 && seen[0] == seen[1]
	f.Unclear = f.Unclear && len(f.Refused) == 0
	return f, nil
}

// search sets the engine's parameters to the values in point, and returns the engine's output for some positions.
func (p *prober) search(ctx context.Context, point []float64) (output string, err error) {
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.player == nil {
		if p.player, err = p.open(ctx, p.plan.Players[0], nil); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	for n := range min(probePositions, len(p.plan.Openings)) {
		game := usi.Game{Pair: usi.NoPair}
		for _, o := range p.settings.Options(point) {
			game.Options = append(game.Options, usi.Setting(o))
		}
		if err := p.player.NewGame(ctx, game); err != nil {
			return "", err
		}
		opening := p.plan.Openings[n]
		reply, err := p.player.Think(ctx, usi.Request{
			Position: usi.Position{Start: opening.USIStart(), Moves: opening.Moves}, Go: p.how(), Deadline: probeDeadline,
		})
		if err == nil && reply.Stopped {
			err = errors.New("it does not keep to a limit of nodes or depth")
		}
		if err != nil {
			return "", err
		}
		best := reply.Best()
		fmt.Fprintf(&b, "%s %v %d %d %v\n", reply.Text, best.Score, best.Depth, reply.Nodes, best.PV)
	}
	return b.String(), nil
}

// how returns the limit of each search. It is the tune's number of nodes, limited to the range from probeLeast to
// probeNodes. If the tune has no node limit, it is a depth. There is no time limit, so that searches can be repeated.
func (p *prober) how() usi.Go {
	if n := p.plan.Players[0].Limits.Nodes; n > 0 {
		return usi.Go{Nodes: min(max(n, probeLeast), probeNodes)}
	}
	return usi.Go{Depth: probeDepth}
}
