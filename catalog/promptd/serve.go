// This file serves what a Front lets clients reach, over stdio or HTTP.

package promptd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/term"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/serve"
	"github.com/seed33527553/promptc/catalog/serve/metrics"
)

// A Content is what is served, and how people are told of it.
type Content struct {
	Mux *catalog.Mux
	// Live, if not nil, has the content change while it is served.
	Live *serve.Live
	// Reload is what a hangup does besides reading the files of the settings again; it
	// may be nil.
	Reload func()
	// Version is the program's, for the metrics.
	Version string
	// Summary tells in a line or two what is served.
	Summary string
	// Command and Arguments are how a client starts the program to be served over
	// stdio.
	Command   string
	Arguments []string
}

// Serve serves content to one client over in and out, or over HTTP if the settings say
// where. It returns nil once in ends, or after the signals SIGTERM and SIGINT, and an
// error if serving failed; a *SettingError means that it did not start.
func (s *Front) Serve(ctx context.Context, content Content, in io.Reader, out, stderr io.Writer) error {
	log := s.Logger(stderr)
	opts, reload, err := s.options(log)
	if err != nil {
		return err
	}
	opts.Live = content.Live
	c := content.Mux.Catalogs()[0]
	var figures *metrics.Metrics
	if s.metricsAddress != "" {
		figures = metrics.New(c, content.Version)
		opts.Observer, opts.Watch = figures, figures.Watch
		if s.metricsAddress == s.address {
			opts.HTTP.Metrics = figures.Handler()
		}
	}
	server, err := serve.New(content.Mux, opts)
	if err != nil {
		return s.rename(err)
	}

	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	defer stop()
	// Where there is nothing to read again, a hangup must not end the process either.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	go reloading(ctx, hangups, reload, content.Reload, log)
	if figures != nil && s.metricsAddress != s.address {
		ended, err := serveMetrics(figures, s.metricsAddress, log)
		if err != nil {
			return err
		}
		defer ended()
	}
	if s.address != "" {
		return serveHTTP(ctx, server, &content, s.address, opts.HTTP, log, stderr)
	}
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintf(stderr, "%s\n\n%s\nNow reading messages, one a line; end with control-D.\n", content.Summary, content.stdioConfiguration())
	}
	return server.ServeStdio(ctx, in, out)
}

func serveHTTP(ctx context.Context, server *serve.Server, content *Content, address string, opts serve.HTTPOptions, log *slog.Logger, stderr io.Writer) error {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return listenError("http", address, err)
	}
	fmt.Fprintf(stderr, "%s\n\n%s\n", content.Summary, content.httpConfiguration(ln.Addr(), opts))
	open := opts.Tokens == nil && opts.OAuth == nil
	switch {
	case isLocal(ln.Addr()):
	case open:
		log.Warn("the server is open to whoever can reach it", "address", ln.Addr().String())
	case opts.Certificate == nil:
		log.Warn("tokens come without TLS, unless a proxy before this server has it")
	}
	log.Info("serving", "address", ln.Addr().String(), "tls", opts.Certificate != nil, "authentication", !open)
	if err := server.Serve(ctx, ln); err != nil {
		return fmt.Errorf("serve at %s: %w", ln.Addr(), err)
	}
	log.Info("stopped")
	return nil
}

// serveMetrics serves the figures until the function that it returns is called.
func serveMetrics(figures *metrics.Metrics, address string, log *slog.Logger) (end func(), err error) {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, listenError("metrics-address", address, err)
	}
	log.Info("serving metrics", "address", ln.Addr().String())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// What is served matters more than what is measured.
		if err := figures.Serve(ctx, ln); err != nil {
			log.Error("metrics are no longer served", "error", err.Error())
		}
	}()
	return func() { cancel(); <-ended }, nil
}

// reloading has files read again whenever a hangup comes, and then calls also, unless that
// is nil. A file that is broken changes nothing.
func reloading(ctx context.Context, hangups <-chan os.Signal, reload map[string]func() error, also func(), log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
		}
		for _, flag := range slices.Sorted(maps.Keys(reload)) {
			if err := reload[flag](); err != nil {
				log.Error("cannot reload: what was read before stays", "setting", flag, "error", err.Error())
			} else {
				log.Info("reloaded", "setting", flag)
			}
		}
		if also != nil {
			also()
		}
	}
}

// listenError tells in one line why an address cannot be listened at.
func listenError(flag, address string, err error) error {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		err = errno
	}
	return fmt.Errorf("cannot listen at %s: %w; choose another address with --%s", address, err, flag)
}

func isLocal(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
