package process

// killMarked does nothing: there is no /proc by which processes could be found.
func killMarked(string) {}
