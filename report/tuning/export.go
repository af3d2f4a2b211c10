package tuning

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/tune"
)

// Forms returns the names of the formats that Export can write.
func Forms() []string {
	return []string{"options", "toml", "params", "fishtest", "openbench", "patch"}
}

// Export writes the final parameter values of a tune. form is the name of the format, one of Forms. values
// has the unrounded value of each parameter.
func Export(w io.Writer, a *Account, form string, values []float64) error {
	s := &a.Plan.Settings
	switch form {
	case "options":
		return exportOptions(w, s, values)
	case "toml":
		return exportTOML(w, s, values)
	case "params":
		return tune.WriteParams(w, s.Params, values)
	case "fishtest":
		return tune.WriteFishtest(w, s.Params, values)
	case "openbench":
		return tune.WriteOpenBench(w, s.Params, values)
	case "patch":
		return exportPatch(w, a, values)
	}
	return fmt.Errorf("--as %q: expected one of %s", form, strings.Join(Forms(), ", "))
}

// exportOptions writes the values as engine options, in the form of a player file and in the form of flags.
func exportOptions(w io.Writer, s *tune.Settings, values []float64) error {
	var keys, flags []string
	for i := range s.Params {
		text := s.Params[i].Text(values[i])
		keys = append(keys, fmt.Sprintf("%s = %s", tomlKey(s.Params[i].Name), tomlValue(&s.Params[i], text)))
		flags = append(flags, fmt.Sprintf("--option 'NAME.%s=%s'", s.Params[i].Name, text))
	}
	_, err := fmt.Fprintf(w, "options = { %s }\n\n%s\n", strings.Join(keys, ", "), strings.Join(flags, " "))
	return err
}

func tomlKey(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) {
		return strconv.Quote(name)
	}
	return name
}

func tomlValue(p *tune.Param, text string) string {
	if p.Kind == tune.Choice {
		return strconv.Quote(text)
	}
	return text
}

// exportTOML writes a tune file whose parameters start at the resulting values.
func exportTOML(w io.Writer, s *tune.Settings, values []float64) error {
	for i := range s.Params {
		if err := writeParam(w, &s.Params[i], s.Params[i].Text(values[i]), ""); err != nil {
			return err
		}
	}
	return nil
}

func writeParam(w io.Writer, p *tune.Param, start, remark string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "[[param]]\nname = %q\n", p.Name)
	if p.Kind == tune.Choice {
		levels := lists.Map(p.Levels, strconv.Quote)
		fmt.Fprintf(&b, "kind = \"choice\"\nstart = %q\nlevels = [%s]\n", start, strings.Join(levels, ", "))
	} else {
		fmt.Fprintf(&b, "start = %s\nmin = %s\nmax = %s\n", start, p.Text(p.Min), p.Text(p.Max))
		if p.Kind == tune.Float {
			b.WriteString("kind = \"float\"\n")
		}
		scale := cmp.Or(p.Scale, (p.Max-p.Min)/8)
		fmt.Fprintf(&b, "scale = %s%s\n", strconv.FormatFloat(scale, 'g', 4, 64), remark)
	}
	_, err := io.WriteString(w, b.String()+"\n")
	return err
}

// exportPatch writes the changed values, the most certain change first. If the games do not distinguish a changed value
// from the start value, its line is a comment. The validation tests all changes together; without the lines in comments
// the values are not validated.
func exportPatch(w io.Writer, a *Account, values []float64) error {
	s, sum := &a.Plan.Settings, a.Summary()
	type change struct {
		sure     float64
		distinct bool
		text     string
	}
	var list []change
	for i := range s.Params {
		p := &s.Params[i]
		before, after := p.Text(p.Start), p.Text(values[i])
		if before == after {
			continue
		}
		c := change{distinct: sum.Params[i].Distinct, text: fmt.Sprintf("-%s  +%s  %s", before, after, p.Name)}
		if m := sum.Params[i].Moved; m != nil {
			c.sure = math.Abs(*m)
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(x, y change) int { return cmp.Compare(y.sure, x.sure) })
	for _, c := range list {
		line := c.text
		if !c.distinct {
			line = "# " + line + "  (not distinguishable from the start)"
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// Result is the result that "gogi tune report --json" prints.
type Result struct {
	Version    int                   `json:"version"`
	Run        string                `json:"run"`
	Tune       *tune.Plan            `json:"tune"`
	Summary    tune.Summary          `json:"summary"`
	Copies     int                   `json:"copies"` // number of pairs with two equal games.
	Candidates []match.TuneCandidate `json:"candidates"`
	Failures   []tune.ParamFailures  `json:"failures"` // failures by parameter
	// pairs of parameters that interact: the strongest first, at most 100
	Coupled []Interaction `json:"coupled"`
	Track   []tune.Step   `json:"track"` // values after each number of blocks
}

// trackPoints is the largest number of points of a tune's path in the JSON.
const trackPoints = 400

// NewResult returns the JSON form of a tune's account.
func NewResult(a *Account) Result {
	candidates := append([]match.TuneCandidate{}, a.Candidates...) // an empty list, and not null
	return Result{Version: 1, Run: a.Run, Tune: a.Plan, Summary: a.Summary(), Copies: a.Copies, Candidates: candidates,
		Track: thinned(a.Track), Failures: a.Failed, Coupled: couples(a, 100)}
}

// thinned returns at most trackPoints steps of the track, evenly spaced. It always includes the last one.
func thinned(track []tune.Step) []tune.Step {
	if len(track) <= trackPoints {
		return track
	}
	list := make([]tune.Step, 0, trackPoints)
	for i := range trackPoints {
		list = append(list, track[i*(len(track)-1)/(trackPoints-1)])
	}
	return list
}

// Describe writes a description of a tune before its first game.
func Describe(w io.Writer, plan *match.Plan, p *tune.Plan) {
	s := &p.Settings
	fmt.Fprintf(w, "tune %s: %s, %d pairs in %d blocks of %d, %d in flight, seed %d\n", plan.Run, s.Method, s.Pairs,
		s.Blocks(), s.Block, s.Inflight, s.Seed)
	if s.Spread > 0 {
		fmt.Fprintf(w, "  controller: perturbed points shall lose %g Elo to the centre; %g of the pairs are probes\n",
			s.Spread, s.Probes)
	}
	fmt.Fprintf(w, "  r_end %.4g, A %g, alpha %g, gamma %g, answer: mean of the last %g of the path\n", s.Gain(), s.A,
		s.Alpha, s.Gamma, s.Average)
	for i := range s.Params {
		param := &s.Params[i]
		switch {
		case param.Unused:
			fmt.Fprintf(w, "  %s stays at %s\n", param.Name, param.Text(param.Start))
		case param.Kind == tune.Choice:
			fmt.Fprintf(w, "  %s: %s from %s\n", param.Name, strings.Join(param.Levels, ", "), param.Text(param.Start))
		default:
			fmt.Fprintf(w, "  %s: %s from %s in %s … %s, c_end %.4g\n", param.Name, param.Kind, param.Text(param.Start),
				param.Text(param.Min), param.Text(param.Max), param.Spread(s.Method))
		}
	}
	fmt.Fprintf(w, "  engine: %s; limits %s; %d openings, %s, digest %s\n", plan.Players[0].Name, plan.Players[0].Limits,
		len(plan.Openings), plan.Rules.Name, plan.Digest()[:12])
	if p.From != "" {
		fmt.Fprintf(w, "  starts at the final values of %s, with its own schedule\n", p.From)
	}
	for _, v := range p.Validations() {
		g := v.Gate(1)
		limits := ""
		if v.Limits != nil {
			limits = ", " + v.Limits.String()
		}
		fmt.Fprintf(w, "  validation: at most %d pairs, Elo %g or %g, α %.3g, β %g, openings %s%s\n", v.Pairs, g.Elo0, g.Elo1,
			g.Alpha, g.Beta, v.Openings, limits)
	}
}
