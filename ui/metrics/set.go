package metrics

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gogi/internal/version"
	"gogi/results"
)

// Set is what one process tells. It is safe for concurrent use.
type Set struct {
	registry *prometheus.Registry
	descs    map[string]*prometheus.Desc // of all but histograms
	types    map[string]prometheus.ValueType
	// Of all runs; a run resolves its own at its beginning.
	moves, overruns, starts, plies, puts *prometheus.HistogramVec

	db string

	mu      sync.Mutex
	clients func() int // nil: there are no pages
	runs    map[string]*Run
	around  *around // nil: only runs that were added
}

// New tells of a database, and of no run yet.
func New(db string) *Set {
	s := &Set{
		registry: prometheus.NewRegistry(), descs: map[string]*prometheus.Desc{}, types: map[string]prometheus.ValueType{},
		moves: newHistogram(moveSeconds), overruns: newHistogram(moveOverrun), starts: newHistogram(startSeconds),
		plies: newHistogram(gamePlies), puts: newHistogram(putSeconds),
		db: db, runs: map[string]*Run{},
	}
	for _, f := range Families() {
		switch f.Type {
		case Gauge:
			s.types[f.Name] = prometheus.GaugeValue
		case Counter:
			s.types[f.Name] = prometheus.CounterValue
		case Histogram:
			continue
		}
		s.descs[f.Name] = prometheus.NewDesc(f.Name, f.Help, f.Labels, nil)
	}
	s.registry.MustRegister(s)
	return s
}

// Clients says how many connections to the pages are open.
func (s *Set) Clients(open func() int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients = open
}

// Handler serves the set: as OpenMetrics, as text, or as messages with native
// histograms, whatever is asked for. Stamps of when a counter began are not told,
// since those of stored games did not begin with this process.
func (s *Set) Handler() http.Handler {
	return promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{
		EnableOpenMetrics: true, ErrorHandling: promhttp.ContinueOnError,
	})
}

// fileEvery is how often a file is written anew.
const fileEvery = 15 * time.Second

// KeepFile writes the set into a file now, every quarter of a minute, and once more
// when stop is called; each time as a new file that takes the old one's place. It is
// what node_exporter's textfile collector reads, if its name ends in .prom. stop
// returns the error of the last writing.
func (s *Set) KeepFile(path string) (stop func() error, err error) {
	if err := s.write(path); err != nil {
		return nil, err
	}
	ended, written := make(chan struct{}), make(chan struct{}) // closed by stop, and by the goroutine
	go func() {
		defer close(written)
		ticks := time.NewTicker(fileEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				_ = s.write(path) // the next one may succeed; the last one's error is told
			case <-ended:
				return
			}
		}
	}()
	return func() error {
		close(ended)
		<-written
		return s.write(path)
	}, nil
}

func (s *Set) write(path string) error {
	if err := prometheus.WriteToTextfile(path, s.registry); err != nil {
		return fmt.Errorf("metrics: writing %s: %w", path, err)
	}
	return nil
}

// Describe is of prometheus.Collector.
func (s *Set) Describe(to chan<- *prometheus.Desc) {
	for _, d := range s.descs {
		to <- d
	}
	for _, h := range s.histograms() {
		h.Describe(to)
	}
}

func (s *Set) histograms() []*prometheus.HistogramVec {
	return []*prometheus.HistogramVec{s.moves, s.overruns, s.starts, s.plies, s.puts}
}

// Collect is of prometheus.Collector.
func (s *Set) Collect(to chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &telling{s, to}
	own := version.Own()
	t.number(buildInfo, 1, own.Version, own.Revision, own.Go)
	t.number(storeSize, float64(results.Size(s.db)))
	if s.clients != nil {
		t.number(webClients, float64(s.clients()))
	}
	if s.around != nil {
		s.around.tell(t)
	}
	for _, r := range s.runs {
		r.tell(t)
	}
	for _, h := range s.histograms() {
		if h != s.plies { // each run tells its own
			h.Collect(to)
		}
	}
}

// telling is one answer.
type telling struct {
	set *Set
	to  chan<- prometheus.Metric
}

// number tells one number of a family. Labels may be anything; what is no UTF-8 is
// replaced, because the formats have room for nothing else.
func (t *telling) number(name string, value float64, labels ...string) {
	for i, l := range labels {
		labels[i] = text(l)
	}
	m, err := prometheus.NewConstMetric(t.set.descs[name], t.set.types[name], value, labels...)
	if err != nil {
		m = prometheus.NewInvalidMetric(t.set.descs[name], err)
	}
	t.to <- m
}

// failed tells that a family could not be told.
func (t *telling) failed(name string, why error) {
	t.to <- prometheus.NewInvalidMetric(t.set.descs[name], why)
}

// text is a label's value.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
