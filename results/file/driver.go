package file

// trouble is a kind of SQLite error for which gogi has its own message or handling.
type trouble int

const (
	noTrouble trouble = iota // another error of SQLite, or an error of something else
	cannotOpen
	readOnly
	notADatabase
	corrupt
	constraint
)
