package socket

import "time"

// Hurry lets a client take no longer than that to read what it is sent.
func (s *Server) Hurry(patience time.Duration) { s.patience = patience }
