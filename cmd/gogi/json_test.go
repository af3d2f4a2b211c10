package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"

	labcmd "gogi/cmd/gogi-lab/commands"
	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/program"
	"gogi/internal/testutil"
)

// jsonList is the list of all keys of gogi's JSON with their types. -write-reference adds new keys to it. A person
// deletes the line of a removed or changed key, and lists the change in the changelog.
const jsonList = "testdata/json_keys.txt"

// A documentation has the shapes of all outputs.
type documentation struct {
	outputs []output
	shapes  []*shape           // of the outputs
	titles  map[*object]string // of the objects that are outputs of their own
}

func newDocumentation(t *testing.T) *documentation {
	t.Helper()
	r := newReader(t)
	d := &documentation{outputs: outputs(), titles: map[*object]string{}}
	for _, o := range d.outputs {
		s := r.shape(o.of, nil)
		d.shapes = append(d.shapes, s)
		if s.object != nil {
			d.titles[s.object] = o.title
		}
	}
	return d
}

// shape returns the shape of the output with a title.
func (d *documentation) shape(title string) (*shape, error) {
	for i, o := range d.outputs {
		if o.title == title {
			return d.shapes[i], nil
		}
	}
	return nil, fmt.Errorf("no output has the title %q", title)
}

// A row is a key of an output, with its path.
type row struct {
	path, kind, meaning string
	missing             bool
}

// rows returns the keys of an output in order. A value that is an output of its own is one row.
func (d *documentation) rows(s *shape) (all []row) {
	var walk func(s *shape, path string)
	walk = func(s *shape, path string) {
		if strings.Count(path, ".") > 20 {
			panic(path + ": an object contains itself: make it an output of its own")
		}
		switch s.kind {
		case "list":
			walk(s.elem, path+"[]")
			return
		case "map":
			walk(s.elem, path+".*")
			return
		case "object":
		default:
			return
		}
		if d.titles[s.object] != "" && path != "" {
			return
		}
		for _, k := range s.keys {
			at := strings.TrimPrefix(path+"."+k.name, ".")
			all = append(all, row{at, k.value.words(d.name), k.meaning, k.missing})
			walk(k.value, at)
		}
	}
	walk(s, "")
	return all
}

// name returns the title of an object in brackets, or "object" for one that is not an output of its own.
func (d *documentation) name(o *object) string {
	if title := d.titles[o]; title != "" {
		return "[" + title + "]"
	}
	return "object"
}

// list returns the lines of jsonList, in order.
func (d *documentation) list() (lines []string) {
	for i, o := range d.outputs {
		if s := d.shapes[i]; s.kind != "object" {
			lines = append(lines, o.title+"\t\t"+s.words(d.name))
		}
		for _, r := range d.rows(d.shapes[i]) {
			kind := r.kind
			if r.missing {
				kind += ", optional"
			}
			lines = append(lines, o.title+"\t"+r.path+"\t"+kind)
		}
	}
	return lines
}

// TestJSONKeys: all keys of gogi's JSON, and their types, are those of the list.
func TestJSONKeys(t *testing.T) {
	t.Parallel()
	now := newDocumentation(t).list()
	listed := strings.Split(strings.TrimSpace(string(testutil.Must(os.ReadFile(jsonList))(t))), "\n")
	for _, line := range listed {
		if !slices.Contains(now, line) && line != "" {
			t.Errorf("gone or changed: %s\nIf this is intended, delete the line from %s, and list the change in the changelog under Removed.", line, jsonList)
		}
	}
	if *writeReference && !t.Failed() {
		testutil.OK(t, os.WriteFile(jsonList, []byte(strings.Join(now, "\n")+"\n"), 0o644))
		listed = now
	}
	for _, line := range now {
		if !slices.Contains(listed, line) {
			t.Errorf("new: %s\nrun: go test ./cmd/gogi -run 'TestReference|TestJSONKeys' -args -write-reference", line)
		}
	}
}

// TestJSONMeanings: each key has a meaning, from the comment of its Go field or from commonKeys. commonKeys has no key
// that is not used.
func TestJSONMeanings(t *testing.T) {
	t.Parallel()
	d, without := newDocumentation(t), map[string]bool{}
	unused := commonKeys()
	for _, s := range d.shapes {
		for _, r := range d.rows(s) {
			name := r.path[strings.LastIndexByte(r.path, '.')+1:]
			delete(unused, name)
		}
		for at, k := range d.unexplained(s) {
			without[fmt.Sprintf("%v: %s", at, k)] = true
		}
	}
	for _, k := range slices.Sorted(maps.Keys(without)) {
		t.Errorf("%s has no meaning: write a comment at its field", k)
	}
	for _, k := range slices.Sorted(maps.Keys(unused)) {
		t.Errorf("commonKeys has %s, which is no key", k)
	}
}

// TestJSONCommands: the list of outputs has every command with --json, and no other command.
func TestJSONCommands(t *testing.T) {
	t.Parallel()
	want := map[string]bool{}
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, c := range n.Children {
			walk(c)
		}
		for at := n; len(n.Children) == 0 && at != nil && at.Type == kong.CommandNode; at = at.Parent {
			if slices.ContainsFunc(at.Flags, func(f *kong.Flag) bool { return f.Name == "json" }) {
				want[n.FullPath()] = true
			}
		}
	}
	for _, p := range []*program.Program{gogiProgram(), labcmd.Program()} {
		env := &cli.Env{Out: new(bytes.Buffer), Err: new(bytes.Buffer)}
		for _, c := range testutil.Must(p.Parser(t.Context(), reflect.New(reflect.TypeOf(p.Grammar)).Interface(), env,
			false))(t).Model.Children {
			walk(c)
		}
	}
	delete(want, "gogi-lab version") // as gogi version
	got := map[string]bool{}
	for _, o := range outputs() {
		for _, c := range o.commands {
			name, _, _ := strings.Cut(programOf(c), " --")
			name = strings.TrimRight(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ ")
			testutil.Check(t, want[name], "%s has no flag --json", name)
			got[name] = true
		}
	}
	for name := range want {
		testutil.Check(t, got[name], "the list of outputs does not have %s --json", name)
	}
}

// unexplained returns the keys without a meaning, by their objects.
func (d *documentation) unexplained(s *shape) map[reflect.Type]string {
	found, seen := map[reflect.Type]string{}, map[*object]bool{}
	var walk func(s *shape)
	walk = func(s *shape) {
		s = s.base()
		if s.object == nil || seen[s.object] {
			return
		}
		seen[s.object] = true
		for _, k := range s.keys {
			if k.meaning == "" {
				found[s.of] += " " + k.name
			}
			walk(k.value)
		}
	}
	walk(s)
	return found
}

// jsonPage returns docs/json.md.
func jsonPage(t *testing.T) string {
	t.Helper()
	d, b := newDocumentation(t), new(strings.Builder)
	b.WriteString("# JSON\n\n" + generated + jsonIntroduction +
		"\n## Where each object is\n\n| command with `--json`, or place | object |\n|---|---|\n")
	for i, o := range d.outputs {
		var places []string
		for _, c := range o.commands {
			places = append(places, "`"+programOf(c)+"`")
		}
		if places = append(places, o.also...); len(places) == 0 {
			continue // it is only a part of others
		}
		what := d.shapes[i].words(d.name)
		if d.shapes[i].kind == "list" && what == "list of objects" {
			what = "list of objects: [" + o.title + "]"
		}
		if o.lines {
			what = "lines, each: " + what
		}
		fmt.Fprintf(b, "| %s | %s |\n", strings.Join(places, ", "), linked(what))
	}
	for i, o := range d.outputs {
		if d.shapes[i].kind == "list" && d.titles[d.shapes[i].base().object] != "" {
			continue // the table above says all of it
		}
		fmt.Fprintf(b, "\n## %s\n\n| key | type | meaning |\n|---|---|---|\n", strings.ToUpper(o.title[:1])+o.title[1:])
		for _, r := range d.rows(d.shapes[i]) {
			kind := linked(r.kind)
			if r.missing {
				kind += ", optional"
			}
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", r.path, kind, cell(r.meaning, new(kong.Value)))
		}
	}
	return b.String()
}

// programOf returns a command of the list of outputs with the name of its program.
func programOf(command string) string {
	if strings.HasPrefix(command, "gogi-lab ") {
		return command
	}
	return "gogi " + command
}

// linked makes a link of each title in brackets.
func linked(text string) string {
	before, rest, ok := strings.Cut(text, "[")
	if !ok {
		return text
	}
	title, after, _ := strings.Cut(rest, "]")
	anchor := strings.ToLower(strings.ReplaceAll(strings.NewReplacer(":", "", "(", "", ")", "").Replace(title), " ", "-"))
	return before + "[" + title + "](#" + anchor + ")" + after
}

const jsonIntroduction = `This page is for programs that read the JSON of gogi. It has every key of every object that gogi prints, sends or writes.
[events.md](events.md) explains the order of events, and [formats.md](formats.md) the files.

- A key with a dot is inside another object: ` + "`plies.mean`" + ` is the key ` + "`mean`" + ` of the object ` + "`plies`" + `. ` + "`games[].pair`" + ` is in each object of a
  list. ` + "`counts.*`" + ` is each value of an object whose keys are names.
- An object lacks an optional key that has nothing to say: a zero, an empty text or an empty list. All other keys are always there.
- A list without elements is ` + "`[]`" + `, and an object of names without names is ` + "`{}`" + `. A number that does not exist is ` + "`null`" + `.
- Numbers are floating-point numbers; integers have no fraction. Times are texts by RFC 3339, unless the meaning gives a unit.
- gogi may add keys. It does not remove or change a key without a line in the [changelog](../CHANGELOG.md).
- ` + "`any`" + ` is a value of a form that depends on other keys.
`

// checkJSON returns the places at which text, one or more JSON values, is not as documented.
func (d *documentation) checkJSON(title, text string) error {
	s, err := d.shape(title)
	if err != nil {
		return err
	}
	var wrong []string
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	count := 0
	for ; ; count++ {
		var v any
		if err := in.Decode(&v); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("%s: %w in %s", title, err, text)
		}
		wrong = append(wrong, s.unlike(v, "")...)
	}
	if count == 0 {
		return fmt.Errorf("%s: no JSON", title)
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return fmt.Errorf("%s, which docs/json.md describes differently:\n%s", title,
			strings.Join(slices.Compact(wrong), "\n"))
	}
	return nil
}

// checkStdout json TITLE... checks that the standard output of the last command is as docs/json.md describes it. With
// two titles, the second describes the last line, and the first all others.
func (d *documentation) checkStdout(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.TrimSpace(ts.ReadFile("stdout"))
	if len(args) == 2 {
		end := strings.LastIndexByte(text, '\n') + 1
		ts.Check(d.checkJSON(args[1], text[end:]))
		if text = text[:end]; strings.TrimSpace(text) == "" {
			return
		}
	}
	ts.Check(d.checkJSON(args[0], text))
}
