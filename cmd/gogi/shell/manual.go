package shell

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Manual writes the manual page of a command, or of the program, as roff with the macros of man(7). The page
// has the text of --help.
func Manual(w io.Writer, app *kong.Application, node *kong.Node) error {
	p := page{program: app.Name}
	name := strings.ReplaceAll(node.FullPath(), " ", "-")
	help := node.Help
	if node.Parent == nil {
		help = app.Help
	}
	p.line(`.TH "%s" "1" "" "%s" "User Commands"`, roff(strings.ToUpper(name)), roff(app.Name))
	p.section("NAME")
	p.line(`%s \- %s`, roff(name), roff(strings.TrimSuffix(help, ".")))
	p.section("SYNOPSIS")
	p.line(`.B %s`, roff(synopsis(app, node)))
	p.section("DESCRIPTION")
	p.line("%s", text(help))
	p.detail(node.Detail)
	p.arguments(node)
	p.verbs(node)
	p.options(node)
	p.section("SEE ALSO")
	p.line("%s", text(p.related(app, node)))
	_, err := io.WriteString(w, p.out.String())
	return err
}

type page struct {
	program string
	out     strings.Builder
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

func (p *page) section(name string) { p.line(`.SH "%s"`, name) }

// item writes a paragraph with a hanging tag.
func (p *page) item(tag, help string) {
	p.line(".TP\n.B %s\n%s", roff(tag), text(help))
}

func synopsis(app *kong.Application, node *kong.Node) string {
	if node.Parent == nil {
		return app.Name + " <command> [flags]"
	}
	return app.Name + " " + node.Summary()
}

// detail writes the paragraphs below the first line of the help. An indented paragraph is an example and keeps
// its lines.
func (p *page) detail(help string) {
	for paragraph := range strings.SplitSeq(help, "\n\n") {
		switch {
		case strings.HasPrefix(paragraph, "\t"):
			p.line(".PP\n.nf")
			for line := range strings.SplitSeq(paragraph, "\n") {
				p.line("%s", text(strings.TrimPrefix(line, "\t")))
			}
			p.line(".fi")
		case paragraph != "":
			p.line(".PP\n%s", text(paragraph))
		}
	}
}

func (p *page) arguments(node *kong.Node) {
	for i, v := range node.Positional {
		if i == 0 {
			p.section("ARGUMENTS")
		}
		p.item(v.Summary(), v.Help)
	}
}

func (p *page) verbs(node *kong.Node) {
	first := true
	for _, child := range node.Children {
		if child.Hidden || child.Type != kong.CommandNode {
			continue
		}
		if first {
			p.section("COMMANDS")
			first = false
		}
		p.item(child.Name, child.Help)
	}
}

// options writes the flags by their groups, those without a group first.
func (p *page) options(node *kong.Node) {
	var groups []string
	for _, f := range node.Flags {
		if name := groupOf(f); !f.Hidden && !slices.Contains(groups, name) {
			groups = append(groups, name)
		}
	}
	slices.SortStableFunc(groups, func(a, b string) int { return min(len(a), 1) - min(len(b), 1) })
	for _, group := range groups {
		title := "OPTIONS"
		if group != "" {
			title += ": " + strings.ToUpper(group)
		}
		p.section(title)
		for _, f := range node.Flags {
			if !f.Hidden && groupOf(f) == group {
				p.item(flagTag(f), f.Help)
			}
		}
	}
}

func groupOf(f *kong.Flag) string {
	if f.Group == nil {
		return ""
	}
	return strings.TrimSuffix(f.Group.Title, ":")
}

func flagTag(f *kong.Flag) string {
	name := "--" + f.Name
	if f.Tag.Negatable != "" {
		name = "--[no-]" + f.Name
	}
	if f.Short != 0 {
		name = fmt.Sprintf("-%c, %s", f.Short, name)
	}
	if !f.IsBool() && !f.IsCounter() {
		name += "=" + f.FormatPlaceHolder()
	}
	return name
}

func (p *page) related(app *kong.Application, node *kong.Node) string {
	var names []string
	if node.Parent != nil {
		names = append(names, strings.ReplaceAll(node.Parent.FullPath(), " ", "-")+"(1)")
	}
	for _, child := range node.Children {
		if !child.Hidden && child.Type == kong.CommandNode {
			names = append(names, strings.ReplaceAll(child.FullPath(), " ", "-")+"(1)")
		}
	}
	if len(names) == 0 {
		return app.Name + "(1)"
	}
	return strings.Join(names, ", ")
}

// roff returns a text escaped for any place in a line of roff. It protects backslashes and hyphens, and
// writes characters beyond ASCII as escapes, because not every roff reads UTF-8.
func roff(s string) string {
	var b strings.Builder
	for _, r := range strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`, "\n", " ").Replace(s) {
		if r > '~' {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// text returns a text escaped as a whole line of roff, so that its beginning is not read as a roff request.
func text(s string) string {
	s = roff(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}
