package identity

// Env describes this machine and this program, for making a plan.
type Env struct {
	Self           string // absolute path of this program, which is also the built-in engine
	BuiltinVersion string // identifies the play of the built-in engine
	NumCPU         int    // number of CPUs; a value below 2 counts as 1
	Path           string // the PATH in which gogi searches for commands without a slash
	WorkDir        string // absolute; relative paths in flags start here

	// The other fields are only used for plans from other machines; see [Place].
	OS, Arch string   // of this machine, as in GOOS and GOARCH
	ISAs     []string // instruction sets of this machine, the best first: x86-64-v3, x86-64-v2, …
	Engines  string   // absolute; the folder in which Place makes the engines' folders
}
