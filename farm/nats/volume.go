package nats

import (
	"errors"
	"fmt"
)

var errNoDisk = errors.New("bus: the size of the volume is unknown: set the maximum size of the stream")

// DefaultStream returns the default size of the stream of results in bytes: a fifth of dir's volume, at most half of
// the free space there.
func DefaultStream(dir string) (int64, error) {
	size, free, err := volume(dir)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errNoDisk, err)
	}
	return min(size/5, free/2), nil
}
