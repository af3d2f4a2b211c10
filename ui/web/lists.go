package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"gogi/match"
	"gogi/report"
	"gogi/report/stored"
	"gogi/results"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// openingsOnAPage is the number of openings on a page of the list.
const openingsOnAPage = 50

// openingRow is an opening with the results of its games.
type openingRow struct {
	stored.OpeningTally
	Moves  []string // in the notation of the language
	Board  string   // address of the picture of its last position
	SFEN   string
	Score  float64 // Black's points per game
	Drawn  float64 // share of drawn games
	Number int
}

// listPages has the lists of a run.
type listPages struct{ *Server }

// openingsPage shows each opening with its position and the results of its games, the most frequent first.
func (s listPages) openingsPage(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if page < 1 || err != nil {
		page = 1
	}
	made, err := s.sheets.of(lasting(r), s.Server, info)
	if err != nil {
		return err
	}
	if made.boards != nil {
		return s.boardsPage(w, r, info, made, page)
	}
	list, err := resultAlone(s.Server, r, made.openings)
	if err != nil {
		return err
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b stored.OpeningTally) int { return cmp.Compare(b.Games, a.Games) })
	from := min((page-1)*openingsOnAPage, len(list))
	to := min(from+openingsOnAPage, len(list))
	body := map[string]any{"Total": len(list), "Path": pathOf(info.Name), "Page": page, "More": to < len(list)}
	var rows []openingRow
	for i := range list[from:to] {
		row, err := s.openingRow(r, info, &list[from+i])
		if err != nil {
			return err
		}
		row.Number = from + i + 1
		rows = append(rows, row)
	}
	body["Openings"] = rows
	s.show(w, r, "openings", s.runFrame(r, info, "/openings", body))
	return nil
}

// openingRow reads the moves of an opening from one of its games.
func (s listPages) openingRow(r *http.Request, info *results.RunInfo, t *stored.OpeningTally) (openingRow, error) {
	row := openingRow{OpeningTally: *t, Board: fmt.Sprintf("%s.svg?ply=%d", gameAt(info.Name, t.Pair, t.Leg), t.Plies)}
	if counted := t.Black + t.White + t.Draws; counted > 0 {
		row.Score, row.Drawn = (float64(t.Black)+float64(t.Draws)/2)/float64(counted), float64(t.Draws)/float64(counted)
	}
	record, err := s.config.Store.Record(r.Context(), info.ID, t.Pair, t.Leg)
	if err != nil {
		return row, err
	}
	g, in, before := storedGame{record: record}, voiceOf(r), shogi.NoSquare
	last := g.walk(t.Plies, func(p *shogi.Position, m kifu.Move) {
		row.Moves = append(row.Moves, in.moveText(p, m.Move, before))
		before = m.Move.To()
	})
	row.SFEN = last.SFEN()
	return row, nil
}

// slotLine is the results of a player in a slot.
type slotLine struct {
	stored.SlotTally

	PerSecond, PerMove *float64 // nodes; milliseconds
	Bar                float64  // speed in percent of the fastest slot of the player
}

// timePage shows how players used their time, and the speed in each slot.
func (s listPages) timePage(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	made, err := s.sheets.of(lasting(r), s.Server, info)
	if err != nil {
		return err
	}
	tallies, err := resultAlone(s.Server, r, made.slots)
	if err == nil {
		s.show(w, r, "time", s.runFrame(r, info, "/time", map[string]any{"Report": made.report, "Slots": slotLines(tallies)}))
	}
	return err
}

func slotLines(tallies []stored.SlotTally) []slotLine {
	lines, most := make([]slotLine, 0, len(tallies)), map[string]float64{}
	for _, t := range tallies {
		line := slotLine{SlotTally: t}
		if t.Time > 0 {
			line.PerSecond = new(t.Nodes / t.Time.Seconds())
			most[t.Player] = max(most[t.Player], *line.PerSecond)
		}
		if t.Plies > 0 {
			line.PerMove = new(t.Time.Seconds() * 1000 / float64(t.Plies))
		}
		lines = append(lines, line)
	}
	for i := range lines {
		if v := lines[i].PerSecond; v != nil && *v > 0 {
			lines[i].Bar = 100 * *v / most[lines[i].Player]
		}
	}
	return lines
}

// faultsBody is the data for the page of a run's faults.
type faultsBody struct {
	Report   *report.Report
	Shares   []faultShare
	Games    []gameLine
	More     int // number of games that are not listed
	Attempts []match.Attempt
	Tries    int // number of all attempts
	Voided   []results.Voided
	Taken    int // number of all voided pairs
	Path     string
}

// faultShare is the share of a player's games that its own faults ended.
type faultShare struct {
	Player        string
	Faults, Games int
	Share         float64
}

// shownFaults is the largest number of entries in each list of the page.
const shownFaults = 200

// faultsPage lists the games that ended by a fault, and the failed attempts at pairs.
func (s listPages) faultsPage(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	made, err := s.sheets.of(lasting(r), s.Server, info)
	if err != nil {
		return err
	}
	body := faultsBody{Report: made.report, Shares: faultShares(made.report), Path: pathOf(info.Name)}
	games, err := s.config.Store.Search(r.Context(), info.ID, results.Search{Faults: true, Limit: shownFaults})
	if err != nil {
		return err
	}
	note := s.noteFor(r)
	for _, g := range games {
		g.Note = note(g.Note)
		body.Games = append(body.Games, newGameLine(info.Name, g))
	}
	all, err := s.config.Store.CountGames(r.Context(), info.ID, results.Search{Faults: true})
	if err != nil {
		return err
	}
	body.More = max(0, all-len(games))
	if body.Attempts, err = s.config.Store.Attempts(r.Context(), info.ID); err != nil {
		return err
	}
	if body.Voided, err = s.config.Store.Voided(r.Context(), info.ID); err != nil {
		return err
	}
	body.Tries, body.Taken = len(body.Attempts), len(body.Voided)
	body.Attempts = body.Attempts[:min(shownFaults, body.Tries)]
	body.Voided = body.Voided[:min(shownFaults, body.Taken)]
	if !s.guard.holds(r) {
		for i := range body.Attempts {
			body.Attempts[i].Why = "…" // any text of an error, also of a worker's machine
		}
		for i := range body.Voided {
			body.Voided[i].Why = masked(body.Voided[i].Why)
		}
	}
	s.show(w, r, "faults", s.runFrame(r, info, "/faults", body))
	return nil
}

func faultShares(rep *report.Report) []faultShare {
	list := make([]faultShare, 0, len(rep.Players))
	for i := range rep.Players {
		p := &rep.Players[i]
		share := faultShare{Player: p.Name, Games: p.Games}
		for _, f := range rep.Faults {
			if f.Player == p.Name {
				share.Faults += f.Count
			}
		}
		share.Share = float64(share.Faults) / float64(max(1, p.Games))
		list = append(list, share)
	}
	return list
}

func (s listPages) votesPage(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	if !hasCouncil(info) {
		return &missing{What: "No player of %s is a council.", Name: info.Name,
			There: []crumb{{Name: info.Name, Link: pathOf(info.Name)}}}
	}
	made, err := s.sheets.of(lasting(r), s.Server, info)
	if err != nil {
		return err
	}
	counted, err := resultAlone(s.Server, r, made.votes)
	if err == nil {
		s.show(w, r, "votes", s.runFrame(r, info, "/votes", counted))
	}
	return err
}

// durationWords prints a duration for a page. Below 10 seconds it is exact to the millisecond.
func durationWords(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + " s"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return d.Round(time.Second).String()
}
