package roster

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"gogi/farm"
	"gogi/internal/format"
	"gogi/match/trust"
	"gogi/results/farmstate"
)

// A Worker is the record of a worker, apart from its session. The state stores the fields with a
// name of CBOR in the bucket of workers.
type Worker struct {
	Owner      string      `cbor:"owner"`
	Trust      trust.Level `cbor:"trust"`
	Quarantine string      `cbor:"quarantine"` // the reason, or "" if it is not in quarantine
	Since      time.Time   `cbor:"since"`
	Draining   bool        `cbor:"draining"`
	Agreed     int         `cbor:"agreed"`  // number of agreeing audits
	Played     int         `cbor:"played"`  // number of stored pairs; see Roster.KeepCounts
	Refused    int         `cbor:"refused"` // number of rejected results, in total or since a pardon
	Claim      float64     `cbor:"claim"`   // the latest farm.Hello.NPS
	// Probation is the reason why the worker gets no runs with scaled clocks, and why all its other pairs are
	// audited. The reason is that the speed of its machine is not the claimed speed. Probation is "" if there is
	// no reason. A new claim ends the probation.
	Probation string `cbor:"probation"`
	// Unlike is the reason why all pairs of the worker are audited: the worker's machine differs from the other
	// machines. It is "" otherwise.
	Unlike string `cbor:"unlike,omitempty"`
	// Forgiven is the evidence from results that a pardon cancelled, by run, as logarithms of e-values.
	Forgiven map[string]float64 `cbor:"forgiven,omitempty"`
	// ForgivenMachine is the evidence about the worker's machine that a pardon cancelled, by run, as logarithms
	// of e-values.
	ForgivenMachine map[string]float64 `cbor:"forgiven_machine,omitempty"`

	// The next fields are from the worker's latest Hello.
	Version string            `cbor:"version,omitempty"`
	Labels  map[string]string `cbor:"labels,omitempty"`
	Slots   int               `cbor:"slots,omitempty"`
	Seen    time.Time         `cbor:"seen,omitzero"`    // when the worker was stored last while it was connected
	Errors  []farm.Change     `cbor:"errors,omitempty"` // the latest errors, the oldest first

	Rebench string `cbor:"-"` // reason why its speed must be measured again, or ""

	revision uint64
	actions  []farmstate.Action // for the log of the farm, when the worker is stored
	changed  bool               // it must be stored, but not at once
	stored   time.Time          // when it was stored last
	kept     int                // the sum of Played and Agreed that is stored
}

// Act records an action (what) of a user or the farm (by) on the worker called name. The next call of Roster.Keep
// writes it to the log of the farm, together with the worker.
func (w *Worker) Act(by, name, what string) {
	w.actions = append(w.actions, farmstate.Action{At: time.Now(), By: by, On: farmstate.OnWorker, Name: name, What: what})
}

// Limits of the data that a worker can make the coordinator store.
const (
	maxErrors   = 10          // errors of a worker
	maxError    = 300         // bytes of an error
	keepPause   = time.Minute // shortest interval between two writes of a worker because of unimportant changes
	keepAtATime = 4           // workers with unimportant changes that one call of KeepChanged writes
)

// Failed adds an error, the text what, to the latest errors of a worker, unless the last error has the same
// text. on is the name of the test in which the error happened, or "farm".
func (w *Worker) Failed(now time.Time, on, what string) {
	what = strings.ToValidUTF8(what[:min(len(what), maxError)], "")
	if n := len(w.Errors); n > 0 && w.Errors[n-1].What == what {
		return
	}

	w.Errors = append(w.Errors[max(0, len(w.Errors)-maxErrors+1):len(w.Errors):len(w.Errors)],
		farm.Change{At: now.Round(0), By: on, What: what})
	w.changed = true
}

// describe stores the version, the slots and the labels that a worker reports. If they have changed, it adds a line
// to the log, unless the coordinator stored the worker less than keepPause ago. So a worker cannot fill the log.
// Everybody can read the log, so it has no free text of the worker.
func (w *Worker) describe(name string, h *farm.Hello, now time.Time) {
	version := strings.ToValidUTF8(h.Version, "?")
	if w.Version == version && w.Slots == h.Slots && maps.Equal(w.Labels, h.Labels) {
		return
	}

	w.Version, w.Slots, w.Labels, w.changed = version, h.Slots, h.Labels, true
	if len(w.actions) == 0 && now.Sub(w.stored) >= keepPause {
		w.Act("farm", name, fmt.Sprintf("connected: gogi %s, %s, %s/%s", knownVersion(version),
			format.NumberOf(h.Slots, "slot"), knownLabel("os", h.Labels["os"]), knownLabel("arch", h.Labels["arch"])))
	}
}
