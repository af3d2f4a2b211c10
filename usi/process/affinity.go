package process

import (
	"fmt"

	"gogi/usi/affinity"
)

// AffinityChanged tells of an engine that has bound itself to other CPUs than it was started
// on (Spec.CPUs), or to fewer: all threads of its group together.
// It is "" where they keep to what was given, where nothing was, and where it cannot
// be known. Engines bind their threads when they make them, so after a game it is
// settled.
func (p *Process) AffinityChanged() string {
	p.mu.Lock() // so that pid is not reaped, and reused, meanwhile
	defer p.mu.Unlock()
	given := affinity.Set{}.Union(p.cpus)
	if p.reaped || len(given) == 0 {
		return ""
	}
	now := p.mayRunOn()
	if len(now) == 0 || now.String() == given.String() {
		return ""
	}
	return fmt.Sprintf("it was started on CPUs %s, and has bound itself to %s", given, now)
}
