// Package address reads the addresses of clients. [Of] reads an address of a connection or of a header, and [Network]
// returns the network to which a limit by address applies.
package address

import (
	"net/netip"
	"strings"
)

// Of returns the address of HOST, HOST:PORT or [HOST]:PORT, without its zone and as IPv4 if it is an IPv4 address
// inside an IPv6 one. It returns the zero value for all other texts.
func Of(text string) netip.Addr {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone("")
	}
	a, _ := netip.ParseAddr(strings.Trim(text, "[]"))
	return a.Unmap().WithZone("")
}

// Network returns the network that one client can have for itself: the address itself for IPv4, and the network of 64
// bits for IPv6 (RFC 6177). It returns the zero value for an address without value.
func Network(a netip.Addr) netip.Prefix {
	network, _ := a.Prefix(min(a.BitLen(), 64)) // no error: the number of bits is possible
	return network
}
