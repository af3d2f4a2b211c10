package farmcmd

import (
	"io"
	"reflect"

	"gogi/internal/format"
)

// printJSON writes an object of a farm as JSON. A list without elements is [] and an object of names is {}, never null,
// because many readers fail at null; CBOR, which brought the object here, makes both nil. printJSON therefore sets the
// nil slices and maps of v to empty ones; nil bytes stay as they are.
func printJSON(w io.Writer, v any) error {
	settable := reflect.New(reflect.TypeOf(v)).Elem()
	settable.Set(reflect.ValueOf(v))
	fill(settable)
	return format.JSON(w, settable.Interface())
}

// fill sets the nil slices and maps in v to empty ones. It does not reach into the elements of maps, which Go cannot
// set in place.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem())
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field)
		}
	case reflect.Map:
		if v.IsNil() && v.CanSet() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 { // an empty json.RawMessage is no JSON
			return
		}
		if v.IsNil() && v.CanSet() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			fill(v.Index(i))
		}
	default: // no list
	}
}
