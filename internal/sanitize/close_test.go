package sanitize

import (
	"testing"

	"gogi/internal/testutil"
)

// blocked is a writer whose Write begins and does not end before release is closed.
type blocked struct{ begun, release chan struct{} }

func (b blocked) Write(text []byte) (int, error) {
	close(b.begun)
	<-b.release
	return len(text), nil
}

// TestCloseWaitsForNoWrite checks that a program can end while a reader of its output reads nothing.
func TestCloseWaitsForNoWrite(t *testing.T) {
	to := blocked{make(chan struct{}), make(chan struct{})}
	w := NewWriter(to)
	ended := make(chan error)
	go func() {
		_, err := w.Write([]byte("text"))
		ended <- err
	}()
	<-to.begun
	testutil.OK(t, w.Close())
	close(to.release)
	testutil.OK(t, <-ended)
}
