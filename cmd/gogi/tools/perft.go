package toolcmd

import (
	"fmt"

	"gogi/cmd/gogi/cli"
	enginecmd "gogi/cmd/gogi/engines"
	"gogi/internal/fail"
	"gogi/shogi"
	"gogi/usi"
)

// DevCommand groups the commands for developers of gogi and of engines.
type DevCommand struct {
	Perft  PerftCommand            `cmd:"" help:"Count the leaves of the tree of legal moves"`
	Engine enginecmd.EngineCommand `cmd:"" help:"Run the built-in engine as a USI engine"`
}

// PerftCommand counts the leaves of the tree of legal moves, to compare move generators.
type PerftCommand struct {
	SFEN   string `name:"sfen" default:"startpos" placeholder:"SFEN" help:"Position: startpos or an SFEN, with or without moves (default ${default})."`
	Depth  int    `required:"" placeholder:"N" help:"Length of the counted move sequences in plies."`
	Divide bool   `help:"Also print the count after each first move."`
}

// Run prints the count, with --divide after the count of each first move. The last line is "total N".
func (c *PerftCommand) Run(env *cli.Env) error {
	if c.Depth < 0 {
		return fail.Usage(fmt.Errorf("--depth %d: expected 0 or more", c.Depth))
	}
	start, err := usi.ParsePosition(c.SFEN)
	if err != nil {
		return fail.Usage(fmt.Errorf("--sfen: %w", err))
	}
	history, err := start.History()
	if err != nil {
		return fail.Usage(fmt.Errorf("--sfen: %w", err))
	}
	position := *history.Position()
	if !c.Divide || c.Depth == 0 {
		fmt.Fprintf(env.Out, "total %d\n", shogi.Perft(position, c.Depth))
		return nil
	}
	var total uint64
	for _, m := range position.LegalMoves(nil) {
		next := position
		next.Apply(m)
		n := shogi.Perft(next, c.Depth-1)
		total += n
		fmt.Fprintf(env.Out, "%s: %d\n", m, n)
	}
	fmt.Fprintf(env.Out, "total %d\n", total)
	return nil
}
