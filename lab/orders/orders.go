// Package orders rates the players of games of more than two players. [Read] reads the finishing orders or points, and
// [Rate] returns a [Report].
package orders

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/csv"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/lab/plackettluce"
	"gogi/report"
	"gogi/report/ratings"
)

// Orders holds games of more than two players, with the finishing order or the points of the players.
type Orders struct {
	games [][]plackettluce.Placing // the players of each game, with their points.
	ranks [][]string               // the players of each game, best first. The list is empty for a game with a tie.
	ties  int
}

// Read reads a CSV file with a row for each player in each game. The columns are game, player, and
// either rank or points. Rank 1 is the best. With ranks, the n players of a game get n, n-1, …, 1 points.
func Read(file string) (*Orders, error) {
	var game, player, rank, points int
	var names []string
	rows := map[string][]plackettluce.Placing{}
	err := csv.Read(file, func(s *csv.Sheet) error {
		game, player, rank, points = s.Column("game"), s.Column("player"), s.Column("rank"), s.Column("points")
		if game < 0 || player < 0 || (rank < 0) == (points < 0) {
			return fmt.Errorf("%s:1: expected the columns game, player, and rank or points", file)
		}
		return nil
	}, func(row csv.Row) error {
		column := max(rank, points)
		v, err := row.Decimal(column)
		switch {
		case err != nil:
			return err
		case row.At(player) == "":
			return row.Unexpected(player, "a player's name")
		case rank >= 0 && (v < 1 || v != float64(int(v))):
			return row.Unexpected(rank, "a rank from 1")
		case points >= 0 && v < 0:
			return row.Unexpected(points, "points, which are not negative")
		}
		name := row.At(game)
		if rows[name] == nil {
			names = append(names, name)
		}
		if rank >= 0 {
			v = -v
		}
		rows[name] = append(rows[name], plackettluce.Placing{Player: row.At(player), Points: v})
		return nil
	})
	if err != nil {
		return nil, err
	}
	o := &Orders{}
	for _, name := range names {
		o.add(rows[name], rank >= 0)
	}
	return o, nil
}

// add adds a game. If ranks is true, the points of the game are negated ranks.
func (o *Orders) add(game []plackettluce.Placing, ranks bool) {
	slices.SortStableFunc(game, func(a, b plackettluce.Placing) int { return cmp.Compare(b.Points, a.Points) })
	var order []string
	tied := false
	for i, p := range game {
		order = append(order, p.Player)
		tied = tied || i > 0 && game[i-1].Points == p.Points
	}
	if tied {
		o.ties++
	} else {
		o.ranks = append(o.ranks, order)
	}
	if ranks {
		game = shared(game)
	}
	o.games = append(o.games, game)
}

// shared returns the points of a finishing order of n players: n for the best one, down to 1. Players with
// the same rank share the points of their places equally.
func shared(game []plackettluce.Placing) []plackettluce.Placing {
	points := make([]plackettluce.Placing, len(game))
	for from := 0; from < len(game); {
		to := from + 1
		for to < len(game) && game[to].Points == game[from].Points {
			to++
		}
		for i := from; i < to; i++ {
			points[i] = plackettluce.Placing{Player: game[i].Player, Points: float64(len(game)) - float64(from+to-1)/2}
		}
		from = to
	}
	return points
}

// Report is the result that "gogi-lab stats lab orders --json" prints.
type Report struct {
	Version    int        `json:"version"`
	Games      int        `json:"games"`
	Ties       int        `json:"games_with_ties"` // games with ties. The Plackett–Luce model leaves them out.
	Confidence float64    `json:"confidence"`
	Shares     []ShareRow `json:"shares"`
	Players    []Player   `json:"players"` // strengths by the Plackett–Luce model
	LogLik     *float64   `json:"loglik"`
	Why        string     `json:"why,omitempty"` // reason if there is no Plackett–Luce model
}

// ShareRow is a player's share of the points.
type ShareRow struct {
	Name          string  `json:"name"`
	Games         int     `json:"games"`
	Points        float64 `json:"points"`
	Share         float64 `json:"share"` // share of the points
	report.Bounds         // ends of a bootstrap interval over games. They are null for fewer than five games.
	Why           string  `json:"why,omitempty"`
}

// Player is a player's strength, estimated from the finishing orders.
type Player struct {
	ratings.Estimate        // the mean of all Elo is 0
	Games            int    `json:"games"`
	Why              string `json:"why,omitempty"`
}

// Rate returns the players' shares of all points and their Plackett–Luce strengths. The intervals of
// the shares come from a bootstrap of whole games; samples is its number of samples. The strengths use only
// the games without ties.
func Rate(o *Orders, confidence float64, samples int, seed uint64) (*Report, error) {
	shares, err := plackettluce.Shares(o.games, samples, confidence, seed)
	if err != nil {
		return nil, err
	}
	r := &Report{Version: 1, Games: len(o.games), Ties: o.ties, Confidence: confidence, Shares: []ShareRow{},
		Players: []Player{}}
	games := map[string]int{}
	for _, s := range shares {
		games[s.Player] = s.Games
		row := ShareRow{Name: s.Player, Games: s.Games, Points: s.Points, Share: s.Share,
			Bounds: report.NewBounds(s.Interval)}
		if row.Lo == nil {
			row.Why = fmt.Sprintf("an interval takes at least %d games", plackettluce.LeastGames)
		}
		r.Shares = append(r.Shares, row)
	}
	fit, err := plackettluce.PlackettLuce(o.ranks)
	if err != nil {
		r.Why = err.Error()
		return r, nil
	}
	r.LogLik = format.Finite(fit.LogLik)
	for _, p := range fit.Players {
		r.Players = append(r.Players, Player{Estimate: ratings.NewEstimate(p.Name, p.Strength, p.Elo), Games: p.Games})
	}
	for _, a := range fit.SetAside {
		r.Players = append(r.Players, Player{Estimate: ratings.Estimate{Name: a.Player}, Games: games[a.Player], Why: a.Why})
	}
	return r, nil
}

func shareInterval(b report.Bounds) string {
	if b.Open() {
		return "–"
	}
	return fmt.Sprintf("[%s, %s]", format.Percent(*b.Lo), format.Percent(*b.Hi))
}

// Print writes the shares and the strengths as tables for a terminal.
func (r *Report) Print(w io.Writer, in i18n.Language) {
	t := format.Table(append(i18n.Heads(in, "player", "games", "points", "share"),
		i18n.Say(in, "%s interval", format.PercentShort(r.Confidence)))...)
	for _, s := range r.Shares {
		t.AppendRow(table.Row{format.Name(s.Name), s.Games, format.Figure(s.Points), format.Percent(s.Share),
			shareInterval(s.Bounds)})
	}
	format.Render(w, t)
	if r.Games < plackettluce.LeastGames {
		fmt.Fprintln(w, i18n.Say(in, "no intervals: resampled games need at least %s",
			i18n.Number{N: plackettluce.LeastGames, Noun: "game"}))
	}
	if r.Why != "" {
		fmt.Fprintln(w, i18n.Say(in, "no strengths by finishing order: %s", r.Why))
		return
	}
	t = format.Table(append(i18n.Heads(in, "player", "Elo", "strength", "games"), "")...)
	for _, p := range r.Players {
		t.AppendRow(table.Row{format.Name(p.Name), format.Elo(p.Elo, 0), format.Decimal(p.Strength, 3), p.Games, p.Why})
	}
	format.Render(w, t)
	fmt.Fprintln(w, i18n.Say(in, "log-likelihood %s (Plackett–Luce)", format.Decimal(r.LogLik, 4)))
	if r.Ties > 0 {
		fmt.Fprintln(w, i18n.Say(in, "%s with a tie not in the model of orders", i18n.Number{N: r.Ties, Noun: "game"}))
	}
}
