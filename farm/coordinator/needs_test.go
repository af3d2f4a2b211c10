package coordinator_test

import (
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
)

// TestATestThatWantsTrust is played by workers that the farm believes so far, whatever they
// say of themselves.
func TestATestThatWantsTrust(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		submit := func(level string) error {
			return testutil.Err(f.submit("ann", testPlan("careful", 100, 1), farm.Submission{Needs: map[string]string{"trust": level}}))
		}
		testutil.Fails(t, submit("much"), "expected untrusted, verified or owner")
		testutil.OK(t, submit("verified"))
		testutil.OK(t, f.do("ben", "approve", farm.Order{Run: "careful"}, nil))
		for name, c := range map[string]struct {
			level string
			want  int
		}{"w0": {"untrusted", 0}, "w2": {"verified", 2}, "w4": {"owner", 2}} {
			l := &line{t: t, f: f, name: name}
			var welcome farm.HelloReply
			hello := farm.Hello{Protocol: farm.Protocol, Session: "s", Start: 1, Slots: 2, Labels: map[string]string{"trust": "owner"}}
			l.ask(farm.SubjectHello, hello, &welcome)
			testutil.OK(t, f.do("boss", "trust", farm.Order{Worker: name, Level: c.level}, nil))
			if got := len(l.want(2)); got != c.want {
				t.Errorf("%s, which is %s, is granted %d pairs: expected %d", name, c.level, got, c.want)
			}
		}
	})
}
