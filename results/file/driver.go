package file

// trouble is a kind of SQLite error that gogi treats in its own way.
type trouble int

const (
	noTrouble trouble = iota // another error, or an error that is not SQLite's
	cannotOpen
	readOnly
	notADatabase
	corrupt
	constraint
)
