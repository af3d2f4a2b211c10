package disk

import (
	"fmt"
	"io"
	"os"
)

// CheckOutput returns an error if a file that the user named as an output is a database, whose games would be lost. A
// database begins like an SQLite file (sqlite.org/fileformat2.html, 1.3.1).
func CheckOutput(path string) error {
	const magic = "SQLite format 3\x00"
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil // opening it shows the problem, and reading a pipe would take its data
	}
	file, err := os.Open(path)
	if err != nil {
		return nil // as above
	}
	defer func() { _ = file.Close() }() // the file was only read
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(file, head); err != nil || string(head) != magic {
		return nil // it is shorter than a database
	}
	return fmt.Errorf("%s is a database; give the name of another file", path)
}
