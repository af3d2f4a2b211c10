package embedded_test

import (
	"log/slog"
	"net"
	"testing"

	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/farm/nats/embedded"
	"gogi/internal/testutil"
)

// TestListen: Start returns at once if another program uses the port, and its error names the flag and what to do. An
// address beyond this machine needs TLS.
func TestListen(t *testing.T) {
	t.Parallel()
	other := testutil.Must(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer other.Close()
	ring := testutil.Must(keys.Open(t.TempDir()))(t)
	config := nats.ServerConfig{Dir: t.TempDir(), Listen: other.Addr().String(), Keys: ring,
		Log: slog.New(slog.DiscardHandler)}
	start := func() error { return testutil.Err(embedded.Start(t.Context(), config)) }
	testutil.Fails(t, start(), "--listen: "+config.Listen+
		": another program listens on this address; end it, or give another port")
	config.Listen = "0.0.0.0:0"
	testutil.Fails(t, start(), "needs TLS")
}
