package ratings

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/phrases"
	"gogi/internal/sheet"
	"gogi/stats/rating/orders"
)

// Orders are games of more than two players.
type Orders struct {
	games [][]orders.Placing // points
	ranks [][]string         // best first; empty for a game with a tie
	ties  int
}

// ReadOrders reads a CSV file with a row for each player in each game: game, player,
// and either rank (1 is the best; then n players get n, n-1, …, 1 points) or points.
func ReadOrders(file string) (*Orders, error) {
	var game, player, rank, points int
	var names []string
	rows := map[string][]orders.Placing{}
	err := sheet.Read(file, func(s *sheet.Sheet) error {
		game, player, rank, points = s.Column("game"), s.Column("player"), s.Column("rank"), s.Column("points")
		if game < 0 || player < 0 || (rank < 0) == (points < 0) {
			return fmt.Errorf("%s:1: expected the columns game, player, and rank or points", file)
		}
		return nil
	}, func(row sheet.Row) error {
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
		rows[name] = append(rows[name], orders.Placing{Player: row.At(player), Points: v})
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

// add takes a game; ranks are negative points.
func (o *Orders) add(game []orders.Placing, ranks bool) {
	slices.SortStableFunc(game, func(a, b orders.Placing) int { return cmp.Compare(b.Points, a.Points) })
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

// shared are the points of a finishing order, n for the best of n; who share a rank
// share its points.
func shared(game []orders.Placing) []orders.Placing {
	points := make([]orders.Placing, len(game))
	for from := 0; from < len(game); {
		to := from + 1
		for to < len(game) && game[to].Points == game[from].Points {
			to++
		}
		for i := from; i < to; i++ {
			points[i] = orders.Placing{Player: game[i].Player, Points: float64(len(game)) - float64(from+to-1)/2}
		}
		from = to
	}
	return points
}

// OrderReport is what "gogi stats orders --json" prints.
type OrderReport struct {
	Version    int           `json:"version"`
	Games      int           `json:"games"`
	Ties       int           `json:"games_with_ties"` // not in the model of orders
	Confidence float64       `json:"confidence"`
	Shares     []ShareRow    `json:"shares"`
	Players    []OrderPlayer `json:"players"` // Plackett–Luce
	LogLik     *float64      `json:"loglik"`
	Why        string        `json:"why,omitempty"` // there is no model of orders
}

// ShareRow is a player's part of all points.
type ShareRow struct {
	Name   string  `json:"name"`
	Games  int     `json:"games"`
	Points float64 `json:"points"`
	Share  float64 `json:"share"`
	Lo     float64 `json:"lo"` // bootstrap over games
	Hi     float64 `json:"hi"`
}

// OrderPlayer is a player's strength by the finishing orders.
type OrderPlayer struct {
	Name     string   `json:"name"`
	Strength *float64 `json:"strength"` // they sum to 50 per player rated
	Elo      *float64 `json:"elo"`      // mean 0
	Games    int      `json:"games"`
	Why      string   `json:"why,omitempty"`
}

// RateOrders gives shares of points with intervals by samples of whole games, and
// Plackett–Luce strengths by the games without ties.
func RateOrders(o *Orders, confidence float64, samples int, seed uint64) (*OrderReport, error) {
	shares, err := orders.Shares(o.games, samples, confidence, seed)
	if err != nil {
		return nil, err
	}
	r := &OrderReport{Version: 1, Games: len(o.games), Ties: o.ties, Confidence: confidence, Shares: []ShareRow{}, Players: []OrderPlayer{}}
	games := map[string]int{}
	for _, s := range shares {
		games[s.Player] = s.Games
		r.Shares = append(r.Shares, ShareRow{s.Player, s.Games, s.Points, s.Share, s.Interval.Lo, s.Interval.Hi})
	}
	fit, err := orders.PlackettLuce(o.ranks)
	if err != nil {
		r.Why = err.Error()
		return r, nil
	}
	r.LogLik = format.Finite(fit.LogLik)
	for _, p := range fit.Players {
		r.Players = append(r.Players, OrderPlayer{Name: p.Name, Strength: format.Finite(p.Strength), Elo: format.Finite(p.Elo), Games: p.Games})
	}
	for _, a := range fit.SetAside {
		r.Players = append(r.Players, OrderPlayer{Name: a.Player, Games: games[a.Player], Why: a.Why})
	}
	return r, nil
}

// Print writes both tables as a person reads them.
func (r *OrderReport) Print(w io.Writer, in phrases.Tongue) {
	t := format.Table(append(phrases.Heads(in, "player", "games", "points", "share"), phrases.Say(in, "%s interval", format.PercentShort(r.Confidence)))...)
	for _, s := range r.Shares {
		t.AppendRow(table.Row{format.Name(s.Name), s.Games, format.Figure(s.Points), format.Percent(s.Share), fmt.Sprintf("[%s, %s]", format.Percent(s.Lo), format.Percent(s.Hi))})
	}
	format.Render(w, t)
	if r.Why != "" {
		fmt.Fprintln(w, phrases.Say(in, "no strengths by finishing order: %s", r.Why))
		return
	}
	t = format.Table(append(phrases.Heads(in, "player", "Elo", "strength", "games"), "")...)
	for _, p := range r.Players {
		t.AppendRow(table.Row{format.Name(p.Name), format.Elo(p.Elo, 0), format.Decimal(p.Strength, 3), p.Games, p.Why})
	}
	format.Render(w, t)
	fmt.Fprintln(w, phrases.Say(in, "log-likelihood %s (Plackett–Luce)", format.Decimal(r.LogLik, 4)))
	if r.Ties > 0 {
		fmt.Fprintln(w, phrases.Say(in, "%s with a tie not in the model of orders", phrases.Number{N: r.Ties, Noun: "game"}))
	}
}
