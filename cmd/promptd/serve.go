// This file holds what promptd is for: serving over stdio or HTTP.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/serve"
)

func serveCommand(c *catalog.Catalog) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "promptd",
		Short: "Serve the compiled prompts and skills over the Model Context Protocol",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q; promptd --help lists the commands", args[0])
			}
			return nil
		},
	}
	address := cmd.Flags().String("http", "", "serve Streamable HTTP at `HOST:PORT` instead of stdio")
	pageSize := cmd.Flags().Int("page-size", serve.DefaultPageSize, "entries on a page of a list; 0 for all")
	maxRequest := cmd.Flags().Int("max-request", serve.DefaultMaxRequest, "longest message in `BYTES`")
	level := cmd.Flags().String("log-level", "info", "what is logged on stderr: debug, info, warn or error")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		opts := serve.Options{PageSize: *pageSize, MaxRequest: *maxRequest}
		switch {
		case *pageSize < 0:
			return usageError(cmd, "--page-size must be 0 or more, not %d", *pageSize)
		case *pageSize == 0:
			opts.PageSize = -1
		}
		if *maxRequest < 1 {
			return usageError(cmd, "--max-request must be 1 or more, not %d", *maxRequest)
		}
		var lowest slog.Level
		switch *level {
		case "debug", "info", "warn", "error":
			if err := lowest.UnmarshalText([]byte(*level)); err != nil {
				return err
			}
		default:
			return usageError(cmd, "--log-level must be debug, info, warn or error, not %q", *level)
		}
		if cmd.Flags().Changed("http") {
			if _, _, err := net.SplitHostPort(*address); err != nil {
				return usageError(cmd, "--http must be an address with a port, such as 127.0.0.1:8080, not %q", *address)
			}
		}
		opts.Logger = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: lowest}))

		var mux catalog.Mux
		if err := mux.Mount(c); err != nil {
			return failed(err)
		}
		server, err := serve.New(&mux, opts)
		if err != nil {
			return failed(err)
		}
		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
		// A second signal ends the process at once.
		context.AfterFunc(ctx, stop)
		defer stop()
		if *address != "" {
			return failed(serveHTTP(ctx, server, c, *address, opts.Logger, cmd.ErrOrStderr()))
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

func serveHTTP(ctx context.Context, server *serve.Server, c *catalog.Catalog, address string, log *slog.Logger, stderr io.Writer) error {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return listenError(address, err)
	}
	fmt.Fprintf(stderr, "%s\n\n%s\n", summary(c), httpConfiguration(c, ln.Addr()))
	if !isLocal(ln.Addr()) {
		log.Warn("the server is open to whoever can reach it", "address", ln.Addr().String())
	}
	log.Info("serving", "address", ln.Addr().String())
	if err := server.Serve(ctx, ln); err != nil {
		return fmt.Errorf("serve at %s: %w", ln.Addr(), err)
	}
	log.Info("stopped")
	return nil
}

// listenError tells in one line why an address cannot be listened at.
func listenError(address string, err error) error {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		err = errno
	}
	return fmt.Errorf("cannot listen at %s: %w; choose another address with --http", address, err)
}

func isLocal(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
