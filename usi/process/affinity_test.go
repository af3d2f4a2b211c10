//go:build linux

package process

import (
	"io"
	"sync"
	"testing"

	"gogi/internal/testutil"
	"gogi/usi/affinity"
)

// allowed returns the CPUs of this process. It skips the test if there are less than two.
func allowed(t *testing.T) affinity.Set {
	t.Helper()
	s := testutil.Must(Allowed())(t)
	// /proc/self is the main thread, which stays bound if it was bound for a child. So this reads /proc/thread-self.
	kernel := status(t, "/proc/thread-self/status", "Cpus_allowed_list")
	testutil.Require(t, s.String() == kernel, "Allowed says %s, the kernel %s", s, kernel)
	if len(s) < 2 {
		t.Skip("it needs two CPUs to tell being bound from not being bound")
	}
	return s
}

// TestAffinityOfMany requires that each of many engines that start at the same time begins on its own CPUs. So no
// thread of gogi gives its own CPU mask to another child. Each engine prints its CPUs in its first line.
func TestAffinityOfMany(t *testing.T) {
	all := allowed(t)
	var starts sync.WaitGroup
	for i := range 24 {
		starts.Go(func() {
			spec := sh("grep Cpus_allowed_list /proc/self/status; cat")
			want := all.String()
			if i%3 > 0 {
				spec.CPUs = []int{all[i%3-1]}
				want = itoa(all[i%3-1])
			}
			p := start(t, spec, nil)
			got := line(t, p)
			testutil.Check(t, got == "Cpus_allowed_list:\t"+want, "the child says %q, want %s", got, want)
			testutil.Equal(t, p.AffinityChanged(), "", "it keeps to what it was given")
			closeOK(t, p)
		})
	}
	starts.Wait()
}

// TestStrayed requires a report of a thread that binds itself, also behind a wrapper.
func TestStrayed(t *testing.T) {
	all := allowed(t)
	direct := self("stray")
	wrapped := sh(`"$0" stray; exit`)
	wrapped.Command = append(wrapped.Command, direct.Command[0])
	for name, spec := range map[string]Spec{"direct": direct, "wrapped": wrapped} {
		t.Run(name, func(t *testing.T) {
			spec.CPUs = []int{all[1]}
			p := start(t, spec, nil)
			testutil.Equal(t, p.AffinityChanged(), "", "before it binds itself")
			testutil.Must(io.WriteString(p, "go on\n"))(t)
			got := line(t, p)
			testutil.Require(t, got == "bound <nil>", "it says %q", got)
			want := "it was started on CPUs " + itoa(all[1]) + ", and has bound itself to " + all.String()
			testutil.Equal(t, p.AffinityChanged(), want)
			closeOK(t, p)
			testutil.Equal(t, p.AffinityChanged(), "", "after its end")
		})
	}
}

// TestStrayedUnbound requires no report of an engine that got no CPUs.
func TestStrayedUnbound(t *testing.T) {
	p := start(t, self("stray"), nil)
	testutil.Must(io.WriteString(p, "go on\n"))(t)
	testutil.Equal(t, line(t, p)+p.AffinityChanged(), "bound <nil>")
	closeOK(t, p)
}

// TestStrayedToFewer requires a report of an engine that uses fewer CPUs than it was given, because two of its threads
// may share a CPU.
func TestStrayedToFewer(t *testing.T) {
	all := allowed(t)
	spec := sh("taskset -cp " + itoa(all[0]) + " $$ >/dev/null; echo done; exec cat")
	spec.CPUs = all[:2]
	p := start(t, spec, nil)
	got := line(t, p)
	testutil.Require(t, got == "done", "it says %q", got)
	testutil.Equal(t, p.AffinityChanged(),
		"it was started on CPUs "+all[:2].String()+", and has bound itself to "+itoa(all[0]))
	closeOK(t, p)
}
