package main

import (
	"reflect"

	labcmd "gogi/cmd/gogi-lab/commands"
	dbcmd "gogi/cmd/gogi/db"
	enginecmd "gogi/cmd/gogi/engines"
	farmcmd "gogi/cmd/gogi/farm"
	recordscmd "gogi/cmd/gogi/records"
	runscmd "gogi/cmd/gogi/runs"
	"gogi/ensemble/votes"
	"gogi/ensemble/voting"
	"gogi/farm"
	"gogi/farm/board"
	"gogi/farm/keys"
	"gogi/farm/mirror"
	"gogi/farm/replay"
	"gogi/farm/site"
	"gogi/internal/version"
	"gogi/lab/counts"
	"gogi/lab/orders"
	"gogi/lab/regression"
	"gogi/lab/review"
	"gogi/lab/strength"
	"gogi/lab/truth/series"
	"gogi/match"
	"gogi/players/check"
	"gogi/report"
	"gogi/report/calculator"
	"gogi/report/compare"
	"gogi/report/effects"
	"gogi/report/ratings"
	"gogi/report/stored"
	"gogi/report/tuning"
	"gogi/report/verify"
	"gogi/results"
	"gogi/results/dump"
	"gogi/results/farmstate"
	"gogi/runner/crash"
	"gogi/runner/selfplay"
	"gogi/runner/socket"
	"gogi/shogi/kifu/convert"
	"gogi/shogi/kifu/text"
	"gogi/ui/web"
	"gogi/usi/csa/watch"
)

// An output is a JSON object that gogi prints, sends or writes, or a part that several of them contain.
type output struct {
	title    string       // heading in docs/json.md, and first word in testdata/json_keys.txt
	of       reflect.Type // of the object, or of the list
	lines    bool         // the output is a line of several
	commands []string     // commands that print the object with --json; those of gogi-lab begin with its name
	also     []string     // other places, such as files
}

func made[T any](title string, commands ...string) output {
	return output{title: title, of: reflect.TypeFor[T](), commands: commands}
}

// in adds other places than --json of a command.
func (o output) in(places ...string) output { o.also = append(o.also, places...); return o }

func (o output) eachLine() output { o.lines = true; return o }

// The lines of gogi db dump begin with their type.
type (
	dumpedRun struct {
		Type string `json:"type"` // run
		dump.RunLine
	}
	dumpedEngine struct {
		Type string `json:"type"` // engine
		dump.EngineLine
	}
	dumpedAttempt struct {
		Type string `json:"type"` // attempt
		dump.AttemptLine
	}
	dumpedVoid struct {
		Type string `json:"type"` // voided
		results.Voided
	}
	dumpedState struct {
		Type string `json:"type"` // state
		dump.StateLine
	}
	dumpedPoints struct {
		Type string `json:"type"` // points
		dump.PointsLine
	}
	dumpedGame struct {
		Type string `json:"type"` // game
		dump.GameLine
	}
)

// outputs returns all JSON that gogi prints, sends or writes for other programs, in the order of docs/json.md.
// TestJSONCommands checks that it has every command with --json.
func outputs() []output {
	return []output{
		made[match.Event]("event", "match", "tune run", "tune validate", "selfplay play", "farm work", "hunt", "ladder",
			"council suggest").
			in("lines of the socket that `gogi ctl` and `gogi watch` use").eachLine(),
		made[report.Report]("report", "report").in("`/api/v1/runs/RUN`"),
		made[runscmd.OpeningsReport]("openings of a report", "report --openings"),
		made[runscmd.Reviews]("reviews", "review"),
		made[stored.GameList]("games", "games").in("`/api/v1/runs/RUN/games`"),
		made[stored.GameRecord]("game").in("`/r/RUN/g/PAIR.LEG.json`"),
		made[stored.RunList]("runs", "runs list").in("`/api/v1/runs`"),
		made[report.GateVerdict]("SPRT decision", "gate"),
		made[compare.Report]("comparison", "compare"),
		made[effects.Table]("breakdown", "compare --breakdown"),
		made[huntAnswer]("hunt").in("last line of `gogi hunt --json`"),
		made[ratings.Report]("ratings", "rate").in("last line of `gogi ladder --json`"),

		made[calculator.Intervals]("intervals", "stats interval"),
		made[calculator.Tests]("tests", "stats test"),
		made[calculator.SPRTs]("SPRT states", "stats sprt"),
		made[calculator.Plans]("plans", "stats plan"),
		made[calculator.Elos]("Elo differences", "stats elo"),
		made[calculator.Forecasts]("forecasts", "stats forecast"),

		made[counts.Coverages]("coverage", "gogi-lab stats lab coverage"),
		made[counts.Adjustments]("adjusted p values", "gogi-lab stats lab adjust"),
		made[counts.Homogeneities]("homogeneity", "gogi-lab stats lab homogeneity"),
		made[regression.RankSums]("rank sums", "gogi-lab stats lab ranksum"),
		made[regression.Difference]("errors of predictions", "gogi-lab stats lab rmse"),
		made[labcmd.Rated]("ratings and steps", "gogi-lab rate"),
		made[orders.Report]("ratings by orders", "gogi-lab stats lab orders"),
		made[ratings.Criteria]("information criteria", "gogi-lab stats lab aic"),
		made[regression.Reports]("regressions", "gogi-lab stats lab regress"),

		made[series.Counted]("truth of figures", "gogi-lab truth"),

		made[tuning.Result]("tune", "tune report"),
		made[[]tuning.Finding]("probes", "tune probe"),

		made[check.Examination]("engine check", "check ENGINE"),
		made[enginecmd.FileCheck]("file check", "check FILE"),
		made[enginecmd.ReplayResult]("replay of a crash dump", "check --replay"),
		made[enginecmd.Suggestion]("suggestion").in("last line of `gogi council suggest --json`"),
		made[votes.Report]("votes", "votes show"),
		made[votes.GameVotes]("votes of a game", "votes show --game"),
		made[votes.Replay]("repeated votes", "votes replay"),
		made[votes.Fit]("score scales", "votes fit"),
		made[watch.CsaEvent]("CSA event", "csa").eachLine(),

		made[recordscmd.ExportResult]("export", "export"),
		made[recordscmd.ImportResult]("import", "import"),
		made[convert.Entry]("book position").in("`gogi convert --show` for a book").eachLine(),
		made[convert.Sample]("training sample").in("`gogi convert --show` for psv, hcpe and similar").eachLine(),
		made[convert.Game]("training game").in("`gogi convert --show` for hcpe3 and pack").eachLine(),
		made[text.JSONRecord]("game record").in("format `jsonl` of `gogi export` and `gogi convert`").eachLine(),
		made[selfplay.Manifest]("manifest", "selfplay play --assemble").in("file `manifest.json` of `gogi selfplay`"),

		made[dbcmd.CheckResult]("database check", "db check"),
		made[dbcmd.RepairResult]("repair", "db repair"),
		made[dbcmd.MergeResult]("merge", "db merge"),
		made[dbcmd.PackResult]("packing", "db optimize"),
		made[verify.Result]("verification", "db verify", "farm audit --verify"),
		made[dbcmd.VoidResult]("voided pairs", "db void"),
		made[dumpedRun]("dump: run").in("`gogi db dump`").eachLine(),
		made[dumpedEngine]("dump: engine").in("`gogi db dump`").eachLine(),
		made[dumpedAttempt]("dump: attempt").in("`gogi db dump`").eachLine(),
		made[dumpedVoid]("dump: voided").in("`gogi db dump`").eachLine(),
		made[dumpedState]("dump: state").in("`gogi db dump`").eachLine(),
		made[dumpedPoints]("dump: points").in("`gogi db dump`").eachLine(),
		made[dumpedGame]("dump: game").in("`gogi db dump`").eachLine(),

		made[review.TallyJSON]("review", "gogi-lab review show"),
		made[review.Calibration]("calibration", "gogi-lab review calibrate").in("file of `gogi-lab review calibrate --to`"),
		made[strength.Report]("strength model", "gogi-lab review fit"),
		made[strength.Estimates]("estimates", "gogi-lab review estimate"),
		made[strength.Validation]("validation", "gogi-lab review validate"),
		made[review.Settings]("review settings").in("first line of the file of `gogi-lab review`").eachLine(),
		made[review.Reviewed]("reviewed game").in("other lines of the file of `gogi-lab review`").eachLine(),

		made[farm.Status]("farm", "farm list"),
		made[farm.TestStatus]("farm test", "farm show", "farm submit", "farm approve", "farm reject", "farm stop",
			"farm pause", "farm resume", "farm set"),
		made[[]farm.WorkerStatus]("farm workers", "farm worker list"),
		made[farm.WorkerStatus]("farm worker", "farm worker drain", "farm worker quarantine", "farm worker trust"),
		made[farm.Purged]("voided pairs of a worker", "farm worker void"),
		made[farm.UpdateStatus]("update", "farm release deploy"),
		made[mirror.Moved]("copied pairs", "farm mirror"),
		made[replay.Report]("audit", "farm audit"),
		made[[]farm.Recipe]("recipes", "farm recipe"),
		made[[]keys.Key]("keys", "farm key list"),
		made[[]farm.SignUp]("sign-ups", "farm signup list"),
		made[farm.SignUp]("sign-up", "farm signup approve", "farm signup reject"),
		made[farmcmd.LogIn]("log-in", "farm web"),
		made[[]farmstate.Action]("actions", "farm log"),
		made[[]results.Played]("played games", "farm people"),
		made[farmcmd.Benched]("speed", "farm bench").in("file of `gogi farm bench --out`"),
		made[[]farmcmd.Finding]("farm checks", "farm doctor"),
		made[farm.Connect]("connection").in("`/farm/connect`"),
		made[board.Challenge]("challenge").in("`/farm/challenge`"),
		made[site.Step]("trace").in("file of `gogi farm serve --trace`").eachLine(),

		made[version.Info]("version", "version"),
		made[web.Refusal]("answer to an order").in("`POST /api/v1/runs/RUN/ORDER`"),
		made[socket.Request]("order").in("line to the socket of a run"),
		made[socket.Answer]("answer of a socket").in("line from the socket of a run"),
		made[web.Streamed]("state of a stream").in("event `state` of `/api/v1/live`"),
		made[crash.Bundle]("crash dump").in("first line of a crash dump"),
		made[crash.Line]("dialogue").in("other lines of a crash dump").eachLine(),
		made[voting.Record]("vote record").in("lines of `gogi council --log`, and details of a council's move"),
		made[match.CanonicalPlan]("plan").in("key `plan` of `gogi db dump`"),

		made[match.CanonicalPlayer]("player of a plan"),
		made[match.Snapshot]("state"),
		made[match.SlotState]("state of a slot"),
	}
}
