package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"gogi/cmd/gogi/cli"
	dbcmd "gogi/cmd/gogi/db"
	enginecmd "gogi/cmd/gogi/engines"
	farmcmd "gogi/cmd/gogi/farm"
	"gogi/cmd/gogi/program"
	recordscmd "gogi/cmd/gogi/records"
	runscmd "gogi/cmd/gogi/runs"
	statscmd "gogi/cmd/gogi/stats"
	toolcmd "gogi/cmd/gogi/tools"
	tunecmd "gogi/cmd/gogi/tune"
	votescmd "gogi/cmd/gogi/votes"
	"gogi/internal/shellwords"
)

// commandLine is the grammar of gogi's command line, with one field for each command. The tag "menu" is the
// heading of the command on the one-screen help. Only gogi help -a lists a command without this tag.
type commandLine struct {
	Lang string `enum:"en,ja," default:"" placeholder:"LANGUAGE" help:"Output language: en or ja (default: GOGI_LANG, then the locale of a terminal)."`

	Match    matchCommand               `cmd:"" menu:"play" help:"Play a match or tournament, or resume it"`
	Tune     tunecmd.Command            `cmd:"" menu:"play" help:"Tune engine options (SPSA and others)"`
	Selfplay recordscmd.SelfplayCommand `cmd:"" menu:"play" help:"Generate training data by self-play"`
	Farm     farmcmd.Command            `cmd:"" menu:"play" help:"Play one test on many machines"`
	CSA      enginecmd.CSACommand       `cmd:"" menu:"play" name:"csa" help:"Play on a CSA server, such as floodgate"`

	Report runscmd.ReportCommand `cmd:"" menu:"look" help:"Print the result of a run"`
	Games  runscmd.GamesCommand  `cmd:"" menu:"look" help:"List the games of a run, or print one"`
	Review runscmd.ReviewCommand `cmd:"" menu:"look" help:"Analyse games with an engine and mark bad moves"`
	Watch  runscmd.WatchCommand  `cmd:"" menu:"look" help:"Watch a running match in this terminal"`
	Serve  runscmd.ServeCommand  `cmd:"" menu:"look" help:"Show stored and running matches in a browser"`
	Runs   runscmd.RunsCommand   `cmd:"" menu:"look" help:"List, rename, tag or delete the runs of a database"`

	Gate    runscmd.GateCommand    `cmd:"" menu:"decide" help:"Print the SPRT decision of a run; exit code 0, 10 or 11"`
	Compare runscmd.CompareCommand `cmd:"" menu:"decide" help:"Compare runs, or show where an Elo difference comes from"`
	Hunt    huntCommand            `cmd:"" menu:"decide" help:"Find the version that lost Elo"`
	Ladder  ladderCommand          `cmd:"" menu:"decide" help:"Rate all versions of an engine"`
	Rate    runscmd.RateCommand    `cmd:"" menu:"decide" help:"Calculate ratings from runs or game records"`
	Stats   statscmd.Command       `cmd:"" menu:"decide" help:"Calculate intervals, SPRT states, numbers of games and Elo"`

	Check   enginecmd.CheckCommand   `cmd:"" menu:"engines" help:"Check an engine, a match file or a crash dump"`
	Council enginecmd.CouncilCommand `cmd:"" menu:"engines" help:"Run engines that vote as one USI engine"`
	Votes   votescmd.Command         `cmd:"" menu:"engines" help:"Show how councils voted, and repeat their votes"`

	Export  recordscmd.ExportCommand  `cmd:"" menu:"data" help:"Export games as CSA, KIF, USI, … or training data"`
	Import  recordscmd.ImportCommand  `cmd:"" menu:"data" help:"Import game records into a database"`
	Convert recordscmd.ConvertCommand `cmd:"" menu:"data" help:"Convert or print records, training data and books"`
	Book    recordscmd.BookCommand    `cmd:"" menu:"data" help:"Make, check, convert and sample opening books"`
	DB      dbcmd.Command             `cmd:"" menu:"data" name:"db" help:"Check, repair, merge and back up databases"`

	Init       initCommand               `cmd:"" menu:"setup" help:"Write a commented match file"`
	Completion toolcmd.CompletionCommand `cmd:"" menu:"setup" help:"Print the completion script of a shell"`

	Ctl     runscmd.CtlCommand     `cmd:"" help:"Pause, resume, stop or resize a running match"`
	Dev     toolcmd.DevCommand     `cmd:"" hidden:"" help:"Count legal moves (perft); run the built-in engine"`
	Version toolcmd.VersionCommand `cmd:"" help:"Print the version of gogi"`

	Complete toolcmd.CompleteCommand `cmd:"" hidden:"" grammar:"all" help:"Print completions, for the scripts of gogi completion"`
	Engine   enginecmd.EngineCommand `cmd:"" hidden:"" help:"Run the built-in engine as a USI engine"`
	Guard    enginecmd.GuardCommand  `cmd:"" hidden:"" help:"Kill the engines of a killed gogi"`
}

// gogiProgram returns the description of gogi.
func gogiProgram() *program.Program {
	return &program.Program{
		Name:  "gogi",
		About: "gogi plays USI shogi engines against each other and tests whether the result is significant.",
		Groups: []program.Group{
			{Key: "play", Title: "Play"}, {Key: "look", Title: "Look"}, {Key: "decide", Title: "Decide"},
			{Key: "engines", Title: "Engines"}, {Key: "data", Title: "Data"}, {Key: "setup", Title: "Setup"},
		},
		Grammar: commandLine{},
		Options: statscmd.Mappers(),
		Explain: explain,
	}
}

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, env *cli.Env) (code int) {
	p, stderr, bisecting := gogiProgram(), env.Err, bisects(args)
	p.Explain = func(args []string, err error) error {
		bisecting = mayBisect(args)
		return explain(args, err)
	}
	defer func() {
		if !bisecting {
			return
		}
		if r := recover(); r != nil {
			fmt.Fprintf(stderr, "gogi: panic: %v\n\n%s", r, debug.Stack())
			env.Judged = false
		}
		code = bisectCode(env.Judged, stderr, code)
	}()
	return p.Run(ctx, args, env)
}

// explain explains the parser's error about common mistakes. It returns nil for other errors.
func explain(args []string, err error) error {
	if len(args) > 1 && args[0] == "--lang" {
		args = args[2:]
	}
	of := func(words ...string) bool { return len(args) >= len(words) && slices.Equal(args[:len(words)], words) }
	switch {
	case of("resume"):
		return errors.New("resume: gogi has no such command; run the same gogi match, gogi tune or gogi hunt again, and it resumes the run")
	case of("review", "fit"), of("review", "estimate"), of("review", "validate"), of("review", "calibrate"):
		return fmt.Errorf("review %s: gogi has no such command; run gogi-lab review %s", args[1], args[1])
	case of("stats", "lab"):
		return errors.New("stats lab: gogi has no such command; run gogi-lab stats lab")
	case of("rate") && strings.HasPrefix(err.Error(), "unknown flag --iterates"):
		return errors.New("--iterates: gogi rate has no such flag; run gogi-lab rate")
	case of("match") && len(ofFastchess(args)) > 0:
		return fmt.Errorf("match: flags of fastchess: %s; docs/coming-from.md has the table of all",
			strings.Join(ofFastchess(args), ", "))
	case of("match") && strings.HasPrefix(err.Error(), "unexpected argument") && len(args) == 3 &&
		!strings.HasPrefix(args[1]+args[2], "-"):
		return fmt.Errorf("match: expected one match file; write two programs as gogi match --engine dev=%s --engine base=%s",
			shellwords.Quote(args[1]), shellwords.Quote(args[2]))
	case strings.HasPrefix(err.Error(), "unknown flag -") && len(args) == 2 && dashed(args[1]):
		return fmt.Errorf("%s: a name that begins with a dash follows --: gogi %s -- %s", args[1], args[0],
			shellwords.Quote(args[1]))
	case of("farm", "gate"):
		return errors.New("farm gate: gogi has no such command; gogi farm show TEST prints the decision, and gogi gate RUN --db FILE decides after gogi farm mirror")
	case of("farm", "delete"), of("farm", "rename"):
		return fmt.Errorf("farm %s: gogi has no such command, because a farm keeps all tests under their names; gogi farm stop TEST ends a test", args[1])
	case of("stats", "sprt") && strings.HasPrefix(err.Error(), "unknown flag --wins"):
		return errors.New("--wins: gogi stats sprt has no such flag; write --pentanomial LL,LD,MID,WD,WW, or --trinomial W,D,L without pairs")
	case of("stats", "elo") && strings.HasPrefix(err.Error(), "unknown flag --wins"):
		return errors.New("--wins: gogi stats elo has no such flag; run gogi stats interval, or write --score S")
	case of("gate") && strings.HasPrefix(err.Error(), "unknown flag --sprt"):
		return errors.New("--sprt: gogi gate uses the SPRT that the run began with; for another one, write a file with a [gate] section and run gogi gate RUN --gate FILE")
	}
	return nil
}

// dashed reports whether a word is a name such as -001, which an earlier gogi gave to runs, and no flag.
func dashed(word string) bool {
	return len(word) > 1 && word[0] == '-' && strings.Trim(word[1:], "0123456789") == ""
}

// ofFastchess returns the flags of fastchess and cutechess-cli in a command line, each with its counterpart.
func ofFastchess(args []string) (found []string) {
	counterparts := map[string]string{
		"-engine": "write --engine NAME=COMMAND", "-each": "write --option all.NAME=VALUE, --tc and other limits",
		"-rounds": "write --games with twice the number",
		"-games":  "leave it out", "-repeat": "leave it out", "-noswap": "write --no-swap",
		"-concurrency": "write --concurrency N", "-openings": "write --openings FILE",
		"-srand": "write --seed N", "-sprt": "write --sprt elo0=0,elo1=4,model=normalized", "-resign": "write --resign 600x3",
		"-draw":     "write --draw 10x8@65",
		"-maxmoves": "write --max-plies N", "-recover": "leave it out", "-pgnout": "run gogi export afterwards",
		"-epdout": "run gogi export afterwards",
		"-config": "run the same command again", "-use-affinity": "write --cpus auto", "-event": "write --run NAME",
		"-tournament":     "write --design NAME",
		"-ratinginterval": "leave it out", "-report": "leave it out", "-output": "leave it out", "-log": "write --transcript",
	}
	for _, arg := range args {
		if text := counterparts[arg]; text != "" && !slices.Contains(found, arg+" ("+text+")") {
			found = append(found, arg+" ("+text+")")
		}
	}
	return found
}
