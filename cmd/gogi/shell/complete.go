// Package shell completes command lines. It reads the grammar from which gogi also makes --help. [Complete]
// returns the words that may come next, and [Script] returns the completion script for bash, zsh, fish or
// PowerShell. The package does no I/O.
package shell

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"gogi/internal/lists"
)

// A Candidate is a word that can complete the line.
type Candidate struct {
	Word string
	Help string // one line; "": no help
}

// A Known is a function that returns the possible values of an argument for which the grammar has no list,
// such as the names of runs. Its parameters are the name of the argument and the values of the flags before
// it, by name.
type Known func(argument string, flags map[string]string) []Candidate

// Complete returns the candidates for the last element of words, which the user has typed partly or not at
// all. words does not include the program's name. If neither the grammar nor known has a list of values,
// Complete returns nil, and the shell offers files. known may be nil.
func Complete(root *kong.Node, words []string, known Known) []Candidate {
	if len(words) == 0 {
		return nil
	}
	at := position{node: root, given: map[string]string{}, known: known}
	for _, word := range words[:len(words)-1] {
		at.pass(word)
	}
	return at.candidates(words[len(words)-1])
}

// A position is the state after reading a part of a command line.
type position struct {
	node   *kong.Node
	flag   *kong.Flag // the flag whose value is the next word; or nil
	nth    int        // number of positional arguments so far
	closed bool       // the line has a "--", so no flags follow
	given  map[string]string
	known  Known
}

func (p *position) pass(word string) {
	switch {
	case p.flag != nil:
		p.given[p.flag.Name] = word
		p.flag = nil
	case word == "--":
		p.closed = true
	case strings.HasPrefix(word, "-") && len(word) > 1 && !p.closed:
		name, value, joined := strings.Cut(word, "=")
		switch f := p.find(name); {
		case f == nil:
		case joined:
			p.given[f.Name] = value
		case !f.IsBool() && !f.IsCounter():
			p.flag = f
		}
	default:
		p.enter(word)
	}
}

func (p *position) enter(word string) {
	for _, child := range p.node.Children {
		if child.Type == kong.CommandNode && (child.Name == word || slices.Contains(child.Aliases, word)) {
			p.node, p.nth = child, 0
			return
		}
	}
	if p.node.DefaultCmd != nil {
		p.node = p.node.DefaultCmd
	}
	p.nth++
}

// flags returns the flags that can follow at this position: first those of the command, then those of its
// parents.
func (p *position) flags() (list []*kong.Flag) {
	nodes := []*kong.Node{p.node}
	if p.node.DefaultCmd != nil {
		nodes = append(nodes, p.node.DefaultCmd)
	}
	for n := p.node.Parent; n != nil; n = n.Parent {
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		for _, f := range n.Flags {
			if !f.Hidden {
				list = append(list, f)
			}
		}
	}
	return list
}

func spellings(f *kong.Flag) []string {
	words := []string{"--" + f.Name}
	switch f.Tag.Negatable {
	case "":
	case "_": // kong's mark for a flag without its own word
		words = append(words, "--no-"+f.Name)
	default:
		words = append(words, "--"+f.Tag.Negatable)
	}
	if f.Short != 0 {
		words = append(words, "-"+string(f.Short))
	}
	return words
}

func (p *position) find(word string) *kong.Flag {
	found, _ := lists.Find(p.flags(), func(f *kong.Flag) bool { return slices.Contains(spellings(f), word) })
	return found
}

// argument returns the next positional argument, or nil. If the last argument is a list, it receives all
// further words.
func (p *position) argument() *kong.Value {
	list := p.node.Positional
	switch last := len(list) - 1; {
	case p.nth <= last:
		return list[p.nth]
	case last >= 0 && list[last].IsCumulative():
		return list[last]
	}
	return nil
}

// candidates returns the words that can follow at this position and begin with typed.
func (p *position) candidates(typed string) (list []Candidate) {
	offer := func(word, help string) {
		if strings.HasPrefix(word, typed) {
			list = append(list, Candidate{word, firstLine(help)})
		}
	}
	name, _, joined := strings.Cut(typed, "=")
	switch {
	case p.flag != nil:
		for _, word := range choices(p.flag.Value) {
			offer(word, "")
		}
	case strings.HasPrefix(typed, "-") && joined && !p.closed:
		if f := p.find(name); f != nil {
			for _, word := range choices(f.Value) {
				offer(name+"="+word, "")
			}
		}
	case strings.HasPrefix(typed, "-") && !p.closed:
		for _, f := range p.flags() {
			for _, word := range spellings(f) {
				offer(word, f.Help)
			}
		}
	default:
		for _, child := range p.node.Children {
			if !child.Hidden && child.Type == kong.CommandNode {
				offer(child.Name, child.Help)
			}
		}
		if a := p.argument(); a != nil {
			for _, word := range choices(a) {
				offer(word, "")
			}
			if p.known != nil {
				for _, c := range p.known(a.Name, p.given) {
					offer(c.Word, c.Help)
				}
			}
		}
	}
	return list
}

func choices(v *kong.Value) (words []string) {
	if v.Enum == "" {
		return nil
	}
	for _, word := range v.EnumSlice() {
		if word != "" {
			words = append(words, word)
		}
	}
	return words
}

// firstLine returns the first line of a help text, without tabs.
func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return strings.ReplaceAll(text, "\t", " ")
}
