package tuning_test

import (
	"strings"
	"testing"

	"gogi/configs"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/report/tuning"
	"gogi/usi"
)

// options are the declarations of YaneuraOu 9. The maximum of NodesLimit is 2^63−1.
const options = `option name Threads type spin default 4 min 1 max 1024
option name USI_Hash type spin default 1024 min 1 max 33554432
option name USI_Ponder type check default false
option name DepthLimit type spin default 0 min 0 max 2147483647
option name NodesLimit type spin default 0 min 0 max 9223372036854775807
option name SlowMover type spin default 100 min 1 max 1000
option name DrawValueBlack type spin default -2 min -30000 max 30000
option name LMR type spin default 10 min 0 max 40`

func declared(t *testing.T) (list []usi.Option) {
	t.Helper()
	for line := range strings.Lines(options) {
		o := testutil.Must(usi.ParseOption(strings.TrimSpace(line)))(t)
		list = append(list, o)
	}
	return list
}

// names returns the parameters of a file in their order.
func names(t *testing.T, text string) string {
	t.Helper()
	f, err := configs.Parse([]byte(text), "tune.toml")
	testutil.Require(t, err == nil, "%v %v", err, text)
	return strings.Join(lists.Map(f.Params, func(p configs.TuneParam) string { return p.Name }), " ")
}

func TestStarter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		only []string
		want string
	}{
		{nil, "DrawValueBlack LMR"},
		{[]string{"LMR", "Slow*"}, "SlowMover LMR"},
		{[]string{"*Limit"}, "DepthLimit"},
	} {
		var text strings.Builder
		testutil.OK(t, tuning.Starter(&text, "engine", "./yane", declared(t), test.only))
		testutil.Equal(t, names(t, text.String()), test.want, "%q: parameters", test.only)
		if test.only == nil {
			for _, line := range []string{
				"# NodesLimit is left out: no tune can take its range, 0 to 9223372036854775807.",
				"# Threads sets what", "# name = \"Threads\"", "# USI_Hash sets", "# DepthLimit is a limit",
				"# SlowMover is about time",
			} {
				testutil.Contains(t, text.String(), line, "no line")
			}
		}
	}
}
