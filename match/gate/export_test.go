package gate

// String is Said in English.
func (p Prospect) String() string { return p.Said().String() }
