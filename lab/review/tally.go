package review

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
)

// PlayerGame has the figures of one player in one game.
type PlayerGame struct {
	ID     string
	Rank   string // rating in the record
	Points float64
	Known  bool // whether the result, and so Points, is known. Points is 1 for a win, 0.5 for a draw, 0 for a loss.
	Parts  Parts
}

// Player has one player's games, in the order of the file.
type Player struct {
	Name  string
	Games []PlayerGame
}

// Total returns the sums over these games of one player.
func Total(games []PlayerGame) (p Parts) {
	for i := range games {
		p.Add(games[i].Parts)
	}
	return p
}

// Tally has the figures of all games in a review file, sorted by player.
type Tally struct {
	Settings Settings
	Rules    Rules
	Games    int
	Players  []*Player // in the order of their names
	byName   map[string]*Player
}

// NewTally reads the review file at path and adds up the figures of its players. rules decides which moves
// count.
func NewTally(path string, rules Rules) (t *Tally, err error) {
	t = &Tally{Rules: rules.Filled(), byName: map[string]*Player{}}
	t.Settings, err = Read(path, func(r *Reviewed) error {
		t.add(r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(t.Players, func(a, b *Player) int { return strings.Compare(a.Name, b.Name) })
	return t, nil
}

// add adds a game to both of its players. If a player played against itself, the player gets two games.
func (t *Tally) add(r *Reviewed) {
	t.Games++
	points, known := map[string][2]float64{Black: {1, 0}, White: {0, 1}, Draw: {0.5, 0.5}}[r.Game.Winner]
	for side, parts := range r.Measure(t.Rules) {
		name := r.Game.Names[side]
		p := t.byName[name]
		if p == nil {
			p = &Player{Name: name}
			t.byName[name] = p
			t.Players = append(t.Players, p)
		}
		p.Games = append(p.Games, PlayerGame{ID: r.Game.ID, Rank: r.Game.Ranks[side], Points: points[side], Known: known,
			Parts: parts})
	}
}

// TallyJSON is the result that "gogi-lab review show --json" prints.
type TallyJSON struct {
	Version  int          `json:"version"`
	Settings Settings     `json:"review"`
	Rules    Rules        `json:"rules"` // which moves count
	Games    int          `json:"games"`
	Drift    *float64     `json:"drift"` // see Tally.Drift
	Players  []PlayerJSON `json:"players"`
	Why      string       `json:"why,omitempty"`
}

// PlayerJSON has a player's figures. The figures for a part of the game in which no move counted are null.
type PlayerJSON struct {
	Name        string   `json:"name"`
	Games       int      `json:"games"`
	Moves       int      `json:"moves"`            // moves that counted
	Divisor     int      `json:"divisor"`          // divisor of the whole game's rates and averages
	LeftTheory  int      `json:"left_out_theory"`  // moves left out as theory
	LeftDecided int      `json:"left_out_decided"` // moves left out because the position was decided
	LeftUnread  int      `json:"left_out_unread"`  // moves left out because a position has no evaluation
	Whole       *Metrics `json:"whole"`            // metrics of the whole game
	Opening     *Metrics `json:"opening"`
	Rest        *Metrics `json:"rest"` // metrics after the opening part
	Why         string   `json:"why,omitempty"`
}

// JSON returns the tally in its JSON form.
func (t *Tally) JSON() *TallyJSON {
	s := t.Settings
	s.Version = version
	j := &TallyJSON{Version: 1, Settings: s, Rules: t.Rules, Games: t.Games, Drift: t.Drift(), Players: []PlayerJSON{}}
	if j.Drift == nil {
		j.Why = "no move equals the engine's: its drift is not known"
	}
	for _, p := range t.Players {
		parts := Total(p.Games)
		whole := parts.Whole()
		row := PlayerJSON{
			Name: p.Name, Games: len(p.Games), Moves: whole.Moves, Divisor: whole.Divisor,
			LeftTheory: whole.LeftTheory, LeftDecided: whole.LeftDecided, LeftUnread: whole.LeftUnreadable,
			Whole: pointer(whole), Opening: pointer(parts.Opening), Rest: pointer(parts.Rest),
		}
		if row.Whole == nil || row.Opening == nil || row.Rest == nil {
			row.Why = "no move counted there"
		}
		j.Players = append(j.Players, row)
	}
	return j
}

func pointer(s Sums) *Metrics {
	m, ok := s.Metrics()
	if !ok {
		return nil
	}
	return &m
}

// Print writes the figures of every player for a terminal.
func (t *Tally) Print(w io.Writer) {
	fmt.Fprintf(w, "%s read by %s, %s\n", format.NumberOf(t.Games, "game"), format.Name(t.Settings.Engine),
		t.Settings.Limit)
	t.Rules.print(w)
	for _, part := range []struct {
		name string
		of   func(Parts) Sums
	}{
		{"whole game", Parts.Whole},
		{fmt.Sprintf("to move %d", t.Rules.Parted), func(p Parts) Sums { return p.Opening }},
		{"rest", func(p Parts) Sums { return p.Rest }},
	} {
		rows := format.Table(part.name, "games", "moves", "match", "good", "bad", "good≥1", "bad≥1", "gain", "fall", "loss")
		rows.Style().Box.PaddingRight = "  " // without this the table is wider than a terminal
		for _, p := range t.Players {
			rows.AppendRow(figures(p, part.of(Total(p.Games))))
		}
		format.Render(w, rows)
	}
	of := "the moves that counted"
	if t.Rules.Per == PerOwn {
		of = "all own moves"
	}
	fmt.Fprintf(w,
		"match, good, bad (and those that change the win rate by %g at least): percent\nof %s; gain, fall: average good and average bad, in points of\nwin rate a move; loss: gain less fall, as the source defines it\n", t.Rules.Point, of)
	t.printLeft(w)
}

// figures returns a row of the printed table: a player's name and the metrics of s.
func figures(p *Player, s Sums) table.Row {
	m, ok := s.Metrics()
	row := table.Row{format.Name(p.Name), len(p.Games), format.Count(s.Moves)}
	for _, f := range []struct {
		value  float64
		layout string
	}{
		{m.Match, "%.1f"}, {m.Good, "%.1f"}, {m.Bad, "%.1f"}, {m.Good1, "%.1f"}, {m.Bad1, "%.1f"},
		{m.AvgGood, "%.2f"}, {m.AvgBad, "%.2f"}, {m.AvgLoss, "%.2f"},
	} {
		if !ok {
			row = append(row, "–")
			continue
		}
		row = append(row, strings.Replace(fmt.Sprintf(f.layout, f.value), "-", "−", 1))
	}
	return row
}

func (t *Tally) printLeft(w io.Writer) {
	var all Sums
	for _, p := range t.Players {
		all.Add(Total(p.Games).Whole())
	}
	fmt.Fprintf(w, "%s counted; left out: %s before move %d, %s in decided positions", format.NumberOf(all.Moves, "move"),
		format.Count(all.LeftTheory), t.Rules.From, format.Count(all.LeftDecided))
	if all.LeftUnreadable > 0 {
		fmt.Fprintf(w, ", %s without a reading", format.Count(all.LeftUnreadable))
	}
	fmt.Fprintln(w)
	drift := t.Drift()
	if t.Rules.Change == MoveChange && drift != nil && (*drift < -shownDrift || *drift > shownDrift) {
		fmt.Fprintf(w,
			"warning: the engine's own moves change the win rate by %s points on average:\nits values favour one side, to move or not, and good, bad, gain and fall hold that, too;\ngive --change turn, by which that cancels\n",
			strings.Replace(fmt.Sprintf("%+.1f", *drift), "-", "−", 1))
	}
}

// shownDrift is the smallest drift, in percentage points of win rate, for which Print warns. It is small
// because players differ by only a few points per move.
const shownDrift = 1

// Drift returns the average change of win rate by moves that equal the engine's move, in percentage points
// ([MoveChange]). If the average is far from 0, the engine's values favour the side to move or the opponent.
// Drift returns nil if there is no such move.
func (t *Tally) Drift() *float64 {
	var all Sums
	for _, p := range t.Players {
		all.Add(Total(p.Games).Whole())
	}
	if all.DriftMoves == 0 {
		return nil
	}
	drift := all.Drift / float64(all.DriftMoves)
	return &drift
}

func (r Rules) print(w io.Writer) {
	decided, change, whose := "left out", "position before the move to the position after it (move)", "positions"
	if r.Change == TurnChange {
		change, whose = "player's turn to the player's next turn (turn)", "a player's turns"
	}
	if r.Stops {
		decided = "where the review stops"
	}
	fmt.Fprintf(w,
		"win rate by the scale %q (73%% at %.4g %s); moves from the %s on;\nchange of a move: from the %s;\n%s outside of %g%% to %g%% are %s\n\n",
		r.Scale.Name, r.Scale.Width, r.Scale.Unit, ordinal(r.From), change, whose, r.Lo, r.Hi, decided)
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

// Print writes a calibration for a terminal.
func (c *Calibration) Print(w io.Writer) {
	fmt.Fprintf(w,
		"scale %q: a win rate of 73%% at %.4g %s\nthe width's interval (95%%, games as units) is %s\n%s of %s; %s left out as mates, %s without a result\n\n",
		c.Scale.Name, c.Scale.Width, c.Scale.Unit, c.interval(), format.NumberOf(c.Positions, "position"),
		format.NumberOf(c.Games, "game"),
		format.Count(c.Mates), format.NumberOf(c.Unsettled, "game"))
	rows := format.Table("win rate", "expected", "scored", "positions", "games")
	for _, b := range c.Bins {
		row := table.Row{fmt.Sprintf("%g–%g%%", b.From, b.From+5), "–", "–", format.Count(b.Positions), b.Games}
		if b.Positions > 0 {
			row[1], row[2] = fmt.Sprintf("%.1f%%", b.Expected), fmt.Sprintf("%.1f%%", b.Scored)
		}
		rows.AppendRow(row)
	}
	format.Render(w, rows)
	if c.Games < 50 {
		fmt.Fprintln(w, "warning: fewer than 50 games: the interval is too narrow")
	}
}
