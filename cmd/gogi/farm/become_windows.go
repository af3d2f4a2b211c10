package farmcmd

import "fmt"

// become is not to be had: a process of Windows cannot become another program. Whoever
// restarts the worker finds the program where the error says.
func become(file string) error {
	return fmt.Errorf("the new program is %s: it is for whoever restarts the worker to begin it", file)
}
