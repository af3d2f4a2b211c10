package network_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"gogi/internal/network"
	"gogi/internal/testutil"
)

// TestCannotListen: the error has the address once, no name of a system call, and what to do.
func TestCannotListen(t *testing.T) {
	t.Parallel()
	config := &net.ListenConfig{}
	first := testutil.Must(config.Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer first.Close()
	used := first.Addr().String()
	_, err := config.Listen(t.Context(), "tcp", used)
	testutil.Equal(t, network.CannotListen(used, err).Error(),
		used+": another program listens on this address; end it, or give another port (port 0: any free port)")
	testutil.Check(t, errors.Is(network.CannotListen(used, err), err), "the cause is lost")
	_, err = config.Listen(t.Context(), "tcp", "192.0.2.1:0") // an address for documents (RFC 5737)
	testutil.Equal(t, network.CannotListen("192.0.2.1:0", err).Error(),
		"192.0.2.1:0: this machine does not have this address; give an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all")
	_, err = config.Listen(t.Context(), "tcp", "nonsense")
	testutil.Equal(t, network.CannotListen("nonsense", err).Error(),
		"nonsense: address nonsense: missing port in address; check the address")
	denied := &net.OpError{Op: "listen", Net: "tcp", Err: syscall.EACCES}
	testutil.Equal(t, network.CannotListen(":80", denied).Error(),
		":80: this user may not listen on this port; give a port from 1024")
	testutil.OK(t, network.CannotListen(used, nil))
}

// TestCannotReach: the error has the reason without the chain of calls, and the advice.
func TestCannotReach(t *testing.T) {
	t.Parallel()
	listener := testutil.Must(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	testutil.OK(t, listener.Close())
	r := testutil.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/x", nil))(t)
	answer, err := http.DefaultClient.Do(r)
	if err == nil {
		t.Fatal("an answer of nobody", answer.Body.Close())
	}
	text := network.CannotReach(address, err, "check the address").Error()
	testutil.Check(t, strings.HasPrefix(text, address+": no connection: ") &&
		strings.HasSuffix(text, "refused; check the address"), "%s", text)
	testutil.Check(t, strings.Count(text, address) == 1 && !strings.Contains(text, "dial"), "%s", text)
	for want, cause := range map[string]error{
		"a: no connection: the host none.example is unknown; b": &net.DNSError{Err: "no such host", Name: "none.example",
			IsNotFound: true},
		"a: no connection: the server does not answer; b": context.DeadlineExceeded,
	} {
		got := network.CannotReach("a",
			&url.Error{Op: "Get", URL: "http://a", Err: &net.OpError{Op: "dial", Net: "tcp", Err: cause}}, "b")
		testutil.Equal(t, got.Error(), want)
	}
	testutil.OK(t, network.CannotReach("a", nil, "b"))
}
