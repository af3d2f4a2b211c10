package identity

// Env has a plan's data about the machine.
type Env struct {
	Self           string // this program's absolute path: the built-in engine
	BuiltinVersion string // identifies how the built-in engine plays
	NumCPU         int    // how many CPUs there are; below 2 counts as 1
	Path           string // the PATH in which bare commands are looked up
	WorkDir        string // absolute; base of relative paths in flags

	// For plans that come from elsewhere, see [Place].
	OS, Arch string   // of this machine, as GOOS and GOARCH
	ISAs     []string // instruction sets that it has, the best first: x86-64-v3, x86-64-v2, …
	Engines  string   // absolute; the folder in which Place lays out the engines' files
}
