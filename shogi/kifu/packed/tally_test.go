package packed_test

import (
	"reflect"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi/kifu/packed"
)

// TestTallyAdd: Add adds each number of a tally.
func TestTallyAdd(t *testing.T) {
	t.Parallel()
	var sum, more packed.Tally
	a, b := reflect.ValueOf(&sum).Elem(), reflect.ValueOf(&more).Elem()
	for i := range a.NumField() {
		a.Field(i).SetInt(int64(i + 1))
		b.Field(i).SetInt(int64(100 * (i + 1)))
	}
	sum.Add(more)
	for i := range a.NumField() {
		testutil.Equal(t, a.Field(i).Int(), int64(101*(i+1)), "%s", a.Type().Field(i).Name)
	}
}
