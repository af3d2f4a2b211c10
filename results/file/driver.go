package file

// trouble is the kind of an SQLite error, as far as gogi distinguishes it.
type trouble int

const (
	noTrouble trouble = iota // or another, or none of SQLite's
	cannotOpen
	readOnly
	notADatabase
	corrupt
	constraint
)
