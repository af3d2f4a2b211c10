//go:build linux

package process_test

import (
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/usi/process"
)

// TestCPU requires the CPU time of a shell and of its child while the shell runs and after its end. The time never
// falls.
func TestCPU(t *testing.T) {
	t.Parallel()
	p, err := process.Start(process.Spec{Command: []string{"sh", "-c", `
		sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
		echo done; read line; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done`}}, nil)
	testutil.OK(t, err)
	testutil.Must(p.Read(make([]byte, 16)))(t)
	living, err := p.CPU()
	testutil.Check(t, err == nil && living > 0 && living <= time.Minute, "the child has used %v, %v", living, err)
	if err := p.Close(); err != nil {
		t.Logf("closing: %v", err)
	}
	<-p.Done()
	ended, err := p.CPU()
	testutil.Check(t, err == nil && ended >= living, "%v, %v after %v", ended, err, living)
}
