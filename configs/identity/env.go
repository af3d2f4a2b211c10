package identity

// Env has the data about this machine that making a plan needs.
type Env struct {
	Self           string // absolute path of this program, which is also the built-in engine
	BuiltinVersion string // identifies how the built-in engine plays
	NumCPU         int    // number of CPUs; a value below 2 counts as 1
	Path           string // the PATH in which gogi searches commands without a slash
	WorkDir        string // absolute; base of relative paths in flags

	// The other fields are for plans from other machines; see [Place].
	OS, Arch string   // of this machine, as GOOS and GOARCH
	ISAs     []string // instruction sets of this machine, the best first: x86-64-v3, x86-64-v2, …
	Engines  string   // absolute; the folder in which Place lays out the engines' files
}
