package web

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strings"

	"gogi/match"
	"gogi/match/control"
)

// order is a button of a run that is played.
type order struct {
	Verb   control.Verb
	Phrase string
	Counts bool
	Now    int  // of one that counts: what holds
	Danger bool // it throws games away
}

// orders are the buttons, in the order of control.Verbs.
func orders(now *match.Snapshot) []order {
	phrases := map[control.Verb]string{
		control.Pause: "Pause", control.Resume: "Resume", control.Drain: "End after the pairs in play", control.Stop: "Stop at once",
		control.Concurrency: "Games at a time", control.Target: "Games in all",
	}
	numbers := map[control.Verb]int{control.Concurrency: now.Wanted, control.Target: now.Games}
	var all []order
	for _, v := range control.Verbs {
		all = append(all, order{v, phrases[v], v.Counts(), numbers[v], v == control.Stop})
	}
	return all
}

// refusal is why a run does not do what it was told.
type refusal struct {
	Error string `json:"error,omitempty"`
}

// control gives a run an order: the verb in the path, its number as n in a form or in
// JSON. A form leads back to the boards; a refusal is told with its reason.
func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	number, err := askedNumber(r)
	var c control.Command
	if err == nil {
		c, err = control.Parse(r.PathValue("verb"), number)
	}
	status := http.StatusBadRequest
	if err == nil {
		status, err = http.StatusConflict, s.config.Live.Control(r.Context(), runNamed(r), c)
	}
	switch {
	case isForm(r) && err == nil:
		http.Redirect(w, r, pathOf(runNamed(r))+"/live", http.StatusSeeOther)
	case isForm(r):
		s.showRefused(w, r, status, err)
	case err == nil:
		answer(w, http.StatusOK, refusal{})
	default:
		answer(w, status, refusal{err.Error()})
	}
}

// askedNumber is the number of an order, "" without one.
func askedNumber(r *http.Request) (string, error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return strings.TrimSpace(r.FormValue("n")), nil
	}
	var asked struct {
		N json.Number `json:"n"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return "", errors.New(`the body is not JSON such as {"n":4}`)
	}
	return asked.N.String(), nil
}

// isForm reports whether a browser sent a form, which wants a page.
func isForm(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone misses nothing
}

// showRefused is the page that says why an order was refused.
func (s *Server) showRefused(w http.ResponseWriter, r *http.Request, status int, why error) {
	run := runNamed(r)
	live := pathOf(run) + "/live"
	s.showAs(w, r, status, "refused", frame{
		Title: run, Trail: []crumb{{Name: run, Link: pathOf(run)}, {Name: s.speaker(r)("Boards"), Link: live}},
		Page: map[string]string{"Why": why.Error(), "Back": live},
	})
}
