package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gogi/configs"
	"gogi/match"
	"gogi/results"
	"gogi/stats"
)

// The exit codes of a gate.
const (
	exitGateFailed       = 10
	exitGateInconclusive = 11
)

// gateCommand says whether a run passes its gate.
type gateCommand struct {
	stored
	Gate     string `name:"gate" placeholder:"FILE" help:"A file with a [gate] section (default: the design that the run was begun with)."`
	JSON     bool   `name:"json" help:"One JSON object."`
	Markdown string `placeholder:"FILE" help:"Write the verdict as Markdown, for a release note; - is the standard output."`
}

// gateVerdict is what "gogi gate --json" prints.
type gateVerdict struct {
	Version    int               `json:"version"`
	Run        string            `json:"run"`
	Verdict    string            `json:"verdict"` // pass, fail, inconclusive
	Why        []string          `json:"why"`
	Registered bool              `json:"registered"` // the design was written into the run before its first game
	MaxPairs   int               `json:"max_pairs"`
	Looks      int               `json:"looks"` // one after each pair of the prefix
	Unit       string            `json:"unit"`
	Draws      string            `json:"draws"`
	Gate       *gateReport       `json:"gate"`
	Counts     stats.WDL         `json:"counts"`      // of A, up to the stop
	Penta      stats.Pentanomial `json:"pentanomial"` // up to the stop
	Primary    testReport        `json:"primary"`     // exact, up to the stop
	Anytime    intervalReport    `json:"anytime"`
	Slots      *homogeneity      `json:"homogeneity"`
	Report     *report           `json:"report"` // of all games, those beyond the stop included
}

// homogeneity says whether all slots gave the same results.
type homogeneity struct {
	P        *float64 `json:"p"`
	Outliers []int    `json:"outliers"`
	Why      string   `json:"why,omitempty"`
}

// Run prints the verdict; the exit code is 0, 10 or 11.
func (c *gateCommand) Run(ctx context.Context, env *environment) error {
	var v *gateVerdict
	err := c.with(ctx, func(store *results.Store, info *results.RunInfo) (err error) {
		v, err = c.judge(ctx, store, info)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.print(env, v); err != nil {
		return err
	}
	switch v.Verdict {
	case "pass":
		return nil
	case "fail":
		return &exitError{code: exitGateFailed}
	}
	return &exitError{code: exitGateInconclusive}
}

func (c *gateCommand) print(env *environment, v *gateVerdict) error {
	if c.Markdown != "" && c.Markdown != "-" {
		if err := os.WriteFile(c.Markdown, []byte(v.markdown()), 0o644); err != nil { //nolint:gosec // a file to be published
			return err
		}
	}
	switch {
	case c.JSON:
		return printJSON(env.out, v)
	case c.Markdown == "-":
		_, err := io.WriteString(env.out, v.markdown())
		return err
	}
	v.print(env.out)
	return nil
}

// judge finds the design, replays the run's pairs in plan order, and looks for
// what would make the verdict worthless.
func (c *gateCommand) judge(ctx context.Context, store *results.Store, info *results.RunInfo) (*gateVerdict, error) {
	seen := &gateWatch{slots: map[int]*stats.Tally{}}
	first, _, err := store.FirstStored(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	recorded, err := readGate(ctx, store, info.ID, first)
	if err != nil {
		return nil, err
	}
	design, registered, err := c.design(recorded)
	if err != nil {
		return nil, err
	}
	if seen.clean, err = newGate(design, info.Pairs); err != nil {
		return nil, err
	}
	r, err := makeReportOf(ctx, store, info.Name, design, seen.row)
	if err != nil {
		return nil, err
	}
	if err := seen.end(); err != nil {
		return nil, err
	}
	v := &gateVerdict{
		Version: 1, Run: info.Name, Registered: registered, MaxPairs: recorded.pairs, Unit: "pair", Draws: "half", Gate: r.Gate,
		Looks: r.Gate.Pairs, Counts: r.Gate.tally.Total(), Penta: r.Gate.tally.Penta, Report: r, Slots: seen.homogeneity(),
	}
	v.Primary = signFlipOf(r.Gate.tally)
	v.Anytime = anytimeOf(r.Gate.tally)
	v.decide(recorded, seen)
	return v, nil
}

// design is the gate file's, which must be the recorded one where there is one.
func (c *gateCommand) design(recorded *recordedGate) (g match.Gate, registered bool, err error) {
	if c.Gate == "" {
		if recorded.design.IsZero() {
			return g, false, usageError(errors.New("the run has no gate: expected --gate FILE, or a run begun with --sprt or a [gate] section"))
		}
		return recorded.design, true, nil
	}
	file, err := configs.Load(c.Gate)
	if err == nil {
		g, err = file.GateDesign()
	}
	if err != nil {
		return g, false, usageError(err)
	}
	switch {
	case recorded.design.IsZero():
		return g, false, nil
	case g != recorded.design:
		recorded.changes = append(recorded.changes, fmt.Sprintf("the file asks for %s, the run was begun with %s", g, recorded.design))
	}
	return g, true, nil
}

// decide turns the state of the test into the verdict, and withholds a pass
// that is not to be trusted.
func (v *gateVerdict) decide(recorded *recordedGate, seen *gateWatch) {
	v.Verdict = "inconclusive"
	switch v.Gate.Decision {
	case stats.Pass:
		v.Verdict = "pass"
	case stats.Fail:
		v.Verdict = "fail"
	case stats.Inconclusive:
		v.Why = append(v.Why, "the maximum of games was reached between the bounds")
	case stats.Continue:
		v.Why = append(v.Why, "the series is not finished")
	}
	if len(recorded.changes) > 0 {
		v.Verdict = "inconclusive"
		v.Why = append(v.Why, recorded.changes...)
	}
	if !v.Registered {
		v.Why = append(v.Why, "the design was given after the games, so it may have been chosen to fit them")
	}
	if v.Verdict == "pass" && seen.clean.decision() != stats.Pass {
		v.Verdict = "inconclusive"
		v.Why = append(v.Why, fmt.Sprintf("games that %s lost by faults alone decide it", v.Report.B))
	}
	if h := v.Slots; h != nil && h.P != nil && *h.P < slotsAlpha {
		v.Why = append(v.Why, fmt.Sprintf("slots differ more than chance explains (p = %s)", pValue(*h.P)))
	}
	if v.Why == nil {
		v.Why = []string{}
	}
}

// slotsAlpha is the level at which slots are said to differ: low, as it is
// looked at in every run.
const slotsAlpha = 0.001

// gateWatch sees all rows beside the report: pairs without the opponent's
// faults, and pairs by slot.
type gateWatch struct {
	clean *gate // as if a pair in which B lost a game by a fault had been even
	slots map[int]*stats.Tally
	pair  []match.Row
	err   error
}

func (w *gateWatch) row(r match.Row) {
	if len(w.pair) > 0 && w.pair[0].Pair != r.Pair {
		w.err = errors.Join(w.err, w.end())
	}
	w.pair = append(w.pair, r)
}

func (w *gateWatch) end() error {
	rows := w.pair
	if len(rows) == 0 || w.err != nil {
		return w.err
	}
	w.pair = nil
	pair, _ := statsPair(rows)
	slot := rows[0].Slot
	if w.slots[slot] == nil {
		w.slots[slot] = &stats.Tally{}
	}
	if err := w.slots[slot].Add(pair); err != nil {
		return err
	}
	for i, r := range rows {
		if r.Termination.IsFault() && loserOf(r) == r.PairB {
			pair[i].Outcome, pair[i].Points = stats.Draw, 0.5
		}
	}
	_, err := w.clean.add(rows[0].Pair, pair)
	return err
}

func (w *gateWatch) homogeneity() *homogeneity {
	var rows []stats.Outcomes
	for slot := range len(w.slots) {
		if t := w.slots[slot]; t != nil {
			rows = append(rows, t.Outcomes())
		}
	}
	h, err := stats.SameEverywhere(rows, slotsAlpha)
	if err != nil {
		return &homogeneity{Outliers: []int{}, Why: err.Error()}
	}
	return &homogeneity{P: number(h.P), Outliers: append([]int{}, h.Outliers...)}
}

func (g *gate) decision() stats.Decision {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.prefix.Judgement().Decision
}

// print writes the verdict as a person reads it.
func (v *gateVerdict) print(w io.Writer) {
	fmt.Fprintf(w, "%s · gate: %s\n", v.Run, strings.ToUpper(v.Verdict))
	for _, why := range v.Why {
		fmt.Fprintf(w, "  because %s\n", why)
	}
	for _, l := range v.lines() {
		fmt.Fprintf(w, "  %-22s %s\n", l[0], l[1])
	}
}

// markdown is the verdict for a release note.
func (v *gateVerdict) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Gate %s: %s\n\n", v.Run, v.Verdict)
	for _, why := range v.Why {
		fmt.Fprintf(&b, "- %s\n", why)
	}
	b.WriteString("\n| | |\n|---|---|\n")
	for _, l := range v.lines() {
		fmt.Fprintf(&b, "| %s | %s |\n", l[0], strings.ReplaceAll(l[1], "|", "\\|"))
	}
	return b.String()
}

// lines are the figures of the verdict, with their names.
func (v *gateVerdict) lines() [][2]string {
	g, r := v.Gate, v.Report
	p := v.Penta
	lines := [][2]string{
		{"design", fmt.Sprintf("%s, at most %s pairs, a look after each pair in plan order", g.Design, count(v.MaxPairs))},
		{"engines", fmt.Sprintf("%s (%s) against %s (%s)", r.A, r.Players[0].Identity, r.B, r.Players[1].Identity)},
		{"pairs", fmt.Sprintf("%s judged, %s beyond the stop; LL %d · LD %d · WL %d · DD %d · WD %d · WW %d",
			count(g.Pairs), count(g.Beyond), p.LL, p.LD, p.WL, p.DD, p.WD, p.WW)},
		{"games", fmt.Sprintf("%d wins, %d draws, %d losses; draws as half a point", v.Counts.Wins, v.Counts.Draws, v.Counts.Losses)},
		{"likelihood ratio", fmt.Sprintf("%s, fails at %.3f, passes at %.3f", decimal(g.LLR, 3), g.Lower, g.Upper)},
		{"Elo after the stop", v.eloLine()},
		{"anytime interval", v.Anytime.text()},
		{"exact pair test", v.Primary.text() + "; for a length fixed beforehand only"},
		{"Black's advantage", r.BlackAdvantage.text()},
		{"faults", v.faultLine()},
	}
	if h := v.Slots; h != nil && h.P != nil {
		lines = append(lines, [2]string{"slots alike", "p = " + pValue(*h.P)})
	}
	return lines
}

func (v *gateVerdict) eloLine() string {
	e := v.Gate.Elo
	if e.Estimate == nil {
		return "unknown: " + e.Why
	}
	return fmt.Sprintf("%s   [%s, %s]  median-unbiased; the raw score after a stop is biased", elo(e.Estimate, 0), elo(e.Lo, -1), elo(e.Hi, 1))
}

func (v *gateVerdict) faultLine() string {
	if len(v.Report.Faults) == 0 {
		return "none"
	}
	var parts []string
	for _, f := range v.Report.Faults {
		parts = append(parts, fmt.Sprintf("%s: %s ×%d", f.Player, strings.ReplaceAll(f.Kind, "_", " "), f.Count))
	}
	return strings.Join(parts, ", ")
}
