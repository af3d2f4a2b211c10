package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/stats"
)

// statsPlanCommand prints how many games a difference takes.
type statsPlanCommand struct {
	Elo   eloFlag  `required:"" placeholder:"E" help:"The true difference, in Elo of the score of all games."`
	Alpha float64  `default:"0.05" help:"The probability of a false alarm, one-sided."`
	Power float64  `default:"0.95" help:"The probability to find the difference; 1 - beta of a sequential test."`
	Draws float64  `placeholder:"RATE" help:"The share of games that are drawn."`
	SPRT  *eloPair `name:"sprt" placeholder:"E0,E1" help:"Plan a sequential test of these hypotheses (logistic), too."`
	Games *int     `placeholder:"N" help:"Also say which difference so many games find."`
	Speed *float64 `name:"games-per-hour" placeholder:"R" help:"How fast games are played, to print hours."`
	JSON  bool     `name:"json" help:"One JSON object."`
}

// statsPlan is a row of "gogi stats plan --json".
type statsPlan struct {
	Kind         string   `json:"kind"` // fixed, sequential, detectable
	Elo          *float64 `json:"elo"`  // true difference; the one that is found, for detectable
	Alpha        float64  `json:"alpha"`
	Power        float64  `json:"power"` // asked for
	DrawRate     float64  `json:"draw_rate"`
	Games        *float64 `json:"games"` // needed; expected, for sequential; given, for detectable
	Hours        *float64 `json:"hours,omitempty"`
	Why          string   `json:"why,omitempty"`
	*statsLength          // of the kind fixed
	*statsCourse          // of the kind sequential
}

// statsLength is the exact plan of a test of fixed length.
type statsLength struct {
	Decisive     int     `json:"decisive"`
	CriticalWins int     `json:"critical_wins"`
	Reached      float64 `json:"exact_power"`
	Safe         int     `json:"safe_decisive"`
	SafeGames    int     `json:"safe_games"`
}

// statsCourse is how a sequential test is expected to go.
type statsCourse struct {
	Elo0 float64  `json:"elo0"`
	Elo1 float64  `json:"elo1"`
	Beta float64  `json:"beta"`
	Pass *float64 `json:"pass"` // probability
}

type statsPlans struct {
	Version int         `json:"version"`
	Plans   []statsPlan `json:"plans"`
}

// Run prints the plans.
func (c *statsPlanCommand) Run(env *environment) error {
	if err := c.check(); err != nil {
		return usage.Wrap(err)
	}
	out := &statsPlans{Version: 1, Plans: []statsPlan{c.fixed()}}
	if c.SPRT != nil {
		design, err := c.design()
		if err != nil {
			return usage.Wrap(err)
		}
		truths := []float64{design.Elo0, design.Elo1, float64(c.Elo)}
		slices.Sort(truths)
		for _, elo := range slices.Compact(truths) {
			out.Plans = append(out.Plans, c.sequential(design, elo))
		}
	}
	if c.Games != nil {
		out.Plans = append(out.Plans, c.detectable(*c.Games))
	}
	if c.JSON {
		return format.JSON(env.out, out)
	}
	out.print(env.out)
	return nil
}

func (c *statsPlanCommand) check() error {
	err := errors.Join(checkShare("alpha", c.Alpha), checkShare("power", c.Power), checkDrawRate(c.Draws))
	if c.Games != nil {
		err = errors.Join(err, checkCount("games", *c.Games))
	}
	if c.Speed != nil && !(*c.Speed > 0 && *c.Speed <= math.MaxFloat32) {
		err = errors.Join(err, fmt.Errorf("--games-per-hour %g: expected a number above 0", *c.Speed))
	}
	return err
}

// design is the sequential test of the flags.
func (c *statsPlanCommand) design() (stats.SPRT, error) {
	beta := math.Round(1e12*(1-c.Power)) / 1e12 // 1 - 0.95 as people write it
	s := stats.SPRT{Elo0: c.SPRT[0], Elo1: c.SPRT[1], Alpha: c.Alpha, Beta: beta, Model: stats.ModelLogistic}
	if err := checkDesign(s); err != nil {
		return s, fmt.Errorf("--sprt with --alpha %g and --power %g (beta is 1 - power): %w", c.Alpha, c.Power, err)
	}
	return s, nil
}

func (c *statsPlanCommand) row(kind string, elo float64) statsPlan {
	return statsPlan{Kind: kind, Elo: &elo, Alpha: c.Alpha, Power: c.Power, DrawRate: c.Draws}
}

// test is the one-sided test in the direction of a difference.
func (c *statsPlanCommand) test() stats.Design {
	d := stats.Design{Alpha: c.Alpha, Power: c.Power, DrawRate: c.Draws, Alternative: stats.Greater}
	if c.Elo < 0 {
		d.Alternative = stats.Less
	}
	return d
}

func (c *statsPlanCommand) fixed() statsPlan {
	row := c.row("fixed", float64(c.Elo))
	length, err := c.test().Length(float64(c.Elo))
	row.setGames(float64(length.Games), err, c.Speed)
	if err == nil {
		row.statsLength = &statsLength{length.Decisive, length.CriticalWins, length.Power, length.Safe, length.SafeGames}
	}
	return row
}

func (c *statsPlanCommand) sequential(s stats.SPRT, elo float64) statsPlan {
	row := c.row("sequential", elo)
	course, err := s.Expect(elo, stats.Conditions{DrawRate: c.Draws})
	row.setGames(course.Games, err, c.Speed)
	row.statsCourse = &statsCourse{s.Elo0, s.Elo1, s.Beta, knownFloat(course.Pass, err)}
	return row
}

func (c *statsPlanCommand) detectable(games int) statsPlan {
	row := c.row("detectable", 0)
	elo, err := c.test().Detectable(games)
	row.setGames(float64(games), nil, c.Speed)
	row.Elo, row.Why = knownFloat(elo, err), whyNot(err)
	return row
}

func (p *statsPlan) setGames(games float64, err error, perHour *float64) {
	p.Games, p.Why = knownFloat(games, err), whyNot(err)
	if p.Games != nil && perHour != nil {
		p.Hours = format.Finite(games / *perHour)
	}
}

func (s *statsPlans) print(w io.Writer) {
	t := format.Table("plan", "true Elo", "games", "hours", "passes", "remark")
	t.SetColumnConfigs(rightAligned(2, 5))
	for _, p := range s.Plans {
		pass := format.Percent(p.Power)
		if p.statsCourse != nil {
			pass = cell(p.percentPass(), "%.1f%%")
		}
		t.AppendRow(table.Row{p.Kind, cell(p.Elo, "%+.2f"), p.gamesWords(), cell(p.Hours, "%.1f"), pass, p.remark()})
	}
	format.Render(w, t)
	first := s.Plans[0]
	fmt.Fprintf(w, "one-sided alpha %g, draw rate %g; fixed and detectable are exact, sequential is the expected number of games (Brownian approximation)\n",
		first.Alpha, first.DrawRate)
}

func (p *statsPlan) gamesWords() string {
	if p.Games == nil {
		return "–"
	}
	return format.Count(int(math.Round(*p.Games)))
}

func (p *statsPlan) percentPass() *float64 {
	if p.Pass == nil {
		return nil
	}
	return format.Finite(100 * *p.Pass)
}

func (p *statsPlan) remark() string {
	switch {
	case p.Why != "":
		return p.Why
	case p.statsLength != nil:
		return fmt.Sprintf("%s wins of %s decisive games; from %s games on always enough", format.Count(p.CriticalWins), format.Count(p.Decisive), format.Count(p.SafeGames))
	case p.statsCourse != nil:
		return fmt.Sprintf("sequential test of %g against %g", p.Elo0, p.Elo1)
	}
	return "the smallest difference that so many games find"
}
