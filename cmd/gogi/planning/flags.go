package planning

import "gogi/configs"

// Flags are the flags that mirror the keys of a series' file, and win over it.
type Flags struct {
	Run           string   `group:"series" placeholder:"NAME" help:"Name of the run (default: the file's)."`
	Games         *int     `group:"series" placeholder:"N" help:"How many games; even where pairs have two legs."`
	MaxGames      *int     `group:"series" placeholder:"N" help:"The same as --games."`
	Players       []string `group:"series" placeholder:"A,B" help:"Who plays (default: every engine)."`
	Design        string   `group:"series" placeholder:"NAME" help:"match, round_robin, gauntlet, swiss, knockout or adaptive."`
	Rounds        *int     `group:"series" placeholder:"N" help:"Rounds of a Swiss, in place of --games."`
	MatchPairs    *int     `group:"series" placeholder:"N" help:"Pairs in a match of a Swiss or a knockout (default 1)."`
	Tiebreaks     *int     `group:"series" placeholder:"N" help:"Further pairs at most for a knockout's match that is tied (default 4)."`
	ThirdPlace    *bool    `group:"series" negatable:"" help:"The losers of a knockout's semifinals play, too."`
	Seeding       string   `group:"series" placeholder:"HOW" help:"Start numbers of a Swiss or a knockout: given or lot."`
	Block         *int     `group:"series" placeholder:"N" help:"Pairs that an adaptive design draws at a time."`
	Anchor        string   `group:"series" placeholder:"NAME" help:"The player from whom ratings are measured; an adaptive design asks who is above it."`
	Swap          *bool    `group:"series" negatable:"" help:"Pairs of two games with colours swapped (default yes)."`
	Seed          *uint64  `group:"series" placeholder:"N" help:"Seed of everything random."`
	Concurrency   string   `group:"series" placeholder:"N" help:"Games at a time, each of another pair, or cpus (default: half of the CPUs)."`
	StartParallel *int     `group:"series" placeholder:"N" help:"Engines that may be starting at a time (default 4)."`
	SlotsPerGPU   *int     `group:"series" name:"slots-per-gpu" placeholder:"N" help:"Slots that share a GPU, for {gpu} in an engine's env."`
	CPUs          string   `group:"series" name:"cpus" placeholder:"LIST" help:"Bind each slot to cores of its own: auto, of these (2-7,10), or off (default)."`
	CoresPerSlot  *int     `group:"series" placeholder:"N" help:"With --cpus, cores for each player that thinks (default: as many as it has threads)."`
	Openings      string   `group:"series" placeholder:"FILE" help:"Lines \"startpos moves …\" or \"sfen …\", also .gz, .zip, .epd; or a built-in set: builtin (12 to 16 moves, the default), builtin-1000, builtin-short (2 moves), builtin-64."`
	OpeningPlies  *int     `group:"series" placeholder:"N" help:"Keep the first N moves of an opening."`
	Handicap      string   `group:"series" placeholder:"NAME" help:"Start from a handicap, such as two-piece."`
	Rules         string   `group:"series" placeholder:"NAME" help:"default, wcsc, denryu or floodgate."`
	MaxPlies      *int     `group:"series" placeholder:"N" help:"The most moves of both sides, openings' included; what the rules say of them by default, 0 for no limit."`
	Resign        string   `group:"series" placeholder:"2000x3" help:"End by score: score × moves, both sides agreeing; 1: before it for one side."`
	Draw          string   `group:"series" placeholder:"10x8@40" help:"Draw by score: score × moves @ first ply."`
	Mate          string   `group:"series" placeholder:"ENGINE" help:"End games by proof: ask this engine, which does not play, for mates (builtin: the built-in one); only what the rules prove ends a game."`
	SPRT          string   `group:"series" name:"sprt" placeholder:"0,4" help:"Stop when an SPRT of these two Elo differences decides; --games is then the maximum. elo0=0,elo1=4,alpha=0.05,beta=0.05,model=logistic,boundary=ratio sets every key (these are the defaults)."`
	Ponder        string   `group:"series" placeholder:"MODE" help:"off, standard or early."`
	Slowed        string   `group:"series" placeholder:"POLICY" help:"Pairs with a move that the machine slowed: count or void."`
	Durable       *bool    `group:"series" negatable:"" help:"A stored pair outlives a power cut, too: each commit waits for the disk (default no: the last pairs may have to be played again)."`
	PVPlies       *int     `group:"series" name:"pv-plies" placeholder:"N" help:"How much of each principal variation to store."`
	Transcript    *bool    `group:"series" negatable:"" help:"Keep every line that engines are sent and say, a file for each game."`

	Engine  []string `group:"engines" sep:"none" placeholder:"A=CMD" help:"An engine; CMD is split as a shell splits it. The word builtin is the built-in one."`
	Council []string `group:"engines" sep:"none" placeholder:"C=RULE:A,B" help:"A council: engines A and B vote by a rule, such as majority or adoption."`
	Option  []string `group:"engines" sep:"none" placeholder:"A.NAME=VALUE" help:"An engine's option; all. for every engine."`
	Profile string   `group:"engines" placeholder:"NAME" help:"Option profile: yaneuraou."`
	Restart string   `group:"engines" placeholder:"WHEN" help:"A fresh process: never, pair or game."`

	TC        []string `group:"limits" name:"tc" sep:"none" placeholder:"8+0.08" help:"Clock in seconds: main+increment or main/byoyomi; black=… by colour, A=… by engine."`
	Main      []string `group:"limits" sep:"none" placeholder:"DUR" help:"Main time, such as 5m; black=… by colour, A=… by engine."`
	Byoyomi   []string `group:"limits" sep:"none" placeholder:"DUR" help:"Byoyomi, such as 1s; likewise."`
	Increment []string `group:"limits" sep:"none" placeholder:"DUR" help:"Fischer increment; likewise."`
	Movetime  []string `group:"limits" sep:"none" placeholder:"DUR" help:"Fixed time a move; A=… by engine."`
	Nodes     []string `group:"limits" sep:"none" placeholder:"N" help:"Nodes a move; A=… by engine."`
	Depth     []string `group:"limits" sep:"none" placeholder:"N" help:"Depth of a search; A=… by engine."`
	Self      bool     `group:"limits" help:"The engines end their searches by themselves."`
	Margin    []string `group:"limits" sep:"none" placeholder:"DUR" help:"Tolerated overrun (default 100ms); A=… by engine."`
	Stall     []string `group:"limits" sep:"none" placeholder:"DUR" help:"Longest wait for a move without a clock (default 60s); A=… by engine."`
}

// flags hands them to configs, where their text is read.
func (s *Flags) asked() configs.Flags {
	return configs.Flags{
		Run: s.Run, Engine: s.Engine, Council: s.Council, Option: s.Option, Players: s.Players, Games: s.Games, MaxGames: s.MaxGames, Seed: s.Seed,
		Concurrency: s.Concurrency, Design: s.Design, Rounds: s.Rounds, MatchPairs: s.MatchPairs, Tiebreaks: s.Tiebreaks,
		ThirdPlace: s.ThirdPlace, Seeding: s.Seeding, Block: s.Block, Anchor: s.Anchor, Swap: s.Swap, Rules: s.Rules, MaxPlies: s.MaxPlies, Openings: s.Openings,
		OpeningPlies: s.OpeningPlies, Handicap: s.Handicap, TC: s.TC, Main: s.Main, Byoyomi: s.Byoyomi,
		Increment: s.Increment, Movetime: s.Movetime, Nodes: s.Nodes, Depth: s.Depth, Self: s.Self, Margin: s.Margin,
		Stall: s.Stall, Resign: s.Resign, Draw: s.Draw, Mate: s.Mate, SPRT: s.SPRT, Ponder: s.Ponder, Slowed: s.Slowed, PVPlies: s.PVPlies, Transcript: s.Transcript,
		Profile: s.Profile, Restart: s.Restart, StartParallel: s.StartParallel, SlotsPerGPU: s.SlotsPerGPU,
		CPUs: s.CPUs, CoresPerSlot: s.CoresPerSlot, Durable: s.Durable,
	}
}
