package process

import "fmt"

// GuardChange is a change of the guard process: it died and another one replaced it, it died and nothing
// could replace it, or a guard works again.
type GuardChange struct {
	Died string // how the guard died, such as "signal: killed"; "": a guard works again
	Err  error  // why there is no guard now (a goroutine of StartGuard tries again); nil: another guard replaced it
}

// String returns the change as a sentence.
func (c GuardChange) String() string {
	switch {
	case c.Died == "":
		return "the guard process works again"
	case c.Err == nil:
		return fmt.Sprintf("the guard process died (%s); another took its place", c.Died)
	}
	return fmt.Sprintf("the guard process died (%s), and there is no other: %v. It is tried again; "+
		"if this program is killed before, what wrappers of engines started lives on", c.Died, c.Err)
}
