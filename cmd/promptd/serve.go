// This file holds what promptd is for: serving over stdio or HTTP.

package main

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

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/serve"
	"github.com/seed33527553/promptc/catalog/serve/metrics"
)

func serveCommand(c *catalog.Catalog) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "promptd",
		Short: "Serve the compiled prompts and skills over the Model Context Protocol",
		Long:  settingsHelp,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q; promptd --help lists the commands", args[0])
			}
			return nil
		},
	}
	s := newSettings(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.read(); err != nil {
			return usage(cmd, err)
		}
		log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: s.level()}))
		opts, reload, err := s.options(log)
		if err != nil {
			return usage(cmd, err)
		}
		var figures *metrics.Metrics
		if s.metricsAddress != "" {
			figures = metrics.New(c, thisBuild().Version)
			opts.Observer, opts.Watch = figures, figures.Watch
			if s.metricsAddress == s.address {
				opts.HTTP.Metrics = figures.Handler()
			}
		}
		var mux catalog.Mux
		if err := mux.Mount(c); err != nil {
			return failed(err)
		}
		server, err := serve.New(&mux, opts)
		if err != nil {
			return usage(cmd, s.rename(err))
		}

		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
		// A second signal ends the process at once.
		context.AfterFunc(ctx, stop)
		defer stop()
		// Where there is nothing to read again, a hangup must not end the process either.
		hangups := make(chan os.Signal, 1)
		signal.Notify(hangups, syscall.SIGHUP)
		defer signal.Stop(hangups)
		go reloading(ctx, hangups, reload, log)
		if figures != nil && s.metricsAddress != s.address {
			ended, err := serveMetrics(figures, s.metricsAddress, log)
			if err != nil {
				return failed(err)
			}
			defer ended()
		}
		if s.address != "" {
			return failed(serveHTTP(ctx, server, c, s.address, opts.HTTP, log, cmd.ErrOrStderr()))
		}
		return failed(serveStdio(ctx, server, c, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()))
	}
	return cmd
}

func serveStdio(ctx context.Context, server *serve.Server, c *catalog.Catalog, in io.Reader, out, stderr io.Writer) error {
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintf(stderr, "%s\n\n%s\nNow reading messages, one a line; end with control-D.\n", summary(c), stdioConfiguration(c))
	}
	return server.ServeStdio(ctx, in, out)
}

func serveHTTP(ctx context.Context, server *serve.Server, c *catalog.Catalog, address string, opts serve.HTTPOptions, log *slog.Logger, stderr io.Writer) error {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return listenError("http", address, err)
	}
	fmt.Fprintf(stderr, "%s\n\n%s\n", summary(c), httpConfiguration(c, ln.Addr(), opts))
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

// reloading has files read again whenever a hangup comes. One that is broken changes
// nothing.
func reloading(ctx context.Context, hangups <-chan os.Signal, reload map[string]func() error, log *slog.Logger) {
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
