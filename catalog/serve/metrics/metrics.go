// Package metrics measures a server for Prometheus.
//
//	m := metrics.New(c, version)
//	server, err := serve.New(mux, serve.Options{Observer: m, Watch: m.Watch})
//	err = m.Serve(ctx, listener) // /metrics, for whoever can reach it
//
// What there is to see:
//
//	promptd_requests_total{method,era,transport,code}   messages that were answered
//	promptd_request_duration_seconds{method,transport}  how long answers took
//	promptd_requests_in_flight{}                        messages that are being answered
//	promptd_refusals_total{status}                      HTTP requests refused unread
//	promptd_renders_total{prompt,outcome}               prompts that were asked for
//	promptd_render_duration_seconds{}                   how long rendering took
//	promptd_build_info{version,go_version,catalog,catalog_version,digest}
//	go_*, process_*                                     of the process
//
// era is modern or legacy, code the JSON-RPC error code or 0. No label has an end
// that clients could push: methods that they make up are other, and names of prompts
// that do not exist are empty. The prompts of a Repository count together, as its
// prefix and a star, and so do, as a star, the compiled ones after the first 1,000
// that were asked for.
//
// It is a package of its own so that only programs that measure link the client
// library, which runs code at their start.
package metrics

import (
	"context"
	"errors"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/serve"
)

// mostPrompts is how many prompts have series of their own.
const mostPrompts = 1000

// Metrics is an Observer of a server, and what watches its messages. It has a
// registry of its own and is safe for concurrent use.
type Metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	inFlight  prometheus.Gauge
	refusals  *prometheus.CounterVec
	renders   *prometheus.CounterVec
	rendering prometheus.Histogram

	mu      sync.Mutex
	prompts map[string]bool // the ones with series of their own
}

// New returns metrics for a server of the catalog, in a program of a version.
func New(c *catalog.Catalog, version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "promptd_requests_total", Help: "Messages that were answered.",
		}, []string{"method", "era", "transport", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "promptd_request_duration_seconds", Help: "How long answers took to make and write.",
			Buckets: []float64{1e-5, 2.5e-5, 1e-4, 2.5e-4, 1e-3, 2.5e-3, 1e-2, 2.5e-2, 0.1, 0.25, 1, 10},
		}, []string{"method", "transport"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "promptd_requests_in_flight", Help: "Messages that are being answered.",
		}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "promptd_refusals_total", Help: "HTTP requests that were refused before a message was read.",
		}, []string{"status"}),
		renders: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "promptd_renders_total", Help: "Prompts that were asked for.",
		}, []string{"prompt", "outcome"}),
		rendering: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "promptd_render_duration_seconds", Help: "How long prompts took to render.",
			Buckets: []float64{1e-6, 2.5e-6, 1e-5, 2.5e-5, 1e-4, 2.5e-4, 1e-3, 1e-2, 0.1, 1, 10},
		}),
		prompts: map[string]bool{},
	}
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "promptd_build_info", Help: "The program and the catalog in it; always 1.",
		ConstLabels: prometheus.Labels{
			"version": version, "go_version": runtime.Version(),
			"catalog": c.Name, "catalog_version": c.Version, "digest": c.Digest,
		},
	}, func() float64 { return 1 })
	m.registry.MustRegister(m.requests, m.durations, m.inFlight, m.refusals, m.renders, m.rendering, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Watch is the function for Options.Watch.
func (m *Metrics) Watch() func(serve.Exchange) {
	began := time.Now()
	m.inFlight.Inc()
	return func(e serve.Exchange) {
		m.inFlight.Dec()
		if e.Method == "" && e.Transport == "http" {
			m.refusals.WithLabelValues(strconv.Itoa(e.Status)).Inc()
			return
		}
		era := "legacy"
		if e.Modern {
			era = "modern"
		}
		m.requests.WithLabelValues(e.Method, era, e.Transport, strconv.Itoa(e.Code)).Inc()
		m.durations.WithLabelValues(e.Method, e.Transport).Observe(time.Since(began).Seconds())
	}
}

// Rendered counts one prompts/get.
func (m *Metrics) Rendered(_ context.Context, r serve.Rendering) {
	m.renders.WithLabelValues(m.label(r), string(r.Outcome)).Inc()
	m.rendering.Observe(r.Duration.Seconds())
}

// label returns the name that a prompt is counted by.
func (m *Metrics) label(r serve.Rendering) string {
	switch {
	case r.Prompt == "":
		return ""
	case r.Dynamic:
		return r.Mount + "*"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.prompts[r.Prompt] {
		if len(m.prompts) >= mostPrompts {
			return "*"
		}
		m.prompts[r.Prompt] = true
	}
	return r.Prompt
}

// Handler returns what answers with the figures, in Prometheus' text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// Serve serves the figures at /metrics until ctx is done, for whoever can reach
// the listener, which it closes.
func (m *Metrics) Serve(ctx context.Context, ln net.Listener) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	h := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	defer context.AfterFunc(ctx, func() { h.Close() })()
	if err := h.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
