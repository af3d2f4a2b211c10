package main

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documentedEvents reads docs/events.md: the fields that every event has, and
// those of each type.
func documentedEvents(t *testing.T) (common []string, types map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile("`([a-z_]+)`")
	types = map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		name := word.FindStringSubmatch(cells[1])
		if name == nil {
			continue
		}
		if len(cells) == 4 {
			common = append(common, name[1])
			continue
		}
		for _, field := range word.FindAllStringSubmatch(cells[3], -1) {
			types[name[1]] = append(types[name[1]], field[1])
		}
	}
	return common, types
}

// TestEventsAreAsDocumented: every event of a series with a fault has the fields
// that docs/events.md gives it, and no others; every type occurs.
func TestEventsAreAsDocumented(t *testing.T) {
	t.Parallel()
	common, types := documentedEvents(t)
	if len(common) != 5 || len(types) != 7 {
		t.Fatalf("the document has %d common fields and %d types", len(common), len(types))
	}
	s := &series{dir: t.TempDir()}
	out, errs, code := s.gogi(t, "match", "--json", "--engine", "a=fakeengine", "--engine", "b=fakeengine -script exit@go:5",
		"--nodes", "10", "--games", "4", "--concurrency", "2")
	if code != 0 {
		t.Fatal(errs)
	}
	seen := map[string]int{}
	last := 0.0
	for line := range strings.Lines(out) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		kind, _ := e["type"].(string)
		seen[kind]++
		for _, field := range common {
			if _, ok := e[field]; !ok {
				t.Errorf("no %s in %s", field, line)
			}
		}
		for field := range e {
			if !slices.Contains(common, field) && !slices.Contains(types[kind], field) {
				t.Errorf("%s of a %s event is not documented: %s", field, kind, line)
			}
		}
		if seq, _ := e["seq"].(float64); seq != last+1 {
			t.Errorf("seq %v after %v", e["seq"], last)
		} else {
			last = seq
		}
	}
	if got, want := slices.Sorted(maps.Keys(seen)), slices.Sorted(maps.Keys(types)); !slices.Equal(got, want) {
		t.Errorf("types %v, documented %v", got, want)
	}
	if seen["run"] != 1 || seen["done"] != 1 || seen["pair"] != 2 || seen["end"] != 4 {
		t.Errorf("counts %v", seen)
	}
}
