package farm

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// MaxMessage is how long a message may be, in bytes: the server's limit.
const MaxMessage = 1 << 20

// The encoding of messages: the shortest form, one for each value, so that what is
// signed is what is read. Times keep their nanoseconds.
var (
	encoding = must(cbor.EncOptions{Sort: cbor.SortCoreDeterministic, Time: cbor.TimeRFC3339NanoUTC}.EncMode())
	decoding = must(cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden,
		MaxNestedLevels: 16, MaxArrayElements: 1 << 17, MaxMapPairs: 1 << 12,
	}.DecMode())
)

func must[T any](mode T, err error) T {
	if err != nil { // of constants: no input reaches it
		panic(err)
	}
	return mode
}

// Encode writes a message of this package as CBOR.
func Encode(message any) ([]byte, error) {
	body, err := encoding.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("farm: %T: %w", message, err)
	}
	return body, nil
}

// Decode reads what Encode wrote; what is after it, or twice in it, is an error. Keys
// that it does not know are passed over: they are of a later version.
func Decode(body []byte, message any) error {
	if err := decoding.Unmarshal(body, message); err != nil {
		return fmt.Errorf("farm: %T of %d bytes: %w", message, len(body), err)
	}
	return nil
}
