package socket

import "time"

// Hurry sets the longest time of a write to a client.
func (s *Server) Hurry(writeTime time.Duration) { s.writeTime = writeTime }
