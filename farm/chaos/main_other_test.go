//go:build unix && !linux

package chaos_test

import "testing"

// inNamespaces runs the tests; there are no namespaces here.
func inNamespaces(m *testing.M) int { return m.Run() }
