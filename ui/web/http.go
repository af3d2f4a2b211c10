package web

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"
)

// These are limits of the HTTP server. They also apply to clients without the token.
const (
	headerTimeout = 5 * time.Second
	// requestTimeout is the time that a client has to send a whole request.
	requestTimeout = 10 * time.Second
	// writeTimeout is the time that a client has to read a piece of an answer or a stream.
	writeTimeout = 10 * time.Second
	piece        = 16 << 10
	// idleTimeout is how long a connection stays open for the next request of its client.
	idleTimeout = 10 * time.Second
	maxHeader   = 16 << 10
	maxBody     = 64 << 10
)

// newHTTP returns the server through which gogi answers all HTTP requests. The server applies the limits of this
// file, but a handler may run for as long as it needs. The listener of the server must be a [limitedListener] of all.
func newHTTP(handler http.Handler, log *slog.Logger, all *connections) *http.Server {
	return &http.Server{
		Handler: punctual(handler), ReadHeaderTimeout: headerTimeout, ReadTimeout: requestTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ConnState: all.changed, ConnContext: inContext,
	}
}

// punctual returns a handler that reads the whole body before it calls inner. It gives the client writeTimeout for each
// piece of the answer. It does not use http.Server.WriteTimeout, because that would also limit the time that inner
// needs.
func punctual(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &pieces{w, http.NewResponseController(w)}
		out.extend()
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			w.Header().Set("Connection", "close")
			status := http.StatusRequestTimeout
			if _, large := errors.AsType[*http.MaxBytesError](err); large {
				status = http.StatusRequestEntityTooLarge
			}
			http.Error(out, http.StatusText(status), status)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		// net/http watches the connection while inner runs. The deadline of the request would end that, and
		// with it the request's context.
		_ = out.control.SetReadDeadline(time.Time{}) // a recorder of a test has none
		defer out.extend()                           // for the part of the answer that net/http has not sent yet
		inner.ServeHTTP(out, r)
	})
}

// pieces is a ResponseWriter that writes an answer in pieces, each within writeTimeout.
type pieces struct {
	http.ResponseWriter
	control *http.ResponseController
}

// Unwrap returns the underlying ResponseWriter. http.ResponseController needs this method.
func (p *pieces) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *pieces) extend() {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a recorder of a test has none
}

// Write writes b in small pieces. The client has the time writeTimeout to read each piece.
func (p *pieces) Write(b []byte) (n int, err error) {
	for {
		p.extend()
		part, err := p.ResponseWriter.Write(b[n:min(n+piece, len(b))])
		if n += part; err != nil || n == len(b) {
			return n, err
		}
		if err := p.control.Flush(); err != nil { // so that the deadline is this piece's
			return n, err
		}
	}
}
