package match_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
)

// moves reads a line of moves.
func moves(t *testing.T, line string) []shogi.Move {
	t.Helper()
	var list []shogi.Move
	for text := range strings.FieldsSeq(line) {
		m := testutil.Must(shogi.ParseMove(text))(t)
		list = append(list, m)
	}
	return list
}

// opening is opening 7: a start ("startpos" or a SFEN) and a line of moves.
func opening(t *testing.T, start, line string) match.Opening {
	t.Helper()
	return match.Opening{ID: "7", Start: start, Moves: moves(t, line)}
}

// profile is a named profile of rules.
func profile(t *testing.T, name string) match.Rules {
	t.Helper()
	r := testutil.Must(match.RulesByName(name))(t)
	return r
}

// rows reads a table of testdata, whose first line names the columns.
func rows(t *testing.T, name string) []map[string]string {
	t.Helper()
	file := testutil.Must(os.Open(filepath.Join("testdata", name)))(t)
	defer func() { _ = file.Close() }()
	records := testutil.Must(csv.NewReader(file).ReadAll())(t)
	var out []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, key := range records[0] {
			row[key] = record[i]
		}
		out = append(out, row)
	}
	return out
}

const startSFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

const (
	ms     = time.Millisecond
	second = time.Second
)
