package ratings

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/report"
)

// TestNoBound: the reason for a missing end names the end that is missing.
func TestNoBound(t *testing.T) {
	one := 1.0
	for want, b := range map[string]report.Bounds{
		"the games set no bound": {}, "the games set no upper bound": {Lo: &one}, "the games set no lower bound": {Hi: &one},
	} {
		testutil.Equal(t, noBound(b).String(), want)
	}
}
