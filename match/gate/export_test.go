package gate

// String returns Said in English.
func (p Prospect) String() string { return p.Said().String() }
