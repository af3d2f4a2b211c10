package farmcmd

import (
	"bytes"
	"encoding/json"
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
)

// TestNoNullLists: programs that read the JSON of a farm loop over its lists, also over those without elements.
func TestNoNullLists(t *testing.T) {
	for name, v := range map[string]any{
		"update": farm.UpdateStatus{Trials: []farm.TrialStatus{{SHA256: "ab"}}}, // a list inside an element of a list
		"farm":   &farm.Status{},
		"list":   []farm.WorkerStatus(nil),
	} {
		var out bytes.Buffer
		testutil.OK(t, printJSON(&out, v))
		if !json.Valid(out.Bytes()) {
			t.Errorf("%s: no JSON: %s", name, out.Bytes())
		}
		if bytes.Contains(out.Bytes(), []byte("null")) {
			t.Errorf("%s has null:\n%s", name, out.Bytes())
		}
	}
}
