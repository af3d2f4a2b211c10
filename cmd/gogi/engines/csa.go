package enginecmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/network"
	"gogi/match"
	"gogi/players"
	"gogi/usi/csa"
	"gogi/usi/csa/watch"
	"gogi/usi/process"
)

// CSACommand plays games on a server of the CSA protocol.
type CSACommand struct {
	Server string `arg:"" name:"host[:port]" help:"Host of the server, such as wdoor.c.u-tokyo.ac.jp (default port 4081)."`

	User         string `required:"" placeholder:"NAME" help:"Login name."`
	PasswordFile string `xor:"password" placeholder:"FILE" help:"File with the password in its first line; - is standard input (default: the variable GOGI_CSA_PASSWORD)."`
	Password     string `xor:"password" placeholder:"WORD" help:"Password. Other users of this machine can see it in the process list; prefer --password-file."`
	Game         string `placeholder:"NAME" help:"Game name, such as floodgate-300-10F; gogi sends it before the password, which floodgate uses as your trip."`

	Engine  []string `sep:"none" placeholder:"A=CMD" help:"Engine named A that gogi starts by the command CMD, split into words as a shell does; the CMD builtin is the built-in engine."`
	File    string   `placeholder:"FILE" help:"Match file (TOML) that defines the player, or the name of a built-in match file."`
	Player  string   `placeholder:"NAME" help:"Player of the file, if there are several."`
	Option  []string `sep:"none" placeholder:"A.NAME=VALUE" help:"Option of engine A; all.NAME sets it for every engine."`
	Profile string   `placeholder:"NAME" help:"Preset option values for a family of engines. The only preset is yaneuraou. On a server the engine's defaults are usually right."`
	Rules   string   `placeholder:"NAME" help:"Rules that set the engine's options: default, wcsc, denryu or floodgate (default: from the file, else floodgate)."`

	csa.Settings

	Records string `placeholder:"DIR" help:"Folder for a CSA file of each game."`
	Verbose bool   `short:"v" help:"Print each move."`
	JSON    bool   `name:"json" help:"Print events as JSON lines on stdout."`
}

const csaPasswordVariable = "GOGI_CSA_PASSWORD"

// Run plays until all games are played or an interrupt ends it.
func (c *CSACommand) Run(ctx context.Context, env *cli.Env) error {
	config, err := c.config(env)
	if err != nil {
		return fail.Usage(err)
	}
	plan, err := c.plan()
	if err != nil {
		return fail.Usage(err)
	}
	return cli.WithGuard(ctx, env, func(ctx context.Context, guard *process.Guard, interrupted *cli.Interrupts) error {
		o := &players.Opener{Plan: plan, Guard: guard, Warn: env.Warn}
		config.Open = func(ctx context.Context) (csa.Player, error) { return o.Open(ctx, plan.Players[0], nil) }
		seen := &watch.Watch{JSON: c.JSON, Verbose: c.Verbose, Records: c.Records, Out: env.Out, Errs: env.Err}
		config.Observe = seen.See
		client := csa.NewClient(config)
		interrupted.Playing(func() i18n.Message { client.Finish(); return i18n.Of("the game in play") })
		tally, err := client.Run(ctx)
		if !c.JSON {
			fmt.Fprintln(env.Out, watch.Tally(tally))
		}
		return errors.Join(c.ended(tally, err, interrupted.Happened()), seen.Err)
	})
}

func (c *CSACommand) ended(tally csa.Tally, err error, interrupted bool) error {
	unplayed := c.Games - (tally.Games - tally.Disconnected)
	switch {
	case errors.Is(err, cli.ErrInterrupted) || interrupted && (unplayed > 0 || c.Games == 0):
		return &cli.Exit{Code: cli.Interrupted, Err: fmt.Errorf("interrupted after %s", format.NumberOf(tally.Games, "game"))}
	case err != nil && !errors.Is(err, csa.ErrLogin) && tally.Games > 0:
		return &cli.Exit{Code: cli.Unplayed, Err: fmt.Errorf("%w; %s played", err, format.NumberOf(tally.Games, "game"))}
	}
	return err
}

func (c *CSACommand) config(env *cli.Env) (csa.Config, error) {
	password, err := c.password(env)
	if err != nil {
		return csa.Config{}, err
	}
	address, err := csaAddress(c.Server)
	if err != nil {
		return csa.Config{}, err
	}
	for what, word := range map[string]string{"--user": c.User, "--game": c.Game, "the password": password} {
		if strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return csa.Config{}, fmt.Errorf("%s has a character that the protocol does not allow: expected ASCII without blanks",
				what)
		}
	}
	switch {
	case c.User == "" || password == "":
		return csa.Config{}, errors.New("the name or the password is empty")
	case c.Games < 0 || c.Retries < 0 || c.Margin < 0:
		return csa.Config{}, errors.New("--games, --retries and --margin must not be negative")
	}
	if c.Game != "" {
		password = c.Game + "," + password
	}
	dialer := net.Dialer{Timeout: 30 * time.Second}
	return csa.Config{
		Settings: c.Settings, User: c.User, Password: password, Game: c.Game,
		Dial: func(ctx context.Context) (io.ReadWriteCloser, error) {
			conn, err := dialer.DialContext(ctx, "tcp", address)
			if err != nil {
				return nil, network.CannotReach(address, err, "check the host and the port")
			}
			return conn, nil
		},
	}, nil
}

// csaAddress returns the address of a server. It adds the protocol's port, 4081, if server has no port.
func csaAddress(server string) (string, error) {
	host, port, err := net.SplitHostPort(server)
	if err != nil {
		host, port = strings.Trim(server, "[]"), csa.DefaultPort
		if strings.Count(host, ":") == 1 {
			return "", fmt.Errorf("server %q: expected HOST or HOST:PORT", server)
		}
	}
	if host == "" {
		return "", fmt.Errorf("server %q: expected HOST or HOST:PORT", server)
	}
	return net.JoinHostPort(host, port), nil
}

// password returns the password from the flags, a file or the environment. gogi never prints it.
func (c *CSACommand) password(env *cli.Env) (string, error) {
	switch {
	case c.Password != "":
		return c.Password, nil
	case c.PasswordFile == "-":
		return firstLine(io.ReadAll(io.LimitReader(env.In, 4096)))
	case c.PasswordFile != "":
		return firstLine(os.ReadFile(c.PasswordFile))
	}
	if word := os.Getenv(csaPasswordVariable); word != "" {
		return word, nil
	}
	return "", fmt.Errorf("there is no password: expected --password-file FILE, or %s in the environment",
		csaPasswordVariable)
}

func firstLine(text []byte, err error) (string, error) {
	if err != nil {
		return "", fmt.Errorf("reading the password: %w", err)
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return strings.TrimSpace(string(line)), nil
}

// plan makes the plan of the player from the flags and the match file, as gogi match does.
func (c *CSACommand) plan() (*match.Plan, error) {
	if c.File == "" && len(c.Engine) == 0 {
		return nil, errors.New("there is no player: expected --engine NAME=COMMAND or --file FILE")
	}
	flags := configs.Flags{Engine: c.Engine, Option: c.Option, Profile: c.Profile, Rules: c.Rules}
	file, dir, err := flags.Read(c.File)
	if err != nil {
		return nil, err
	}
	name, err := c.playerName(file)
	if err != nil {
		return nil, err
	}
	c.adapt(file)
	here, err := players.Surroundings()
	if err != nil {
		return nil, err
	}
	plan, _, err := file.PlanPlayer(name, dir, here)
	return plan, err
}

// adapt changes the keys of the match file that do not apply on a server, and turns off the hashing of files,
// because gogi stores nothing.
func (c *CSACommand) adapt(file *configs.File) {
	for i := range file.Engines {
		file.Engines[i].Identity.Text = "unknown"
	}
	file.Openings = nil // the server chooses the openings
	if file.Limits == nil {
		byoyomi := time.Second
		file.Limits = &configs.Limits{Clock: configs.Clock{Byoyomi: &byoyomi}} // the server's clock decides
	}
	if file.Rules == nil {
		file.Rules = &configs.Rules{Name: "floodgate"}
	}
	file.Ponder = match.PonderOff
	if c.Ponder {
		file.Ponder = match.PonderStandard
	}
}

// playerName returns the name of the player: the value of --player, the only --engine, or the only player of
// the file, in this order.
func (c *CSACommand) playerName(file *configs.File) (string, error) {
	switch {
	case c.Player != "":
		return c.Player, nil
	case len(file.Players) == 1:
		return file.Players[0], nil
	case len(c.Engine) == 1:
		name, _, _ := strings.Cut(c.Engine[0], "=")
		return name, nil
	case len(file.Councils) == 1: // members of the council are engines too
		return file.Councils[0].Name, nil
	case len(file.Councils) == 0 && len(file.Engines) == 1:
		return file.Engines[0].Name, nil
	}
	return "", errors.New("there are several players; choose one with --player NAME")
}
