//go:build !linux

package builder

import "os"

// filter returns nil, because bubblewrap exists only on Linux.
func filter() (*os.File, error) { return nil, nil }
