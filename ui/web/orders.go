package web

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strings"

	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/control"
)

// order is a button by which a reader controls a run in play.
type order struct {
	Verb   control.Verb
	Phrase string
	Counts bool // the order has a number
	Now    int  // the present value of this number
	Danger bool // the order discards games
}

// orders returns the buttons, in the order of control.Verbs.
func orders(now *match.Snapshot) []order {
	phrases := map[control.Verb]string{
		control.Pause: "Pause", control.Resume: "Resume", control.Drain: "End after the pairs in play",
		control.Stop:        "Stop at once",
		control.Concurrency: "Games at a time", control.Target: "Games in all",
	}
	numbers := map[control.Verb]int{control.Concurrency: now.Wanted, control.Target: now.Games}
	return lists.Map(control.Verbs, func(v control.Verb) order {
		return order{v, phrases[v], v.Counts(), numbers[v], v == control.Stop}
	})
}

// Refusal is the JSON answer to an order. If the run rejects the order, Error has the reason.
type Refusal struct {
	Error string `json:"error,omitempty"` // the reason why the run rejects the order; missing: the run accepts it
}

// control sends an order to a run. The verb is in the path, and its number is n in a form or in JSON. If the order came
// from a form, control redirects to the boards, or shows a page with the reason of a rejection.
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
	live := pathOf(runNamed(r)) + "/live"
	switch {
	case isForm(r) && err == nil:
		http.Redirect(w, r, live, http.StatusSeeOther)
	case isForm(r):
		s.showAs(w, r, status, "refused", frame{
			Title: runNamed(r), Trail: []crumb{{Name: runNamed(r), Link: pathOf(runNamed(r))},
				{Name: voiceOf(r).Say("Boards"), Link: live}},
			Page: map[string]string{"Why": err.Error(), "Back": live},
		})
	case err == nil:
		answer(w, http.StatusOK, Refusal{})
	default:
		answer(w, status, Refusal{err.Error()})
	}
}

// askedNumber returns the number in a request that controls a run, or "" if the request has none.
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

// isForm reports whether a browser sent a form and expects a page.
func isForm(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have left
}
