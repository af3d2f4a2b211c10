package address_test

import (
	"testing"

	"gogi/internal/address"
	"gogi/internal/testutil"
)

// TestOf reads addresses as net.Conn and reverse proxies write them, and texts that are no addresses. The addresses are
// those that RFC 5737 and RFC 3849 reserve for documents.
func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.1:7878":             "192.0.2.1/32",
		"192.0.2.1":                  "192.0.2.1/32",
		"[2001:db8:1:2:3::4]:80":     "2001:db8:1:2::/64",
		"2001:db8:1:2:3::4":          "2001:db8:1:2::/64",
		"[2001:db8:1:2:3::4]":        "2001:db8:1:2::/64",
		"[::ffff:192.0.2.1]:7":       "192.0.2.1/32",
		"[fe80::1%eth0]:80":          "fe80::/64",
		"":                           "invalid Prefix",
		"unknown":                    "invalid Prefix",
		"_hidden":                    "invalid Prefix",
		"192.0.2.1, 192.0.2.2":       "invalid Prefix",
		"pipe":                       "invalid Prefix",
		"192.0.2.256":                "invalid Prefix",
		"/run/gogi.sock":             "invalid Prefix",
		"192.0.2.1:7878:extra":       "invalid Prefix",
		"2001:db8:1:2:3:4:5:6:7:8:9": "invalid Prefix",
	} {
		testutil.Equal(t, address.Network(address.Of(text)).String(), want, text)
	}
}
