// Package program runs a command-line program whose commands are fields of a grammar, as package kong reads it. gogi
// and gogi-lab are such programs. A [Program] describes one of them, and its method Run parses a command line, runs the
// command and returns the exit code. The package also prints help.
package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"

	"gogi/cmd/gogi/cli"
	"gogi/internal/sanitize"
	"gogi/internal/shellwords"
	"gogi/shogi/kifu/convert"
	"gogi/shogi/kifu/packed"
	"gogi/shogi/kifu/text"
	"gogi/usi"
)

// A Program describes a command-line program.
type Program struct {
	Name  string // name of the program, such as gogi
	About string // one sentence, for the help
	// Groups lists the headings of the help in their order.
	Groups []Group
	// Grammar is the grammar of the command line: a struct whose first field is the flag --lang, of type string. Each
	// other field is a command. The tag "menu" of a command is the key of its group; only help -a lists a command
	// without this tag. A command with the tag "grammar" with the value "all" gets the grammar of all commands.
	Grammar any
	Options []kong.Option // further options of the parser, such as types of flags
	// Explain explains the parser's error about a command line in words for the user. If it returns nil, Run prints
	// the parser's own words. Explain may be nil.
	Explain func(args []string, err error) error
}

// A Group is a heading of the help.
type Group struct{ Key, Title string }

// Run runs the program with the arguments after its name, and returns the exit code. It replaces the writers of env by
// writers that escape control characters.
func (p *Program) Run(ctx context.Context, args []string, env *cli.Env) (code int) {
	result := &cli.ResultWriter{Writer: env.Out}
	out, errs := sanitize.NewWriter(result), sanitize.NewWriter(env.Err)
	env.Program, env.Out, env.Err = p.Name, out, errs
	defer func() {
		switch r := recover().(type) {
		case nil:
		case HelpShown:
			code = r.Code
		default:
			panic(r)
		}
		_ = errors.Join(out.Close(), errs.Close()) // result returns the errors
		if code == cli.Done && !env.Judged {       // the verdict of a bisection counts even if its report is lost
			code = env.Fail(result.Failure(), cli.Failed)
		}
	}()
	args, how := helpAsked(args)
	if len(args) == 0 {
		_ = p.oneScreen(env.Err) // the exit code reports the usage error
		return cli.Usage
	}
	if how.isOneScreen(args) {
		return env.Fail(p.oneScreen(env.Out), cli.Failed)
	}
	grammar, lang := p.GrammarFor(args)
	parser, err := p.Parser(ctx, grammar, env, how.all)
	if err != nil {
		return env.Fail(err, cli.Failed)
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		return env.Fail(p.explain(args, err), cli.Usage)
	}
	if err := emptyValue(chosen); err != nil {
		return env.Fail(err, cli.Usage)
	}
	env.Language = cli.LanguageOf(*lang, os.Getenv, cli.OnTerminal(result.Writer))
	return env.Fail(chosen.Run(), cli.Failed)
}

// emptyValue returns an error if the user gave an empty name or file, as a script does whose variable is not set. gogi
// would take it for a flag that is not given, and use the default run or file. A text, such as a note, may be empty.
func emptyValue(chosen *kong.Context) error {
	for _, p := range chosen.Path {
		switch {
		case p.Flag != nil && isEmpty(p.Flag.Value) && p.Flag.PlaceHolder != "TEXT":
			return fmt.Errorf("--%s: the value is empty; give a value, or leave the flag out", p.Flag.Name)
		case p.Positional != nil && isEmpty(p.Positional):
			return fmt.Errorf("<%s>: the argument is empty; give a value, or leave the argument out", p.Positional.Name)
		}
	}
	return nil
}

func isEmpty(v *kong.Value) bool { return v.Target.Kind() == reflect.String && v.Target.Len() == 0 }

// Parser returns the parser of a grammar, which is a pointer to a struct. It passes ctx and env to the Run methods of
// commands. After printing help, it panics with HelpShown. The help has every command or flag if all is true.
func (p *Program) Parser(ctx context.Context, grammar any, env *cli.Env, all bool) (*kong.Kong, error) {
	how := helpHow{p, all}
	return kong.New(grammar, append([]kong.Option{
		kong.Name(p.Name),
		kong.Description(p.About),
		kong.Writers(env.Out, env.Err),
		kong.Exit(func(code int) { panic(HelpShown{code}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Help(how.print),
		kong.ExplicitGroups(flagGroups),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Vars{
			"records": strings.Join(text.Names(text.Text()), ", "),
			"encoded": strings.Join(text.Encoded(), ", "),
			"packed":  strings.Join(packed.TrainingNames(), ", "),
			"formats": strings.Join(convert.Names(), ", "),
			"games":   strings.Join(convert.GameNames(), ", "),
		},
		kong.Bind(env),
	}, p.Options...)...)
}

// A HelpShown is the value of the panic that ends kong's help. kong's exit function must not return, so it
// panics.
type HelpShown struct{ Code int }

// GrammarFor returns the grammar for a command line, and a pointer to the value of --lang in this grammar. If
// the line begins with a command, this is the grammar of that command alone. Building the grammar of all
// commands takes longer than most commands run, and gogi starts itself often, as its guard and its built-in
// engine. Help and shell completion need the grammar of all commands.
func (p *Program) GrammarFor(args []string) (grammar any, lang *string) {
	of := reflect.TypeOf(p.Grammar)
	for field := range of.Fields() {
		if _, verb := field.Tag.Lookup("cmd"); verb && len(args) > 0 && commandName(field) == args[0] &&
			field.Tag.Get("grammar") != "all" {
			of = reflect.StructOf([]reflect.StructField{of.Field(0), field})
			break
		}
	}
	made := reflect.New(of)
	return made.Interface(), made.Elem().Field(0).Addr().Interface().(*string)
}

// commandName returns the name of the command that is this field of the grammar.
func commandName(field reflect.StructField) string {
	return cmp.Or(field.Tag.Get("name"), kebab(field.Name))
}

// kebab converts the name of a grammar field to its name on the command line, such as EloWhere to elo-where.
func kebab(field string) string {
	var name strings.Builder
	for i, r := range field {
		if i > 0 && unicode.IsUpper(r) {
			name.WriteByte('-')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	return name.String()
}

// noCommand returns an error if the first argument is no command, with the commands that have a similar name. Otherwise
// it returns nil.
func (p *Program) noCommand(args []string) error {
	if len(args) > 2 && args[0] == "--lang" {
		args = args[2:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil
	}
	if of := reflect.TypeOf(p.Grammar); slices.Contains(commandPaths(of, "", true), args[0]) {
		return nil
	}
	paths := commandPaths(reflect.TypeOf(p.Grammar), "", false)
	var near []string
	for _, path := range paths { // gogi elo: gogi stats elo
		if path[strings.LastIndexByte(path, ' ')+1:] == args[0] {
			near = append(near, path)
		}
	}
	if near == nil {
		near = usi.Nearest(args[0], slices.DeleteFunc(paths, func(path string) bool { return strings.Contains(path, " ") }),
			3)
	}
	if len(near) == 0 {
		return fmt.Errorf("%s: %s has no such command; %s help lists all commands", args[0], p.Name, p.Name)
	}
	for i := range near {
		near[i] = p.Name + " " + near[i]
	}
	return fmt.Errorf("%s: %s has no such command; nearest: %s", args[0], p.Name, strings.Join(near, ", "))
}

// deeperCommand returns an error that names the commands of a deeper group, such as gogi farm worker void for gogi farm
// void. text is the error of the parser. It returns nil if there are none.
func (p *Program) deeperCommand(args []string, text string) error {
	if len(args) < 2 || !strings.HasPrefix(text, "unexpected argument "+args[1]) {
		return nil
	}
	var near []string
	for _, path := range commandPaths(reflect.TypeOf(p.Grammar), "", false) {
		if strings.HasPrefix(path, args[0]+" ") && strings.HasSuffix(path, " "+args[1]) {
			near = append(near, p.Name+" "+path)
		}
	}
	if near == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %s has no such command; nearest: %s", args[0], args[1], p.Name, strings.Join(near, ", "))
}

// commandPaths returns the commands of a grammar, such as "stats elo". prefix is the path of the group. The hidden
// commands are among them if all is true.
func commandPaths(of reflect.Type, prefix string, all bool) (paths []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		if _, verb := field.Tag.Lookup("cmd"); !verb || field.Type.Kind() != reflect.Struct {
			continue
		}
		if _, hidden := field.Tag.Lookup("hidden"); hidden && !all {
			continue
		}
		path := prefix + cmp.Or(field.Tag.Get("name"), kebab(field.Name))
		paths = append(append(paths, path), commandPaths(field.Type, path+" ", all)...)
	}
	return paths
}

// explain explains the parser's error about a command line in simpler words, with advice for common mistakes.
func (p *Program) explain(args []string, err error) error {
	if p.Explain != nil {
		if better := p.Explain(args, err); better != nil {
			return better
		}
	}
	badWhole := regexp.MustCompile(`^(--\S+): expected a valid \d+ bit (u?)int but got (".*")$`)
	badMinus := regexp.MustCompile(`^(--\S+): expected \w+ value but got "(-.*)" \(short flag\)`)
	text := err.Error()
	if m := badWhole.FindStringSubmatch(text); m != nil {
		expected := "a whole number"
		if m[2] != "" {
			expected = "a whole number from 0"
		}
		return fmt.Errorf("%s: %s: expected %s", m[1], m[3], expected)
	}
	if m := badMinus.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s: %q begins like a flag: expected a value; write %s=%s", m[1], m[2], m[1],
			shellwords.Quote(m[2]))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if better := cmp.Or(p.noCommand(args), p.deeperCommand(args, text)); better != nil {
		return better
	}
	command := p.Name
	if bad := (*kong.ParseError)(nil); errors.As(err, &bad) && bad.Context.Selected() != nil {
		command = bad.Context.Selected().FullPath() // up to the last command that the parser recognised
	}
	return fmt.Errorf("%w (see %s --help)", err, command)
}
