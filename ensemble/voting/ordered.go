package voting

import (
	"bytes"
	"encoding/json"
	"errors"
)

// objectKeys lists the keys of a flat JSON object in their order, each once.
func objectKeys(data []byte) ([]string, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if token == nil {
		return nil, nil // null
	}
	if token != json.Delim('{') {
		return nil, errors.New("expected an object")
	}
	var keys []string
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		if key, ok := token.(string); ok && !seen[key] {
			keys, seen[key] = append(keys, key), true
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
	}
	return keys, nil
}
