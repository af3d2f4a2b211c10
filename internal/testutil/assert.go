package testutil

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"gogi/internal/lists"
)

// T is the interface of a test that the functions of this package need. *testing.T, *testing.B and *rapid.T
// implement it.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// A Fataler can end a test with a message.
type Fataler interface{ Fatal(args ...any) }

// prefix returns the text before the message of a check. about has a format and then its arguments. Without them the
// text is "".
func prefix(about []any) string {
	if len(about) == 0 {
		return ""
	}
	format, ok := about[0].(string)
	if !ok {
		return fmt.Sprint(about...) + ": "
	}
	if len(about) > 1 {
		format = fmt.Sprintf(format, about[1:]...)
	}
	return format + ": "
}

// OK ends the test if err is not nil. about names the step in the message: a format, and then its arguments.
func OK(t Fataler, err error, about ...any) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	if err != nil {
		t.Fatal(prefix(about) + err.Error())
	}
}

// Must takes the two results of a call, and returns a function. That function ends the test if the call
// failed, and otherwise returns the call's first result: Must(os.ReadFile(path))(t).
func Must[V any](v V, err error) func(Fataler) V {
	return func(t Fataler) V {
		if h, ok := t.(interface{ Helper() }); ok {
			h.Helper()
		}
		OK(t, err)
		return v
	}
}

// Err returns the error of a call with two results.
func Err[V any](_ V, err error) error { return err }

// Texts returns the texts of all values. It returns nil for an empty list.
func Texts[V fmt.Stringer](list []V) []string {
	return lists.Map(list, func(v V) string { return v.String() })
}

// Check reports a failure with a message if ok is false. Go evaluates the arguments of the message even if ok is
// true.
func Check(t T, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Errorf(format, args...)
	}
}

// Require ends the test with a message if ok is false.
func Require(t T, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Fatalf(format, args...)
	}
}

// Fails reports a failure if err is nil or its text does not contain want.
func Fails(t T, err error, want string, about ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%sthe error is %v; want %q", prefix(about), err, want)
	}
}

// Is reports a failure if err is not target by errors.Is.
func Is(t T, err, target error, about ...any) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%sthe error is %v; want %v", prefix(about), err, target)
	}
}

// Equal reports a failure if got is not equal to want. about names the value in the message: a format, and then its
// arguments.
func Equal[V comparable](t T, got, want V, about ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%sgot %s; want %s", prefix(about), shown(got), shown(want))
	}
}

// Slices reports a failure if got does not have the same elements as want. A nil slice equals an empty slice.
func Slices[V comparable](t T, got, want []V, about ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%sgot %s; want %s", prefix(about), shown(got), shown(want))
	}
}

// Same reports a failure if got is not deeply equal to want.
func Same(t T, got, want any, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%sgot %s; want %s", prefix(about), shown(got), shown(want))
	}
}

// Diff reports a failure with the differences if got is not equal to want.
func Diff(t T, want, got any, about ...any) {
	t.Helper()
	if reflect.DeepEqual(want, got) { // cmp needs many times as long for a large value
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s(-want +got):\n%s", prefix(about), diff)
	}
}

// Contains reports a failure if text does not contain want.
func Contains(t T, text, want string, about ...any) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%sgot %q; want %q in it", prefix(about), text, want)
	}
}

// shown returns the text of a value. It puts a string in quotes, and long text on a line of its own.
func shown(v any) string {
	value := reflect.ValueOf(v)
	if value.Kind() == reflect.String && strings.Contains(value.String(), "\n") {
		return "\n" + value.String() + "\n"
	}
	if value.Kind() == reflect.String || value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.String {
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprintf("%+v", v)
}
