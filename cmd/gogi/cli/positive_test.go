package cli_test

import (
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/internal/testutil"
)

func TestPositive(t *testing.T) {
	var p cli.Positive
	testutil.OK(t, p.UnmarshalText([]byte("1")))
	testutil.Equal(t, p, cli.Positive(1))
	for _, text := range []string{"0", "-1", "1.5", "two", "", "9999999999999999999"} {
		testutil.Fails(t, p.UnmarshalText([]byte(text)), "expected a whole number from 1")
	}
	testutil.Equal(t, p, cli.Positive(1))
}
