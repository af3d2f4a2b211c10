package farmcmd

import "fmt"

// become returns an error, because a Windows process cannot become another program. The error names the file
// of the new program, for the person or service that restarts the worker.
func become(file string) error {
	return fmt.Errorf("the new program is %s: it is for whoever restarts the worker to begin it", file)
}
