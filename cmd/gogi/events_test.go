package main

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// documentedFields reads the table below a heading of docs/events.md. For each word in code of the first column, it
// returns the words in code of the last column.
func documentedFields(t *testing.T, heading string) map[string][]string {
	t.Helper()
	text := testutil.Must(os.ReadFile("../../docs/events.md"))(t)
	_, section, ok := strings.Cut(string(text), "\n## "+heading+"\n")
	testutil.Require(t, ok, "docs/events.md has no section %q", heading)
	section, _, _ = strings.Cut(section, "\n## ")
	word := regexp.MustCompile("`([a-z_]+)`")
	fields := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 4 {
			continue
		}
		for _, name := range word.FindAllStringSubmatch(cells[1], -1) {
			fields[name[1]] = nil
			for _, field := range word.FindAllStringSubmatch(cells[len(cells)-2], -1) {
				fields[name[1]] = append(fields[name[1]], field[1])
			}
		}
	}
	return fields
}

// TestEventsAreAsDocumented: each event of a match with a fault has all common fields, and no field that docs/events.md
// does not list for its type. Every type that such a match can emit occurs.
func TestEventsAreAsDocumented(t *testing.T) {
	t.Parallel()
	common := slices.Collect(maps.Keys(documentedFields(t, "Every event")))
	types := documentedFields(t, "Types")
	testutil.Require(t, len(common) == 5 && len(types) == 18,
		"the document has %d common fields and %d types", len(common), len(types))
	s := &folder{dir: t.TempDir()}
	out, errs, code := s.gogi(t, "match", "--json", "--engine", "a=fakeengine", "--engine",
		"b=fakeengine -script exit@go:5",
		"--nodes", "10", "--games", "4", "--concurrency", "2")
	testutil.Require(t, code == 0, "%v", errs)
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
			_, ok := e[field]
			testutil.Check(t, ok, "no %s in %s", field, line)
		}
		for field := range e {
			testutil.Check(t, slices.Contains(common, field) || slices.Contains(types[kind], field),
				"%s of a %s event is not documented: %s", field, kind, line)
		}
		if seq, _ := e["seq"].(float64); seq != last+1 {
			t.Errorf("seq %v after %v", e["seq"], last)
		} else {
			last = seq
		}
	}
	delete(types, "state") // for followers that connect later
	delete(types, "board") // for followers of the moves
	delete(types, "cut")   // for games that gogi gives up
	delete(types, "told")  // for sessions that receive an order
	for _, name := range []match.EventType{match.EventTune, match.EventBlock, match.EventForfeit, match.EventCandidate,
		match.EventValidation} {
		delete(types, string(name)) // for tunes
	}
	got, want := slices.Sorted(maps.Keys(seen)), slices.Sorted(maps.Keys(types))
	testutil.Check(t, slices.Equal(got, want), "types %v, documented %v", got, want)
	testutil.Check(t, seen["run"] == 1 && seen["done"] == 1 && seen["pair"] == 2 && seen["end"] == 4, "counts %v", seen)
}

// jsonFields returns the names of a type's fields in JSON.
func jsonFields(v any) []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
		if f.Anonymous {
			continue // VisibleFields lists its fields, too
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return slices.Sorted(slices.Values(names))
}

// TestEveryFieldIsDocumented: docs/events.md lists each field of an event for a type, and each field of the event's
// objects. It lists no other fields.
func TestEveryFieldIsDocumented(t *testing.T) {
	t.Parallel()
	objects := documentedFields(t, "State")
	for name, v := range map[string]any{
		"state": match.Snapshot{}, "standings": match.Standings{}, "games": match.GameCount{}, "pairs": match.PairCount{},
		"unstored": match.EndedGame{}, "efforts": match.Effort{}, "sides": match.Effort{}, "faults": match.FaultSum{},
		"warnings": match.WarningGiven{}, "recent": match.RateSample{}, "slots": match.SlotState{}, "board": match.Board{},
		"thoughts": match.Thought{}, "vote": match.Vote{}, "ballots": match.Ballot{},
		"tune": match.TuneLive{}, "params": match.TuneParam{}, "track": match.TuneTrack{}, "point": match.TunePoint{},
		"mate": match.Questions{},
	} {
		if got, want := slices.Sorted(slices.Values(objects[name])), jsonFields(v); !slices.Equal(got, want) {
			t.Errorf("%s has the fields\n%v, documented are\n%v", name, want, got)
		}
		delete(objects, name)
	}
	if len(objects) > 0 {
		t.Errorf("documented and unknown: %v", slices.Collect(maps.Keys(objects)))
	}
	known := append(slices.Collect(maps.Keys(documentedFields(t, "Every event"))), "worker", "at")
	for _, fields := range documentedFields(t, "Types") {
		known = append(known, fields...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if want := jsonFields(match.Event{}); !slices.Equal(known, want) {
		t.Errorf("events have the fields\n%v, documented are\n%v", want, known)
	}
}
