package main

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"gogi/internal/testutil"
	"gogi/lab/linear"
	"gogi/shogi/kifu"
	"gogi/stats/hunt"
)

// A shape is the form of a JSON value, as encoding/json makes it from a Go type.
type shape struct {
	kind string // object, list, map, string, integer, number, boolean, or any
	null bool   // the value may be null
	elem *shape // of a list or a map
	*object
}

// An object has the keys of a JSON object, in their order.
type object struct {
	of   reflect.Type
	keys []key
}

// A key is a key of a JSON object.
type key struct {
	name    string
	missing bool // an object may lack the key
	value   *shape
	meaning string // from the comment of the Go field
}

// words returns the type in words, such as "list of integers". name returns the name of an object.
func (s *shape) words(name func(*object) string) string {
	word := s.kind
	switch s.kind {
	case "object":
		word = name(s.object)
	case "list", "map":
		elem := s.elem.words(name)
		if !strings.HasPrefix(elem, "[") && !s.elem.null {
			elem = map[string]string{"any": "values", "boolean": "booleans"}[elem]
			if elem == "" {
				first, rest, more := strings.Cut(s.elem.words(name), " ")
				elem = first + "s"
				if more {
					elem += " " + rest
				}
			}
		}
		word = map[string]string{"list": "list of ", "map": "object of "}[s.kind] + elem
	}
	if s.null {
		word += " or null"
	}
	return word
}

func anyObject(*object) string { return "object" }

// base returns the value inside all lists and maps.
func (s *shape) base() *shape {
	for s.elem != nil {
		s = s.elem
	}
	return s
}

// A reader makes shapes from Go types, and reads the comments of their fields from the source.
type reader struct {
	t       *testing.T
	sources map[string]map[string]*declaration // by folder and type
	known   map[reflect.Type]*object
}

// A declaration is the declaration of a struct type.
type declaration struct {
	fields *ast.StructType
	doc    string // comment of the type
}

func newReader(t *testing.T) *reader {
	t.Helper()
	return &reader{t, map[string]map[string]*declaration{}, map[reflect.Type]*object{}}
}

// exceptions returns the shapes of the types that marshal themselves as something else than text.
func exceptions() map[reflect.Type]*shape {
	return map[reflect.Type]*shape{
		reflect.TypeFor[time.Time]():       {kind: "string"},
		reflect.TypeFor[json.RawMessage](): {kind: "any"},
		reflect.TypeFor[json.Number]():     {kind: "number"},
		reflect.TypeFor[kifu.Detail]():     {kind: "any"},
		reflect.TypeFor[hunt.Elo]():        {kind: "number", null: true}, // an infinite loss is null
	}
}

func implements(t reflect.Type, what reflect.Type) bool {
	return t.Implements(what) || reflect.PointerTo(t).Implements(what)
}

// shape returns the shape of a type. at is its declaration in the source if it is a struct without a name.
func (r *reader) shape(of reflect.Type, at ast.Expr) *shape {
	if s := exceptions()[of]; s != nil {
		return new(*s)
	}
	if of == reflect.TypeFor[linear.Term]() {
		of = reflect.TypeFor[linear.TermJSON]()
	}
	switch {
	case of.Kind() == reflect.Pointer:
		s := *r.shape(of.Elem(), inside(at))
		s.null = true
		return &s
	case strings.HasPrefix(of.Name(), "Ordered["): // a map that keeps its order
		entry, _ := of.Elem().FieldByName("Value")
		return &shape{kind: "map", elem: r.shape(entry.Type, nil)}
	case implements(of, reflect.TypeFor[json.Marshaler]()):
		r.t.Fatalf("%v marshals itself: add its shape to exceptions", of)
	case implements(of, reflect.TypeFor[encoding.TextMarshaler]()):
		return &shape{kind: "string"}
	}
	switch of.Kind() {
	case reflect.Bool:
		return &shape{kind: "boolean"}
	case reflect.String:
		return &shape{kind: "string"}
	case reflect.Float32, reflect.Float64:
		return &shape{kind: "number"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &shape{kind: "integer"}
	case reflect.Interface:
		return &shape{kind: "any"}
	case reflect.Map:
		return &shape{kind: "map", elem: r.shape(of.Elem(), inside(at))}
	case reflect.Slice, reflect.Array:
		if of.Elem().Kind() == reflect.Uint8 && of.Kind() == reflect.Slice {
			return &shape{kind: "string"} // base64
		}
		return &shape{kind: "list", elem: r.shape(of.Elem(), inside(at))}
	case reflect.Struct:
		return &shape{kind: "object", object: r.object(of, at)}
	}
	r.t.Fatalf("%v has no JSON form", of)
	return nil
}

// inside returns the expression of a pointer's, list's or map's element.
func inside(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.StarExpr:
		return e.X
	case *ast.ArrayType:
		return e.Elt
	case *ast.MapType:
		return e.Value
	}
	return nil
}

func (r *reader) object(of reflect.Type, at ast.Expr) *object {
	if s := r.known[of]; s != nil {
		return s
	}
	s := &object{of: of}
	if of.Name() != "" {
		r.known[of] = s // a type may contain itself
	}
	depths := map[string]int{}
	r.fields(of, at, 0, false, func(k key, depth int) {
		i := slices.IndexFunc(s.keys, func(o key) bool { return o.name == k.name })
		switch {
		case i < 0:
			s.keys = append(s.keys, k)
		case depth < depths[k.name]: // the field of the outer type replaces that of the embedded one
			s.keys[i] = k
		case depth == depths[k.name]:
			r.t.Fatalf("%v has the key %s twice", of, k.name)
		default:
			return
		}
		depths[k.name] = depth
	})
	return s
}

// fields calls add for each key that the fields of a struct make, also those of embedded structs.
func (r *reader) fields(of reflect.Type, at ast.Expr, depth int, missing bool, add func(key, int)) {
	source := r.source(of, at)
	for i := range of.NumField() {
		f := of.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if tag == "-" || !f.IsExported() && !(f.Anonymous && inner.Kind() == reflect.Struct) {
			continue
		}
		if f.Anonymous && name == "" && inner.Kind() == reflect.Struct && exceptions()[inner] == nil {
			r.fields(inner, nil, depth+1, missing || f.Type.Kind() == reflect.Pointer, add)
			continue
		}
		k := key{name: cmp.Or(name, f.Name), missing: missing || strings.Contains(options, "omitempty") ||
			strings.Contains(options, "omitzero")}
		node := source.field(f.Name)
		var expr ast.Expr
		if node != nil {
			expr = node.Type
		}
		value := *r.shape(f.Type, expr)
		if k.missing && f.Type.Kind() == reflect.Pointer {
			value.null = false // it is missing instead
		}
		if strings.Contains(options, "string") {
			value = shape{kind: "string"} // a number that not every reader can represent
		}
		k.value, k.meaning = &value, cmp.Or(source.meaning(f.Name, of, k.missing), commonKeys()[k.name], r.about(f.Type))
		add(k, depth)
	}
}

// about returns the first sentence of the comment of a type, for a field without a comment.
func (r *reader) about(of reflect.Type) string {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map ||
		of.Kind() == reflect.Array {
		of = of.Elem()
	}
	if of.Name() == "" || !strings.HasPrefix(of.PkgPath(), "gogi/") {
		return ""
	}
	found := r.folder(of.PkgPath())[of.Name()]
	if found == nil {
		return ""
	}
	first, _, _ := strings.Cut(found.doc+" ", ". ")
	_, text, ok := strings.Cut(first, of.Name()+" is ")
	if !ok {
		if _, text, ok = strings.Cut(first, of.Name()+" has "); !ok {
			return ""
		}
	}
	return strings.TrimSuffix(strings.TrimSpace(text), ".")
}

// source returns the declaration of a struct type.
func (r *reader) source(of reflect.Type, at ast.Expr) *declaration {
	if of.Name() == "" {
		fields, _ := at.(*ast.StructType)
		return &declaration{fields: fields}
	}
	name, _, _ := strings.Cut(of.Name(), "[")
	found := r.folder(of.PkgPath())[name]
	if found == nil || found.fields == nil {
		r.t.Fatalf("the source has no declaration of %v (%s)", of, of.PkgPath())
	}
	return found
}

// folder returns the types that the files of a package declare, also inside functions.
func (r *reader) folder(pkg string) map[string]*declaration {
	if found := r.sources[pkg]; found != nil {
		return found
	}
	found := map[string]*declaration{}
	r.sources[pkg] = found
	folder := filepath.Join("../..", strings.TrimPrefix(pkg, "gogi/"))
	if pkg == "main" || pkg == "gogi/cmd/gogi" {
		folder = "."
	}
	for _, file := range testutil.Must(os.ReadDir(folder))(r.t) {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") && folder != "." {
			continue
		}
		parsed := testutil.Must(parser.ParseFile(token.NewFileSet(), filepath.Join(folder, file.Name()), nil,
			parser.ParseComments))(r.t)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, s := range d.Specs {
					s := s.(*ast.TypeSpec)
					fields, _ := s.Type.(*ast.StructType)
					found[s.Name.Name] = &declaration{fields, strings.Join(strings.Fields(cmp.Or(s.Doc.Text(), d.Doc.Text())), " ")}
				}
			}
			return true
		})
	}
	return found
}

// field returns the declaration of a field, or nil.
func (s *declaration) field(name string) *ast.Field {
	if s.fields == nil {
		return nil
	}
	for _, f := range s.fields.Fields.List {
		for _, n := range f.Names {
			if n.Name == name {
				return f
			}
		}
	}
	return nil
}

// meaning returns the comment of a field in the words of JSON: keys in place of the names of fields.
func (s *declaration) meaning(name string, of reflect.Type, missing bool) string {
	f := s.field(name)
	if f == nil {
		return ""
	}
	text := cmp.Or(strings.TrimSpace(f.Comment.Text()), f.Doc.Text())
	return inKeys(strings.Join(strings.Fields(text), " "), name, of, missing)
}

var words = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*`)

// inKeys replaces the names of a struct's fields by their keys, and nil by what JSON has in its place. A name that is
// also an ordinary word, such as Games, is replaced only inside a sentence or if it is the name of the field itself.
func inKeys(text, name string, of reflect.Type, missing bool) string {
	last := 0
	var out strings.Builder
	for _, at := range words.FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		to := word
		begins := at[0] == 0 || strings.HasSuffix(text[:at[0]], ". ") || strings.HasSuffix(text[:at[0]], ": ")
		f, ok := of.FieldByName(word)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		humps := strings.ContainsFunc(word[1:], unicode.IsUpper)
		switch {
		case word == "nil" && missing:
			to = "missing"
		case word == "nil":
			to = "null"
		case ok && key != "" && key != "-" && unicode.IsUpper(rune(word[0])) &&
			(humps && strings.ToUpper(word) != word || !begins || word == name && at[0] == 0 && followsName(text[at[1]:])):
			to = "`" + key + "`"
		}
		out.WriteString(text[last:at[0]] + to)
		last = at[1]
	}
	return out.String() + text[last:]
}

// followsName reports whether text continues a sentence whose subject is the name of a field.
func followsName(text string) bool {
	for _, verb := range []string{" is ", " are ", " has ", " have ", " means ", " counts ", " lists ", " maps ",
		" describes ", " reports ", " and ", ", "} {
		if strings.HasPrefix(text, verb) {
			return true
		}
	}
	return false
}

// unlike returns the places at which a decoded JSON value does not have this shape.
func (s *shape) unlike(v any, path string) (wrong []string) {
	bad := func(format string, args ...any) { wrong = append(wrong, path+": "+fmt.Sprintf(format, args...)) }
	switch v := v.(type) {
	case nil:
		if !s.null && s.kind != "any" {
			bad("null, documented as %s", s.words(anyObject))
		}
	case map[string]any:
		switch s.kind {
		case "any":
		case "map":
			for _, k := range slices.Sorted(maps.Keys(v)) {
				wrong = append(wrong, s.elem.unlike(v[k], path+"."+k)...)
			}
		case "object":
			wrong = append(wrong, s.unlikeObject(v, path)...)
		default:
			bad("an object, documented as %s", s.kind)
		}
	case []any:
		switch s.kind {
		case "any":
		case "list":
			for _, e := range v {
				wrong = append(wrong, s.elem.unlike(e, path+"[]")...)
			}
		default:
			bad("a list, documented as %s", s.kind)
		}
	case json.Number:
		if s.kind != "number" && s.kind != "any" && !(s.kind == "integer" && !strings.ContainsAny(v.String(), ".eE")) {
			bad("the number %s, documented as %s", v, s.kind)
		}
	case string:
		if s.kind != "string" && s.kind != "any" {
			bad("the text %q, documented as %s", v, s.kind)
		}
	case bool:
		if s.kind != "boolean" && s.kind != "any" {
			bad("%v, documented as %s", v, s.kind)
		}
	}
	return wrong
}

func (s *shape) unlikeObject(v map[string]any, path string) (wrong []string) {
	left := maps.Clone(v)
	for _, k := range s.keys {
		at := strings.TrimPrefix(path+"."+k.name, ".")
		value, there := v[k.name]
		delete(left, k.name)
		if there {
			wrong = append(wrong, k.value.unlike(value, at)...)
		} else if !k.missing {
			wrong = append(wrong, at+": documented as always there, and missing")
		}
	}
	for _, k := range slices.Sorted(maps.Keys(left)) {
		wrong = append(wrong, strings.TrimPrefix(path+"."+k, ".")+": not documented")
	}
	return wrong
}
