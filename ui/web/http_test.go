package web

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
)

// answering starts a server of newHTTP with a handler in a bubble and returns a function that connects to it.
func answering(t *testing.T, handler http.HandlerFunc) (dial func(request string) net.Conn) {
	t.Helper()
	pipes, all := newPipes(), &connections{}
	server := newHTTP(handler, slog.New(slog.DiscardHandler), all)
	go func() { _ = server.Serve(limitedListener{pipes, all}) }()
	t.Cleanup(func() {
		_ = server.Close()
		time.Sleep(time.Second) // net/http waits this long after a request that it rejected
	})
	return func(request string) net.Conn {
		conn, err := pipes.dial()
		if err == nil {
			_, err = io.WriteString(conn, request)
		}
		testutil.OK(t, err)
		return conn
	}
}

// TestBodyThatNeverComes requires that the server closes a connection whose client does not send the announced body.
func TestBodyThatNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := opened(t, playing(newStage("run", 1)))
		conn := testutil.Must(h.pipes.dial())(t)
		began := time.Now()
		testutil.Must(io.WriteString(conn, "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000\r\n\r\nx"))(t)
		r := bufio.NewReader(conn)
		resp, err := http.ReadResponse(r, nil) // the connection ends
		if err != nil || resp.StatusCode != http.StatusRequestTimeout || time.Since(began) != requestTimeout {
			t.Errorf("%v, %v after %v", resp, err, time.Since(began))
		}
		if _, err := io.Copy(io.Discard, r); err != nil { // until the connection ends
			t.Error(err)
		}
		time.Sleep(time.Second) // net/http waits before it closes the connection
		testutil.Equal(t, h.Clients(), 0, "connections are open")
		h.close()
	})
}

// TestBodies requires that the handler gets a body as it was sent. The server rejects a body that is too large.
func TestBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := answering(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
		for _, size := range []int{0, 1, maxBody, maxBody + 1} {
			body := bytes.Repeat([]byte("x"), size)
			conn := dial(fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", size))
			go func() { _, _ = conn.Write(body) }()
			resp := testutil.Must(http.ReadResponse(bufio.NewReader(conn), nil))(t)
			back, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if size > maxBody {
				testutil.Equal(t, resp.StatusCode, http.StatusRequestEntityTooLarge, "%d bytes: %s", size, resp.Status)
			} else if err != nil || !bytes.Equal(back, body) {
				t.Errorf("%d bytes: %d came back, %v", size, len(back), err)
			}
			_ = conn.Close()
		}
	})
}

// TestAnswerThatNobodyReads requires that the server closes a connection whose client does not read. A slow client gets
// the time limit for each piece.
func TestAnswerThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 10 * piece
		done := make(chan error, 1)
		dial := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			_, err := w.Write(make([]byte, size))
			done <- err
		})
		began := time.Now()
		dial("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if err := <-done; err == nil || time.Since(began) != writeTimeout {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		conn := dial("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		began = time.Now()
		resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 1<<10), nil) // the connection is closed
		for n := 0; err == nil && n < size; {
			time.Sleep(writeTimeout / 40) // reads 1 kB at most
			var part int
			part, err = resp.Body.Read(make([]byte, 1<<10))
			n += part
		}
		if err != nil || time.Since(began) < 2*writeTimeout {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		testutil.OK(t, <-done)
		_ = conn.Close()
	})
}

// TestLongAnswers requires that the time limits end neither a stream nor the calculation of a page.
func TestLongAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const long = 10 * (requestTimeout + writeTimeout + idleTimeout)
		s := newStage("run", 1)
		h := opened(t, playing(s))
		r, conn := h.listen("run=run", http.StatusOK)
		for began := time.Now(); time.Since(began) < long; {
			h.next(r)
		}
		s.step(0, 0, 99)
		f := h.next(r)
		testutil.Check(t, f.event == "diff", "after %v: %v", long, f)
		_ = conn.Close()
		h.close()
		dial := answering(t, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(long)
			_, _ = fmt.Fprint(w, context.Cause(r.Context()))
		})
		conn = dial("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx")
		resp := testutil.Must(http.ReadResponse(bufio.NewReader(conn), nil))(t)
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		testutil.Check(t, err == nil && string(text) == "<nil>", "%q, %v", text, err)
		_ = conn.Close()
	})
}

// TestPlacesOfStreams requires that, at the limit, a new stream replaces the oldest stream that has had its turn. It
// replaces no other.
func TestPlacesOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := opened(t, playing(newStage("run", 1)))
		over := make(chan int, maxStreams)
		for i := range maxStreams {
			r, _ := h.listen("run=run", http.StatusOK)
			go func() {
				_, _ = io.Copy(io.Discard, r)
				over <- i
			}()
			time.Sleep(time.Millisecond)
		}
		h.listen("run=run", http.StatusServiceUnavailable)
		time.Sleep(turn - time.Millisecond*(maxStreams-1))
		for first := range 2 {
			r, _ := h.listen("run=run", http.StatusOK)
			go func() { _, _ = io.Copy(io.Discard, r) }()
			if i := <-over; i != first || h.Watching() != maxStreams {
				t.Errorf("stream %d has made room, and %d listen", i, h.Watching())
			}
		}
		h.close()
	})
}
