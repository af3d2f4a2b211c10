package configs

import (
	"reflect"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// The starter file shows every key there is.
func TestTemplateHasEveryKey(t *testing.T) {
	text := string(Template())
	var f File
	for _, key := range allKeys(&f) {
		if key == "tune" || key == "param" { // of a tune's file, which gogi tune init writes
			continue
		}
		if !strings.Contains(text, "\n"+key+" ") && !strings.Contains(text, "\n# "+key+" ") &&
			!strings.Contains(text, "\n["+key+"]") && !strings.Contains(text, "\n# ["+key+"]") && !strings.Contains(text, "\n[["+key+"]]") &&
			!strings.Contains(text, "\n# [["+key+"]]") {
			t.Errorf("the key %s is not in the starter file", key)
		}
	}
}

func allKeys(f *File) []string {
	f.Rules, f.Openings, f.Limits, f.ByColour = &Rules{}, &Openings{}, &Limits{}, &ByColour{}
	var keys []string
	for _, table := range []any{f, f.Rules, f.Openings, f.Limits, f.ByColour, &Engine{}, &Council{}} {
		for _, field := range fields(reflect.ValueOf(table).Elem()) {
			keys = append(keys, field.key)
		}
	}
	return keys
}

// The file that training data start from shows every key of its table.
func TestSelfplayTemplateHasEveryKey(t *testing.T) {
	text := string(SelfplayTemplate())
	for _, field := range fields(reflect.ValueOf(&Selfplay{}).Elem()) {
		testutil.Check(t, strings.Contains(text, "\n"+field.key+" ") || strings.Contains(text, "\n# "+field.key+" "),
			"the key %s is not in the file", field.key)
	}
}
