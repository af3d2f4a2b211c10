package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gogi/internal/i18n"
	"gogi/report/effects"
	"gogi/results"
	"gogi/shogi"
)

// boardsOnAPage is the number of openings on a page with boards.
const boardsOnAPage = 24

// boardsBody is the data for the page of the openings of a run of two players.
type boardsBody struct {
	*effects.Boards
	Path       string
	Order      string
	Orders     []choice
	Families   []boardCard
	Cards      []boardCard
	Looked     int
	Page       int
	Prev, Next string // links; "": no such page
	Chance     [2]string
}

// boardCard is an opening or a family with its board.
type boardCard struct {
	effects.Board
	Title   string
	Picture string // address of its position
	Games   string // address of its games; "": a family
}

// boardsPage shows where the first player of a run scores less: the families of openings, and the openings with small
// boards.
func (s *Server) boardsPage(w http.ResponseWriter, r *http.Request, info *results.RunInfo, made *sheet,
	page int) error {
	kept, err := resultAlone(s, r, made.boards)
	if err != nil {
		return err
	}
	all := *kept // other readers may sort the rows at the same time
	all.Families.Rows, all.Openings.Rows = slices.Clone(all.Families.Rows), slices.Clone(all.Openings.Rows)
	order := r.URL.Query().Get("sort")
	if order == "" {
		order = effects.BoardOrders()[0]
	} else if !slices.Contains(effects.BoardOrders(), order) {
		return &badQuery{fmt.Errorf("sort %q: expected one of %s", order, strings.Join(effects.BoardOrders(), ", "))}
	}
	all.Families.Sort(order)
	all.Openings.Sort(order)
	from := min((page-1)*boardsOnAPage, len(all.Openings.Rows))
	to := min(from+boardsOnAPage, len(all.Openings.Rows))
	families := min(boardsOnAPage, len(all.Families.Rows))
	if err := all.Families.Bound(0, families); err != nil {
		return err
	}
	if err := all.Openings.Bound(from, to); err != nil {
		return err
	}
	b := &boardsBody{Boards: &all, Path: pathOf(info.Name), Order: order, Looked: all.Openings.Looked, Page: page}
	b.Chance = [2]string{fmt.Sprintf("%.1f", all.Families.Chance), fmt.Sprintf("%.1f", all.Openings.Chance)}
	link := func(order string, page int) string {
		return fmt.Sprintf("%s/openings?sort=%s&page=%d", b.Path, order, page)
	}
	for _, o := range effects.BoardOrders() {
		b.Orders = append(b.Orders, choice{Name: orderWords(o).String(), Link: link(o, 1), Now: o == order})
	}
	if page > 1 {
		b.Prev = link(order, page-1)
	}
	if to < len(all.Openings.Rows) {
		b.Next = link(order, page+1)
	}
	in := voiceOf(r)
	for i := range all.Families.Rows[:families] {
		b.Families = append(b.Families, cardOf(info, &all.Families.Rows[i], in.family(all.Families.Rows[i].Name)))
	}
	for i := from; i < to; i++ {
		card := cardOf(info, &all.Openings.Rows[i], all.Openings.Rows[i].Name)
		card.Games = b.Path + "/games?opening=" + url.QueryEscape(card.Name)
		b.Cards = append(b.Cards, card)
	}
	s.show(w, r, "boards", s.runFrame(r, info, "/openings", b))
	return nil
}

func cardOf(info *results.RunInfo, row *effects.Board, title string) boardCard {
	return boardCard{Board: *row, Title: title,
		Picture: fmt.Sprintf("%s.svg?ply=%d", gameAt(info.Name, row.Pair, row.Leg), row.FirstPly)}
}

// orderWords returns the name of an order of the rows.
func orderWords(order string) i18n.Message {
	return map[string]i18n.Message{
		effects.BySurprise: i18n.Of("surprise"), effects.ByScore: i18n.Of("lowest score"), effects.ByGames: i18n.Of("games"),
	}[order]
}

// family returns the name of a family in the reader's notation of moves.
func (v voice) family(name string) string {
	p, before := shogi.StartPos(), shogi.NoSquare
	var texts []string
	for _, word := range strings.Fields(name) {
		m, err := shogi.ParseMove(word)
		if err != nil || p.CheckLegal(m) != nil {
			return v.Say(name)
		}
		texts = append(texts, v.moveText(&p, m, before))
		before = m.To()
		p.Apply(m)
	}
	return strings.Join(texts, " ")
}
