package process

import "fmt"

// GuardChange is what has become of the guard: it died and was replaced, there is
// none, or there is one again.
type GuardChange struct {
	Died string // how, as "signal: killed"; "": after a time without, there is one that works
	Err  error  // why there is none now, though it is tried again; nil: another took its place
}

// String is the sentence.
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
