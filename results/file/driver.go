package file

// trouble is what SQLite says is wrong, as far as it matters here.
type trouble int

const (
	noTrouble trouble = iota // or another, or none of SQLite's
	cannotOpen
	readOnly
	notADatabase
	corrupt
	constraint
)
