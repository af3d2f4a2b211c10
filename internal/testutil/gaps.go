package testutil

import (
	"encoding/json"
	"fmt"
)

// JSONGaps returns the places at which a JSON text breaks a rule of gogi's reports. The rule is that an
// object with a null value must also have a key "why" with the reason.
func JSONGaps(text string) ([]string, error) {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return nil, err
	}
	return gaps(v, ""), nil
}

func gaps(v any, at string) []string {
	var found []string
	switch v := v.(type) {
	case map[string]any:
		null := ""
		for key, value := range v {
			if value == nil {
				null = key
			}
			found = append(found, gaps(value, at+"."+key)...)
		}
		if why, _ := v["why"].(string); null != "" && why == "" {
			found = append(found, at+"."+null)
		}
	case []any:
		for i, value := range v {
			found = append(found, gaps(value, fmt.Sprintf("%s[%d]", at, i))...)
		}
	}
	return found
}
