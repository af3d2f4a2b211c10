package series

import (
	"reflect"
	"testing"

	"gogi/internal/testutil"
)

// TestGroupOfACondition: the plan of a failed condition repeats each field of it, and each field is in its name.
func TestGroupOfACondition(t *testing.T) {
	var all Condition
	v := reflect.ValueOf(&all).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("elo0=0,elo1=5")
		case reflect.Int:
			f.SetInt(int64(i) + 2)
		case reflect.Float64:
			f.SetFloat(float64(i) + 2)
		case reflect.Bool:
			f.SetBool(true)
		default:
			t.Fatalf("a field of the kind %v", f.Kind())
		}
	}
	group := all.group()
	again := testutil.Must(group.conditions())(t)
	testutil.Require(t, len(again) == 1, "%d conditions", len(again))
	testutil.Equal(t, again[0], all)
	for i := range v.NumField() {
		other := all
		reflect.ValueOf(&other).Elem().Field(i).SetZero()
		if name := v.Type().Field(i).Name; name != "Runs" {
			testutil.Check(t, other.Key() != all.Key(), "the key lacks %s", name)
		}
	}
}
