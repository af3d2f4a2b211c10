package series

import (
	"testing"

	"gogi/internal/testutil"
)

// TestMissing: a lower target leaves out finished pairs beyond it, and an entry with false is no finished pair.
func TestMissing(t *testing.T) {
	t.Parallel()
	finished := map[int]bool{0: true, 2: true, 3: false, 7: true}
	testutil.Equal(t, missing(8, finished), 5)
	testutil.Equal(t, missing(5, finished), 3)
	testutil.Equal(t, missing(0, finished), 0)
}
