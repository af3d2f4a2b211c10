package gogi_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// allowed says which of our packages a package may import; it is the table of
// ARCHITECTURE.md. A package that is not in it declares its place here first.
var allowed = map[string][]string{
	"gogi":                         {},
	"gogi/shogi":                   {},
	"gogi/stats":                   {"gogi/stats/counts"},
	"gogi/stats/rating/bootstrap":  {"gogi/stats/counts"},
	"gogi/stats/rating/orders":     {"gogi/stats/counts", "gogi/stats/rating/bootstrap", "gogi/stats/rating/crosstable"},
	"gogi/stats/rating":            {"gogi/stats/counts", "gogi/stats/rating/ascent", "gogi/stats/rating/bootstrap", "gogi/stats/rating/crosstable"},
	"gogi/stats/regress":           {"gogi/stats/counts"},
	"gogi/diagram":                 {"gogi/shogi"},
	"gogi/kifu":                    {"gogi/shogi"},
	"gogi/kifu/formats":            {"gogi/kifu", "gogi/shogi"},
	"gogi/kifu/packed":             {"gogi/kifu", "gogi/shogi"},
	"gogi/goban":                   {},
	"gogi/gtp":                     {"gogi/goban", "gogi/internal/foreign"},
	"gogi/sgf":                     {"gogi/goban", "gogi/internal/foreign"},
	"gogi/openings":                {"gogi/book", "gogi/internal/format", "gogi/match", "gogi/shogi", "gogi/stats/counts", "gogi/usi"},
	"gogi/transcribe":              {"gogi/book", "gogi/internal/disk", "gogi/kifu", "gogi/kifu/formats", "gogi/kifu/packed", "gogi/shogi"},
	"gogi/book":                    {"gogi/internal/disk", "gogi/kifu/packed", "gogi/shogi", "gogi/usi"},
	"gogi/usi":                     {"gogi/shogi", "gogi/internal/foreign"},
	"gogi/ensemble/voting":         {"gogi/shogi", "gogi/usi"},
	"gogi/ensemble":                {"gogi/shogi", "gogi/usi", "gogi/ensemble/voting"},
	"gogi/csa/watch":               {"gogi/csa", "gogi/kifu", "gogi/internal/foreign"},
	"gogi/csa":                     {"gogi/internal/hurry", "gogi/shogi", "gogi/kifu", "gogi/usi"},
	"gogi/usi/dialogue":            {},
	"gogi/faults":                  {"gogi/internal/disk", "gogi/internal/foreign", "gogi/internal/version", "gogi/match", "gogi/usi", "gogi/usi/dialogue", "gogi/usi/process"},
	"gogi/faults/replay":           {"gogi/faults", "gogi/internal/foreign", "gogi/match", "gogi/shogi", "gogi/stats/counts", "gogi/usi", "gogi/usi/dialogue", "gogi/usi/process"},
	"gogi/alarms":                  {"gogi/configs/shellwords", "gogi/faults", "gogi/internal/format", "gogi/live", "gogi/match", "gogi/shogi", "gogi/stats/counts", "gogi/usi"},
	"gogi/metrics":                 {"gogi/ensemble/voting", "gogi/faults", "gogi/gate", "gogi/internal/version", "gogi/live", "gogi/match", "gogi/results", "gogi/series", "gogi/usi"},
	"gogi/cpus":                    {},
	"gogi/usi/process":             {"gogi/internal/foreign", "gogi/cpus", "gogi/internal/disk"},
	"gogi/internal/foreign":        {},
	"gogi/internal/format":         {"gogi/internal/foreign"},
	"gogi/internal/usage":          {},
	"gogi/internal/long":           {},
	"gogi/internal/await":          {},
	"gogi/internal/runnable":       {},
	"gogi/internal/hurry":          {},
	"gogi/internal/unfit":          {},
	"gogi/internal/chart":          {},
	"gogi/internal/sheet":          {"gogi/internal/disk", "gogi/internal/foreign", "gogi/internal/format"},
	"gogi/internal/fakerun":        {"gogi/shogi", "gogi/match"},
	"gogi/internal/fakepairs":      {"gogi/kifu", "gogi/match", "gogi/shogi"},
	"gogi/internal/fakevotes":      {"gogi/shogi", "gogi/usi", "gogi/ensemble", "gogi/ensemble/voting"},
	"gogi/internal/verb":           {"gogi/internal/foreign", "gogi/internal/format", "gogi/internal/usage", "gogi/results", "gogi/usi/process", "gogi/internal/phrases"},
	"gogi/tune":                    {"gogi/match", "gogi/stats/counts"},
	"gogi/tuning":                  {"gogi/configs", "gogi/configs/advice", "gogi/internal/disk", "gogi/internal/format", "gogi/internal/phrases", "gogi/match", "gogi/results", "gogi/runner", "gogi/stats/counts", "gogi/tune", "gogi/usi"},
	"gogi/cmd/gogi/tuneverbs":      {"gogi/archive", "gogi/cmd/gogi/planning", "gogi/configs", "gogi/configs/advice", "gogi/configs/identities", "gogi/faults", "gogi/internal/format", "gogi/internal/phrases", "gogi/internal/usage", "gogi/internal/verb", "gogi/live", "gogi/live/socket", "gogi/match", "gogi/players", "gogi/report", "gogi/report/text", "gogi/results", "gogi/series", "gogi/tune", "gogi/tuning", "gogi/usi", "gogi/usi/process"},
	"gogi/internal/landscape":      {},
	"gogi/internal/hook":           {},
	"gogi/cmd/gogi/planning":       {"gogi/configs", "gogi/configs/advice", "gogi/configs/identities", "gogi/configs/openingfiles", "gogi/gate", "gogi/internal/usage", "gogi/match", "gogi/players", "gogi/results", "gogi/usi", "gogi/usi/process"},
	"gogi/reckon":                  {"gogi/gate", "gogi/internal/format", "gogi/internal/phrases", "gogi/internal/usage", "gogi/match", "gogi/stats", "gogi/stats/counts"},
	"gogi/internal/fakeusi":        {"gogi/internal/fakeengine"},
	"gogi/internal/disk":           {},
	"gogi/internal/wine":           {},
	"gogi/internal/version":        {},
	"gogi/internal/dist":           {},
	"gogi/internal/licences":       {},
	"gogi/internal/fastchess":      {"gogi/configs/shellwords"},
	"gogi/internal/shell":          {},
	"gogi/farm/board":              {"gogi/farm", "gogi/internal/foreign"},
	"gogi/internal/chaos":          {"gogi/farm", "gogi/farm/site", "gogi/match"},
	"gogi/cmd/gogi/serving":        {"gogi/internal/usage", "gogi/internal/verb", "gogi/web", "gogi/internal/disk"},
	"gogi/review":                  {"gogi/internal/format", "gogi/stats/regress", "gogi/internal/disk"},
	"gogi/strength":                {"gogi/internal/foreign", "gogi/internal/format", "gogi/internal/sheet", "gogi/review", "gogi/stats/counts", "gogi/stats/regress"},
	"gogi/review/engines":          {"gogi/goban", "gogi/gtp", "gogi/match", "gogi/players", "gogi/review", "gogi/shogi", "gogi/usi", "gogi/usi/process"},
	"gogi/review/sources":          {"gogi/archive", "gogi/goban", "gogi/internal/disk", "gogi/kifu", "gogi/match", "gogi/records", "gogi/results", "gogi/review", "gogi/sgf", "gogi/shogi", "gogi/usi"},
	"gogi/selfplay":                {"gogi/ensemble/voting", "gogi/internal/disk", "gogi/internal/format", "gogi/internal/hurry", "gogi/kifu", "gogi/kifu/packed", "gogi/match", "gogi/match/arbiter", "gogi/runner", "gogi/shogi", "gogi/stats/counts", "gogi/usi"},
	"gogi/cmd/gogi/easeverbs":      {"gogi/configs", "gogi/configs/advice", "gogi/configs/identities", "gogi/gate", "gogi/internal/format", "gogi/internal/phrases", "gogi/internal/shell", "gogi/internal/usage", "gogi/internal/verb", "gogi/internal/version", "gogi/match", "gogi/players", "gogi/results"},
	"gogi/farm/kept":               {"gogi/farm"},
	"gogi/farm/update":             {"gogi/farm", "gogi/farm/trust"},
	"gogi/farm/verify":             {"gogi/ensemble/voting", "gogi/farm", "gogi/match", "gogi/match/arbiter", "gogi/selfplay"},
	"gogi/farm/coordinator":        {"gogi/farm", "gogi/farm/kept", "gogi/farm/ledger", "gogi/farm/trust", "gogi/farm/update", "gogi/farm/verify", "gogi/gate", "gogi/live", "gogi/match", "gogi/selfplay", "gogi/tune"},
	"gogi/records":                 {"gogi/archive", "gogi/internal/disk", "gogi/internal/foreign", "gogi/internal/usage", "gogi/kifu", "gogi/kifu/formats", "gogi/kifu/packed", "gogi/live", "gogi/match", "gogi/results", "gogi/shogi"},
	"gogi/recount":                 {"gogi/archive", "gogi/internal/foreign", "gogi/internal/format", "gogi/internal/phrases", "gogi/match", "gogi/report", "gogi/results", "gogi/results/mending", "gogi/tournament"},
	"gogi/farm/trust":              {"gogi/match", "gogi/stats/counts"},
	"gogi/internal/phrases":        {"gogi/internal/format"},
	"gogi/gate":                    {"gogi/internal/phrases", "gogi/match", "gogi/shogi", "gogi/stats", "gogi/stats/counts"},
	"gogi/usi/remote":              {"gogi/configs/shellwords", "gogi/usi/process"},
	"gogi/players":                 {"gogi/book", "gogi/configs", "gogi/configs/advice", "gogi/configs/identities", "gogi/configs/shellwords", "gogi/cpus", "gogi/ensemble", "gogi/ensemble/voting", "gogi/faults", "gogi/internal/foreign", "gogi/internal/format", "gogi/internal/phrases", "gogi/internal/unfit", "gogi/internal/usage", "gogi/kifu", "gogi/match", "gogi/runner", "gogi/shogi", "gogi/sparring", "gogi/usi", "gogi/usi/process", "gogi/usi/remote"},
	"gogi/votes":                   {"gogi/ensemble/voting", "gogi/internal/chart", "gogi/internal/disk", "gogi/internal/foreign", "gogi/internal/format", "gogi/internal/phrases", "gogi/kifu", "gogi/shogi", "gogi/stats/regress"},
	"gogi/ratings":                 {"gogi/internal/foreign", "gogi/internal/format", "gogi/internal/phrases", "gogi/internal/sheet", "gogi/internal/usage", "gogi/match", "gogi/report", "gogi/shogi", "gogi/stats", "gogi/stats/counts", "gogi/stats/rating", "gogi/stats/rating/crosstable", "gogi/stats/rating/orders"},
	"gogi/regression":              {"gogi/internal/foreign", "gogi/internal/format", "gogi/internal/phrases", "gogi/internal/sheet", "gogi/stats/regress", "gogi/stats/counts"},
	"gogi/survey":                  {"gogi/internal/foreign", "gogi/internal/format", "gogi/shogi", "gogi/kifu", "gogi/usi", "gogi/match", "gogi/sparring", "gogi/players", "gogi/runner", "gogi/stats/counts"},
	"gogi/examine":                 {"gogi/configs/identities", "gogi/internal/foreign", "gogi/internal/format", "gogi/internal/phrases", "gogi/match", "gogi/players", "gogi/shogi", "gogi/usi", "gogi/usi/process"},
	"gogi/served":                  {"gogi/configs/identities", "gogi/ensemble", "gogi/ensemble/voting", "gogi/internal/foreign", "gogi/internal/usage", "gogi/match", "gogi/players", "gogi/shogi", "gogi/sparring", "gogi/usi"},
	"gogi/compare":                 {"gogi/internal/format", "gogi/internal/usage", "gogi/match", "gogi/gate", "gogi/stats", "gogi/stats/counts", "gogi/internal/phrases"},
	"gogi/effects":                 {"gogi/gate", "gogi/internal/format", "gogi/internal/phrases", "gogi/kifu", "gogi/match", "gogi/match/arbiter", "gogi/shogi", "gogi/stats", "gogi/stats/counts"},
	"gogi/report":                  {"gogi/internal/foreign", "gogi/internal/format", "gogi/shogi", "gogi/match", "gogi/stats", "gogi/gate", "gogi/stats/counts", "gogi/tournament", "gogi/internal/phrases", "gogi/farm/trust"},
	"gogi/report/text":             {"gogi/internal/foreign", "gogi/internal/format", "gogi/match", "gogi/stats", "gogi/report", "gogi/tournament", "gogi/internal/phrases"},
	"gogi/archive":                 {"gogi/compare", "gogi/configs", "gogi/effects", "gogi/gate", "gogi/internal/format", "gogi/kifu", "gogi/match", "gogi/openings", "gogi/ratings", "gogi/report", "gogi/report/page", "gogi/results", "gogi/shogi", "gogi/stats", "gogi/tournament", "gogi/votes", "gogi/internal/phrases"},
	"gogi/report/page":             {"gogi/diagram", "gogi/internal/chart", "gogi/internal/format", "gogi/kifu", "gogi/match", "gogi/report", "gogi/report/text", "gogi/shogi", "gogi/internal/phrases"},
	"gogi/shogi/mating":            {"gogi/shogi"},
	"gogi/match/arbiter":           {"gogi/kifu", "gogi/match", "gogi/shogi", "gogi/shogi/mating"},
	"gogi/match":                   {"gogi/kifu", "gogi/shogi"},
	"gogi/configs/advice":          {"gogi/internal/phrases"},
	"gogi/configs/identities":      {"gogi/configs/advice", "gogi/internal/disk", "gogi/internal/phrases", "gogi/internal/unfit", "gogi/match", "gogi/shogi", "gogi/usi"},
	"gogi/configs/located":         {},
	"gogi/configs/openingfiles":    {"gogi/configs/advice", "gogi/internal/disk", "gogi/match", "gogi/match/arbiter", "gogi/shogi", "gogi/usi"},
	"gogi/configs/shellwords":      {},
	"gogi/configs":                 {"gogi/book", "gogi/configs/advice", "gogi/configs/identities", "gogi/configs/located", "gogi/configs/openingfiles", "gogi/configs/shellwords", "gogi/cpus", "gogi/ensemble", "gogi/ensemble/voting", "gogi/internal/disk", "gogi/internal/foreign", "gogi/internal/phrases", "gogi/internal/unfit", "gogi/kifu/packed", "gogi/match", "gogi/selfplay", "gogi/shogi", "gogi/tournament", "gogi/usi"},
	"gogi/sparring":                {"gogi/book", "gogi/shogi", "gogi/shogi/mating", "gogi/usi"},
	"gogi/runner":                  {"gogi/internal/hurry", "gogi/kifu", "gogi/match", "gogi/match/arbiter", "gogi/shogi", "gogi/shogi/mating", "gogi/usi"},
	"gogi/tournament":              {"gogi/internal/phrases", "gogi/match", "gogi/shogi", "gogi/stats/counts", "gogi/stats/rating", "gogi/stats/rating/crosstable"},
	"gogi/control":                 {},
	"gogi/live/words":              {"gogi/internal/foreign", "gogi/internal/format", "gogi/internal/phrases", "gogi/match"},
	"gogi/live/socket":             {"gogi/control", "gogi/live", "gogi/match"},
	"gogi/screen":                  {"gogi/control", "gogi/diagram", "gogi/internal/foreign", "gogi/internal/format", "gogi/live", "gogi/live/socket", "gogi/match", "gogi/report", "gogi/report/text", "gogi/shogi", "gogi/stats", "gogi/stats/counts", "gogi/usi", "gogi/ensemble/voting", "gogi/internal/phrases"},
	"gogi/web":                     {"gogi/archive", "gogi/control", "gogi/diagram", "gogi/ensemble/voting", "gogi/internal/chart", "gogi/internal/foreign", "gogi/internal/format", "gogi/internal/phrases", "gogi/kifu", "gogi/kifu/formats", "gogi/live", "gogi/live/words", "gogi/match", "gogi/ratings", "gogi/report", "gogi/report/page", "gogi/results", "gogi/shogi", "gogi/tuning", "gogi/usi", "gogi/votes"},
	"gogi/farm":                    {"gogi/match"},
	"gogi/farm/keys":               {"gogi/farm", "gogi/internal/disk"},
	"gogi/farm/artefacts":          {"gogi/internal/disk"},
	"gogi/farm/bus":                {"gogi/farm", "gogi/farm/artefacts", "gogi/farm/keys"},
	"gogi/farm/bustest":            {"gogi/farm"},
	"gogi/farm/worker":             {"gogi/farm", "gogi/farm/artefacts", "gogi/internal/disk", "gogi/match", "gogi/runner", "gogi/tune"},
	"gogi/farm/machine":            {"gogi/configs/identities", "gogi/farm", "gogi/farm/artefacts", "gogi/farm/worker", "gogi/faults", "gogi/internal/disk", "gogi/match", "gogi/players", "gogi/runner", "gogi/selfplay", "gogi/usi", "gogi/usi/process"},
	"gogi/farm/site":               {"gogi/farm", "gogi/farm/bus", "gogi/farm/coordinator", "gogi/farm/keys", "gogi/farm/trust", "gogi/internal/disk", "gogi/match", "gogi/results", "gogi/results/dump", "gogi/selfplay"},
	"gogi/farm/ledger":             {"gogi/farm"},
	"gogi/farm/replay":             {"gogi/farm/trust", "gogi/match", "gogi/runner"},
	"gogi/farm/copies":             {"gogi/farm", "gogi/match", "gogi/match/arbiter", "gogi/results", "gogi/results/dump"},
	"gogi/farm/loopback":           {"gogi/farm"},
	"gogi/series":                  {"gogi/control", "gogi/gate", "gogi/internal/hurry", "gogi/live", "gogi/match", "gogi/runner", "gogi/tournament", "gogi/tune"},
	"gogi/live":                    {"gogi/match", "gogi/shogi"},
	"gogi/results":                 {"gogi/kifu", "gogi/match", "gogi/results/handle", "gogi/results/locks", "gogi/results/segments", "gogi/results/tables", "gogi/shogi", "gogi/tune"},
	"gogi/results/dump":            {"gogi/kifu", "gogi/match", "gogi/results", "gogi/results/tables"},
	"gogi/results/handle":          {"gogi/internal/disk", "gogi/internal/sqlitefile", "gogi/results/locks", "gogi/results/tables"},
	"gogi/results/locks":           {},
	"gogi/results/mending":         {"gogi/internal/sqlitefile", "gogi/match", "gogi/match/arbiter", "gogi/results", "gogi/results/handle", "gogi/results/locks", "gogi/results/salvage", "gogi/results/tables", "gogi/tune"},
	"gogi/results/resultstest":     {"gogi/internal/fakepairs", "gogi/match", "gogi/results", "gogi/results/dump", "gogi/results/handle", "gogi/results/tables", "gogi/tune"},
	"gogi/results/salvage":         {"gogi/internal/sqlitefile", "gogi/results/tables"},
	"gogi/results/segments":        {"gogi/results/tables"},
	"gogi/results/tables":          {"gogi/kifu", "gogi/match", "gogi/shogi"},
	"gogi/internal/sqlitefile":     {},
	"gogi/upkeep":                  {"gogi/internal/foreign", "gogi/internal/format", "gogi/internal/phrases", "gogi/match", "gogi/results", "gogi/results/mending"},
	"gogi/internal/fakeengine":     {"gogi/shogi", "gogi/usi"},
	"gogi/internal/soak":           {},
	"gogi/cmd/gogi/recordverbs":    {"gogi/archive", "gogi/book", "gogi/configs", "gogi/configs/identities", "gogi/configs/openingfiles", "gogi/configs/shellwords", "gogi/internal/disk", "gogi/internal/foreign", "gogi/internal/format", "gogi/internal/phrases", "gogi/internal/usage", "gogi/internal/verb", "gogi/kifu", "gogi/kifu/formats", "gogi/kifu/packed", "gogi/match", "gogi/openings", "gogi/players", "gogi/records", "gogi/results", "gogi/review", "gogi/review/engines", "gogi/review/sources", "gogi/selfplay", "gogi/sgf", "gogi/shogi", "gogi/strength", "gogi/transcribe", "gogi/usi"},
	"gogi/cmd/gogi/farmverbs":      {"gogi/archive", "gogi/cmd/gogi/planning", "gogi/cmd/gogi/serving", "gogi/configs", "gogi/configs/advice", "gogi/configs/identities", "gogi/configs/openingfiles", "gogi/control", "gogi/farm", "gogi/farm/board", "gogi/farm/bus", "gogi/farm/coordinator", "gogi/farm/copies", "gogi/farm/keys", "gogi/farm/machine", "gogi/farm/replay", "gogi/farm/site", "gogi/farm/trust", "gogi/farm/worker", "gogi/internal/foreign", "gogi/internal/format", "gogi/internal/phrases", "gogi/internal/usage", "gogi/internal/verb", "gogi/internal/version", "gogi/live", "gogi/match", "gogi/players", "gogi/recount", "gogi/report/text", "gogi/results", "gogi/runner", "gogi/selfplay", "gogi/tune", "gogi/tuning", "gogi/usi", "gogi/usi/process", "gogi/web"},
	"gogi/cmd/gogi/dbverbs":        {"gogi/archive", "gogi/internal/foreign", "gogi/internal/format", "gogi/internal/phrases", "gogi/internal/usage", "gogi/internal/verb", "gogi/match", "gogi/recount", "gogi/results", "gogi/results/dump", "gogi/results/mending", "gogi/upkeep"},
	"gogi/cmd/gogi/statverbs":      {"gogi/archive", "gogi/gate", "gogi/internal/format", "gogi/internal/phrases", "gogi/internal/sheet", "gogi/internal/usage", "gogi/internal/verb", "gogi/match", "gogi/ratings", "gogi/reckon", "gogi/regression", "gogi/results", "gogi/stats", "gogi/stats/counts", "gogi/stats/rating", "gogi/stats/rating/bootstrap"},
	"gogi/cmd/gogi/voteverbs":      {"gogi/internal/format", "gogi/internal/usage", "gogi/internal/verb", "gogi/match", "gogi/results", "gogi/votes"},
	"gogi/cmd/gogi":                {"*"},
	"gogi/stats/rating/ascent":     {},
	"gogi/stats/rating/crosstable": {"gogi/stats", "gogi/stats/counts", "gogi/stats/rating/ascent"},
	"gogi/stats/counts":            {},
}

func TestImportDirections(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		may, ok := allowed[p.ImportPath]
		if !ok {
			t.Errorf("%s has no line in the table of imports", p.ImportPath)
		}
		for _, i := range may {
			if i != "*" && !slices.Contains(p.Imports, i) {
				t.Errorf("%s may import %s and does not: the permission goes", p.ImportPath, i)
			}
		}
		for _, i := range p.Imports {
			if strings.HasPrefix(i, "gogi/") && !slices.Contains(may, i) && !slices.Contains(may, "*") {
				t.Errorf("%s must not import %s", p.ImportPath, i)
			}
		}
	}
	if seen < 10 {
		t.Errorf("go list found only %d packages", seen)
	}
}

// mostLines is how many lines of code, tests not counted, a package holds at most: what is
// more than one person can hold in mind has a seam where it can be parted.
const mostLines = 4000

// TestRoomsAreSmall holds mostLines. Files of every system count.
func TestRoomsAreSmall(t *testing.T) {
	lines := map[string]int{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (name == "testdata" || strings.HasPrefix(name, ".")):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		lines[filepath.ToSlash(filepath.Dir(path))] += strings.Count(string(text), "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < 100 {
		t.Errorf("only %d packages were found", len(lines))
	}
	for room, n := range lines {
		if n > mostLines {
			t.Errorf("%s has %d lines that are no tests, expected at most %d: part it where it has a seam", room, n, mostLines)
		}
	}
}

// TestArchitectureTable: the table that people read is the one that is held.
func TestArchitectureTable(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| [^|]+ \\| ([^|]+) \\|$")
	told := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		told["gogi/"+m[1]] = []string{}
		for _, i := range strings.Split(m[2], ", ") {
			switch i {
			case "–":
			case "everything":
				told["gogi/"+m[1]] = []string{"*"}
			default:
				told["gogi/"+m[1]] = append(told["gogi/"+m[1]], "gogi/"+i)
			}
		}
	}
	for p, may := range allowed {
		if p == "gogi" {
			continue
		}
		want := slices.Sorted(slices.Values(may))
		if got, ok := told[p]; !ok || !slices.Equal(got, want) {
			t.Errorf("ARCHITECTURE.md says that %s imports %v, expected %v", p, got, want)
		}
	}
	if len(told) != len(allowed)-1 {
		t.Errorf("ARCHITECTURE.md has %d packages, expected %d", len(told), len(allowed)-1)
	}
}
