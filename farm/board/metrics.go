package board

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gogi/farm"
)

// A family is a family of metrics: its name after gogi_farm_, its help text, and its values.
type family struct {
	name, help string
	labels     []string
	kind       prometheus.ValueType
	values     func(s *farm.Status, emit func(v float64, labels ...string))
}

// ofTests returns the values of a family with one value for each test.
func ofTests(value func(*farm.TestStatus) float64) func(*farm.Status, func(float64, ...string)) {
	return func(s *farm.Status, emit func(float64, ...string)) {
		for i := range s.Tests {
			emit(value(&s.Tests[i]), s.Tests[i].Run)
		}
	}
}

// ofWorkers returns the values of a family with one value for each worker.
func ofWorkers(value func(*farm.WorkerStatus) float64) func(*farm.Status, func(float64, ...string)) {
	return func(s *farm.Status, emit func(float64, ...string)) {
		for i := range s.Workers {
			emit(value(&s.Workers[i]), s.Workers[i].Name)
		}
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// families returns all families of metrics. Counters start at 0 with each start of the coordinator. The label
// of a test is the digest of its plan, which is unique. The family test_info has the names of the tests.
func families() []family {
	const gauge, counter = prometheus.GaugeValue, prometheus.CounterValue
	run, worker := []string{"run"}, []string{"worker"}
	return []family{
		{"test_info", "A test, with its name, owner and state; always 1.", []string{"run", "name", "owner", "state"}, gauge,
			func(s *farm.Status, emit func(float64, ...string)) {
				for _, t := range s.Tests {
					emit(1, t.Run, t.Name, t.Owner, string(t.State))
				}
			}},
		{"pairs_total", "Results by what became of them: added, duplicate, refused, stale (of a take before).",
			[]string{"run", "result"}, counter, func(s *farm.Status, emit func(float64, ...string)) {
				for _, t := range s.Tests {
					emit(float64(t.Added), t.Run, "added")
					emit(float64(t.Duplicates), t.Run, "duplicate")
					emit(float64(t.Refused), t.Run, "refused")
					emit(float64(t.Stale), t.Run, "stale")
				}
			}},
		{"leases_total", "Leases by what became of them: granted, expired, adopted, returned, revoked, lost.",
			[]string{"run", "event"}, counter, func(s *farm.Status, emit func(float64, ...string)) {
				for _, t := range s.Tests {
					emit(float64(t.Granted), t.Run, "granted")
					emit(float64(t.Expired), t.Run, "expired")
					emit(float64(t.Adopted), t.Run, "adopted")
					emit(float64(t.Returned), t.Run, "returned")
					emit(float64(t.Revoked), t.Run, "revoked")
					emit(float64(t.Lost), t.Run, "lost")
				}
			}},
		{"leases", "Leases that are held.", run, gauge, ofTests(func(t *farm.TestStatus) float64 { return float64(t.Held) })},
		{"stored_pairs", "Pairs that are stored.", run, gauge,
			ofTests(func(t *farm.TestStatus) float64 { return float64(t.Stored) })},
		{"planned_pairs", "Pairs of the plan.", run, gauge,
			ofTests(func(t *farm.TestStatus) float64 { return float64(t.Pairs) })},
		{"prefix_pairs", "Pairs in plan order that are stored without a gap: what a verdict rests on.", run, gauge,
			ofTests(func(t *farm.TestStatus) float64 { return float64(t.Prefix) })},
		{"beyond_pairs", "Stored pairs that no verdict rests on.", run, gauge,
			ofTests(func(t *farm.TestStatus) float64 { return float64(t.Beyond) })},
		{"window_used", "Share of the pairs beyond the prefix that may be granted and were; 0 without a window.", run, gauge,
			ofTests(func(t *farm.TestStatus) float64 {
				if t.Window == 0 {
					return 0
				}
				return float64(t.Reach) / float64(t.Window)
			})},
		{"worker_here", "1 for a worker that was heard of within a lease.", worker, gauge,
			ofWorkers(func(w *farm.WorkerStatus) float64 { return oneIf(w.Here) })},
		{"worker_quarantined", "1 for a worker that gets nothing because of what it did.", worker, gauge,
			ofWorkers(func(w *farm.WorkerStatus) float64 { return oneIf(w.Quarantine != "") })},
		{"worker_slots", "Pairs that a worker plays at a time.", worker, gauge,
			ofWorkers(func(w *farm.WorkerStatus) float64 { return float64(w.Slots) })},
		{"worker_load", "Load of a worker's machine, a CPU.", worker, gauge,
			ofWorkers(func(w *farm.WorkerStatus) float64 { return w.Load })},
		{"worker_nps", "Nodes a second and slot of the reference engine; 0: not measured.", worker, gauge,
			ofWorkers(func(w *farm.WorkerStatus) float64 { return w.NPS })},
		{"worker_refused_total", "Results of a worker that cannot have been played.", worker, counter,
			ofWorkers(func(w *farm.WorkerStatus) float64 { return float64(w.Refused) })},
		{"worker_log10_e",
			"Evidence that a worker's results are not those of the others: the logarithm of an e-value over all tests.", worker,
			gauge, ofWorkers(func(w *farm.WorkerStatus) float64 { return w.Log10E })},
		{"worker_probation",
			"1 for a worker whose speed is not what it claims or not that of the others: all its pairs are audited.", worker,
			gauge, ofWorkers(func(w *farm.WorkerStatus) float64 { return oneIf(w.Probation != "") })},
		{"beat_age_seconds", "How long ago a worker was heard of.", worker, gauge,
			func(s *farm.Status, emit func(float64, ...string)) {
				for _, w := range s.Workers {
					if !w.Seen.IsZero() {
						emit(max(0, s.At.Sub(w.Seen).Seconds()), w.Name)
					}
				}
			}},
		{"stream_fill", "How full the stream of results is, from 0 to 1.", nil, gauge,
			func(s *farm.Status, emit func(float64, ...string)) { emit(s.Judge.Fill) }},
		{"judged_total", "Messages of the stream that were judged.", nil, counter,
			func(s *farm.Status, emit func(float64, ...string)) { emit(float64(s.Judge.Messages)) }},
		{"redelivered_total", "Of these, those that had been delivered before.", nil, counter,
			func(s *farm.Status, emit func(float64, ...string)) { emit(float64(s.Judge.Again)) }},
		{"unsigned_total", "Of these, those without a valid signature.", nil, counter,
			func(s *farm.Status, emit func(float64, ...string)) { emit(float64(s.Judge.Unsigned)) }},
		{"judge_batch_seconds", "How long the latest batch took, from fetched to acknowledged.", nil, gauge,
			func(s *farm.Status, emit func(float64, ...string)) { emit(s.Judge.BatchTook.Seconds()) }},
		{"boot", "Which process of the coordinator this is.", nil, gauge,
			func(s *farm.Status, emit func(float64, ...string)) { emit(float64(s.Boot)) }},
	}
}

// A collector implements prometheus.Collector for the families of one farm.
type collector struct {
	status   Status
	families []family
	descs    []*prometheus.Desc
}

// answerIn is the longest wait of a scrape for the farm's status.
const answerIn = 5 * time.Second

// Metrics returns a handler that serves all metrics of a farm to Prometheus, in the OpenMetrics or text
// format.
func Metrics(status Status) http.Handler {
	c := &collector{status: status, families: families()}
	for _, f := range c.families {
		c.descs = append(c.descs, prometheus.NewDesc("gogi_farm_"+f.name, f.help, f.labels, nil))
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), answerIn)
	defer cancel()
	s := c.status(ctx)
	for i, f := range c.families {
		f.values(&s, func(v float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(c.descs[i], f.kind, v, labels...)
		})
	}
}
