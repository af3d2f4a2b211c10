//go:build unix && !linux

package chaos

import "testing"

// inNamespaces runs the tests without namespaces.
func inNamespaces(m *testing.M) int { return m.Run() }
