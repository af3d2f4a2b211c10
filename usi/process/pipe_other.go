//go:build !linux

package process

import "os"

// pipeEnd is this program's end of a pipe to or from a child.
type pipeEnd struct{ *os.File }

func newPipeEnd(file *os.File) *pipeEnd { return &pipeEnd{file} }
