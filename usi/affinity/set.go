package affinity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/lists"
)

// Most is the highest CPU number that gogi accepts. Linux supports at most 8192 CPUs (CONFIG_NR_CPUS).
const Most = 8191

// Set holds numbers of logical CPUs, ascending and unique.
type Set []int

// ParseSet parses a list of CPUs in the format of the Linux kernel, such as "0-3,8,10-11" (cpuset(7), "List
// format"). It ignores blanks around the text. "" gives the empty set.
func ParseSet(text string) (Set, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	var has [Most + 1]bool // repeated numbers need no memory
	for part := range strings.SplitSeq(text, ",") {
		first, last, ok := parseRange(part)
		if !ok {
			return nil, fmt.Errorf("%q: expected CPUs such as 0-3,8, up to %d", text, Most)
		}
		for c := first; c <= last; c++ {
			has[c] = true
		}
	}
	var s Set
	for c, in := range has {
		if in {
			s = append(s, c)
		}
	}
	return s, nil
}

// parseRange parses "4" or "4-7". ok is false for any other text.
func parseRange(text string) (first, last int, ok bool) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	first, ok1 := parseCPU(low)
	last, ok2 := parseCPU(high)
	return first, last, ok1 && ok2 && first <= last
}

// parseCPU parses a CPU number. It accepts only digits, although Atoi also accepts signs. ok is false for any other
// text.
func parseCPU(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n <= Most && !strings.ContainsAny(text, "+-")
}

// sorted returns s as a valid Set. s may have numbers in any order, and repeated numbers.
func (s Set) sorted() Set {
	slices.Sort(s)
	return slices.Compact(s)
}

// String returns the form that ParseSet reads. The empty set gives "".
func (s Set) String() string {
	var b strings.Builder
	for i := 0; i < len(s); {
		last := i
		for last+1 < len(s) && s[last+1] == s[last]+1 {
			last++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(s[i]))
		if last > i {
			b.WriteString("-" + strconv.Itoa(s[last]))
		}
		i = last + 1
	}
	return b.String()
}

// Has reports whether the set has a CPU.
func (s Set) Has(cpu int) bool {
	_, ok := slices.BinarySearch(s, cpu)
	return ok
}

// Minus returns the CPUs of s that are not in t.
func (s Set) Minus(t Set) Set {
	return lists.Filter(s, func(c int) bool { return !t.Has(c) })
}

// Union returns the CPUs of s and t.
func (s Set) Union(t Set) Set { return slices.Concat(s, t).sorted() }

// Choice is the user's choice of the CPUs on which engines may run. The zero value means that gogi binds no
// engine.
type Choice struct {
	On   bool // gogi binds engines to CPUs
	List Set  // the CPUs to choose from; empty: all CPUs that this process may use
}

// String returns the form that ParseChoice reads; "" is the zero value.
func (c Choice) String() string {
	switch {
	case !c.On:
		return ""
	case len(c.List) > 0:
		return c.List.String()
	}
	return "auto"
}

// ParseChoice parses "off", "auto" or a list of CPUs; "" is "off".
func ParseChoice(text string) (Choice, error) {
	switch text {
	case "", "off":
		return Choice{}, nil
	case "auto":
		return Choice{On: true}, nil
	}
	list, err := ParseSet(text)
	if err != nil || len(list) == 0 {
		return Choice{}, fmt.Errorf("%q: expected off, auto, or CPUs such as 2-7,10", text)
	}
	return Choice{On: true, List: list}, nil
}
