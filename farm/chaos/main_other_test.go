//go:build unix && !linux

package chaos

import "testing"

// inNamespaces runs the tests; there are no namespaces here.
func inNamespaces(m *testing.M) int { return m.Run() }
