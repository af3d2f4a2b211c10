package process

import (
	"fmt"

	"gogi/usi/affinity"
)

// AffinityChanged returns a sentence if the threads of the engine's group may run on other or fewer CPUs than
// Spec.CPUs. It returns "" if they keep them, if Spec.CPUs is empty, and if the CPUs are unknown. Engines
// bind threads when they create them, so the result is final after a game.
func (p *Process) AffinityChanged() string {
	p.mu.Lock() // so that nothing reaps pid and the system reuses it
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
