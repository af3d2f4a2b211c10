package metrics

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gogi/internal/disk"
	"gogi/internal/version"
	"gogi/results"
)

// Set has all metrics of a process. It is safe for concurrent use.
type Set struct {
	registry *prometheus.Registry
	descs    map[string]*prometheus.Desc // descriptions of all families except histograms
	types    map[string]prometheus.ValueType
	// These histograms have the data of all runs. A run gets its own observers at its beginning.
	moves, overruns, starts, plies, puts *prometheus.HistogramVec

	db string

	mu       sync.Mutex
	clients  func() int // nil without pages
	runs     map[string]*Run
	database *database // nil if the set has only the runs of Play
}

// New returns a set without runs. db is the name of the database.
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

// Clients sets the function that returns the number of open connections to the pages.
func (s *Set) Clients(open func() int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients = open
}

// Handler returns the handler that sends the metrics in the requested format: OpenMetrics, text, or protobuf
// with native histograms. It sends no creation time stamps, because the counters of stored games did not
// begin with this process.
func (s *Set) Handler() http.Handler {
	return promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{
		EnableOpenMetrics: true, ErrorHandling: promhttp.ContinueOnError,
	})
}

// fileEvery is the interval at which KeepFile replaces its file.
const fileEvery = 15 * time.Second

// KeepFile writes the set into a file now, every 15 seconds, and when stop is called. Each time it replaces the file by
// a new one. The textfile collector of node_exporter reads such a file if its name ends with .prom. stop returns the
// error of the last write.
func (s *Set) KeepFile(path string) (stop func() error, err error) {
	if err := disk.CheckOutput(path); err != nil {
		return nil, fmt.Errorf("--metrics-file: %w", err)
	}
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
				_ = s.write(path) // the next write may succeed; stop returns the last error
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

// Describe implements prometheus.Collector.
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

// Collect implements prometheus.Collector.
func (s *Set) Collect(to chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &collection{s, to}
	own := version.Own()
	t.number(buildInfo, 1, own.Version, own.Revision, own.Go)
	t.number(storeSize, float64(results.Size(s.db)))
	if s.clients != nil {
		t.number(webClients, float64(s.clients()))
	}
	if s.database != nil {
		s.database.collect(t)
	}
	for _, r := range s.runs {
		r.collect(t)
	}
	for _, h := range s.histograms() {
		if h != s.plies { // each run collects its own histogram of plies
			h.Collect(to)
		}
	}
}

// collection is one call of Collect.
type collection struct {
	set *Set
	to  chan<- prometheus.Metric
}

// number collects one number of a family. It replaces invalid UTF-8 in labels, which the formats do not allow.
func (t *collection) number(name string, value float64, labels ...string) {
	for i, l := range labels {
		labels[i] = text(l)
	}
	m, err := prometheus.NewConstMetric(t.set.descs[name], t.set.types[name], value, labels...)
	if err != nil {
		m = prometheus.NewInvalidMetric(t.set.descs[name], err)
	}
	t.to <- m
}

// failed reports that a family could not be collected.
func (t *collection) failed(name string, why error) {
	t.to <- prometheus.NewInvalidMetric(t.set.descs[name], why)
}

// text returns a valid label value.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
