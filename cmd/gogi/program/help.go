package program

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// flagGroups lists the headings of flags in --help. Key is the value of the tag "group" of a flag.
var flagGroups = []kong.Group{
	{Key: "series", Title: "Match:"}, {Key: "engines", Title: "Engines:"},
	{Key: "limits", Title: "Time control and limits:"},
	{Key: "pages", Title: "Browser and metrics:"}, {Key: "replay", Title: "Replay:"}, {Key: "farm", Title: "Farm:"},
}

// A helpHow is the kind of help that the user requests.
type helpHow struct {
	*Program
	all bool // every command, or every flag of a command
}

// helpAsked rewrites help, --version and --help-all, which are not in the grammar, to commands and flags that
// the grammar has, such as --help. It also returns which kind of help to print.
func helpAsked(args []string) ([]string, helpHow) {
	var how helpHow
	if len(args) == 0 {
		return args, how
	}
	switch args[0] {
	case "--version":
		return slices.Concat([]string{"version"}, args[1:]), how
	case "help":
		var rest []string
		for _, word := range args[1:] {
			if word == "-a" || word == "--all" {
				how.all = true
			} else {
				rest = append(rest, word)
			}
		}
		args = append(rest, "--help")
	}
	end := len(args)
	if i := slices.Index(args, "--"); i >= 0 {
		end = i
	}
	if i := slices.Index(args[:end], "--help-all"); i >= 0 {
		args, how.all = slices.Clone(args), true
		args[i] = "--help"
	}
	return args, how
}

// print prints the help of the program or of a command. Flags with the tag "more" are only in
// --help-all.
func (how helpHow) print(options kong.HelpOptions, ctx *kong.Context) error {
	at := ctx.Selected()
	if at == nil {
		if how.all {
			return how.everyCommand(ctx.Stdout, ctx.Model)
		}
		return how.oneScreen(ctx.Stdout)
	}
	hidden := 0
	for _, f := range at.Flags {
		if f.Name == "help" {
			f.Help = "Print this help."
		}
		f.Required = f.Required && len(f.Xor) == 0 // the usage line would demand every one of these flags
		if f.Tag.Has("more") && !how.all && !f.Hidden {
			f.Hidden = true
			hidden++
		}
	}
	options.NoExpandSubcommands = len(at.Children) > 0 && at.DefaultCmd == nil
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil || hidden == 0 {
		return err
	}
	_, err := fmt.Fprintf(ctx.Stdout, "\n%d more flags: %s --help-all\n", hidden, at.FullPath())
	return err
}

// isOneScreen reports whether a command line requests the one-screen help.
func (how helpHow) isOneScreen(args []string) bool {
	return !how.all && len(args) == 1 && (args[0] == "--help" || args[0] == "-h")
}

// oneScreen prints the one-screen help: the commands under their headings. It reads the tags of the grammar itself,
// because the parser's model has all flags of all commands and takes much longer to build.
func (p *Program) oneScreen(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage: %s COMMAND [flags]\n", p.About, p.Name)
	for _, group := range p.Groups {
		fmt.Fprintf(&b, "\n%s\n", group.Title)
		for field := range reflect.TypeOf(p.Grammar).Fields() {
			if field.Tag.Get("menu") == group.Key {
				fmt.Fprintf(&b, "  %-11s %s\n", commandName(field), field.Tag.Get("help"))
			}
		}
	}
	fmt.Fprintf(&b, "\n%[1]s help COMMAND shows the flags of a command, %[1]s help -a all commands.\n", p.Name)
	_, err := io.WriteString(w, b.String())
	return err
}

// GroupOf returns the key of the group of a command, or "" if only help -a lists the command.
func GroupOf(c *kong.Node) string {
	if c.Tag == nil {
		return ""
	}
	return c.Tag.Get("menu")
}

// everyCommand prints one line for each command and subcommand, under the headings of the one-screen help. The commands
// that this help does not have are at the end.
func (p *Program) everyCommand(w io.Writer, app *kong.Application) error {
	lines, width := map[string][][2]string{}, 0 // by group
	var walk func(n *kong.Node, group, path string)
	walk = func(n *kong.Node, group, path string) {
		name := strings.TrimSpace(path + " " + n.Name)
		if n.Hidden || n.Type != kong.CommandNode {
			return
		}
		if len(n.Children) == 0 {
			lines[group], width = append(lines[group], [2]string{name, n.Help}), max(width, len(name))
		}
		for _, c := range n.Children {
			walk(c, group, name)
		}
	}
	for _, c := range app.Children {
		walk(c, GroupOf(c), "")
	}
	var b strings.Builder
	for _, group := range append(slices.Clone(p.Groups), Group{Title: "More"}) {
		if len(lines[group.Key]) > 0 {
			fmt.Fprintf(&b, "%s\n", group.Title)
		}
		for _, l := range lines[group.Key] {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, l[0], l[1])
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
