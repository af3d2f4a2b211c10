package nats

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"gogi/internal/testutil"
)

// TestAcknowledged: only an answer that names a stream acknowledges a result, so a worker keeps the result after any
// other answer.
func TestAcknowledged(t *testing.T) {
	t.Parallel()
	testutil.OK(t, acknowledged([]byte(`{"stream":"RESULTS_0","seq":7}`)))
	for _, answer := range []string{``, `{}`, `null`, `{"seq":7}`, `{"stream":""}`, `stored`,
		`{"error":{"code":503,"err_code":10008},"stream":"RESULTS_0"}`} {
		testutil.Check(t, acknowledged([]byte(answer)) != nil, "%s acknowledges a result", answer)
	}
	api, is := errors.AsType[*jetstream.APIError](acknowledged([]byte(`{"error":{"code":503,"err_code":10077}}`)))
	testutil.Check(t, is && fullCodes[api.ErrorCode], "the error of a full stream is %v", api)
}
