package farmcmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/farm"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/match"
	"gogi/players"
	"gogi/runner/selfplay"
	"gogi/usi/process"
)

// selfplayPlan is the plan that is handed in of a file with a [selfplay]: its units are
// blocks.
func (c *SubmitCommand) selfplayPlan(ctx context.Context, file *configs.File, dir string, guard *process.Guard, builds []build) (*match.Plan, []advice.Warning, error) {
	if c.ScaleTo != "" {
		return nil, nil, wrong("--scale-to: self-play has no clocks")
	}
	here, err := players.Surroundings()
	if err != nil {
		return nil, nil, err
	}
	s, warnings, err := file.PlanSelfplay(dir, here)
	if err != nil {
		return nil, nil, fail.Usage(err)
	}
	o := &players.Opener{Plan: s.Plan, Guard: guard}
	greetings, err := o.GreetAll(ctx)
	if err != nil {
		return nil, nil, err
	}
	plan, more, err := identity.Complete(s.Plan, greetings)
	if err != nil {
		return nil, nil, fail.Usage(err)
	}
	if plan, err = withBuilds(plan, builds, func(name string) string { return name }); err != nil {
		return nil, nil, err
	}
	own := *plan
	own.Design, own.Pairs = match.Design{}, 0
	plan, err = (&selfplay.Unit{Plan: &own, Design: plan.Design.Selfplay, Blocks: plan.Pairs, Data: s.Data}).Hand()
	return plan, append(warnings, more...), fail.Usage(err)
}

// units is what of a plan is played, in words.
func units(plan *match.Plan) string {
	if u, err := selfplay.Handed(plan); err == nil && u != nil {
		return fmt.Sprintf("%s of %d games", format.NumberOf(u.Blocks, "block"), u.Design.Games)
	}
	return fmt.Sprintf("%d games", plan.Games())
}

// PulledBlocks is what pull --to did, for --json.
type PulledBlocks struct {
	Run     string `json:"run"`
	Added   int    `json:"added"`   // blocks that were not here
	Blocks  int    `json:"blocks"`  // that are here now
	Of      int    `json:"of"`      // wanted
	Dataset string `json:"dataset"` // see selfplay.Manifest; "": the data are made when all blocks are here
}

// blocks brings a test's blocks into a folder, and makes the data when all are there.
func (c *PullCommand) blocks(ctx context.Context, env *cli.Env) error {
	var p pulling
	err := c.with(func(t farm.Transport, name string) error {
		p.ask = asksBlocks(ctx, t, name, c.Test)
		return p.all(c.To)
	})
	if p.folder != nil {
		defer p.folder.Close() //nolint:errcheck // it was only locked
	}
	if err != nil {
		return err
	}
	return p.tell(ctx, env, c)
}

// asksBlocks asks a farm for pieces of a test's blocks.
func asksBlocks(ctx context.Context, t farm.Transport, name, test string) func(from int, offset int64) (farm.PulledBlock, error) {
	return func(from int, offset int64) (out farm.PulledBlock, err error) {
		err = request(ctx, t, name, "blocks", farm.PullBlock{Run: test, From: from, Offset: offset}, &out)
		return out, err
	}
}

// pulling is a pull of blocks.
type pulling struct {
	mirrors bool // what the farm has not is set aside: it was purged, or lost by the farm
	ask     func(from int, offset int64) (farm.PulledBlock, error)
	unit    *selfplay.Unit
	folder  *selfplay.Folder
	out     PulledBlocks
}

// all brings what is not in the folder, or is there otherwise than the farm has it.
func (p *pulling) all(to string) error {
	page, err := p.ask(0, 0)
	if err != nil {
		return err
	}
	plan, err := match.DecodePlan(page.Plan)
	if err == nil {
		p.unit, err = selfplay.Handed(plan)
	}
	if err == nil && p.unit == nil {
		err = errors.New("the farm's plan has no blocks")
	}
	if err != nil {
		return err
	}
	p.out.Run, p.out.Of = page.Test.Name, p.unit.Blocks
	if p.folder, err = selfplay.OpenFolder(to, p.unit.Plan, p.unit.Design); err != nil {
		return fail.Usage(err)
	}
	farms := map[int]bool{}
	for page.Block != nil {
		if err := p.one(&page); err != nil {
			return err
		}
		farms[page.Block.Number] = true
		if page, err = p.ask(page.Block.Number+1, 0); err != nil {
			return err
		}
	}
	there, err := p.folder.Blocks()
	for n := range there {
		if p.mirrors && !farms[n] {
			err = errors.Join(err, p.folder.SetAside(n))
			delete(there, n)
		}
	}
	p.out.Blocks = len(there)
	return err
}

// one brings the block whose first piece is there.
func (p *pulling) one(page *farm.PulledBlock) error {
	row := page.Block
	if have, err := p.folder.Encoded(row.Number); err == nil && sumOf(have) == row.SHA256 {
		return nil
	}
	data := page.Body
	for int64(len(data)) < row.Size {
		next, err := p.ask(row.Number, int64(len(data)))
		if err != nil {
			return err
		}
		if next.Block == nil || next.Block.SHA256 != row.SHA256 || len(next.Body) == 0 {
			return fmt.Errorf("block %d has changed on the farm while it was pulled: pull again", row.Number)
		}
		data = append(data, next.Body...)
	}
	if sumOf(data) != row.SHA256 {
		return fmt.Errorf("block %d is damaged on the farm: SHA-256 %s, expected %s", row.Number, sumOf(data), row.SHA256)
	}
	p.out.Added++
	return p.folder.PutEncoded(row.Number, data)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// tell makes the data where all blocks are there, and says what is.
func (p *pulling) tell(ctx context.Context, env *cli.Env, c *PullCommand) error {
	var m *selfplay.Manifest
	if p.out.Blocks == p.out.Of {
		var err error
		if m, err = p.folder.Make(ctx, p.unit.Blocks, p.unit.Data); err != nil {
			return err
		}
		p.out.Dataset = m.Dataset
	}
	if c.JSON {
		return format.JSON(env.Out, p.out)
	}
	fmt.Fprintf(env.Out, "%s: %s into %s, which has %d of %d now\n", p.out.Run, format.NumberOf(p.out.Added, "block"), c.To, p.out.Blocks, p.out.Of)
	if m != nil {
		m.Statistics.Print(env.Out)
		fmt.Fprintf(env.Out, "data        %s in %s/shards, of %s\n", format.NumberOf(len(m.Shards), "file"), c.To, format.NumberOf(len(m.Blocks), "block"))
		fmt.Fprintf(env.Out, "dataset     %s\n", m.Dataset)
	}
	return nil
}
