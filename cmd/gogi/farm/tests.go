package farmcmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"gogi/cmd/gogi/cli"
	"gogi/farm"
	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/internal/sanitize"
	"gogi/match"
)

// onTest has the arguments of a command about one test.
type onTest struct {
	owner
	Test string `arg:"" name:"test" help:"Name of the test, or at least 12 digits of its plan hash."`
	Why  string `placeholder:"TEXT" help:"Reason, for the log of the test."`
}

// order sends an order about the test to the farm, and prints the new state of the test. word is the kind of order,
// such as "stop".
func (c *onTest) order(ctx context.Context, env *cli.Env, word string, o farm.Order) error {
	status, err := c.send(ctx, word, o)
	if err != nil {
		return err
	}
	return c.print(env, &status)
}

// send sends an order about the test to the farm, and returns the new state of the test.
func (c *onTest) send(ctx context.Context, word string, o farm.Order) (status farm.TestStatus, err error) {
	o.Run, o.Why = c.Test, c.Why
	return status, c.ask(ctx, word, o, &status)
}

func (c *onTest) print(env *cli.Env, status *farm.TestStatus) error {
	if c.JSON {
		return printJSON(env.Out, status)
	}
	fmt.Fprintf(env.Out, "%s is %s%s\n", status.Name, status.State, reason(status.Why))
	return nil
}

func reason(why string) string {
	if why == "" {
		return ""
	}
	return ": " + sanitize.Printable(why, 400)
}

// OrderCommand sends an order about a test that has no further arguments. The name of the command, such as stop, is
// the order.
type OrderCommand struct{ onTest }

// Run sends the order to the farm and prints the new state of the test.
func (c *OrderCommand) Run(ctx context.Context, env *cli.Env, k *kong.Context) error {
	return c.order(ctx, env, k.Selected().Name, farm.Order{})
}

// SetCommand sets the priority of a test, or its share of the workers.
type SetCommand struct {
	onTest
	Priority *int     `placeholder:"N" help:"Priority of the test, from -10 to 10; a test with a higher one gets workers first."`
	Share    *float64 `placeholder:"W" help:"Weight above 0: tests of equal priority get workers in proportion to their weights."`
}

// Run sends the new settings to the farm and prints the new state of the test.
func (c *SetCommand) Run(ctx context.Context, env *cli.Env) (err error) {
	if c.Priority == nil && c.Share == nil {
		return wrong("expected --priority N or --share W")
	}
	var status farm.TestStatus
	if c.Priority != nil {
		status, err = c.send(ctx, "priority", farm.Order{Number: float64(*c.Priority)})
	}
	if err == nil && c.Share != nil {
		status, err = c.send(ctx, "share", farm.Order{Number: *c.Share})
	}
	if err != nil {
		return err
	}
	return c.print(env, &status)
}

// ListCommand lists the tests.
type ListCommand struct{ owner }

// Run prints the tests, the most urgent first.
func (c *ListCommand) Run(ctx context.Context, env *cli.Env) error {
	var s farm.Status
	if err := c.ask(ctx, "list", farm.Order{}, &s); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(env.Out, s)
	}
	rows := lists.Map(s.Tests, func(t farm.TestStatus) []string {
		return []string{
			sanitize.Printable(t.Name, 24), sanitize.Printable(t.Owner, 12), string(t.State), strconv.Itoa(t.Priority),
			fmt.Sprintf("%d/%d %ss", t.Stored, t.Pairs, t.Unit()), strconv.Itoa(t.Held), t.Gate(),
		}
	})
	for _, u := range s.Unread {
		fmt.Fprintf(env.Err, "gogi: the coordinator cannot read test %s and does not play it: %s\n",
			sanitize.Printable(cmp.Or(u.Name, u.Run), 64), sanitize.Printable(u.Why, 300))
	}
	if len(rows) == 0 {
		fmt.Fprintln(env.Out, "no tests")
		return nil
	}
	if err := printRows(env.Out, format.NewColumns([]string{"test", "owner", "state", "priority", "stored", "held",
		"gate"}, 3, 4, 5), rows); err != nil {
		return err
	}
	for i := range s.Tests {
		for _, remark := range remarks(&s.Tests[i]) {
			fmt.Fprintf(env.Out, "%s: %s\n", sanitize.Printable(s.Tests[i].Name, 40), remark)
		}
	}
	return nil
}

// remarks returns remarks for the user about a test: why its verdict is not final, which pairs became void last,
// and which workers do not play it.
func remarks(t *farm.TestStatus) (all []string) {
	if t.Provisional != "" {
		all = append(all, "the verdict "+t.Verdict+" is provisional: "+sanitize.Printable(t.Provisional, 600))
	}
	if t.Voided != "" {
		all = append(all, sanitize.Printable(t.Voided, 400))
	}
	if t.Suspicions != "" {
		all = append(all, sanitize.Printable(t.Suspicions, 600))
	}
	for _, b := range t.Benches {
		if b.Differs() {
			all = append(all, sanitize.Printable(b.String(), 400))
		}
	}
	for _, why := range t.Refusals {
		all = append(all, "is not played by "+sanitize.Printable(why, 400))
	}
	return all
}

// ShowCommand shows a test.
type ShowCommand struct {
	owner
	Test  string `arg:"" name:"test" help:"Name of the test, or its plan hash."`
	Watch bool   `help:"Follow the test until its end; without a terminal gogi prints a line for each change."`
}

// Run prints the test.
func (c *ShowCommand) Run(ctx context.Context, env *cli.Env) error {
	if c.Watch {
		return c.with(func(t farm.Transport, name string) error { return c.watch(ctx, env, t, name) })
	}
	var s farm.TestStatus
	if err := c.ask(ctx, "show", farm.Order{Run: c.Test}, &s); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(env.Out, s)
	}
	printTest(env.Out, &s)
	return c.printPlan(ctx, env.Out, s.Run)
}

// printPlan prints what a test plays, so that a person who approves it can read this.
func (c *ShowCommand) printPlan(ctx context.Context, w io.Writer, run string) error {
	var of farm.PlanOf
	if err := c.ask(ctx, "plan", farm.Order{Run: run}, &of); err != nil {
		return err
	}
	p, err := match.DecodePlan(of.Plan)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "  plays")
	for _, player := range p.Players {
		printPlayer(w, &player, player.Limits)
	}
	if !p.Gate.IsZero() {
		fmt.Fprintf(w, "    %s\n", p.Gate)
	}
	fmt.Fprintf(w, "    at most %s from %s, seed %d\n", format.NumberOf(p.Pairs*p.Legs(), "game"),
		format.NumberOf(len(p.Openings), "opening"), p.Seed)
	return nil
}

// printPlayer prints a player of a plan, and the members of a council below it. limits are those of the player, which a
// member without its own has from its council.
func printPlayer(w io.Writer, p *match.Player, limits match.Limits) {
	var words []string
	for _, o := range p.Options {
		words = append(words, o.Name+"="+o.Value)
	}
	what := p.Identity.String()
	if p.Council != nil {
		what = "council"
	}
	text := strings.Join(append([]string{fmt.Sprintf("%s: %s · %s", p.Name, what, limits)}, words...), " ")
	fmt.Fprintf(w, "    %s\n", sanitize.Printable(text, 1000))
	if p.Council == nil {
		return
	}
	for i, m := range p.Council.Members {
		if p.Council.Own[i] {
			limits = m.Limits
		}
		printPlayer(w, &m, limits)
	}
}

// watchEvery is the interval of requests for a watched test.
const watchEvery = time.Second

func (c *ShowCommand) watch(ctx context.Context, env *cli.Env, t farm.Transport, name string) error {
	ctx, interrupted := cli.Catch(ctx, env)
	defer interrupted.Stop()
	ticks := time.NewTicker(watchEvery)
	defer ticks.Stop()
	screen := areaOf(env.Out)
	if c.JSON {
		screen = nil
	}
	for last := ""; ; {
		var s farm.TestStatus
		if err := Request(ctx, t, name, "show", farm.Order{Run: c.Test}, &s); err != nil {
			return cli.UnlessInterrupted(ctx, err)
		}
		if screen != nil {
			if err := screen.draw(watched(&s)); err != nil {
				return err
			}
		} else if line := progressOf(&s); line != last {
			last = line
			if err := c.print(env, &s, line); err != nil {
				return err
			}
		}
		if s.State.Final() {
			return nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (c *ShowCommand) print(env *cli.Env, s *farm.TestStatus, line string) error {
	if c.JSON {
		return printJSON(env.Out, s)
	}
	_, err := fmt.Fprintln(env.Out, line)
	return err
}

// watchedLog is the number of log lines that gogi farm show --watch prints.
const watchedLog = 5

// watched returns the text of gogi farm show --watch.
func watched(s *farm.TestStatus) string {
	short := *s
	short.Log = s.Log[max(0, len(s.Log)-watchedLog):]
	var out strings.Builder
	printTest(&out, &short)
	return out.String()
}

// progressOf returns the state of a test in one line.
func progressOf(s *farm.TestStatus) string {
	line := fmt.Sprintf("%s  %s  %d of %d %ss, %d held", sanitize.Printable(s.Name, 40), s.State, s.Stored, s.Pairs,
		s.Unit(), s.Held)
	if s.Verdict != "" {
		line += "  " + s.Gate()
	}
	return line + reason(s.Why)
}

// shownParams is the number of parameters of a tune that are printed. With --json all are printed.
const shownParams = 12

func printTest(w io.Writer, s *farm.TestStatus) {
	line := func(what, format string, v ...any) { fmt.Fprintf(w, "  %-10s %s\n", what, fmt.Sprintf(format, v...)) }
	fmt.Fprintf(w, "%s · %s%s\n", sanitize.Printable(s.Name, 60), s.State, reason(s.Why))
	line("plan", "%s", s.Run)
	line("owner", "%s, priority %d, share %g", sanitize.Printable(s.Owner, 40), s.Priority, s.Share)
	if s.Waits != "" {
		line("quota", "%s", sanitize.Printable(s.Waits, 200))
	}
	if s.Note != "" {
		line("note", "%s", sanitize.Printable(s.Note, 200))
	}
	for _, k := range sortedKeys(s.Needs) {
		line("needs", "%s=%s", sanitize.Printable(k, 40), sanitize.Printable(s.Needs[k], 40))
	}
	line(s.Unit()+"s", "%d of %d stored, the first %d without a gap; %d held", s.Stored, s.Pairs, s.Prefix, s.Held)
	if s.Window > 0 {
		line("window", "%d %ss beyond them may be granted, %d are", s.Window, s.Unit(), s.Reach)
	}
	if s.Verdict != "" {
		line("gate", "%s, LLR %+.3f; %s stored beyond its verdict", s.Verdict, s.LLR, format.NumberOf(s.Beyond, "pair"))
	}
	for _, remark := range remarks(s) {
		line("", "%s", remark)
	}
	for _, b := range s.Benches {
		if !b.Differs() {
			line("bench", "%s", sanitize.Printable(b.String(), 200))
		}
	}
	if t := s.Tune; t != nil {
		line("tune", "%d of %d blocks are applied", t.Blocks, t.Of)
		for _, p := range t.Params[:min(len(t.Params), shownParams)] {
			line("", "%s %s, from %s", sanitize.Printable(p.Name, 40), sanitize.Printable(p.Now, 40),
				sanitize.Printable(p.Start, 40))
		}
		if more := len(t.Params) - shownParams; more > 0 {
			line("", "and %s", format.NumberOf(more, "further parameter"))
		}
	}
	if len(s.Condemned) > 0 {
		line("given up", "%ss %v, which crash engines", s.Unit(), s.Condemned)
	}
	line("leases", "%d granted, %d expired, %d given back, %d taken away, %d adopted", s.Granted, s.Expired, s.Returned,
		s.Revoked, s.Adopted)
	line("results", "%d counted, %d came twice, %d refused, %d too old", s.Added, s.Duplicates, s.Refused, s.Stale)
	if s.Agreed+s.Differed > 0 {
		line("audits", "%d agreed, %d were decided by a third playing", s.Agreed, s.Differed)
	}
	for _, worker := range s.Workers {
		line("worker", "%s: %d stored, %d held", sanitize.Printable(worker.Name, 40), worker.Stored, worker.Held)
	}
	fmt.Fprintln(w, "  log")
	for _, l := range s.Log {
		fmt.Fprintf(w, "    %s  %s: %s\n", l.At.Local().Format(time.DateTime), sanitize.Printable(l.By, 40),
			sanitize.Printable(l.What, 300))
	}
}

// words returns labels as text.
func words(m map[string]string) string {
	return strings.Join(lists.Map(sortedKeys(m), func(k string) string { return k + "=" + m[k] }), " ")
}

// An area is the last part of a terminal's output, which gogi redraws.
type area struct {
	w     io.Writer
	size  func() (width, height int)
	lines int // number of lines of the latest drawing
}

// areaOf returns the area of an output, or nil if the output is not a terminal.
func areaOf(w io.Writer) *area {
	f := cli.File(w)
	if f == nil || !cli.Drawable(f) {
		return nil
	}
	return &area{w: sanitize.Raw(w), size: func() (int, int) {
		width, height, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 80, 24
		}
		return width, height
	}}
}

// draw replaces the previous drawing by the text shown. It cuts the text at the right and at the bottom of the
// terminal, because it cannot redraw a line that is wrapped or has left the screen.
func (a *area) draw(shown string) error {
	width, height := a.size()
	lines := strings.Split(strings.TrimRight(shown, "\n"), "\n")
	lines = lines[:min(len(lines), max(1, height-1))]
	var out strings.Builder
	if a.lines > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", a.lines)
	}
	for _, line := range lines {
		fmt.Fprintf(&out, "\r\x1b[2K%s\n", text.Trim(sanitize.Escape(line), max(1, width-1)))
	}
	out.WriteString("\x1b[J") // the rest of a longer drawing
	a.lines = len(lines)
	_, err := io.WriteString(a.w, out.String())
	return err
}
