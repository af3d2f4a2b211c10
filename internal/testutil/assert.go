package testutil

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// T is a test, a benchmark or a test of rapid.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// A Fataler can end a test. It is a T, or a smaller interface of a test helper.
type Fataler interface{ Fatal(args ...any) }

// prefix returns the subject of a check, before its message: a format and its arguments, or one value.
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

// OK ends the test if err is not nil. about, a format and its arguments, names the step.
func OK(t Fataler, err error, about ...any) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	if err != nil {
		t.Fatal(prefix(about) + err.Error())
	}
}

// Must takes the two results of a call. The function that it returns ends the test if the call has
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

// Texts returns the texts of values; nil for none.
func Texts[V fmt.Stringer](list []V) (texts []string) {
	for _, v := range list {
		texts = append(texts, v.String())
	}
	return texts
}

// Fails reports an error that is nil or does not contain want.
func Fails(t T, err error, want string, about ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%sthe error is %v; want %q", prefix(about), err, want)
	}
}

// FailsAs reports an error that is not want for [errors.Is].
func FailsAs(t T, err, want error, about ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%sthe error is %v; want %v", prefix(about), err, want)
	}
}

// Equal reports got if it is not equal to want. about, a format and its arguments, names the value.
func Equal[V comparable](t T, got, want V, about ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%sgot %s; want %s", prefix(about), shown(got), shown(want))
	}
}

// Slices reports got if its elements are not those of want; nil is an empty slice.
func Slices[V comparable](t T, got, want []V, about ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%sgot %s; want %s", prefix(about), shown(got), shown(want))
	}
}

// Same reports got if it is not deeply equal to want.
func Same(t T, got, want any, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%sgot %s; want %s", prefix(about), shown(got), shown(want))
	}
}

// Diff reports the differences of got from want.
func Diff(t T, want, got any, about ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s(-want +got):\n%s", prefix(about), diff)
	}
}

// Contains reports text if want is not in it.
func Contains(t T, text, want string, about ...any) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%sgot %q; want %q in it", prefix(about), text, want)
	}
}

// shown prints a value, a text in quotes, long ones on a line of their own.
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
