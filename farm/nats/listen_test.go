package nats_test

import (
	"net"
	"testing"

	"gogi/farm/nats"
	"gogi/internal/testutil"
)

// TestPortInUse: Open returns at once if another program uses the port, and its error names the flag and what to do.
func TestPortInUse(t *testing.T) {
	other := testutil.Must(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer other.Close()
	config := open(t, nil).config
	config.Dir, config.Listen = t.TempDir(), other.Addr().String()
	_, err := nats.Open(t.Context(), config)
	testutil.Fails(t, err, "--listen: "+config.Listen+
		": another program listens on this address; end it, or give another port")
}
