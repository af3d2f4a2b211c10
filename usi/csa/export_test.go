package csa

// Opponent is the name of the other player.
func (s *Summary) Opponent() string { return s.Names[s.Colour.Opponent()] }
