package process

// killMarked does nothing: there is no /proc to search for processes.
func killMarked(string) {}
