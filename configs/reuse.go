package configs

import (
	"fmt"
	"strconv"
	"strings"
)

// DefaultChecks is the default of Reuse.Checks: gogi replays 10 of the known pairs, which earlier runs
// played, before it reuses the others. If a share f of the known pairs is wrong, all checks miss it with the
// probability (1-f)^checks: 10 checks miss f = 0.3 with 3%.
const DefaultChecks = 10

// Reuse decides whether gogi takes pairs that earlier runs played, instead of playing them again. Its text
// form is "exact", "exact,checks=N" or "off". The zero value is off.
type Reuse struct {
	Checks int // number of known pairs to replay; 0: no pair is reused
}

// UnmarshalText reads the text form, from the key reuse or from the flag.
func (r *Reuse) UnmarshalText(text []byte) error {
	kind, rest, more := strings.Cut(string(text), ",")
	switch {
	case kind == "off" && !more:
		*r = Reuse{}
		return nil
	case kind == "exact" && !more:
		*r = Reuse{Checks: DefaultChecks}
		return nil
	case kind == "exact":
		number, found := strings.CutPrefix(rest, "checks=")
		if n, err := strconv.Atoi(number); found && err == nil && n > 0 {
			*r = Reuse{Checks: n}
			return nil
		}
	}
	return fmt.Errorf("reuse %q: expected exact, off, or exact,checks=N with a number of pairs to replay", text)
}
