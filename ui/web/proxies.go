package web

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"gogi/internal/address"
)

// proxies are the networks of the reverse proxies before a server. The server believes only their words about a
// client.
type proxies []netip.Prefix

// newProxies reads addresses (192.0.2.1) and networks (192.0.2.0/24).
func newProxies(list []string) (all proxies, err error) {
	for _, text := range list {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			a, wrong := netip.ParseAddr(text)
			if wrong != nil {
				return nil,
					fmt.Errorf("--behind %q: expected the address or network of a reverse proxy; write for example 127.0.0.1 or 10.0.0.0/8", text)
			}
			network = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen())
		}
		all = append(all, network)
	}
	return all, nil
}

// around returns a handler that replaces the address of a request through a proxy by the address of its client. The
// field X-Forwarded-For has it: each proxy appends the address from which it got the request, so the last one that
// is not of a proxy is right, and a client can only invent those before it. After X-Forwarded-Proto: https, the
// scheme of the request's URL is https, as for a request with TLS of its own.
func (p proxies) around(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil {
			r.URL.Scheme = "https"
		}
		if contains(p, address.Of(r.RemoteAddr)) {
			if strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
				r.URL.Scheme = "https"
			}
			r.RemoteAddr = p.client(r)
		}
		inner.ServeHTTP(w, r)
	})
}

// client returns the address of the client of a request through a proxy. If a field is not an address, it returns
// that of the proxy that sent the field.
func (p proxies) client(r *http.Request) string {
	last := address.Of(r.RemoteAddr)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		a := address.Of(strings.TrimSpace(hop))
		if !a.IsValid() {
			break
		}
		if last = a; !contains(p, a) {
			break
		}
	}
	return last.String()
}

// contains reports whether an address belongs to one of the networks.
func contains(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(a) })
}
