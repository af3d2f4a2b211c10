package format

import (
	"encoding/json"
	"io"
)

// JSON writes v to w as indented JSON.
func JSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
