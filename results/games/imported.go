package games

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gogi/shogi/kifu"
)

// A run of imported games has no engines, limits or rules. The imported files may have these facts for each
// game, but the database has no columns for them. gogi stores them as JSON in the column for the site of the
// game, which is empty in its own runs.

// elsewhere has those facts of an imported record for which the database has no column.
type elsewhere struct {
	Site     string         `json:"site,omitempty"`
	Clocks   [2]kifu.Clock  `json:"clocks_ns,omitzero"`
	MaxMoves int            `json:"max_moves,omitempty"`
	Jishogi  int            `json:"jishogi,omitempty"`
	Ratings  [2]float64     `json:"ratings,omitzero"`
	About    [2]string      `json:"about,omitzero"`
	LastNS   *time.Duration `json:"last_ns,omitempty"`
	Opening  string         `json:"opening,omitempty"`
	Branches int            `json:"branches,omitempty"`
	Comment  string         `json:"comment,omitempty"`
	Comments map[int]string `json:"comments,omitempty"` // by move, from 0
}

// keepImported writes the facts of type elsewhere as JSON into the record's Site, which the database stores.
func keepImported(r *kifu.Record) error {
	e := elsewhere{
		Site: r.Site, Clocks: r.Clocks, MaxMoves: r.MaxMoves, Jishogi: r.Jishogi, Ratings: r.Ratings, About: r.About,
		Opening: r.Header.Opening, Branches: r.Branches, Comment: r.Comment,
	}
	if r.HasLast {
		e.LastNS = &r.LastTime
	}
	for i := range r.Moves {
		if c := r.Moves[i].Comment; c != "" {
			if e.Comments == nil {
				e.Comments = map[int]string{}
			}
			e.Comments[i] = c
		}
	}
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("what the record says beside its moves: %w", err)
	}
	r.Site = string(text)
	return nil
}

func restore(r *kifu.Record) {
	var e elsewhere
	if !strings.HasPrefix(r.Site, "{") || json.Unmarshal([]byte(r.Site), &e) != nil {
		return // an ordinary site, not JSON
	}
	r.Site, r.MaxMoves, r.Jishogi, r.Header.Opening = e.Site, e.MaxMoves, e.Jishogi, e.Opening
	r.Branches, r.Comment, r.Clocks, r.Ratings, r.About = e.Branches, e.Comment, e.Clocks, e.Ratings, e.About
	if e.LastNS != nil {
		r.LastTime, r.HasLast = *e.LastNS, true
	}
	for i, c := range e.Comments {
		if i >= 0 && i < len(r.Moves) {
			r.Moves[i].Comment = c
		}
	}
}
