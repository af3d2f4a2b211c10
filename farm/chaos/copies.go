package chaos

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// longestLine is far longer than a game of a dump.
const longestLine = 64 << 20

// Copy says where the stable dump of a copy is not the farm's, line for line (I10); none: it
// is. It knows nothing of the sums by which a follower compares.
func Copy(farm, copied io.Reader) (wrong []string) {
	ours, theirs := bufio.NewScanner(farm), bufio.NewScanner(copied)
	ours.Buffer(nil, longestLine)
	theirs.Buffer(nil, longestLine)
	lines := 0
	for ; ; lines++ {
		a, b := ours.Scan(), theirs.Scan()
		switch {
		case a && !b:
			wrong = append(wrong, fmt.Sprintf("I10: the copy ends after %d lines, and the farm has more", lines))
		case b && !a:
			wrong = append(wrong, fmt.Sprintf("I10: the farm ends after %d lines, and the copy has more", lines))
		case a && !bytes.Equal(ours.Bytes(), theirs.Bytes()):
			wrong = append(wrong, fmt.Sprintf("I10: line %d of the copy is %.200s, expected %.200s", lines+1, theirs.Bytes(), ours.Bytes()))
		case a:
			continue
		}
		break
	}
	for _, err := range []error{ours.Err(), theirs.Err()} {
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("I10: a dump cannot be read: %v", err))
		}
	}
	if lines == 0 && len(wrong) == 0 {
		wrong = append(wrong, "I10: there is nothing to compare")
	}
	return wrong
}
