package format

import (
	"encoding/json"
	"io"
)

// JSON writes v as one indented object.
func JSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
