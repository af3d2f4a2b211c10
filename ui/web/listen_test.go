package web_test

import (
	"net"
	"testing"

	"gogi/internal/testutil"
	"gogi/ui/web"
)

// TestPortInUse: the error for a port that another program uses names the flag, the address and what to do.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	other := testutil.Must(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer other.Close()
	address := other.Addr().String()
	want := "--http: " + address +
		": another program listens on this address; end it, or give another port (port 0: any free port)"
	testutil.Equal(t, web.Check(t.Context(), web.Config{Addr: address}).Error(), want)
	_, err := web.Listen(t.Context(), web.Config{Addr: address})
	testutil.Equal(t, err.Error(), want)
}
