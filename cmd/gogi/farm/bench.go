package farmcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/match"
	"gogi/players"
	"gogi/results/games"
	"gogi/usi"
	"gogi/usi/process"
)

// BenchCommand measures the speed of a machine.
type BenchCommand struct {
	Engine      string        `default:"builtin" placeholder:"CMD" help:"Reference engine; use the same one on all workers of a farm (default ${default})."`
	Concurrency cli.Positive  `placeholder:"N" help:"Number of searches at the same time (default: the number of CPUs)."`
	Time        time.Duration `default:"20s" placeholder:"DUR" help:"Duration of each of three rounds; gogi prints the median (default ${default})."`
	Nodes       uint64        `default:"100000" placeholder:"N" help:"Number of nodes of one search from the initial position (default ${default})."`
	Out         string        `type:"path" placeholder:"FILE" help:"File for the result, for gogi farm work --nps-file and gogi farm submit --scale-to."`
	JSON        bool          `name:"json" help:"Print one JSON object."`
}

// benchNodes is the default of --nodes. gogi also uses it in measurements that the farm requests.
const benchNodes = 100_000

// benchRounds is the number of rounds. The result is their median.
const benchRounds = 3

// Benched is the result of a measurement, as JSON.
type Benched struct {
	NPS    float64   `json:"nps"`    // nodes per second of a slot: the median of the rounds
	Slots  int       `json:"slots"`  // slots that searched at the same time
	Rounds []float64 `json:"rounds"` // nodes per second of a slot in each round
	Engine string    `json:"engine"`
	// Identity is the text that identifies the engine in plans whose clocks follow the speed of each machine.
	Identity string `json:"identity"`
}

// Run measures the machine and prints the result.
func (c *BenchCommand) Run(ctx context.Context, env *cli.Env) error {
	c.Concurrency = cmp.Or(c.Concurrency, cli.Positive(runtime.NumCPU()))
	if c.Time <= 0 {
		return wrong("--time %v: expected a positive time", c.Time)
	}
	ctx, interrupted := cli.Catch(ctx, env)
	defer interrupted.Stop()
	guard, err := players.StartGuard(env.GuardChanged)
	if err != nil {
		return err
	}
	out, err := c.measure(ctx, guard)
	if err = errors.Join(err, guard.Close()); err != nil {
		return err
	}
	if err := c.write(out); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(env.Out, out)
	}
	fmt.Fprintf(env.Out, "%s nodes a second and slot, %s at once (%s)\n", format.Count(int(out.NPS)),
		format.NumberOf(out.Slots, "slot"), out.Engine)
	return nil
}

// write writes the result to --out.
func (c *BenchCommand) write(out *Benched) error {
	if c.Out == "" {
		return nil
	}
	err := games.Whole(c.Out, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%.0f %s\n", out.NPS, out.Identity)
		return err
	})
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

func (c *BenchCommand) measure(ctx context.Context, guard *process.Guard) (*Benched, error) {
	player, err := c.player()
	if err != nil {
		return nil, fail.Usage(err)
	}
	o := &players.Opener{Plan: &match.Plan{Players: []match.Player{player},
		Rules: match.RulesProfiles()[match.DefaultRules], Ponder: match.PonderOff}, Guard: guard}
	engines := make([]*usi.Engine, c.Concurrency)
	defer func() {
		for _, e := range engines {
			if e != nil {
				_ = e.Close() // the measurement is complete
			}
		}
	}()
	for i := range engines {
		if engines[i], err = o.Greet(ctx, player, nil); err != nil {
			return nil, err
		}
		if err := engines[i].NewGame(ctx, usi.Game{Pair: usi.NoPair, Slot: i}); err != nil {
			return nil, err
		}
	}
	out := &Benched{Slots: len(engines), Engine: c.Engine, Identity: player.Identity.Reference()}
	for range benchRounds {
		nps, err := c.round(ctx, engines)
		if err != nil {
			return nil, err
		}
		out.Rounds = append(out.Rounds, nps)
	}
	sorted := slices.Sorted(slices.Values(out.Rounds))
	out.NPS = sorted[len(sorted)/2]
	return out, nil
}

// player returns the reference engine.
func (c *BenchCommand) player() (match.Player, error) {
	file := &configs.File{}
	games := 2
	if err := file.Apply(configs.Flags{Run: "bench", Engine: []string{"a=" + c.Engine, "b=" + c.Engine}, Games: &games,
		Nodes: []string{strconv.FormatUint(c.Nodes, 10)}}); err != nil {
		return match.Player{}, err
	}
	here, err := players.Surroundings()
	if err != nil {
		return match.Player{}, err
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		return match.Player{}, err
	}
	plan, _, err := file.Plan(dir, here)
	if err != nil {
		return match.Player{}, err
	}
	return plan.Players[0], nil
}

// round searches on all slots at the same time, and returns the mean of their nodes per second.
func (c *BenchCommand) round(ctx context.Context, engines []*usi.Engine) (float64, error) {
	rates := make([]float64, len(engines))
	group, ctx := errgroup.WithContext(ctx)
	for i, e := range engines {
		group.Go(func() (err error) {
			rates[i], err = c.search(ctx, e)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	sum := 0.0
	for _, r := range rates {
		sum += r
	}
	return sum / float64(len(rates)), nil
}

// search searches from the initial position until the time is over.
func (c *BenchCommand) search(ctx context.Context, e *usi.Engine) (float64, error) {
	var nodes uint64
	var took time.Duration
	for took < c.Time {
		reply, err := e.Think(ctx, usi.Request{Position: usi.Position{Start: "startpos"}, Go: usi.Go{Nodes: c.Nodes},
			Deadline: time.Minute})
		if err != nil {
			return 0, err
		}
		nodes, took = nodes+reply.Nodes, took+reply.Elapsed
	}
	return float64(nodes) / took.Seconds(), nil
}

// readNPS reads a file that gogi farm bench --out wrote: the nodes per second, and the identity of the engine. flag
// is the name of the flag, for errors.
func readNPS(flag, file string) (nps float64, engine string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, "", wrong("%s: %w", flag, err)
	}
	figure, engine, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	nps, err = strconv.ParseFloat(figure, 64)
	if err != nil || !(nps > 0) || math.IsInf(nps, 0) || engine == "" {
		return 0, "",
			wrong("%s %s: expected a number of nodes a second and the engine's identity, as gogi farm bench --out writes them",
				flag, file)
	}
	return nps, engine, nil
}
