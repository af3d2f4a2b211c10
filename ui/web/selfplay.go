package web

import (
	"net/http"

	"gogi/results"
)

// selfplayBody is the page of a run that is self-play: how much is stored, and no strength.
type selfplayBody struct {
	Boards livePage // what is being played
}

// selfplayPage shows self-play.
func (s *Server) selfplayPage(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	var body selfplayBody
	if hub := s.playing(info.Name); hub != nil {
		body.Boards = s.liveRun(r, info.Name, hub)
		body.Boards.few()
	}
	s.show(w, r, "selfplay", s.runFrame(r, info, "", &body))
	return nil
}
