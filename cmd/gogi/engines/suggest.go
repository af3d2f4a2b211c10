package enginecmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/configs"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/players"
	"gogi/players/planning"
	"gogi/report"
	"gogi/report/text"
	"gogi/stats/binomial"
)

// CouncilSuggestCommand plays councils against their members, and prints which council is stronger than each of its
// members.
type CouncilSuggestCommand struct {
	File  string  `arg:"" help:"Match file with engines, and with councils to test; without councils gogi makes them."`
	DB    string  `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
	Games int     `default:"200" placeholder:"N" help:"Number of games of each council against each member (default 200)."`
	Alpha float64 `default:"0.05" placeholder:"P" help:"Probability of a false suggestion, for all councils together (default 0.05)."`

	Session session.Flags `embed:""`
}

// Help returns the text below the usage line of --help.
func (*CouncilSuggestCommand) Help() string {
	return `gogi plays each council against each of its members alone. The member gets its limit times the number of members, and times 1 + extra with examine.
The number of games is fixed before the first game, so run the same command again to resume.`
}

// Run plays the missing games and prints the suggestion.
func (c *CouncilSuggestCommand) Run(ctx context.Context, env *cli.Env) error {
	if c.Games < 2 || c.Games%2 != 0 {
		return fail.Usage(fmt.Errorf("--games %d: expected an even number from 2", c.Games))
	}
	if !(c.Alpha > 0 && c.Alpha < 1) {
		return fail.Usage(fmt.Errorf("--alpha %v: expected a probability between 0 and 1", c.Alpha))
	}
	return c.Session.Run(ctx, env, session.Target{DB: c.DB}, func(ctx context.Context, s *session.Session) error {
		file, dir, err := configs.Find(c.File)
		if err != nil {
			return fail.Usage(err)
		}
		contests, err := file.Contests(c.Games)
		if err != nil {
			return fail.Usage(err)
		}
		if err := s.Open(ctx, file.Durable()); err != nil {
			return err
		}
		suggestion := &Suggestion{Type: "suggestion", Version: 1, Alpha: c.Alpha}
		for _, x := range contests {
			r, err := play(ctx, s, x.File, dir)
			if err != nil {
				return err
			}
			suggestion.Contests = append(suggestion.Contests, contestOf(&x, r))
		}
		if err := suggestion.judge(); err != nil {
			return err
		}
		if c.Session.JSON { // after the events, which are lines, too
			return json.NewEncoder(env.Out).Encode(suggestion)
		}
		suggestion.Print(env.Out, env.Language)
		return nil
	})
}

// play plays the missing games of one match.
func play(ctx context.Context, s *session.Session, file *configs.File, dir string) (*report.Report, error) {
	plan, warnings, err := planning.Plan(file, dir, s.Guard)
	if err != nil {
		return nil, fail.Usage(err)
	}
	o := &players.Opener{Plan: plan, Guard: s.Guard, Waiting: s.Env.Warn, Warn: s.Env.Warn}
	started := s.Starting(o.Names()...)
	greetings, err := o.GreetAll(ctx)
	started()
	if err != nil {
		return nil, err
	}
	more, err := planning.Complete(o, greetings)
	if err != nil {
		return nil, fail.Usage(err)
	}
	if o.Bound, err = players.Bind(o.Plan, greetings); err != nil {
		return nil, err
	}
	for _, w := range append(append(warnings, more...), o.Bound.Warned()...) {
		s.Note(w.Message())
	}
	return s.Play(ctx, session.Match{Opener: o, Rename: "the key run of the file gives other names"})
}

// A Suggestion is the JSON object of gogi council suggest.
type Suggestion struct {
	Type     string    `json:"type"` // "suggestion"
	Version  int       `json:"version"`
	Alpha    float64   `json:"alpha"`
	Contests []Contest `json:"contests"`
	Councils []Advised `json:"councils"`
	Best     string    `json:"best"` // "": no council is shown to be stronger than each of its members
}

// A Contest is the result of one council against one member at equal cost.
type Contest struct {
	Run     string     `json:"run"`
	Council string     `json:"council"`
	Member  string     `json:"member"`
	Limits  string     `json:"limits"` // the member's search limits
	Games   int        `json:"games"`
	Won     int        `json:"won"`
	Drawn   int        `json:"drawn"`
	Lost    int        `json:"lost"`
	Score   *float64   `json:"score"`
	Elo     report.Elo `json:"elo"`
	P       float64    `json:"p"` // one-sided p value of a permutation test that flips the signs of whole openings
}

// An Advised is the judgement of one council. A council beats its best member if it beats each of them. So P is the
// largest p value of its contests.
type Advised struct {
	Council  string  `json:"council"`
	P        float64 `json:"p"`
	Adjusted float64 `json:"adjusted"` // P, adjusted for the number of councils by Holm's method
	Score    float64 `json:"score"`    // score per game against the member that did best against it
}

func contestOf(x *configs.Contest, r *report.Report) Contest {
	out := Contest{Run: r.Run, Council: x.Council, Member: x.Member, Games: r.Games, Score: r.Score, Elo: r.Elo, P: 1}
	for _, p := range r.Players {
		if p.Name == x.Council {
			out.Won, out.Drawn, out.Lost = p.Wins, p.Draws, p.Losses
		} else {
			out.Limits = p.Limits
		}
	}
	// The first test is the sign-flip test. Its p value is twice the p value on the side of the result.
	if r.Score != nil && *r.Score > 0.5 && r.Tests[0].P != nil {
		out.P = *r.Tests[0].P / 2
	}
	return out
}

// judge sets the judgements of the councils and the best council.
func (s *Suggestion) judge() error {
	at := map[string]int{}
	for i := range s.Contests {
		x := &s.Contests[i]
		k, known := at[x.Council]
		if !known {
			k = len(s.Councils)
			at[x.Council] = k
			s.Councils = append(s.Councils, Advised{Council: x.Council, Score: 1})
		}
		a := &s.Councils[k]
		a.P = max(a.P, x.P)
		if x.Score != nil {
			a.Score = min(a.Score, *x.Score)
		}
	}
	p := make([]float64, len(s.Councils))
	for i := range s.Councils {
		p[i] = s.Councils[i].P
	}
	adjusted, err := binomial.Holm.Adjust(p)
	if err != nil {
		return err
	}
	best := 0.0
	for i := range s.Councils {
		a := &s.Councils[i]
		if a.Adjusted = adjusted[i]; a.Adjusted <= s.Alpha && a.Score > best {
			s.Best, best = a.Council, a.Score
		}
	}
	return nil
}

// Print writes the result as text.
func (s *Suggestion) Print(w io.Writer, in i18n.Language) {
	t := format.Table(i18n.Heads(in, "council", "member alone", "limits", "games", "W–D–L", "Elo", "p (one-sided)")...)
	t.SetColumnConfigs(format.RightAligned(4, 7))
	for i := range s.Contests {
		x := &s.Contests[i]
		t.AppendRow(table.Row{
			x.Council, x.Member, x.Limits, format.Count(x.Games), fmt.Sprintf("%d–%d–%d", x.Won, x.Drawn, x.Lost),
			text.Elo(x.Elo).In(in), format.PValue(x.P),
		})
	}
	format.Render(w, t)
	for i := range s.Councils {
		a := &s.Councils[i]
		fmt.Fprintln(w, i18n.Say(in, "%s against its best member: p = %s, corrected for %s: %s", a.Council,
			format.PValue(a.P),
			i18n.Number{N: len(s.Councils), Noun: "council"}, format.PValue(a.Adjusted)))
	}
	if s.Best == "" {
		fmt.Fprintln(w,
			i18n.Say(in, "No council is shown to be stronger than its best member at equal cost. Use the best member alone."))
		return
	}
	fmt.Fprintln(w, i18n.Say(in, "Use council %s: it is stronger than each of its members at equal cost (α = %g).", s.Best,
		s.Alpha))
}
