package farm

import (
	"fmt"
	"slices"
	"strings"
)

// leastDigest is the smallest number of digits of a digest that stand for the digest.
const leastDigest = 8

// ShortDigest returns the beginning of a plan's digest, which messages print and which stands for the test.
func ShortDigest(digest string) string { return digest[:min(len(digest), 12)] }

// Means reports whether a user means a test by a text that is not its name: its digest or the beginning of it.
func Means(text, digest string) bool {
	return len(text) >= leastDigest && strings.HasPrefix(digest, text)
}

// Named returns the test of a list that a user means, or -1: by its digest, by its name, or by the beginning of its digest. A
// later test comes before an earlier one with the same name, which an older farm accepted.
func Named(list []TestStatus, text string) int {
	found := -1
	for i := range list {
		switch {
		case list[i].Run == text:
			return i
		case list[i].Name == text:
			found = i
		}
	}
	if found < 0 {
		found = slices.IndexFunc(list, func(t TestStatus) bool { return Means(text, t.Run) })
	}
	return found
}

// FreeName returns name if no test has it, and otherwise the first free name of NAME-2, NAME-3, ….
func FreeName(name string, taken func(string) bool) string {
	free := name
	for n := 2; taken(free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}
