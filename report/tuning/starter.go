package tuning

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gogi/match/tune"
	"gogi/usi"
)

// Starter writes a tune file for an engine. The file has every declared numeric option, with the declared
// bounds and guessed scales. Options about the machine, limits and time are comments, and so are options that
// a tune cannot use. If only is not empty, the file has just the options that match one of its patterns. In
// that case only options that a tune cannot use are comments.
func Starter(w io.Writer, name, command string, declared []usi.Option, only []string) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# A tune of %s: gogi tune FILE. docs/configuration.md explains the keys.

games = 20000           # the schedule depends on this number
limits = { nodes = 20000 }

[[engine]]
name = %q
cmd = %q

[tune]
method = "spsa"         # or fishtest

[tune.validate]
sprt = [0, 3]           # Elo bounds of the SPRT that tests the result
games = 20000           # maximum

# Remove the parameters that you do not want to tune. scale is your guess of the distance to
# the best value; gogi wrote an eighth of the range.

`, name, name, command)
	for i := range declared {
		if o := &declared[i]; o.Type == usi.Spin &&
			(len(only) == 0 || slices.ContainsFunc(only, func(glob string) bool { return matches(glob, o.Name) })) {
			if err := starterParam(&b, o, declared, len(only) == 0); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// starterParam writes one option to b, as a parameter of a tune file. If hold is true and heldBack has a reason for
// the option, starterParam writes the parameter as a TOML comment, so that the tune does not change it.
func starterParam(b *strings.Builder, o *usi.Option, declared []usi.Option, hold bool) error {
	switch {
	case o.Min == o.Max:
		return nil
	case !takes(o):
		fmt.Fprintf(b, "# %s is left out: no tune can take its range, %d to %d.\n\n", o.Name, o.Min, o.Max)
		return nil
	}
	p, err := ofGlob(o.Name, nil, nil, declared)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := writeParam(&text, &p[0], p[0].Text(p[0].Start), "  # a guess"); err != nil {
		return err
	}
	reason := ""
	if hold {
		reason = heldBack(o.Name)
	}
	if reason == "" {
		b.WriteString(text.String())
		return nil
	}
	fmt.Fprintf(b, "# %s %s:\n", o.Name, reason)
	for line := range strings.Lines(strings.TrimRight(text.String(), "\n")) {
		b.WriteString("# " + line)
	}
	b.WriteString("\n\n")
	return nil
}

// takes reports whether a tune can use the range of a numeric option.
func takes(o *usi.Option) bool {
	return max(-float64(o.Min), float64(o.Max)) <= tune.MaxValue
}

// heldBack returns the reason why an option is a comment in a starter file. It returns "" if the option is
// not a comment.
func heldBack(name string) string {
	for reason, names := range map[string][]string{
		"sets what the engine uses of the machine, not how it plays": {"Threads", "Hash", "USI_Hash", "EvalHash", "MultiPV",
			"USI_MultiPV"},
		"is a limit of a search":     {"DepthLimit", "NodesLimit", "MaxMovesToDraw", "Draw_Ply"},
		"is about time on the clock": timeOptions(),
		"is about the book's moves": {"BookMoves", "BookEvalDiff", "BookEvalBlackLimit",
			"BookEvalWhiteLimit", "BookDepthLimit", "BookIgnoreRate", "BookPvMoves"},
		"is about what the engine prints, or when it resigns": {"PvInterval", "ResignValue"},
		"starts random numbers":                               {"Seed", "RandomSeed"},
	} {
		if slices.ContainsFunc(names, func(other string) bool { return strings.EqualFold(other, name) }) {
			return reason
		}
	}
	return ""
}
